"""The looking glass: what a derivative was compiled to, where the time went, what it needs.

* `timings()`: seconds per stage of everything compiled so far
* `ir(f, *arguments, stage=...)`: the IR of a gradient at a stage
* `memory(f, *arguments, mode=...)`: the peak, the tape and the allocations of one derivative
* `memory()`: this thread's memory in regions
* `trim()`: give the memory that this thread keeps for its next calls back to the system
"""

from enzyme_py.inspect.footprint import Footprint as Footprint
from enzyme_py.inspect.footprint import memory as memory
from enzyme_py.inspect.footprint import trim as trim
from enzyme_py.inspect.stages import ir as ir
from enzyme_py.timings import Timing as Timing
from enzyme_py.timings import timings as timings

__all__ = ["Footprint", "Timing", "ir", "memory", "timings", "trim"]
