"""Numba's random numbers, as constants that every derivative draws as its primal does.

Numba writes the generator into the code that draws: loads and stores of its state, a table of
integers and one float. Enzyme looks for derivatives there, and reads what later draws overwrote. Here a
draw is a call of a function that Enzyme takes for inactive, and never runs twice; what a kernel
makes of it, mean + width * draw, is differentiated like anything else.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cpython import randomimpl
from numba.extending import register_jitable

from enzyme_py.frontend.codegen.library import with_callees
from enzyme_py.frontend.codegen.library_calls import constant

_INTEGER = ir.IntType(32)
_NAME = "enzyme_py_draw"
_SEED = "numba_rnd_init"
_STATES = ("numba_get_np_random_state", "numba_get_py_random_state")
_next_integer = randomimpl.get_next_int32
_pair_of_normals = randomimpl._gauss_pair_impl


class _InactiveAttributes(ir.values.FunctionAttributes):  # type: ignore[misc]
    """Function attributes with Enzyme's word for inactive, which llvmlite does not know."""

    def _to_list(self, ret_type: ir.Type) -> list[str]:
        return [*super()._to_list(ret_type), '"enzyme_inactive"']


def draws(library: Any, kinds: Iterable[Any] = ()) -> bool:
    """Tell whether the code of a library, or anything that it calls, draws random numbers.

    What takes a generator draws from it, by addresses that nobody can read; `kinds` are the types of the arguments.
    """
    return has_generator(kinds) or any(
        name == _NAME or name.startswith(_STATES)
        for one in with_callees(library)
        for name in one.functions
    )


def has_generator(kinds: Iterable[Any]) -> bool:
    """Tell whether a generator of NumPy's is among arguments of these types."""
    return any(isinstance(one, types.NumPyRandomGeneratorType) for one in kinds)


def seeds(library: Any) -> bool:
    """Tell whether the code of a library, or anything that it calls, sets a generator's state."""
    return any(_SEED in one.functions for one in with_callees(library))


def draws_anew(library: Any, kinds: Iterable[Any]) -> bool:
    """Tell whether each run draws others: nothing sets the state, or it is that of a generator that is given."""
    return has_generator(kinds) or (draws(library) and not seeds(library))


@contextlib.contextmanager
def inactive_draws() -> Iterator[None]:
    """Within the block, what Numba compiles draws by this file."""
    randomimpl.get_next_int32 = _get_next_int32
    randomimpl._gauss_pair_impl = _constant_pair
    try:
        yield
    finally:
        randomimpl._gauss_pair_impl = _pair_of_normals
        randomimpl.get_next_int32 = _next_integer


def _get_next_int32(context: Any, builder: ir.IRBuilder, state: ir.Value) -> ir.Value:
    """Call the function that draws, which each module has for itself."""
    function = builder.module.globals.get(_NAME)
    if function is None:
        kind = ir.FunctionType(_INTEGER, [state.type])
        function = ir.Function(builder.module, kind, _NAME)
        function.linkage = "linkonce_odr"
        function.attributes = _InactiveAttributes(("noinline", "nounwind"))
        own = ir.IRBuilder(function.append_basic_block("entry"))
        own.ret(_next_integer(context, own, function.args[0]))
    return builder.call(function, [state])


def _constant_pair(random: Any) -> Any:
    """Return what draws two normal numbers: one of them is kept in the generator's state."""
    usual = register_jitable(_pair_of_normals(random))

    def pair():  # type: ignore[no-untyped-def]  # compiled by Numba
        first, second = usual()
        return constant(first), constant(second)

    return pair
