"""Dicts, lists and dataclasses that a kernel returns.

    def model(x):
        return np.sum(x), {"fit": 2.0 * x, "layers": [x[0], x[1]]}

Numba has no type for them: parts of a dict or a list must have one, and what holds them lies in the memory of Numba's
runtime. As what a derivative is taken of returns, they are the named tuples of their structures (foundations/trees.py), as
arguments are; on the way to Python those become the dict, the list, the dataclass. What is rewritten is a dict or a list
written where it is returned, in a tuple or another such too, or held by a variable that nothing else is done with than
putting keys into it in straight line (`out = {}; out["fit"] = y`).

Only the function that a derivative is taken of is rewritten, in a copy with a mark (frontend/functions/result_kernels.py). What it calls may
return lists and dicts as Numba has them, and do with them what Numba can.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import mk_unique_var, remove_dels
from numba.core.postproc import PostProcessor

from enzyme_py.foundations.trees import RETURNS_TREES, Structure, tuple_class
from enzyme_py.frontend.containers.dataclass_calls import (
    constant,
    name_tuples,
    write_defaults,
    write_replacements,
)


@register_pass(mutates_CFG=False, analysis_only=False)
class ReturnedTrees(FunctionPass):  # type: ignore[misc]
    """Puts named tuples in the place of the dicts and lists that a marked function returns."""

    _name = "enzyme_py_returned_trees"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Rewrite the function in place; tell whether anything changed."""
        has_defaults = write_replacements(state.func_ir) | write_defaults(state.func_ir)
        if not getattr(state.func_id.func, RETURNS_TREES, False):
            return has_defaults
        has_classes = name_tuples(state.func_ir)
        return _Function(state.func_ir).rewrite() or has_classes or has_defaults


