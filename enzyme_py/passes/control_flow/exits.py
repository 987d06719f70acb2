"""How loops are left: what passes and checks ask of it."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.llvm import Block, Branch, Call, Function, Module, Value
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.cycles import Graph, nested
from enzyme_py.passes.module.requests import Requests, reversed_twice


@dataclass(frozen=True)
class Exits:
    """Whether one edge leaves several loops at once; whether a loop with several exits is in another such."""

    is_multi_level: bool
    nests_open_loops: bool


def is_plain(function: Function) -> bool:
    """Tell whether all edges are those of branches and switches, and no block is dead: of others nothing is said."""
    flow = function.analysis(ControlFlow)
    return flow.is_plain and flow.is_all_reachable


def is_called(function: Function) -> bool:
    """Tell whether other code of the module calls a function: Enzyme gives that a tape of its own."""
    return any(isinstance(user, Call) and user.target is function for user in function.users)


def branch_condition(block: Block) -> Value | None:
    """Return what decides where a block goes on, None if it goes on in one way, or by a switch."""
    end = block.terminator
    return end.condition if isinstance(end, Branch) else None


def without_raises(function: Function) -> Graph:
    """Return where each block goes on, without blocks from which every path ends in a raise: that is no exit."""
    blocks = function.blocks
    raising = {block for block in blocks if block.terminator.opcode == "unreachable"}
    pending = list(raising)
    while pending:
        for before in pending.pop().predecessors:
            if before not in raising and raising.issuperset(before.successors):
                raising.add(before)
                pending.append(before)
    return _restricted(blocks, set(blocks) - raising)


def has_several_exits(graph: Graph) -> bool:
    """Tell whether any loop is left from more than one of its blocks."""
    return any(len(cycle.leaving(graph)) > 1 for cycle in nested(graph))


def with_several_exits(code: Module) -> list[Function]:
    """Return the functions under reverse over reverse that hold a loop with several exits."""
    inner = reversed_twice(code)
    return [
        function
        for function in code.functions
        if function.name in inner and has_several_exits(without_raises(function))
    ]


def with_multi_level_exits(code: Module) -> list[Function]:
    """Return the functions that reverse mode would get wrong for the way in which they leave nested loops."""
    found = [(one, exits) for one in code.functions if (exits := _exits(one)) is not None]
    if not found:
        return []
    requests = Requests(code)
    reversed_ = set[str]().union(
        *(requests.reached(one.target) for one in requests.all() if one.is_reverse)
    )
    derived = set[str]().union(*(requests.reached(one.target) for one in requests.under_reverse()))
    return [
        function
        for function, exits in found
        if function.name in (reversed_ if exits.is_multi_level else derived)
    ]


def may_have_multi_level_exits(code: Module) -> bool:
    """Tell, also before O2, whether a loop is left by several edges: a cheap question."""
    for function in code.functions:
        graph = without_raises(function)
        for cycle in nested(graph):
            if sum(len(graph[block] - cycle.blocks) for block in cycle.blocks) > 1:
                return True
    return False


def _exits(function: Function) -> Exits | None:
    """Return how a function leaves its loops, None if in no way that matters."""
    if len(function.blocks) < 3 or not is_plain(function):
        return None
    graph = _restricted(function.blocks, function.analysis(ControlFlow).returning)
    every = [cycle.blocks for cycle in nested(graph)]
    is_multi_level = any(
        sum(block in cycle and target not in cycle for cycle in every) > 1
        for block, targets in graph.items()
        for target in targets
    )
    opened = [one for one in every if sum(bool(graph[block] - one) for block in one) > 1]
    nests = any(inner < outer for inner in opened for outer in opened)
    return Exits(is_multi_level, nests) if is_multi_level or nests else None


def _restricted(blocks: list[Block], kept: set[Block]) -> Graph:
    return {block: kept.intersection(block.successors) for block in blocks if block in kept}
