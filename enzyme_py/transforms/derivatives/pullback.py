"""Reverse mode of kernels with any result: the gradient of the result paired with a cotangent.

The pull-back of c through f at x is the gradient of the scalar <c, f(x)>, so it needs nothing
beyond what scalar kernels need. The pairing is the real one: complex numbers count as pairs of
reals, <c, y> = Re(c) Re(y) + Im(c) Im(y).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import types
from numba.extending import overload

from enzyme_py.errors import ShadowError
from enzyme_py.foundations.keeping import kept_with_kernel, released
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.plans.structures import check_structure, written


def pairing(cotangent: Any, value: Any) -> float:
    """Return the real inner product of two values of one structure; only in compiled code."""
    message = "pairing is called from compiled code only"
    raise RuntimeError(message)


@overload(pairing, strict=False)  # annotations would count as a difference
def _pairing(cotangent: Any, value: Any) -> Callable[..., Any] | None:
    # These load much of Numba.
    from enzyme_py.assembly.none_results import there, without_none
    from enzyme_py.frontend.arrays.captured_arrays import holds_floats

    if isinstance(value, types.Array):
        return _pair_arrays if holds_floats(value.dtype) else _pair_nothing  # None will do for integers
    if isinstance(value, types.BaseTuple):
        check_structure(value, cotangent, "a cotangent")
        return _of_tuples(len(value))
    if isinstance(value, types.Record):
        fields = [f"pairing(cotangent[{name!r}], value[{name!r}])" for name, _ in value.members]
        return written("cotangent, value", " + ".join(["0.0", *fields]), {"pairing": pairing})
    if isinstance(value, types.Complex):
        return _pair_complex
    if without_none(value) != value:
        return lambda cotangent, value: pairing(cotangent, there(value))
    return _pair_reals if isinstance(value, types.Float) else _pair_nothing


def _pair_arrays(cotangent, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    if cotangent.shape != value.shape:
        raise ShadowError("a cotangent has another shape than the result")
    total = 0.0
    for given, own in zip(cotangent.flat, value.flat):  # noqa: B905  (Numba has no strict)
        total += pairing(given, own)
    return total


def _of_tuples(length: int) -> Callable[..., Any]:
    """Return the pairing of tuples, by halves.

    By one element after the other, the typing of each would nest in that of the one before: Python's stack held 34.
    """
    if length < 2:
        return _pair_only_ones if length else _pair_nothing
    half = length // 2

    def pair_halves(cotangent, value):  # type: ignore[no-untyped-def]
        first = pairing(cotangent[:half], value[:half])
        return first + pairing(cotangent[half:], value[half:])

    return pair_halves


def _pair_only_ones(cotangent, value):  # type: ignore[no-untyped-def]
    return pairing(cotangent[0], value[0])


def _pair_complex(cotangent, value):  # type: ignore[no-untyped-def]
    return cotangent.real * value.real + cotangent.imag * value.imag


def _pair_reals(cotangent, value):  # type: ignore[no-untyped-def]
    return cotangent * value


def _pair_nothing(cotangent, value):  # type: ignore[no-untyped-def]
    return 0.0


@kept_with_kernel
def paired(kernel: Any) -> Any:
    """Return the kernel (cotangent, *arguments) -> <cotangent, kernel(*arguments)>."""

    def paired_kernel(cotangent, *arguments):  # type: ignore[no-untyped-def]
        return pairing(cotangent, kernel(*arguments))

    paired_kernel.__name__ = paired_kernel.__qualname__ = f"pullback_of_{kernel.py_func.__name__}"
    made = released(numba.njit(paired_kernel))
    made.pairs = kernel  # for messages, and for the check of derivatives
    return made


def pullback(kernel: Any, skipped: int = 0) -> Gradient:
    """Return the plan that takes a cotangent and the arguments, and returns all gradients.

    All but those of the first `skipped` arguments, which are constant.
    """
    return Gradient(paired(kernel), skipped=1 + skipped)
