"""Functions that were compiled for given types only: `njit("float32(float32)")`.

Numba converts what it calls them with, and what they return, as their signatures say: `njit("float64(int64)")` of 2.7
computes with 2. So must a derivative, or it is that of another function. Where the types given say the same numbers, only the
layout of arrays differs, and the code is made for the layout at hand. Where no signature fits, the plain function would
raise; a derivative is made for the types at hand, since some arguments of it are the package's own views.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numba
from numba.core import types, typing
from numba.core.errors import NumbaError
from numba.core.typing import Signature

from enzyme_py.foundations.keeping import made_of, released


def given_signatures(function: Any) -> tuple[Signature, ...]:
    """Return the signatures of a function that is compiled for no others; none if it takes any types."""
    if getattr(function, "_can_compile", True):
        return ()
    return tuple(function.nopython_signatures)


def chosen(function: Any, kinds: Iterable[Any]) -> Signature | None:
    """Return the signature of a function that Numba chooses for arguments of these types, if it has any that fits."""
    signatures = given_signatures(function)
    if not signatures:
        return None
    kinds = tuple(types.unliteral(one) for one in kinds)
    for one in signatures:
        if one.args == kinds:
            return one
    try:
        found: Signature | None = function.typingctx.resolve_overload(
            function.py_func.__name__, signatures, kinds, {}
        )
    except (NumbaError, TypeError):
        return None
    return found


def converts(signature: Signature, kinds: Iterable[Any]) -> bool:
    """Tell whether a call by a signature changes numbers of the arguments."""
    return not all(map(_are_same_numbers, signature.args, kinds))


def _are_same_numbers(one: Any, other: Any) -> bool:
    if isinstance(one, types.Array) and isinstance(other, types.Array):
        return bool(one.dtype == other.dtype)
    if isinstance(one, types.BaseTuple) and isinstance(other, types.BaseTuple):
        return len(one) == len(other) and all(map(_are_same_numbers, one, other))
    if isinstance(one, types.Number) or isinstance(other, types.Number):
        return bool(types.unliteral(one) == types.unliteral(other))
    return True


def of_numbers(signature: Signature, kinds: tuple[Any, ...]) -> Any:
    """Return the types to compile for by a signature that changes no arguments: with its result, if that is a number."""
    kind = signature.return_type
    return Signature(kind, kinds, None) if isinstance(kind, types.Number) else kinds


def converting(function: Any) -> Any:
    """Return the kernel that calls a function as compiled code does, which converts the arguments."""
    known = made_of(function, "converting")
    if "kernel" not in known:

        def kernel(*arguments):  # type: ignore[no-untyped-def]  # compiled by Numba
            return function(*arguments)

        kernel.__name__ = kernel.__qualname__ = function.py_func.__name__
        known["kernel"] = released(numba.njit(kernel))
    return known["kernel"]


class CallsBySignature:
    """What a dispatcher of a kernel target does where compiled code calls a function of given signatures."""

    def get_call_template(self: Any, args: Any, kws: Any) -> Any:
        """Return what Numba's typing takes the types of a call from."""
        called, folded = self._compiler.fold_argument_types(args, kws)
        signature = chosen(self.origin, folded)
        if signature is None:
            return super().get_call_template(args, kws)  # type: ignore[misc]
        is_other = converts(signature, folded)
        self.compile(signature if is_other else of_numbers(signature, tuple(folded)))
        name = self.py_func.__name__
        signatures = [signature] if is_other else self.nopython_signatures
        return (
            typing.make_concrete_template(name, key=name, signatures=signatures),
            called,
            folded,
            {},
        )
