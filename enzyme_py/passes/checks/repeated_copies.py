"""Whether a loop of which each part has a copy of an array is run several times under reverse mode of another derivative.

    for _ in range(2):
        for i in prange(4):
            r *= a[0] + 1.0

Symptom: reverse over reverse, and now and then reverse over forward, gives other numbers on threads than with plain loops, without a word
(found by the fuzzer: `tests/threads/parts/test_repeated_copies.py`).

Cause: not known. It goes through two runs of Enzyme (passes/steps.py); in one run it is right, and in two without the option
`--enzyme-loop-invariant-cache=0`, which other code needs (measured, `in_a_loop` of the tests). The gradient, forward over reverse, loops that share nothing by copies, and a loop that runs once are right; that LLVM
sinks the two calls of a driver into one block is not the cause.

Cure: such kernels have plain loops there, which is told (`enzyme.inspect.loops`).
"""

from __future__ import annotations

from enzyme_py.llvm import Call, Function, Module
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.passes.module.requests import nests_reverse
from enzyme_py.symbols import COPIED, DRIVER


def has_repeated_copies(code: Module) -> bool:
    """Tell whether reverse mode differentiates another derivative, and a driver with copies may run several times."""
    running = {one.name for one in code.functions if DRIVER in one.name and _has_copies(one)}
    if not running or not nests_reverse(code):
        return False
    pending = set(running)
    while pending:
        names, pending = pending, set[str]()
        for function in code.functions:
            for call in function.calls:
                if not _runs(call, names):
                    continue
                if function.name in running or _is_repeated(call, function):
                    return True
                pending.add(function.name)
        running |= pending
    return False


def _has_copies(driver: Function) -> bool:
    return any(one.name.startswith(COPIED) for one in driver.arguments)


def _runs(call: Call, names: set[str]) -> bool:
    """Tell whether a call runs one of some functions, or asks for its derivative."""
    return call.callee in names or any(isinstance(one, Function) and one.name in names for one in call.arguments)


def _is_repeated(call: Call, function: Function) -> bool:
    return any(call in loop for loop in function.analysis(Loops).loops)
