"""Calls that were made before take the way of csrc/calls.c: same answers, same refusals, nothing stale.

Each case makes its call three times: the first goes through Python, the others the quick way. Derivatives are by hand.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import weakref

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import AnnotationError, ShadowError
from enzyme_py.foundations.quick import library
from enzyme_py.foundations.quick.made import MOST_FORMS

X = np.array([1.0, 2.0, 3.0])


def cubes(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i] * x[i]
    return total


def scaled(x, k):
    total = 0.0
    for i in range(x.size):
        total += k * x[i] * x[i]
    return total


def of_two(x, y):
    return x * x * y


def moved(out, x):
    for i in range(x.size):
        out[i] = x[i] * x[i]


class Weight:
    def __init__(self, value):
        self.value = value


weight = Weight(2.0)


def weighted(x):
    return weight.value * x * x


def test_the_quick_way_is_there() -> None:
    """The rest of this file would pass without it: then every call goes through Python."""
    assert library.fits(X, np.zeros(3)) is True
    assert library.run.__class__ is len.__class__


def test_a_form_is_remembered_once(monkeypatch) -> None:
    """After the first call Python sorts no arguments any more."""
    from enzyme_py.calls import annotated_calls

    shadow = np.zeros(3)
    enzyme.autodiff(enzyme.Reverse, cubes, enzyme.Duplicated(X, shadow))
    monkeypatch.setattr(annotated_calls, "_autodiff", None)
    for _ in range(2):
        assert enzyme.autodiff(enzyme.Reverse, cubes, enzyme.Duplicated(X, shadow)) == ((None,),)
    np.testing.assert_array_equal(shadow, 3 * (3 * X**2))


@pytest.mark.parametrize("compiled", [False, True])
def test_every_spelling_again_and_again(compiled) -> None:
    f, g, both = (enzyme.jit(one) if compiled else one for one in (cubes, scaled, of_two))
    v = np.array([1.0, -1.0, 2.0])
    for _ in range(3):
        assert enzyme.autodiff(enzyme.Reverse, both, enzyme.Active(3.0), enzyme.Active(5.0)) == ((30.0, 9.0),)
        assert enzyme.autodiff(both, enzyme.Active(3.0), 5.0) == ((30.0, None),)
        assert enzyme.autodiff(enzyme.ReverseWithPrimal, both, enzyme.Active, enzyme.Active(3.0), 5.0) == (
            (30.0, None),
            45.0,
        )
        assert enzyme.autodiff(enzyme.Forward, f, enzyme.Duplicated(X, v)) == (3 * (1 - 4 + 18.0),)
        shadow = np.ones(3)
        assert enzyme.autodiff(enzyme.Reverse, g, enzyme.Duplicated(X, shadow), enzyme.Active(2.0)) == ((None, 14.0),)
        np.testing.assert_array_equal(shadow, 1 + 4 * X)
        np.testing.assert_array_equal(enzyme.grad(f)(X), 3 * X**2)
        assert enzyme.grad(both, argnums=1)(3.0, 5.0) == 9.0
        assert enzyme.grad(both, argnums=(1, 0))(3.0, 5.0) == (9.0, 30.0)
        assert enzyme.value_and_grad(both)(3.0, 5.0) == (45.0, 30.0)
        assert enzyme.gradient(both, 3.0, 5.0) == (30.0, 9.0)
        assert enzyme.gradient(both, enzyme.Const(3.0), 5.0) == (None, 9.0)
        value, tangent = enzyme.jvp(f, (X,), (v,))
        assert (value, tangent) == (36.0, 45.0)
        assert enzyme.jvp(both, (3.0, 5.0), (1.0, 1)) == (45.0, 39.0)
        np.testing.assert_array_equal(enzyme.hvp(f, X, v), 6 * X * v)
        np.testing.assert_array_equal(enzyme.hvp(g, X, v, 2.0), 4 * v)
        value, back = enzyme.vjp(both, 3.0, 5.0)
        assert (value, back(2.0)) == (45.0, (60.0, 18.0))


def test_a_plain_array_beside_annotations() -> None:
    """Const by being bare: it may be the primal of another, but no shadow."""

    def product(x, y):
        return np.sum(x * y)

    shadow, whole = np.zeros(3), np.zeros(6)
    for count in range(1, 4):
        enzyme.autodiff(enzyme.Reverse, product, enzyme.Duplicated(X, shadow), X)
        np.testing.assert_array_equal(shadow, count * X)
    for _ in range(3):
        with pytest.raises(ShadowError, match="share memory"):
            enzyme.autodiff(enzyme.Reverse, product, enzyme.Duplicated(X, shadow), shadow)
        with pytest.raises(ShadowError, match="share memory"):
            enzyme.autodiff(enzyme.Reverse, product, enzyme.Duplicated(X, whole[1:4]), whole[3:])
        with pytest.raises(ShadowError, match="share memory"):
            enzyme.autodiff(
                enzyme.Reverse, product, enzyme.Duplicated(X, whole[:3]), enzyme.Duplicated(2 * X, whole[2:5])
            )


def test_views_between_each_other() -> None:
    """Interleaved views lie in one stretch of memory and have no element in common."""

    def product(x, y):
        return np.sum(x * y)

    both = np.zeros(6)
    other = X + 1
    for count in range(1, 4):
        enzyme.autodiff(
            enzyme.Reverse,
            product,
            enzyme.Duplicated(np.repeat(X, 2)[::2], both[::2]),
            enzyme.Duplicated(np.repeat(other, 2)[::2], both[1::2]),
        )
        np.testing.assert_array_equal(both[::2], count * other)
        np.testing.assert_array_equal(both[1::2], count * X)
    backwards = enzyme.Duplicated(X[::-1], np.zeros(3)[::-1])
    assert enzyme.autodiff(enzyme.Forward, cubes, backwards) == (0.0,)
    empty = enzyme.Duplicated(np.zeros((0, 3)), np.zeros((0, 3)))
    assert empty.primal.size == 0


def test_arrays_in_tuples_are_looked_at() -> None:
    def of_tuple(pair, y):
        return pair[0][0] * y[0] + pair[1][0]

    shadow = np.zeros(3)
    for _ in range(3):
        dx, dy = np.zeros(3), np.zeros(3)
        pair = enzyme.Duplicated((X, 2 * X), (dx, dy))
        enzyme.autodiff(enzyme.Reverse, of_tuple, pair, enzyme.Duplicated(3 * X, shadow))
        assert (dx[0], dy[0]) == (3.0, 1.0)
        with pytest.raises(ShadowError, match="share memory"):
            enzyme.autodiff(enzyme.Reverse, of_tuple, pair, enzyme.Duplicated(3 * X, dx))
    assert shadow[0] == 3 * X[0]


@pytest.mark.parametrize(
    "shadow",
    [
        np.zeros(4),
        np.zeros((3, 1)),
        np.zeros(3, np.float32),
        np.zeros(6)[::2],
        np.zeros(3, ">f8"),
        X,
        X[:],
        [0.0, 0.0, 0.0],
        0.0,
        None,
    ],
    ids=str,
)
def test_shadows_that_do_not_fit(shadow) -> None:
    enzyme.Duplicated(X, np.zeros(3))
    with pytest.raises(ShadowError):
        enzyme.Duplicated(X, shadow)


def test_shadows_that_nobody_may_write() -> None:
    shadow = np.zeros(3)
    shadow.flags.writeable = False
    with pytest.raises(ShadowError, match="read-only"):
        enzyme.Duplicated(X, shadow)
    assert library.fits(X, shadow) is False
    assert library.fits(shadow, np.zeros(3)) is True  # a primal may be


def test_what_is_not_certain_is_left_to_python() -> None:
    class Own(np.ndarray):
        pass

    whole = np.arange(6.0)
    for primal, shadow in (
        (X.view(Own), np.zeros(3)),
        (X, np.zeros(3).view(Own)),
        (np.arange(3), np.zeros(3, np.int64)),
        (whole[:4], whole[3:5]),
        (X.astype(">f8"), np.zeros(3, ">f8")),
        (1.0, 2.0),
        (np.ma.masked_array(X), np.zeros(3)),
    ):
        assert library.fits(primal, shadow) is False
    assert library.fits(whole[:3], whole[3:]) is True  # side by side
    assert library.fits(whole[3:], whole[:3]) is True
    assert library.fits(whole[:3], whole[2:5]) is False


def test_directions_that_do_not_fit_are_refused_after_one_that_did() -> None:
    enzyme.jvp(cubes, (X,), (X,))
    enzyme.hvp(cubes, X, X)
    for wrong in (np.zeros(4), 1.0, X + 1j, None):
        with pytest.raises(ShadowError):
            enzyme.jvp(cubes, (X,), (wrong,))
        with pytest.raises(ShadowError):
            enzyme.hvp(cubes, X, wrong)
    with pytest.raises(AnnotationError):
        enzyme.jvp(cubes, X, X)  # no tuples
    with pytest.raises(ShadowError):
        enzyme.jvp(cubes, (X,), (X, X))


def test_other_types_by_the_same_form() -> None:
    """A form tells what annotations there are; the runner looks at what they hold."""
    gradient = enzyme.grad(cubes)
    for dtype in (np.float64, np.float32, np.float64):
        x = X.astype(dtype)
        shadow = np.zeros_like(x)
        enzyme.autodiff(enzyme.Reverse, cubes, enzyme.Duplicated(x, shadow))
        np.testing.assert_array_equal(shadow, (3 * X**2).astype(dtype))
        assert gradient(x).dtype == dtype
    strided = np.repeat(X, 2)[::2]
    np.testing.assert_array_equal(gradient(strided), 3 * X**2)


def test_shadows_put_into_an_annotation_later() -> None:
    """An annotation with other parts than the form has goes through Python, which looks at it anew."""
    one = enzyme.Duplicated(X, np.zeros(3))
    enzyme.autodiff(enzyme.Forward, cubes, one)
    one.shadows = (np.ones(3), 2 * np.ones(3))
    got = enzyme.autodiff(enzyme.Forward, cubes, one)
    assert float(np.sum(got)) in {42.0, 126.0}  # of both lanes, or of the first


def test_a_global_object_is_read_at_each_call() -> None:
    for value in (2.0, 3.0, 5.0):
        weight.value = value
        assert enzyme.autodiff(enzyme.Reverse, weighted, enzyme.Active(1.0)) == ((2 * value,),)
        assert enzyme.gradient(weighted, 1.0) == (2 * value,)
        assert enzyme.grad(weighted)(1.0) == 2 * value
        assert enzyme.jvp(weighted, (1.0,), (1.0,)) == (value, 2 * value)
        assert enzyme.hvp(weighted, 1.0, 1.0) == 2 * value
        assert enzyme.vjp(weighted, 1.0)[1](1.0) == (2 * value,)


def test_what_a_closure_captures_is_read_at_each_call() -> None:
    factor = 1.0

    def own(x):
        return factor * x * x

    for factor in (2.0, 3.0, 5.0):
        assert enzyme.autodiff(enzyme.Reverse, own, enzyme.Active(1.0)) == ((2 * factor,),)
        assert enzyme.gradient(own, 1.0) == (2 * factor,)
        assert enzyme.jvp(own, (1.0,), (1.0,)) == (factor, 2 * factor)
        assert enzyme.hvp(own, 1.0, 1.0) == 2 * factor


def test_other_code_and_defaults_of_a_function() -> None:
    """A notebook that reloads puts other code into a function: the old derivative would be wrong without a word."""

    def f(x):
        return x * x

    def g(x):
        return x * x * x

    def told():
        return (
            enzyme.autodiff(enzyme.Reverse, f, enzyme.Active(2.0))[0][0],
            enzyme.gradient(f, 2.0)[0],
            enzyme.grad(f)(2.0),
            enzyme.jvp(f, (2.0,), (1.0,))[1],
            enzyme.vjp(f, 2.0)[1](1.0)[0],
        )

    assert told() == told() == (4.0,) * 5
    f.__code__ = g.__code__
    assert told() == told() == (12.0,) * 5


def test_what_copies_attributes_gets_no_derivative() -> None:
    enzyme.gradient(cubes, X)

    @functools.wraps(cubes)
    def doubled(x):
        return 2 * np.sum(x)

    for _ in range(3):
        np.testing.assert_array_equal(enzyme.gradient(doubled, X)[0], [2.0, 2.0, 2.0])
        shadow = np.zeros(3)
        enzyme.autodiff(enzyme.Reverse, doubled, enzyme.Duplicated(X, shadow))
        np.testing.assert_array_equal(shadow, [2.0, 2.0, 2.0])


def test_keys_that_are_equal_but_not_one_type() -> None:
    """1 is True to a dict."""
    assert enzyme.grad(of_two, 1)(3.0, 5.0) == 9.0
    assert enzyme.grad(of_two, np.int64(1))(3.0, 5.0) == 9.0
    assert enzyme.grad(of_two, [1])(3.0, 5.0) == (9.0,)
    assert enzyme.grad(of_two, 0)(3.0, 5.0) == 30.0
    for wrong in (1.0, "x", None):
        with pytest.raises(AnnotationError):
            enzyme.grad(of_two, wrong)


def test_exceptions_of_a_kernel_arrive() -> None:
    def picky(x):
        if x < 0:
            raise ValueError("negative")
        return x * x

    for _ in range(3):
        assert enzyme.autodiff(enzyme.Reverse, picky, enzyme.Active(1.0)) == ((2.0,),)
        with pytest.raises(ValueError, match="negative"):
            enzyme.autodiff(enzyme.Reverse, picky, enzyme.Active(-1.0))
        with pytest.raises(TypeError):
            enzyme.autodiff(enzyme.Reverse, picky, enzyme.Active(1.0), enzyme.Active(1.0))


def test_forms_are_bounded_and_go_with_their_function() -> None:
    one = enzyme.jit(lambda x: x * x)
    for mode in (enzyme.Reverse, enzyme.ReverseWithPrimal, enzyme.Forward, enzyme.ForwardWithPrimal):
        argument = enzyme.Duplicated(2.0, 1.0) if mode.is_forward else enzyme.Active(2.0)
        enzyme.autodiff(mode, one, argument)
    assert len(one._enzyme_py_made.forms) == 4 <= MOST_FORMS
    for _ in range(20):
        enzyme.autodiff(one, enzyme.Active(2.0))
        mode = dataclasses.replace(enzyme.Reverse)  # equal, and another object
        assert enzyme.autodiff(mode, one, enzyme.Active(2.0)) == ((4.0,),)
    assert len(one._enzyme_py_made.forms) == MOST_FORMS
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


def test_nothing_is_kept_alive_by_calls() -> None:
    """A reference too many would keep the array; one too few would crash."""

    def fourths(x):  # nobody has called it yet: the first call may keep something, too
        return np.sum(x * x * x * x)

    for call in (
        lambda x, dx: enzyme.autodiff(enzyme.Reverse, fourths, enzyme.Duplicated(x, dx)),
        lambda x, dx: enzyme.jvp(fourths, (x,), (dx,)),
        lambda x, dx: enzyme.hvp(fourths, x, dx),
        lambda x, dx: enzyme.gradient(fourths, x),
    ):
        x, dx = np.ones(3), np.ones(3)
        for _ in range(100):
            call(x, dx)
        watched = weakref.ref(x), weakref.ref(dx)
        del x, dx
        gc.collect()
        assert [one() for one in watched] == [None, None]


def test_without_the_library_all_is_the_same(monkeypatch) -> None:
    """Where arrays lie otherwise in memory every call goes through Python."""
    from enzyme_py import annotations
    from enzyme_py.calls import annotated_calls, jacobians, operators

    slow = library._in_python()
    monkeypatch.setattr(annotations, "fits", slow.fits)
    monkeypatch.setattr(annotated_calls, "run", slow.run)
    for module in (operators, jacobians):
        monkeypatch.setattr(module, "remembered", slow.remembered)
        monkeypatch.setattr(module, "alike", slow.alike)
    test_every_spelling_again_and_again(compiled=False)


def test_layout_is_compared(monkeypatch) -> None:
    assert library._is_laid_out_as_told()
    monkeypatch.setattr(library, "_HEAD", 32)  # as in an interpreter without its lock
    assert not library._is_laid_out_as_told()
    assert library._loaded().run.__class__ is not len.__class__
