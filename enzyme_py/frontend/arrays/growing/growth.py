"""Arrays that a loop grows, grown in place.

    y = np.zeros(0)
    for t in range(n):
        y = np.concatenate((y, h))      also np.append(y, h), np.hstack((y, h, ...))

Every iteration makes an array of its own, and in reverse mode all of them are kept with their shadows:
memory grows with the square of n, though the adjoint needs none of them. `Growth` is a pass over
typed Numba IR that replaces the statement by `y = grown(y, room, (h, ...), turns)`, which lengthens y in
its own memory where that has room (grown_arrays.py); so it grows with n. Where each iteration of a `for`
loop without a way out makes one step, the first block is made for all of them.

It is a change that keeps the meaning, because only what cannot tell is rewritten: the result and
the old array are one variable of the source, all that ever happens to it is reading (readers.py), and
what it held before a step is not used behind it (liveness.py). So nobody has another name for the old
array through which it could be written, looked at as memory, or grown a second time. A number beside the variable says how much room its block
has: that of the growth behind one, and 0, none of its own, behind every other assignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import mk_unique_var

from enzyme_py.frontend.arrays.growing.grown_arrays import grown, room_behind
from enzyme_py.frontend.arrays.growing.liveness import Liveness, is_phi
from enzyme_py.frontend.arrays.growing.readers import Uses, callee

_DTYPES = (types.float64, types.float32, types.complex128, types.complex64)


@register_pass(mutates_CFG=False, analysis_only=False)
class Growth(FunctionPass):  # type: ignore[misc]
    """Replaces the growing concatenations of a function."""

    _name = "enzyme_py_growth"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function in place; tell whether anything changed."""
        if state.func_ir.generator_info is not None:
            return False
        function = _Function(state)
        variables = list(function.growing())
        for variable in variables:
            function.rewrite(variable)
        return bool(variables)


@dataclass(frozen=True)
class _Step:
    """One statement `to = concatenate((old, *pieces))` of a loop."""

    statement: ir.Assign
    old: ir.Var
    pieces: tuple[ir.Var, ...]
    tuple_name: str | None  # of the operands, where they come as one
    iterated: ir.Var | None  # what the loop goes through, step by step


