"""Finding where one way leaves two nested loops at once (a return in the inner loop): reverse mode gets it wrong.

Behind such a way the pass has to find values of the inner loop again. What it kept, it finds, such as
a sum. What it computes again from the loop's counter, it computes as if the inner loop had run to its end,
and memory of that loop it frees twice: wrong numbers without a word, or a crash (MEASURED). Reverse mode of a
derivative goes wrong with what was kept as well, and where a break of the inner loop decides one of the outer loop.
With one exit for each loop (single_exit.py) all of it is right, so that is what such functions get.

Telling apart which of them would be right as they are was tried, and missed one in twenty random kernels
(tests/fuzz/scalars.py).

Read from the text after O2, which the pass sees. A raise is no way out: it does not return.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from enzyme_py.assembly.control_flow import Body
from enzyme_py.assembly.graphs import Graph, entries, graphs, has_several_exits, loops
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import readable
from enzyme_py.assembly.requests import Requests
from enzyme_py.errors import DerivativeError

_REVERSE = re.compile(r"@__enzyme_(?:autodiff|reverse|augmentfwd)[\w.]*\(ptr")
_FUNCTION = re.compile(
    r'^(define\b[^@\n]*@("[^"]+"|[-a-zA-Z$._0-9]+)\(.*)\n((?:(?!\}$).*\n)*)', re.MULTILINE
)


def may_exit_far(ir: str) -> bool:
    """Tell, before O2, whether code under reverse mode can leave two loops at once after it."""
    return _REVERSE.search(ir) is not None and any(
        has_several_exits(set(graph), graph) for _, graph in graphs(ir)
    )


def with_far_exits(ir: str) -> set[str]:
    """Return the functions that need one exit for each loop (single_exit.py), for reverse mode to be right."""
    found = {name: one for name, one in _bodies(ir) if one.is_far or one.nests_open}
    if not found:
        return set()
    requests = Requests(ir)
    reversed_ = [one.target for one in requests.all() if one.is_reverse]
    derived = [one.target for one in requests.under_reverse()]
    return {
        name
        for name, one in found.items()
        if any(
            name in requests.reached(target) for target in (reversed_ if one.is_far else derived)
        )
    }


def check_far_exits(module: DiffModule) -> None:
    """Raise if a function is left with far exits: one with loops that are entered at several places."""
    for name in sorted(with_far_exits(module.ir)):
        message = (
            f"reverse mode of `{readable(name.split('.', 1)[-1])}`, which leaves nested loops at once (a "
            "return or a break) and enters one of them at several places"
        )
        remedy = (
            "Enzyme would get this wrong. Keep the place in a variable, with a flag in the conditions "
            "of both loops, and use it behind them, or take forward mode outermost"
        )
        raise DerivativeError(message, where=module.where, remedy=remedy)


@dataclass(frozen=True)
class _Exits:
    """Whether one way leaves several loops at once; whether a loop with several exits is in another such."""

    is_far: bool
    nests_open: bool


def _bodies(ir: str) -> Iterator[tuple[str, _Exits]]:
    for found in _FUNCTION.finditer(ir):
        head, name, lines = found.groups()
        body = Body.of(head, lines.split("\n"))
        if body is not None:
            alive = body.returning
            graph = {
                label: set(block.successors) & alive
                for label, block in body.blocks.items()
                if label in alive
            }
            yield name.strip('"'), _exits(graph)


def _exits(graph: Graph) -> _Exits:
    every = list(nested(set(graph), graph))
    is_far = any(
        sum(block in loop and target not in loop for loop in every) > 1
        for block, targets in graph.items()
        for target in targets
    )
    opened = [loop for loop in every if sum(bool(graph[block] - loop) for block in loop) > 1]
    return _Exits(is_far, any(inner < outer for inner in opened for outer in opened))


def nested(blocks: set[str], graph: Graph) -> Iterator[set[str]]:
    """Yield all loops among the blocks, outer ones first."""
    for loop in loops(blocks, graph):
        yield loop
        yield from nested(loop - entries(loop, graph), graph)
