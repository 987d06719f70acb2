"""The looking glass: what a derivative was compiled to, and where the time went.

    enzyme_py.inspect.timings()            seconds per stage of everything compiled so far
    enzyme_py.inspect.ir(f, *args, ...)    the IR at a stage
    enzyme_py.inspect.memory()             this thread's memory in regions
"""

from enzyme_py.inspect.stages import ir as ir
from enzyme_py.native.runtime import memory_stats as memory
from enzyme_py.timings import Timing as Timing
from enzyme_py.timings import timings as timings

__all__ = ["Timing", "ir", "memory", "timings"]
