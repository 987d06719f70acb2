"""What counts as the same kernel, and what Fortran order keeps."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py.frontend.functions.kernels import as_kernel

chosen: Any = None


def square(x):
    return x * x


def cube(x):
    return x * x * x


def through_global() -> Any:
    return lambda x: chosen(x)


def test_a_lambda_follows_the_globals_that_it_names() -> None:
    global chosen  # noqa: PLW0603  (that is what is tested)
    slopes = []
    for function in (square, cube):
        chosen = function
        slopes.append(enzyme.grad(through_global())(2.0))
    assert slopes == [4.0, 12.0]


def test_a_lambda_follows_what_it_captures() -> None:
    def scaled(factor: float) -> Any:
        return lambda x: factor * x

    assert as_kernel(scaled(2.0)) is as_kernel(scaled(2.0))
    assert as_kernel(scaled(2.0)) is not as_kernel(scaled(3.0))
    assert as_kernel(scaled(2.0)) is not as_kernel(scaled(2))


def with_a_sign(x):
    return np.copysign(x, chosen) * x


def test_zeros_of_two_signs() -> None:
    """copysign(x, z) x is x |x|, or -x |x|."""
    global chosen  # noqa: PLW0603  (likewise)
    slopes = []
    for zero in (np.float32(0.0), np.float32(-0.0)):
        chosen = zero
        slopes.append(enzyme.grad(types.FunctionType(with_a_sign.__code__, globals()))(2.0))
    assert slopes == [4.0, -4.0]


def test_fortran_order_is_kept_everywhere() -> None:
    @enzyme.jit
    def total(x):
        return np.sum(x * x * x)

    x = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    gradient, hessian_v = enzyme.jvp(lambda x: enzyme.grad(total)(x), (x,), (np.ones_like(x),))
    assert np.allclose(gradient, 3 * x * x)
    assert np.allclose(hessian_v, 6 * x)
    assert hessian_v.flags.f_contiguous
    assert np.allclose(enzyme.gradient(enzyme.Forward, total, x)[0], 3 * x * x)
    stopped = enzyme.grad(lambda x: np.sum(enzyme.stop_gradient(x) * x))(x)
    assert np.allclose(stopped, x)
