"""The looking glass: what a derivative was compiled to, and where the time went.

* `timings()`: seconds per stage of everything compiled so far
* `ir(f, *arguments, stage=...)`: the IR of a gradient at a stage
* `memory()`: this thread's memory in regions
"""

from enzyme_py.inspect.stages import ir as ir
from enzyme_py.native.runtime import memory_stats as memory
from enzyme_py.timings import Timing as Timing
from enzyme_py.timings import timings as timings

__all__ = ["Timing", "ir", "memory", "timings"]
