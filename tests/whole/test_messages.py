"""The words a user must read, per kind of mistake; and that a refused call changed nothing.

What an annotation or a transform refuses at once stands in test_bad_input.py. Here are the mistakes
that come to light while compiling, in the pass, or from inside @njit code, and where each is said
to be.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated, Forward
from enzyme_py.errors import (
    AnnotationError,
    DerivativeError,
    EnzymeError,
    LoweringError,
    NoDerivativeError,
    ShadowError,
    UnsupportedTypeError,
    Where,
)
from tests.python_calls import python_functions_called

X = np.array([1.0, 2.0, 3.0])
MATRIX = np.array([[2.0, 1.0], [0.5, 3.0]])

library = ctypes.CDLL(ctypes.util.find_library("m"))
foreign = library.lgamma_r
foreign.restype = ctypes.c_double
foreign.argtypes = (ctypes.c_double, ctypes.c_void_p)


@numba.njit
def square(x):
    return x * x


@numba.njit
def scaled(x, n):
    return x * n


@numba.njit
def summed(x):
    return np.sum(x)


# A function of some library that no rule knows.
UNKNOWN = numba.types.ExternalFunction("library_unknown", numba.float64(numba.float64))


@numba.njit
def doubled(x):
    return 2.0 * x


@numba.njit
def pair(x):
    return x[0], 2.0 * x


def calls_c(x):
    y = 2.0 * x
    return foreign(y, 0) + 1.0  # the line to name


def calls_library(x):
    y = 2.0 * x
    return UNKNOWN(y[0, 0])  # the line to name


@numba.njit
def helper(y):
    return UNKNOWN(y[0, 0] + 1.0)  # the line to name


def calls_helper(x):
    return helper(2.0 * x)


def works_on_bits(x):
    bits = x.view(np.int64).copy()
    bits[0] ^= 1  # the line to name
    return bits.view(np.float64)[0] * 2.0


def raises_nothing(x):
    if x < 0.0:
        raise NotThere("negative")  # noqa: F821
    return x * x


def compiles_not(x):
    return x.nonsense


def opens_a_file(x):
    with open("file") as file:  # noqa: F841
        return x


def enters_object_mode(x):
    with numba.objmode(y="float64"):
        y = x * 2.0
    return y + 1.0


@numba.njit
def takes_a_literal(x, n):
    return x * numba.literally(n)



def calls_object_mode(x):
    return objects(x)


@numba.jit(forceobj=True)
def objects(x):
    return x


def complex_result(x):
    return x * 1j


def two_results(x):
    return x, x


def nothing(x):
    pass


def mixed_lists(x):
    return x * np.sum(np.array([[1.0, 2.0], [3, 4]]))


@dataclass(frozen=True)
class Said:
    """A call, the error that it deserves, and what its text must say."""

    name: str
    call: Callable[[], Any]
    error: type[Exception]
    says: tuple[str, ...]


def pulled(kernel: Any, cotangent: Any, x: Any = X) -> Callable[[], Any]:
    return lambda: enzyme.vjp(kernel, x)[1](cotangent)


def pushed(kernel: Any, primals: Any, tangents: Any) -> Callable[[], Any]:
    return lambda: enzyme.jvp(kernel, primals, tangents)


def grad(kernel: Any, *args: Any, **options: Any) -> Callable[[], Any]:
    return lambda: enzyme.grad(kernel, **options)(*args)


ROWS = (
    Said("dict", grad(square, {}), UnsupportedTypeError, ("`x`", "Dict", "`square`", "argnums")),
    Said("list", grad(summed, [1.0]), LoweringError, ("`summed`", "list", "pass an array")),
    Said("object", grad(scaled, 1.0, object()), UnsupportedTypeError, ("`n`", "object")),
    Said(
        "object in a tree",
        grad(scaled, 1.0, {"a": 1.0, "net": (X, [2.0, object()])}),
        UnsupportedTypeError,
        ("`n['net'][1][1]`", "object"),
    ),
    Said(
        "object among annotations",
        lambda: enzyme.autodiff(scaled, Active(1.0), Const({"a": 1})),
        LoweringError,
        ("`scaled`", "dict", "pass an array"),
    ),
    Said("list in a tuple", grad(scaled, 1.0, (1.0, [2.0])), LoweringError, ("a list is a tuple",)),
    Said("objects in an array", grad(summed, np.array([None])), UnsupportedTypeError, ("object",)),
    Said("long double", grad(summed, X.astype(np.longdouble)), UnsupportedTypeError, ("`x`",)),
    Said("integer", grad(square, 3), UnsupportedTypeError, ("`x`", "int64", "float")),
    Said(
        "too many values", lambda: enzyme.gradient(square, 1.0, 2.0), AnnotationError, ("2 given",)
    ),
    Said("no such exception", grad(raises_nothing, 1.0), LoweringError, ("`raises_nothing`", "an exception class that is defined")),
    Said("no such kernel", grad(compiles_not, 1.0), LoweringError, ("`compiles_not`", "nonsense")),
    Said("no such bytecode", grad(opens_a_file, 1.0), LoweringError, ("`opens_a_file`", "with")),
    Said("literal", grad(takes_a_literal, 1.0, 2), LoweringError, ("literally", "value of `n`", "lambda x: f(x, 2)")),
    Said("object block", grad(enters_object_mode, 1.0), LoweringError, ("object mode", "objmode")),
    Said("object function", grad(objects, 1.0), LoweringError, ("object mode", "forceobj")),
    Said("object callee", grad(calls_object_mode, 1.0), LoweringError, ("object mode", "forceobj")),
    Said("complex result", grad(complex_result, 1.0), UnsupportedTypeError, ("complex", "real")),
    Said("tuple result", grad(two_results, 1.0), UnsupportedTypeError, ("scalar", "vjp")),
    Said("no result", grad(nothing, 1.0), UnsupportedTypeError, ("`nothing`", "none")),
    Said("argnums below", grad(scaled, 1.0, 2, argnums=-3), EnzymeError, ("argument -3",)),
    Said("argnums by name", grad(scaled, 1.0, 2, argnums="x"), AnnotationError, ("'x'", "count")),
    Said("argnums between", grad(scaled, 1.0, 2, argnums=0.5), AnnotationError, ("0.5",)),
    Said("tangents bare", pushed(square, 1.0, 1.0), AnnotationError, ("tuples", "(x,), (dx,)")),
    Said("tangent's type", pushed(summed, (X,), (1.0,)), ShadowError, ("`x`", "(3,)", "float")),
    Said("no tangent", pushed(summed, (X,), (None,)), ShadowError, ("`x`", "make_zero(x)")),
    Said("no pair", grad(square, 1.0, has_aux=True), UnsupportedTypeError, ("(value, aux)", "pair")),
    Said("mixed lists", grad(mixed_lists, 1.0), LoweringError, ("one type", "[[1.0, 2.0], [3.0, 4.0]]")),
    Said("tangent's size", pushed(summed, (X,), (X[:2],)), ShadowError, ("`x`", "(2,)", "(3,)")),
    Said("tangent of a number", pushed(square, (1.0,), (X,)), ShadowError, ("`x`", "number")),
    Said("complex tangent", pushed(square, (1.0,), (1j,)), ShadowError, ("`x`", "complex", "real")),
    Said(
        "tangent's dtype",
        pushed(summed, (X,), (X.astype(np.float32),)),
        ShadowError,
        ("`x`", "float32", "float64"),
    ),
    Said("tangent's form", pushed(scaled, ((1.0,), 2), (1.0, 0)), ShadowError, ("tuple of 1",)),
    Said("cotangent's shape", pulled(doubled, X[:2]), ShadowError, ("(2,)", "(3,)")),
    Said("cotangent's type", pulled(doubled, {}), ShadowError, ("dict", "(3,)")),
    Said("cotangent of a number", pulled(summed, X), ShadowError, ("number", "(3,)")),
    Said("complex cotangent", pulled(summed, 1j), ShadowError, ("complex", "real")),
    Said("complex cotangents", pulled(doubled, X + 0j), ShadowError, ("complex128", "float64")),
    Said("cotangent's form", pulled(pair, (1.0,)), ShadowError, ("tuple of 1", "tuple of 2")),
    Said("cotangent's part", pulled(pair, (X, X)), ShadowError, ("number",)),
    Said("setting", lambda: enzyme.config(speed=11), TypeError, ("'speed'", "strict", "verbose")),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name.replace(" ", "_"))
def test_says(row: Said) -> None:
    with pytest.raises(row.error) as caught:
        row.call()
    for fragment in row.says:
        assert fragment in str(caught.value)
    if isinstance(caught.value, EnzymeError):
        assert caught.value.remedy
    assert len(traceback.extract_tb(caught.value.__traceback__)) <= 7
    assert np.array_equal(X, [1.0, 2.0, 3.0])


def line_to_name(function: Any) -> int:
    code = getattr(function, "py_func", function).__code__
    with open(__file__) as file:
        lines = file.read().split("\n")
    return next(
        number
        for number in range(code.co_firstlineno, len(lines))
        if lines[number - 1].endswith("# the line to name")
    )


@pytest.mark.parametrize(
    ("kernel", "marked", "argument", "says"),
    [
        (calls_c, calls_c, 1.5, ("lgamma", "by its address", "foreign(y, 0)")),
        (
            calls_library,
            calls_library,
            MATRIX,
            ("library_unknown", "UNKNOWN(y", "stop_gradient", "Const"),
        ),
        (calls_helper, helper, MATRIX, ("library_unknown", "UNKNOWN(y")),
        (works_on_bits, works_on_bits, X, ("bits", "bits[0] ^= 1")),
    ],
)
@pytest.mark.parametrize("mode", [enzyme.Reverse, Forward], ids=str)
def test_missing_derivative(
    kernel: Any, marked: Any, argument: Any, says: tuple[str, ...], mode: Any
) -> None:
    with pytest.raises(NoDerivativeError) as caught:
        enzyme.gradient(mode, kernel, argument)
    error = caught.value
    assert error.where is not None
    assert (error.where.file, error.where.line) == (__file__, line_to_name(marked))
    assert error.where.kernel == kernel.__name__
    for fragment in (*says, f"{__file__}:{error.where.line}"):
        assert fragment in str(error)


def test_nothing_is_changed() -> None:
    def refused(x, y, flag):
        y[0] = x[0]
        x[0] = 100.0
        return foreign(y[0], 0)

    x, y, dx, dy = X.copy(), X.copy(), np.full(3, 7.0), np.full(3, 8.0)
    with pytest.raises(NoDerivativeError):
        enzyme.autodiff(refused, Duplicated(x, dx), Duplicated(y, dy), Const(1))
    assert np.array_equal(x, X)
    assert np.array_equal(y, X)
    assert np.array_equal(dx, np.full(3, 7.0))
    assert np.array_equal(dy, np.full(3, 8.0))


@numba.njit
def activates_array(x):
    return enzyme.autodiff(enzyme.Reverse, summed, enzyme.Active(x))


@numba.njit
def misshapes(x, dx):
    return enzyme.autodiff(enzyme.Reverse, summed, enzyme.Duplicated(x, dx))


@numba.njit
def pushes_misshapen(x, dx):
    return enzyme.jvp(summed, (x,), (dx,))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: activates_array(X), ("`x`", "Active", "make_zero")),
        (lambda: misshapes(X, X[:2].copy()), ("shadow", "another shape")),
        (lambda: misshapes(X, np.zeros(6)[::2]), ("shadow", "other strides")),
        (lambda: pushes_misshapen(X, X[:2].copy()), ("tangent", "another shape")),
    ],
    ids=range(4),
)
def test_from_compiled_code(call: Callable[[], Any], says: tuple[str, ...]) -> None:
    with pytest.raises(EnzymeError) as caught:
        call()
    for fragment in says:
        assert fragment in str(caught.value)


def test_short_traceback_and_long_one() -> None:
    with pytest.raises(UnsupportedTypeError) as short:
        enzyme.grad(nothing)(1.0)
    assert short.value.__context__ is None
    names = [frame.filename for frame in traceback.extract_tb(short.value.__traceback__)]
    assert not any("/numba/" in name for name in names)
    with enzyme.config(verbose=True), pytest.raises(UnsupportedTypeError) as long:
        enzyme.grad(nothing)(1.0)
    names = [frame.filename for frame in traceback.extract_tb(long.value.__traceback__)]
    assert any("/numba/" in name for name in names)


def test_verbose_shows_the_text_of_the_pass_and_the_ir() -> None:
    with pytest.raises(NoDerivativeError) as caught:
        enzyme.grad(calls_c)(1.5)
    assert "set_verbose_errors(True)" in str(caught.value)
    enzyme.set_verbose_errors(True)
    try:
        text = str(caught.value)
    finally:
        enzyme.set_verbose_errors(False)
    assert "Enzyme: " in text
    assert "define internal void" in text


def test_error_travels_between_processes() -> None:
    with pytest.raises(DerivativeError) as caught:
        enzyme.grad(calls_c)(1.5)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is type(caught.value)
    assert str(copy) == str(caught.value)


def test_derivatives_are_dispatchers() -> None:
    made = enzyme.grad(square)
    assert isinstance(made, CPUDispatcher)
    assert numba.njit(lambda x: made(x) + 1.0)(3.0) == 7.0
    assert pickle.loads(pickle.dumps(made))(3.0) == 6.0
    assert enzyme.grad(enzyme.grad(square))(3.0) == 2.0


@pytest.mark.parametrize("x", [3.0, np.full(2, 3.0)], ids=["number", "array"])
def test_call_costs_what_an_njit_call_costs(x: Any) -> None:
    """Numba's C dispatcher knows the code: what it does not know is looked for in Python, in 80 µs."""
    made, plain = enzyme.grad(lambda x: np.sum(x * x)), numba.njit(lambda x: 2.0 * x)
    np.testing.assert_array_equal(made(x), plain(x))
    own, usual = (python_functions_called(lambda f=f: f(x)) for f in (made, plain))
    assert own[:1] == [made.py_func.__name__]
    assert own[1:] == usual[1:]


def test_place_shows_the_statement() -> None:
    line = line_to_name(calls_c)
    assert "foreign(y, 0)" in str(Where("calls_c", __file__, line))
    assert ":\n" not in str(Where("calls_c", __file__, calls_c.__code__.co_firstlineno))
