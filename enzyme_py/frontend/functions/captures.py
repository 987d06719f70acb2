"""Closures made inside compiled code that capture run-time values and are passed on.

Numba inlines closures that are called where they are made, and turns others into functions of their
own if all they capture is constant. What is left it refuses. Here such a closure becomes a call,

    f = <closure of code over x, y>        ->        f = maker(x, y)

whose maker carries the lifted kernel (lifting.py); the `njit` stage gives the result its type.
The rewrite is registered for all of Numba: plain @njit code makes closures for derivatives too.
"""

from __future__ import annotations

import types as pytypes
from dataclasses import dataclass
from typing import Any

from numba.core import ir
from numba.core.ir_utils import mk_unique_var
from numba.core.registry import CPUDispatcher
from numba.core.rewrites import Rewrite, register_rewrite

from enzyme_py.frontend.functions.lifting import lifted
from enzyme_py.frontend.functions.rebinding import check_not_rebound

_OPTIONS = ("fastmath", "error_model", "boundscheck")


@dataclass(frozen=True)
class Maker:
    """Called in compiled code with captured values, it returns the kernel with these bound."""

    kernel: Any


@register_rewrite("before-inference")
class BindCaptures(Rewrite):  # type: ignore[misc]
    """Replaces the closures that Numba would refuse."""

    def __init__(self, state: Any = None) -> None:
        self._state = state
        self._ir: Any = None
        self._block: Any = None

    def match(self, func_ir: Any, block: Any, _typemap: Any, _calltypes: Any) -> bool:
        """Tell whether there is anything to replace."""
        if self._state is None or self._state.typingctx is None:
            return False  # code that is to be inlined: its closures' turn comes in the caller
        self._ir, self._block = func_ir, block
        return any(self._captures(one) for one in block.body)

    def apply(self) -> Any:
        """Return the block with its closures replaced."""
        block = self._block.copy()
        block.clear()
        unused = self._tuples()
        for statement in self._block.body:
            if _target(statement) in unused:
                continue
            if self._captures(statement):
                for new in self._bound(statement):
                    block.append(new)
            else:
                block.append(statement)
        return block

    def _bound(self, statement: ir.Assign) -> list[ir.Assign]:
        closure = _Closure(self._ir, statement)
        check_not_rebound(self._ir, statement, closure.variables)
        maker = Maker(closure.kernel(self._options()))
        loc, scope = statement.loc, statement.target.scope
        function = ir.Var(scope, mk_unique_var("$maker"), loc)
        value = ir.Global("maker", maker, loc)
        call = ir.Expr.call(function, list(closure.bound.values()), (), loc)
        self._ir._definitions[function.name] = [value]
        self._ir._definitions[statement.target.name] = [
            call if one is statement.value else one
            for one in self._ir._definitions[statement.target.name]
        ]
        return [
            ir.Assign(value, function, loc),
            ir.Assign(call, statement.target, loc),
        ]

    def _captures(self, statement: Any) -> bool:
        """Tell whether a statement makes a closure with captured variables or run-time defaults."""
        value = getattr(statement, "value", None)
        if not isinstance(statement, ir.Assign) or not isinstance(value, ir.Expr):
            return False
        if value.op != "make_function":
            return False
        if value.code.co_freevars:
            return True
        items = gathered(self._ir, value.defaults)
        return not all(isinstance(definition_of(self._ir, one), ir.Const) for one in items)

    def _tuples(self) -> set[str]:
        """Return the variables in which Numba gathers what the closures of a block capture.

        Nobody else reads them, and of a tuple of functions Numba makes pointers, with a warning.
        """
        closures = [one.value for one in self._block.body if self._captures(one)]
        parts = [getattr(one, part) for one in closures for part in _GATHERED]
        return {one.name for one in parts if isinstance(one, ir.Var)}

    def _options(self) -> dict[str, Any]:
        """Return the options of the function around, as Numba has them for what it inlines."""
        flags = self._state.flags
        found = {}
        for name in _OPTIONS:
            value = getattr(flags, name, None)
            value = getattr(value, "flags", value)  # of fastmath: a set of names
            if value:
                found[name] = frozenset(value) if name == "fastmath" else value
        return found


_GATHERED = ("closure", "defaults")


def _target(statement: Any) -> str | None:
    """Return the variable that a statement assigns or forgets."""
    if isinstance(statement, ir.Del):
        return str(statement.value)
    return statement.target.name if isinstance(statement, ir.Assign) else None


def gathered(func_ir: Any, given: Any) -> list[Any]:
    """Return the variables, or constants, of a tuple of captured values or of defaults."""
    if given is None:
        return []
    if isinstance(given, (tuple, list)):
        return list(given)
    definition = func_ir.get_definition(given)
    if isinstance(definition, ir.Const):
        return [ir.Const(value, definition.loc) for value in definition.value]
    return list(definition.items)


def definition_of(func_ir: Any, item: Any) -> Any:
    """Return what a variable is defined as; None if that is not one thing."""
    if isinstance(item, ir.Const):
        return item
    try:
        return func_ir.get_definition(item)
    except KeyError:
        return None


class _Closure:
    """What one closure captures: constants are fixed in its kernel, the rest is bound."""

    def __init__(self, func_ir: Any, statement: ir.Assign) -> None:
        self._ir = func_ir
        self.code = statement.value.code
        self.bound: dict[str, ir.Var] = {}
        self.fixed: dict[str, Any] = {}
        self.defaults: tuple[Any, ...] = ()
        self.variables: set[str] = set()
        for name, item in zip(
            self.code.co_freevars, gathered(func_ir, statement.value.closure), strict=True
        ):
            self._capture(name, item)
        self._take_defaults(gathered(func_ir, statement.value.defaults))

    def kernel(self, options: dict[str, Any]) -> Any:
        """Return the lifted kernel."""
        scope = self._ir.func_id.func.__globals__
        return lifted(
            self.code,
            scope,
            tuple(self.bound),
            self.fixed,
            self.defaults,
            options,
        )

    def _capture(self, name: str, item: ir.Var) -> None:
        definition = definition_of(self._ir, item)
        if isinstance(definition, (ir.Const, ir.Global, ir.FreeVar)) and _is_fixed(
            definition.value
        ):
            self.fixed[name] = definition.value
            return
        self.bound[name] = item
        self.variables |= self._names(item)

    def _names(self, item: ir.Var) -> set[str]:
        """Return the names of the variable and of those that it is a copy of."""
        names = {item.name}
        while True:
            known = self._ir._definitions.get(item.name, [])
            if len(known) != 1 or not isinstance(known[0], ir.Var):
                return names
            item = known[0]
            names.add(item.name)

    def _take_defaults(self, items: list[Any]) -> None:
        values = [definition_of(self._ir, item) for item in items]
        if all(isinstance(value, ir.Const) for value in values):
            self.defaults = tuple(value.value for value in values)
            return
        # One that is known while running only: then nobody can give another value for any of them.
        last = self.code.co_varnames[: self.code.co_argcount][-len(items) :]
        self.bound.update(zip(last, items, strict=True))


def _is_fixed(value: Any) -> bool:
    """Tell whether a constant is worth compiling for: its value decides types, or calls."""
    if isinstance(value, tuple):
        return all(map(_is_fixed, value))
    plain = (int, str, bytes, type(None), type, CPUDispatcher)
    return isinstance(value, (*plain, pytypes.FunctionType, pytypes.ModuleType)) or (
        callable(value) and not hasattr(value, "dtype")
    )
