"""Bad input: a clear error of the package's own, before anything is run or written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numba import types

import enzyme_py as enzyme
from enzyme_py import Active, BatchDuplicated, Const, Duplicated, Forward, Reverse
from enzyme_py.errors import (
    AnnotationError,
    EnzymeError,
    LoweringError,
    NoDerivativeError,
    ShadowError,
    UnsupportedTypeError,
)

X = np.array([1.0, 2.0, 3.0])
ZEROS = np.zeros(3)
BUFFER = np.zeros(10)
TWICE = np.zeros(3)
READ_ONLY = np.zeros(3)
READ_ONLY.flags.writeable = False
RECORD = np.array([(3.0, 1)], [("m", float), ("k", np.int64)])[0]


def of_a_record(r, x):
    return r.m * x


def of_a_pair(pair, x):
    return pair[0].m * pair[1] * x


missing = types.ExternalFunction("frobnicate", types.float64(types.float64))


@enzyme.jit
def total(x):
    return np.sum(x * x)


@enzyme.jit
def product(x, y):
    return x * y


@enzyme.jit
def inner(x, y):
    s = 0.0
    for i in range(x.size):
        s += x[i] * y[i]
    return s


@enzyme.jit
def doubled(x):
    return 2.0 * x


@enzyme.jit
def whole(x):
    return int(x)


@enzyme.jit
def untyped(x):
    return x.nonsense()


@enzyme.jit
def foreign(x):
    return missing(x) + x


def by_any_name(x, **given):
    return x * given["a"]


@dataclass(frozen=True)
class Bad:
    """A call, the error that it deserves, and what its text must say."""

    name: str
    call: Callable[[], Any]
    error: type[EnzymeError]
    says: tuple[str, ...]


def autodiff(*given: Any) -> Callable[[], Any]:
    return lambda: enzyme.autodiff(*given)


def gradient(*given: Any) -> Callable[[], Any]:
    return lambda: enzyme.gradient(*given)


ROWS = (
    Bad("shape", lambda: Duplicated(X, np.zeros(4)), ShadowError, ("(4,)", "(3,)", "make_zero")),
    Bad(
        "dtype", lambda: Duplicated(X, np.zeros(3, np.float32)), ShadowError, ("float32", "float64")
    ),
    Bad("strides", lambda: Duplicated(X, np.zeros(6)[::2]), ShadowError, ("strides", "(16,)")),
    Bad("own memory", lambda: Duplicated(X, X), ShadowError, ("shares memory",)),
    Bad("overlap", lambda: Duplicated(BUFFER[:5], BUFFER[3:8]), ShadowError, ("shares memory",)),
    Bad("read-only shadow", lambda: Duplicated(X, READ_ONLY), ShadowError, ("read-only",)),
    Bad("list as shadow", lambda: Duplicated(X, [0, 0, 0]), ShadowError, ("list", "np.zeros_like")),
    Bad("number's shadow", lambda: Duplicated(1.0, X), ShadowError, ("shadow of a number",)),
    Bad("tuple's shadow", lambda: Duplicated((X, X), (ZEROS,)), ShadowError, ("tuple of 2",)),
    Bad("Active array", lambda: Active(X), AnnotationError, ("Active", "Duplicated(x")),
    Bad("Active int", lambda: Active(3), AnnotationError, ("int 3", "Const")),
    Bad("Active bool", lambda: Active(True), AnnotationError, ("bool", "Const")),
    Bad("Duplicated int", lambda: Duplicated(3, 1), AnnotationError, ("integer", "Const")),
    Bad("ints", lambda: Duplicated(PICKS, PICKS), AnnotationError, ("int64", "Const")),
    Bad("text", lambda: Duplicated("a", "b"), AnnotationError, ("'a'", "Const")),
    Bad("empty batch", lambda: BatchDuplicated(X, ()), AnnotationError, ("at least one shadow",)),
    Bad("batch twice", lambda: BatchDuplicated(X, (TWICE, TWICE)), ShadowError, ("two shadows",)),
    Bad(
        "widths",
        autodiff(Forward, product, BatchDuplicated(1.0, (1.0, 2.0)), Duplicated(1.0, 1.0)),
        AnnotationError,
        ("different widths", "`product`"),
    ),
    Bad(
        "one shadow for two",
        autodiff(Reverse, inner, Duplicated(X, TWICE), Duplicated(X.copy(), TWICE)),
        ShadowError,
        ("`x`", "`y`", "share memory"),
    ),
    Bad(
        "shadow is an argument",
        autodiff(Reverse, inner, Duplicated(X, TWICE), Const(TWICE)),
        ShadowError,
        ("`x`", "`y`", "share memory"),
    ),
    Bad("no function", autodiff(Reverse), AnnotationError, ("needs a function",)),
    Bad("no kernel", gradient(3.0, 1.0), UnsupportedTypeError, ("3.0", "no Python function")),
    Bad("builtin", gradient(len, X), UnsupportedTypeError, ("`len`", "return a float")),
    Bad("no arguments", lambda: enzyme.jacobian(product), AnnotationError, ("`product`", "jacrev(f)")),
    Bad("no arguments of a gradient", lambda: enzyme.gradient(product), AnnotationError, ("`product`", "grad(f)")),
    Bad("**", lambda: enzyme.grad(by_any_name)(1.0), UnsupportedTypeError, ("**given", "each with a name")),
    Bad("too few", autodiff(Reverse, product, Active(1.0)), AnnotationError, ("(x, y)", "1 given")),
    Bad(
        "too many",
        autodiff(Reverse, product, Active(1.0), Active(1.0), Active(1.0)),
        AnnotationError,
        ("`product` takes 2 arguments", "3 given"),
    ),
    Bad(
        "Active forward",
        autodiff(Forward, product, Active(1.0), Const(2.0)),
        AnnotationError,
        ("`x`", "Active", "Duplicated(x"),
    ),
    Bad(
        "number Duplicated in reverse",
        autodiff(Reverse, product, Duplicated(1.0, 1.0), Const(2.0)),
        AnnotationError,
        ("`x`", "Active"),
    ),
    Bad(
        "split mode",
        autodiff(enzyme.ReverseSplitWithPrimal, product, Active(1.0), Active(2.0)),
        AnnotationError,
        ("autodiff_thunk",),
    ),
    Bad("array result", gradient(doubled, X), UnsupportedTypeError, ("array", "vjp")),
    Bad("int result", autodiff(Reverse, whole, Active(1.5)), UnsupportedTypeError, ("int64",)),
    Bad(
        "int result forward",
        autodiff(Forward, whole, Duplicated(1.5, 1.0)),
        UnsupportedTypeError,
        ("int64",),
    ),
    Bad("does not compile", gradient(untyped, 1.0), LoweringError, ("nonsense", "`untyped`")),
    Bad(
        "no derivative",
        gradient(foreign, 1.0),
        NoDerivativeError,
        ("frobnicate", "`foreign`", "rule"),
    ),
    Bad("objects", gradient(total, np.array([1, 2], dtype=object)), EnzymeError, ("`total`",)),
    Bad("long double", gradient(total, X.astype(np.longdouble)), EnzymeError, (str(np.dtype(np.longdouble)),)),
    Bad("argnums", lambda: enzyme.grad(product, argnums=5)(1.0, 2.0), EnzymeError, ("argument 5",)),
    Bad(
        "argnums int",
        lambda: enzyme.grad(product, argnums=1)(1.0, 2),
        EnzymeError,
        ("`y`", "int64"),
    ),
    Bad("tangents", lambda: enzyme.jvp(product, (1.0, 2.0), (1.0,)), EnzymeError, ("tangents",)),
    Bad(
        "the tangent of a record",
        lambda: enzyme.jvp(of_a_record, (RECORD, 2.0), (RECORD, 1.0)),
        ShadowError,
        ("`r`", "give 0 for it", "records[i : i + 1]"),
    ),
    Bad(
        "the tangent of a record in a tuple",
        lambda: enzyme.jvp(of_a_pair, ((RECORD, 3.0), 2.0), ((RECORD, 0.0), 1.0)),
        ShadowError,
        ("`pair`", "records[i : i + 1]"),
    ),
    Bad(
        "the gradient of a record",
        lambda: enzyme.grad(of_a_record)(RECORD, 2.0),
        UnsupportedTypeError,
        ("`r`", "records[i : i + 1]"),
    ),
    Bad(
        "tangent's shape",
        lambda: enzyme.jvp(total, (X,), (BUFFER,)),
        EnzymeError,
        ("(10,)", "(3,)"),
    ),
)
PICKS = np.arange(3)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.replace(" ", "_"))
def test_error_is_clear(row: Bad) -> None:
    with pytest.raises(row.error) as caught:
        row.call()
    text = str(caught.value)
    for fragment in row.says:
        assert fragment in text
    assert caught.value.remedy, "an error says what to do"
    assert np.array_equal(X, [1.0, 2.0, 3.0]), "the argument was changed"
    assert not any(shadow.any() for shadow in (ZEROS, BUFFER, TWICE)), "a shadow was written"


def test_line_of_the_kernel_is_named() -> None:
    with pytest.raises(NoDerivativeError) as caught:
        enzyme.gradient(foreign, 1.0)
    first = foreign.py_func.__code__.co_firstlineno
    assert caught.value.where is not None
    assert caught.value.where.file == __file__
    assert first <= caught.value.where.line <= first + 2


def test_detail_is_shown_on_request() -> None:
    with pytest.raises(NoDerivativeError) as caught:
        enzyme.gradient(foreign, 1.0)
    short = str(caught.value)
    with enzyme.config(verbose=True):
        long = str(caught.value)
    assert caught.value.detail not in short
    assert caught.value.detail in long


def test_after_an_error_all_is_well() -> None:
    with pytest.raises(NoDerivativeError):
        enzyme.gradient(foreign, 1.0)
    assert enzyme.gradient(product, 2.0, 3.0) == (3.0, 2.0)


def test_a_record_is_constant_along_zero() -> None:
    assert enzyme.jvp(of_a_record, (RECORD, 2.0), (0, 1.0)) == (6.0, 3.0)


def test_written_const_is_told() -> None:
    @enzyme.jit
    def through(x, work):
        for i in range(x.size):
            work[i] = x[i] ** 2
        return np.sum(work)

    with pytest.warns(enzyme.errors.ConstWrittenWarning, match="work"):
        enzyme.autodiff(Reverse, through, Duplicated(X, np.zeros(3)), Const(np.zeros(3)))