class _Function:
    """One function between type inference and the removal of phis."""

    def __init__(self, state: Any) -> None:
        self._blocks: dict[int, ir.Block] = state.func_ir.blocks
        self._types, self._calls, self._typing = state.typemap, state.calltypes, state.typingctx
        self._assigned: dict[str, list[ir.Assign]] = {}
        for block in self._blocks.values():
            for one in block.find_insts(ir.Assign):
                self._assigned.setdefault(one.target.name, []).append(one)

    def growing(self) -> Iterator[dict[str, _Step | None]]:
        """Yield the versions of each variable to be rewritten, with the steps that make them."""
        steps = {one.statement.target.name: one for one in self._steps()}
        uses = Uses(self._blocks, self._types) if steps else None
        seen: set[str] = set()
        for name, step in steps.items():
            if uses is None or name in seen:
                continue
            versions = self._versions(name, steps)
            seen |= versions
            if all(self._is_vector(one, step) and uses.is_read_only(one) for one in versions):
                own = {one: steps.get(one) for one in versions}
                if self._hands_over(own):
                    yield own

    def _hands_over(self, versions: dict[str, _Step | None]) -> bool:
        """Tell whether nobody needs an older version behind a step: it would be grown twice."""
        lives = Liveness(self._blocks, versions)
        return all(
            lives.behind(step.statement) <= {name} for name, step in versions.items() if step
        )

    # -- finding -----------------------------------------------------------------------------------

    def _steps(self) -> Iterator[_Step]:
        if not any(callee(self._types, one.value) in _GROWING for one in self._found_calls()):
            return
        graph = compute_cfg_from_blocks(self._blocks)
        for label, block in self._blocks.items():
            loop = _innermost(graph, label)
            for statement in block.find_insts(ir.Assign) if loop else ():
                if _is_expression(statement, "call"):
                    step = self._step(statement)
                    if step is None or not self._fits(step):
                        continue
                    if _is_in_each_turn(graph, label, loop):
                        yield replace(step, iterated=self._iterated(graph, loop))
                    elif not self._is_made_in(loop, step):
                        yield step

    def _iterated(self, graph: Any, loop: Any) -> ir.Var | None:
        """Return what a `for` loop that is left at its end only goes through, if it has a length."""
        ways = {(label, to) for label in loop.body for to, _ in graph.successors(label)}
        leaving = {label for label, to in ways if to not in loop.body}
        found = [
            one.value.value
            for one in self._blocks[loop.header].find_insts(ir.Assign)
            if _is_expression(one, "iternext")
        ]
        if len(found) != 1 or leaving != {loop.header}:
            return None
        made = self._only_definition(found[0].name)
        while made is not None and isinstance(made.value, ir.Var):
            made = self._only_definition(made.value.name)
        if made is None or not _is_expression(made, "getiter"):
            return None
        through: ir.Var = made.value.value
        has_length = isinstance(self._types[through.name], (types.RangeType, types.Array))
        return through if has_length and self._only_definition(through.name) else None

    def _is_made_in(self, loop: Any, step: _Step) -> bool:
        """Tell whether the loop makes an array that the step takes.

        Where that happens in some iterations only, Enzyme's reverse mode over reverse mode loses a pointer
        and the code crashes (measured, also for arrays that are copied, but for fewer of them).
        """
        made = {
            one.target.name
            for label in loop.body
            for one in self._blocks[label].find_insts(ir.Assign)
        }
        return any(
            piece.name in made and isinstance(self._types[piece.name], types.Array)
            for piece in step.pieces
        )

    def _found_calls(self) -> Iterator[ir.Assign]:
        for assigned in self._assigned.values():
            yield from (one for one in assigned if _is_expression(one, "call"))

    def _step(self, statement: ir.Assign) -> _Step | None:
        call = statement.value
        function = callee(self._types, call)
        if function not in _GROWING or call.vararg or call.varkwarg or not call.args:
            return None
        if function is np.append:
            if len(call.args) != 2 or call.kws:
                return None
            return _Step(statement, call.args[0], (call.args[1],), None, None)
        options = [*call.args[1:], *(value for _, value in call.kws)]
        parts = self._only_definition(call.args[0].name)
        if parts is None or not _is_expression(parts, "build_tuple"):
            return None
        if not all(self._is_zero(option) for option in options):
            return None
        first, *rest = parts.value.items
        return _Step(statement, first, tuple(rest), call.args[0].name, None)

    def _only_definition(self, name: str) -> ir.Assign | None:
        found = self._assigned.get(name, [])
        return found[0] if len(found) == 1 else None

    def _is_zero(self, option: ir.Var) -> bool:
        """Tell whether an option is the axis 0; nothing else can be said of one dimension."""
        kind = self._types[option.name]
        return isinstance(kind, types.IntegerLiteral) and kind.literal_value == 0

    def _fits(self, step: _Step) -> bool:
        """Tell whether one variable of the source grows, by vectors of its own floats."""
        if step.old.unversioned_name != step.statement.target.unversioned_name:
            return False
        result = self._types[step.statement.target.name]
        if not isinstance(result, types.Array) or result.dtype not in _DTYPES:
            return False
        made = self._calls[step.statement.value].return_type
        numbers = types.Number if step.tuple_name is None else ()
        return made == types.Array(result.dtype, 1, "C") and all(
            isinstance(kind, numbers) or _is_vector(kind, result.dtype)
            for kind in (self._types[piece.name] for piece in step.pieces)
        )

    def _is_vector(self, name: str, step: _Step) -> bool:
        dtype = self._types[step.statement.target.name].dtype
        return _is_vector(self._types[name], dtype) and self._only_definition(name) is not None

    def _versions(self, name: str, steps: dict[str, _Step]) -> set[str]:
        """Return all versions of a variable that phis and steps connect."""
        linked: dict[str, set[str]] = {}
        for new, step in steps.items():
            linked.setdefault(new, set()).add(step.old.name)
            linked.setdefault(step.old.name, set()).add(new)
        for assigned in self._assigned.values():
            for one in assigned:
                if is_phi(one):
                    given = [value.name for value in _incoming(one) if value is not ir.UNDEFINED]
                    for other in given:
                        linked.setdefault(one.target.name, set()).add(other)
                        linked.setdefault(other, set()).add(one.target.name)
        found, latest = {name}, {name}
        while latest:
            latest = {other for one in latest for other in linked.get(one, ())} - found
            found |= latest
        return found

    # -- rewriting ---------------------------------------------------------------------------------

    def rewrite(self, versions: dict[str, _Step | None]) -> None:
        """Replace the steps, and give each version its room."""
        rooms = {name: mk_unique_var(f"{name}_room") for name in versions}
        self._types.update(dict.fromkeys(rooms.values(), types.int64))
        for block in self._blocks.values():
            block.body = [
                new
                for statement in block.body
                for new in self._rewritten(block.scope, statement, versions, rooms)
            ]

    def _rewritten(
        self,
        scope: ir.Scope,
        statement: Any,
        versions: dict[str, _Step | None],
        rooms: dict[str, str],
    ) -> Iterator[Any]:
        if not isinstance(statement, ir.Assign) or statement.target.name not in versions:
            yield statement
            return
        step = versions[statement.target.name]
        target = ir.Var(scope, rooms[statement.target.name], statement.loc)
        if step is None:
            yield statement
            yield ir.Assign(_room(scope, statement, rooms), target, statement.loc)
        else:
            is_only = len([one for one in versions.values() if one is not None]) == 1
            room = ir.Var(scope, rooms[step.old.name], statement.loc)
            yield from self._growth(scope, step, room, target, is_only=is_only)

    def _growth(
        self, scope: ir.Scope, step: _Step, room: ir.Var, left: ir.Var, *, is_only: bool
    ) -> Iterator[ir.Assign]:
        """Yield one step in place, and the room that it leaves."""
        old, loc = step.statement, step.statement.loc
        pieces, turns = (ir.Var(scope, mk_unique_var(name), loc) for name in ("pieces", "turns"))
        kinds = [types.unliteral(self._types[piece.name]) for piece in step.pieces]
        self._types[pieces.name] = types.BaseTuple.from_types(kinds)
        yield ir.Assign(ir.Expr.build_tuple(list(step.pieces), loc), pieces, loc)
        if step.iterated is not None and is_only:
            yield from self._call(scope, len, [step.iterated], turns, loc)
        else:
            self._types[turns.name] = types.int64
            yield ir.Assign(ir.Const(0, loc), turns, loc)
        # A variable of the loop changes as soon as its next version is assigned (Numba's phis).
        before = ir.Var(scope, mk_unique_var("room"), loc)
        self._types[before.name] = types.int64
        yield ir.Assign(room, before, loc)
        given = [step.old, before, pieces, turns]
        yield from self._call(scope, room_behind, given, left, loc)
        yield from self._call(scope, grown, given, old.target, loc)

    def _call(
        self, scope: ir.Scope, function: Any, given: list[ir.Var], target: ir.Var, loc: ir.Loc
    ) -> Iterator[ir.Assign]:
        """Yield the call of a function that the typing knows."""
        name = function.__name__
        callee = ir.Var(scope, mk_unique_var(name), loc)
        self._types[callee.name] = self._typing.resolve_value_type(function)
        yield ir.Assign(ir.Global(name, function, loc), callee, loc)
        call = ir.Expr.call(callee, given, (), loc)
        kinds = [self._types[one.name] for one in given]
        self._calls[call] = self._types[callee.name].get_call_type(self._typing, kinds, {})
        self._types.setdefault(target.name, self._calls[call].return_type)
        yield ir.Assign(call, target, loc)


