"""Refusing what Enzyme differentiates wrongly at second order: reverse mode of reverse mode of loops
with several exits.

The inner reverse sweep of such a loop has two entries, and the outer sweep then gives wrong numbers
without a word, crashes, or hangs (COVERAGE.md; MEASURED again). Forward over reverse and reverse over
forward are right on the same kernels. A raise is no exit: it does not return.

single_exit.py rewrites such loops first; what is refused here is what it could not rewrite.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.graphs import graphs, has_several_exits
from enzyme_py.assembly.ir_text import functions_in
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import readable
from enzyme_py.assembly.requests import Requests
from enzyme_py.errors import DerivativeError

_REQUEST = re.compile(r"@__enzyme_[\w.]+\(ptr")
# A name that assembly/names.py gives, or one that the pass made of it.
_KERNELS = re.compile(r"k\d+\.(?!enzyme_py)")


def nests_reverse(ir: str) -> bool:
    """Tell whether reverse mode differentiates another derivative."""
    return len(_REQUEST.findall(ir)) > 1 and bool(under_reverse(ir))


def reversed_twice(ir: str) -> set[str]:
    """Return the functions under reverse over reverse."""
    return _inside_reverse(ir, {True})


def under_reverse(ir: str) -> set[str]:
    """Return the functions under reverse over reverse or over forward."""
    return _inside_reverse(ir, {True, False})


def _inside_reverse(ir: str, directions: set[bool]) -> set[str]:
    requests = Requests(ir)
    inner: set[str] = set()
    for one in requests.under_reverse():
        inner |= requests.reached(one.target) if one.is_reverse in directions else set()
    return inner


def with_several_exits(ir: str) -> set[str]:
    """Return the functions under reverse over reverse that hold a loop with several exits."""
    inner = reversed_twice(ir)
    return {
        name for name, graph in graphs(ir) if name in inner and has_several_exits(set(graph), graph)
    }


def check_calls(module: DiffModule) -> None:
    """Raise if reverse over reverse reads a function that is called, as it calls itself.

    In one run the pass hands its tape on in a struct, whose slopes it then loses (flat_parameters.py); in steps all is well.
    """
    if not nests_reverse(module.ir):
        return
    inner = reversed_twice(module.ir)
    for function in functions_in(module.ir):
        for _, call in function.calls if function.name in inner else ():
            if call.callee in inner and _KERNELS.search(call.callee):
                name = readable(call.callee.split(".", 1)[-1])
                message = f"reverse over reverse of `{name}`, which calls itself or is too large to be inlined"
                remedy = "take forward over reverse, jvp of grad, or write the function as a loop"
                raise DerivativeError(message, where=module.where, remedy=remedy)


def check_nesting(module: DiffModule) -> None:
    """Raise if the module, as the pass reads it, holds what comes out wrong."""
    for name in with_several_exits(module.ir):
        raise _refusal(module, name)


def _refusal(module: DiffModule, name: str) -> DerivativeError:
    message = (
        f"reverse over reverse of `{readable(name.split('.', 1)[-1])}`, which holds a loop with "
        "several exits (break, or return inside it)"
    )
    remedy = (
        "Enzyme would get this wrong. Take forward over reverse, jvp of grad, or leave the loop "
        "by a flag in its condition"
    )
    return DerivativeError(message, where=module.where, remedy=remedy)
