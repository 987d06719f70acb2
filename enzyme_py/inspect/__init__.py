"""The looking glass: what a derivative was compiled to, where the time went, what it needs.

* `finished()`: which calls found finished machine code on the disk, which did not, and why
* `timings()`: seconds per stage of everything compiled so far
* `ir(f, *arguments, stage=..., after=...)`: the IR of a gradient at a stage, or behind a pass
* `passes(f, *arguments)`: which passes changed it, how many lines, and in what time
* `attempts(f, *arguments)`: what was tried to differentiate it, and what came of each attempt
* `doubts()`: which derivatives of this process carry a doubt, why, and what came of comparing them
* `loops(f, *arguments)`: which `prange` loops of it run on threads, and why others do not
* `memory(f, *arguments, mode=...)`: the peak, the tape and the allocations of one derivative
* `tape(f, *arguments)`: what a gradient keeps between its sweeps, line by line
* `report(f, *arguments)`: all of it, line by line, as a page, as data, and short
* `draw_memory(f, *arguments)`, `draw_calls(f, *arguments)`, `draw_pattern(pattern)`: pictures of a derivative
* `memory()`: this thread's memory in regions
* `trim()`: give the memory that this thread keeps for its next calls back to the system
"""

from enzyme_py.finished.search import Look as Look
from enzyme_py.finished.search import looks as finished
from enzyme_py.foundations.timings import Timing as Timing
from enzyme_py.foundations.timings import timings as timings
from enzyme_py.frontend.parallel.log import ParallelLoop as ParallelLoop
from enzyme_py.inspect.footprint import Footprint as Footprint
from enzyme_py.inspect.footprint import memory as memory
from enzyme_py.inspect.footprint import trim as trim
from enzyme_py.inspect.pictures import Picture as Picture
from enzyme_py.inspect.pictures import draw_calls as draw_calls
from enzyme_py.inspect.pictures import draw_memory as draw_memory
from enzyme_py.inspect.pictures import draw_pattern as draw_pattern
from enzyme_py.inspect.report import Report as Report
from enzyme_py.inspect.report import report as report
from enzyme_py.inspect.stages import Changed as Changed
from enzyme_py.inspect.stages import attempts as attempts
from enzyme_py.inspect.stages import ir as ir
from enzyme_py.inspect.stages import loops as loops
from enzyme_py.inspect.stages import passes as passes
from enzyme_py.inspect.tape import KeptLine as KeptLine
from enzyme_py.inspect.tape import Tape as Tape
from enzyme_py.inspect.tape import tape as tape
from enzyme_py.passes.checks.doubts import Doubtful as Doubtful
from enzyme_py.passes.checks.doubts import doubts as doubts
from enzyme_py.passes.journal import Tried as Tried

__all__ = [
    "Changed",
    "Doubtful",
    "Footprint",
    "KeptLine",
    "Look",
    "ParallelLoop",
    "Picture",
    "Report",
    "Tape",
    "Timing",
    "Tried",
    "attempts",
    "doubts",
    "draw_calls",
    "draw_memory",
    "draw_pattern",
    "finished",
    "ir",
    "loops",
    "memory",
    "passes",
    "report",
    "tape",
    "timings",
    "trim",
]
