"""Arguments that are left at their defaults: each default is its own, and the way past Python is kept."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba.core import types
from numba.core.dispatcher import OmittedArg

import enzyme_py as enzyme
from enzyme_py.frontend.target.defaults import Omitted, tell_defaults_apart


def with_default(k):
    def f(x, scale=k):
        return scale * x * x

    return f


def calls_by_python(dispatcher, x: float) -> int:
    """How many of five calls C could not place, after a first one."""
    calls = []
    usual = type(dispatcher)._compile_for_args
    first = dispatcher(x)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(dispatcher), "_compile_for_args", lambda self, *one: calls.append(one) or usual(self, *one))
        assert [dispatcher(x) for _ in range(5)] == 5 * [first]
    return len(calls)


@pytest.mark.parametrize("transform", [enzyme.grad, enzyme.value_and_grad, enzyme.jacfwd, lambda f: enzyme.grad(enzyme.grad(f))])
def test_each_default_is_called_without_python(transform) -> None:
    """A call that C cannot place goes through `_compile_for_args`: but for the first, none does."""
    for k in (2.0, 3.0, 4.0, "a"):
        f = with_default(k) if k != "a" else lambda x, name="a": 5.0 * x * x
        df = transform(f)
        assert calls_by_python(df, 3.0) == 0
        assert len(df.overloads) <= 1


def test_values() -> None:
    for k in (2.0, 3.0, 2.0, 7.5):
        assert enzyme.grad(with_default(k))(3.0) == 6.0 * k
        assert enzyme.gradient(with_default(k), 3.0)[0] == 6.0 * k
        assert enzyme.value_and_grad(with_default(k))(3.0) == (9.0 * k, 6.0 * k)
    assert enzyme.grad(with_default(np.float32(2.0)))(3.0) == 12.0
    assert enzyme.grad(with_default(2))(3.0) == 12.0
    assert enzyme.grad(with_default(True))(3.0) == 6.0


def test_the_cause() -> None:
    """Numba's issue 6173: of two defaults C knows the first. If this fails, Numba's fix is here, and ours can go."""
    usual = [numba.njit(with_default(k)) for k in (11.0, 12.0)]
    assert [calls_by_python(one, 1.0) for one in usual][1] == 5
    ours = [numba.njit(with_default(k)) for k in (13.0, 14.0)]
    for one in ours:
        tell_defaults_apart(one)
    assert [calls_by_python(one, 1.0) for one in ours] == [0, 0]
    assert [one(1.0) for one in ours] == [13.0, 14.0]


def test_it_is_numbas_omitted_argument() -> None:
    one = OmittedArg(5.0)
    one.__class__ = Omitted
    assert isinstance(one, OmittedArg)
    assert one._numba_type_ == types.Omitted(5.0)
    assert one._numba_type_ is one._numba_type_