class _Function:
    """The statements of a function, and which variables hold what it returns."""

    def __init__(self, func_ir: Any) -> None:
        self._ir = func_ir
        self._assigned: dict[str, list[ir.Assign]] = {}
        self._used: dict[str, list[Any]] = {}
        for block in func_ir.blocks.values():
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    self._assigned.setdefault(statement.target.name, []).append(statement)
                for name in _names_read(statement):
                    self._used.setdefault(name, []).append(statement)

    def rewrite(self) -> bool:
        """Rewrite what can be; tell whether anything was."""
        found = list(self._returned())
        for block in self._ir.blocks.values():
            for statement in list(block.body):
                if statement in found and not self._is_kept(statement, block):
                    self._replace(block, statement)
        remove_dels(self._ir.blocks)
        PostProcessor(self._ir).run()
        return bool(found)

    def _returned(self) -> Iterator[ir.Assign]:
        """Yield the dicts and lists that are returned, or lie in what is."""
        pending = [
            statement.value.name
            for block in self._ir.blocks.values()
            for statement in block.body
            if isinstance(statement, ir.Return)
        ]
        seen: set[str] = set()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            for one in self._assigned.get(name, ()):
                pending.extend(_handed_on(one.value))
                if _op(one.value) in ("build_map", "build_list"):
                    yield one

    def _is_kept(self, made: ir.Assign, block: ir.Block) -> bool:
        """Tell whether something else is done with a dict or a list than what a tuple can, or it has other keys than strings."""
        if _op(made.value) == "build_map" and not all(isinstance(key, str) for key, _ in self._items(made)):
            return True
        pending, seen = [made.target.name], set[str]()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            for user in self._used.get(name, ()):
                is_put = _put(user, name) and user in block.body and isinstance(self._key(user), str)
                if isinstance(user, (ir.Del, ir.Return)) or is_put or self._is_read(user, name, made, block):
                    continue
                if not isinstance(user, ir.Assign) or name not in _handed_on(user.value):
                    return True
                pending.append(user.target.name)
        return False

    def _is_read(self, user: Any, name: str, made: ir.Assign, block: ir.Block) -> bool:
        """Tell whether a statement reads a part by a key that is written there, when all parts are in."""
        if not isinstance(user, ir.Assign) or _op(user.value) not in ("static_getitem", "getitem"):
            return False
        is_known = isinstance(self._constant(user.value.index), str if _op(made.value) == "build_map" else int)
        if user.value.value.name != name or not is_known:
            return False
        behind = block.body[block.body.index(user) :] if user in block.body else []
        return not any(_put(one, name) for one in behind)

    def _replace(self, block: ir.Block, made: ir.Assign) -> None:
        """Put the call of a class of named tuples where the last part is there."""
        names = self._aliases(made, block)
        items = dict(self._items(made))
        last = made
        for statement in list(block.body):
            name = next((one for one in names if _put(statement, one)), None)
            if name is not None:
                items[self._key(statement)] = statement.value
                last = statement
        structure = Structure(dict, tuple(map(str, items)))
        if _op(made.value) == "build_list":
            structure = Structure(list, ("",) * len(items))
        loc, scope = made.loc, made.target.scope
        function = ir.Var(scope, mk_unique_var("$tree"), loc)
        call = ir.Expr.call(function, list(items.values()), (), loc)
        calling = [
            ir.Assign(ir.Global("tree", tuple_class(structure), loc), function, loc),
            ir.Assign(call, made.target, loc),
        ]
        self._ir._definitions[function.name] = [calling[0].value]
        self._ir._definitions[made.target.name] = [call]
        # Names for the dict from before the last part name the tuple behind it.
        moved = [
            one
            for one in block.body[block.body.index(made) + 1 : block.body.index(last) + 1]
            if isinstance(one, ir.Assign) and isinstance(one.value, ir.Var) and one.value.name in names
        ]
        puts = [one for one in block.body if any(_put(one, name) for name in names)]
        gone = [made, *moved, *puts]
        body = []
        for statement in block.body:
            if statement is last:
                body += [*calling, *moved]
            elif not any(statement is one for one in gone):
                body.append(statement)
        block.body = body

    def _aliases(self, made: ir.Assign, block: ir.Block) -> list[str]:
        names = [made.target.name]
        for statement in block.body:
            if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Var) and statement.value.name in names:
                names.append(statement.target.name)
        return names

    def _items(self, made: ir.Assign) -> Iterator[tuple[Any, ir.Var]]:
        if _op(made.value) == "build_list":
            yield from enumerate(made.value.items)
            return
        for key, value in made.value.items:
            yield self._constant(key), value

    def _key(self, statement: Any) -> Any:
        return self._constant(statement.index)

    def _constant(self, key: Any) -> Any:
        return constant(self._ir, key) if isinstance(key, ir.Var) else key


def _op(value: Any) -> str:
    return value.op if isinstance(value, ir.Expr) else ""


def _handed_on(value: Any) -> list[str]:
    """Return the variables whose values a value is, or holds as a tuple, a list or a dict does."""
    if isinstance(value, ir.Var):
        return [value.name]
    op = _op(value)
    if op == "cast":
        return [value.value.name]
    if op == "phi":
        return [one.name for one in value.incoming_values if isinstance(one, ir.Var)]
    if op in ("build_tuple", "build_list"):
        return [one.name for one in value.items]
    if op == "build_map":
        return [one.name for _, one in value.items]
    return []


def _put(statement: Any, name: str) -> bool:
    """Tell whether a statement puts something into a dict by a key."""
    is_item = isinstance(statement, (ir.SetItem, ir.StaticSetItem))
    return is_item and statement.target.name == name and statement.value.name != name


def _names_read(statement: Any) -> list[str]:
    names = [one.name for one in statement.list_vars()]
    if isinstance(statement, ir.Assign):
        names = [one.name for one in statement.value.list_vars()] if hasattr(statement.value, "list_vars") else []
        if isinstance(statement.value, ir.Var):
            names.append(statement.value.name)
    return names