_GROWING = (np.concatenate, np.append, np.hstack)


def _is_expression(statement: ir.Assign, op: str) -> bool:
    return isinstance(statement.value, ir.Expr) and statement.value.op == op


def _innermost(graph: Any, label: int) -> Any:
    """Return the smallest loop around a block, or None."""
    around = [loop for loop in graph.loops().values() if label in loop.body]
    return min(around, key=lambda loop: len(loop.body), default=None)


def _is_in_each_turn(graph: Any, label: int, loop: Any) -> bool:
    ends = [before for before, _ in graph.predecessors(loop.header) if before in loop.body]
    return all(label in graph.dominators()[end] for end in ends)


def _is_vector(kind: Any, dtype: Any) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.dtype == dtype


def _incoming(phi: ir.Assign) -> Sequence[Any]:
    values: Sequence[Any] = phi.value.incoming_values
    return values


def _room(scope: ir.Scope, statement: ir.Assign, rooms: dict[str, str]) -> Any:
    """Return what the number beside a version is that no step makes."""
    loc = statement.loc
    if not is_phi(statement):
        return ir.Const(0, loc)
    phi = ir.Expr.phi(loc)
    for value, block in zip(_incoming(statement), statement.value.incoming_blocks, strict=True):
        phi.incoming_blocks.append(block)
        is_known = value is not ir.UNDEFINED
        phi.incoming_values.append(
            ir.Var(scope, rooms[value.name], loc) if is_known else ir.UNDEFINED
        )
    return phi
