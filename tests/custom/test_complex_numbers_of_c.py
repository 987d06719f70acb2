"""Linked code with C's complex numbers: values of the C library, derivatives by hand."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import RuleError
from enzyme_py.frontend.external.complex_numbers import _CODE
from enzyme_py.rules.complex_symbols import COMPUTES, DOUBLE, SINGLE

Z, W = 0.7 - 0.4j, -1.3 + 0.6j
HEAD = "define double @f(ptr %x) {\n"


def _loads(kind: str, count: int) -> str:
    """Load numbers %x0, %x1 ... of a type from memory of doubles."""
    text = ""
    for i in range(count):
        text += f"  %p{i} = getelementptr double, ptr %x, i64 {i}\n"
        wide = f"%x{i}" if kind == "double" else f"%w{i}"
        text += f"  {wide} = load double, ptr %p{i}\n"
        if kind == "float":
            text += f"  %x{i} = fptrunc double %w{i} to float\n"
    return text


def _call_of_double(name: str, arity: int, *, is_real: bool) -> str:
    """2 re + 3 im of a function of double precision."""
    given = ", ".join(f"double %x{i}" for i in range(2 * arity))
    types = ", ".join(["double"] * 2 * arity)
    result = "double" if is_real else "{ double, double }"
    text = f"declare {result} @{name}({types})\n{HEAD}{_loads('double', 2 * arity)}"
    text += f"  %y = call {result} @{name}({given})\n"
    if is_real:
        return f"{text}  %sum = fmul double %y, 2.0\n  ret double %sum\n}}\n"
    return text + (
        "  %re = extractvalue { double, double } %y, 0\n  %im = extractvalue { double, double } %y, 1\n"
        "  %a = fmul double %re, 2.0\n  %b = fmul double %im, 3.0\n"
        "  %sum = fadd double %a, %b\n  ret double %sum\n}\n"
    )


def _call_of_single(name: str, arity: int, *, is_real: bool, is_helper: bool) -> str:
    """The same in single precision, where a number is a vector of two, but one float for each part to compilers' helpers."""
    text, given, types = "", [], []
    for i in range(arity):
        parts = (f"%x{2 * i}", f"%x{2 * i + 1}")
        if is_helper:
            given += [f"float {one}" for one in parts]
            types += ["float", "float"]
            continue
        text += f"  %u{i} = insertelement <2 x float> poison, float {parts[0]}, i64 0\n"
        text += f"  %v{i} = insertelement <2 x float> %u{i}, float {parts[1]}, i64 1\n"
        given.append(f"<2 x float> %v{i}")
        types.append("<2 x float>")
    result = "float" if is_real else "<2 x float>"
    head = f"declare {result} @{name}({', '.join(types)})\n{HEAD}{_loads('float', 2 * arity)}"
    text = f"{head}{text}  %y = call {result} @{name}({', '.join(given)})\n"
    if is_real:
        return f"{text}  %z = fpext float %y to double\n  %sum = fmul double %z, 2.0\n  ret double %sum\n}}\n"
    return text + (
        "  %s = extractelement <2 x float> %y, i64 0\n  %t = extractelement <2 x float> %y, i64 1\n"
        "  %re = fpext float %s to double\n  %im = fpext float %t to double\n"
        "  %a = fmul double %re, 2.0\n  %b = fmul double %im, 3.0\n"
        "  %sum = fadd double %a, %b\n  ret double %sum\n}\n"
    )


# A function of one number: its value, and its derivative by hand.
ANALYTIC: dict[str, tuple[Callable[[complex], complex], Callable[[complex], complex]]] = {
    "cexp": (cmath.exp, cmath.exp),
    "clog": (cmath.log, lambda z: 1 / z),
    "csqrt": (cmath.sqrt, lambda z: 0.5 / cmath.sqrt(z)),
    "csin": (cmath.sin, cmath.cos),
    "ccos": (cmath.cos, lambda z: -cmath.sin(z)),
    "ctan": (cmath.tan, lambda z: 1 / cmath.cos(z) ** 2),
    "csinh": (cmath.sinh, cmath.cosh),
    "ccosh": (cmath.cosh, cmath.sinh),
    "ctanh": (cmath.tanh, lambda z: 1 / cmath.cosh(z) ** 2),
    "casin": (cmath.asin, lambda z: 1 / cmath.sqrt(1 - z * z)),
    "cacos": (cmath.acos, lambda z: -1 / cmath.sqrt(1 - z * z)),
    "catan": (cmath.atan, lambda z: 1 / (1 + z * z)),
    "casinh": (cmath.asinh, lambda z: 1 / cmath.sqrt(1 + z * z)),
    "cacosh": (cmath.acosh, lambda z: 1 / (cmath.sqrt(z - 1) * cmath.sqrt(z + 1))),
    "catanh": (cmath.atanh, lambda z: 1 / (1 - z * z)),
}


def _along(slope: complex) -> list[float]:
    """The gradient of 2 re + 3 im where the derivative by z is this: <2 - 3i, slope>, and <2 - 3i, i slope>."""
    return [((2 - 3j) * slope).real, ((2 - 3j) * 1j * slope).real]


def _expected(computed: str) -> tuple[float, list[float]]:
    """The value and the gradient of 2 re + 3 im, or of 2 y where the result is one number."""
    size = abs(Z)
    whole = {
        "product": (Z * W, [*_along(W), *_along(Z)]),
        "quotient": (Z / W, [*_along(1 / W), *_along(-Z / W**2)]),
        "cpow": (Z**W, [*_along(W * Z ** (W - 1)), *_along(Z**W * cmath.log(Z))]),
        "conj": (Z.conjugate(), [2.0, -3.0]),
        "creal": (Z.real, [2.0, 0.0]),
        "cimag": (Z.imag, [0.0, 2.0]),
        "cabs": (size, [2 * Z.real / size, 2 * Z.imag / size]),
        "carg": (cmath.phase(Z), [-2 * Z.imag / size**2, 2 * Z.real / size**2]),
    }
    if computed in whole:
        value, slopes = whole[computed]
    else:
        function, derivative = ANALYTIC[computed]
        value, slopes = function(Z), _along(derivative(Z))
    return 2 * complex(value).real + 3 * complex(value).imag, slopes


def _linked(folder: Path, name: str):
    computed = COMPUTES[name]
    arity = 2 if computed in ("product", "quotient", "cpow") else 1
    is_real = computed in ("creal", "cimag", "cabs", "carg")
    if name in SINGLE:
        text = _call_of_single(name, arity, is_real=is_real, is_helper=name.startswith("__"))
    else:
        text = _call_of_double(name, arity, is_real=is_real)
    file = folder / f"{name}.ll"
    file.write_text(text)
    return enzyme.link_ir(file, "f", "float64(float64[::1])")


def _point(computed: str) -> np.ndarray:
    parts = [Z.real, Z.imag, W.real, W.imag]
    return np.array(parts[: len(_expected(computed)[1])])


@pytest.mark.parametrize("name", list(DOUBLE))
def test_values_and_gradients_by_hand(tmp_path: Path, name: str) -> None:
    f = _linked(tmp_path, name)
    value, slopes = _expected(COMPUTES[name])
    x = _point(COMPUTES[name])
    assert f(x) == pytest.approx(value, rel=1e-14)
    found, gradient = enzyme.value_and_grad(f)(x)
    assert found == f(x)  # the library's own number, to the last bit
    np.testing.assert_allclose(gradient, slopes, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(enzyme.jacfwd(f)(x), slopes, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("name", ["__mulsc3", "__divsc3", "cexpf", "cpowf", "cabsf", "conjf"])
def test_single_precision(tmp_path: Path, name: str) -> None:
    f = _linked(tmp_path, name)
    value, slopes = _expected(COMPUTES[name])
    x = _point(COMPUTES[name])
    assert f(x) == pytest.approx(value, rel=1e-6)
    assert enzyme.value_and_grad(f)(x)[0] == f(x)
    np.testing.assert_allclose(enzyme.grad(f)(x), slopes, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(enzyme.jacfwd(f)(x), slopes, rtol=1e-5, atol=1e-6)


def test_second_derivatives_by_hand(tmp_path: Path) -> None:
    """Of z / w: by w twice 2 z / w**3, by both -1 / w**2; a derivative by an imaginary part brings the factor i."""
    f = _linked(tmp_path, "__divdc3")
    x = _point("quotient")
    by = [[0, -1 / W**2], [-1 / W**2, 2 * Z / W**3]]
    unit = [1, 1j]
    expected = np.array(
        [
            [((2 - 3j) * by[i // 2][k // 2] * unit[i % 2] * unit[k % 2]).real for k in range(4)]
            for i in range(4)
        ]
    )
    np.testing.assert_allclose(enzyme.hessian(f)(x), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(enzyme.jacrev(enzyme.grad(f))(x), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_quotients_of_numbers_whose_squares_are_no_floats(tmp_path: Path, scale: float) -> None:
    f = _linked(tmp_path, "__divdc3")
    x = _point("quotient") * np.array([1.0, 1.0, scale, scale])
    slopes = np.array(_expected("quotient")[1])
    slopes[:2] /= scale
    np.testing.assert_allclose(enzyme.grad(f)(x)[:2], slopes[:2], rtol=1e-12)
    np.testing.assert_allclose(enzyme.jacfwd(f)(x)[:2], slopes[:2], rtol=1e-12)


def test_the_table_has_code_for_each_name() -> None:
    assert set(COMPUTES.values()) == set(_CODE)


def test_the_value_where_there_is_no_derivative(tmp_path: Path) -> None:
    """A division by zero has the library's value in a kernel, too."""
    f = _linked(tmp_path, "__divdc3")
    x = np.array([1.0, 1.0, 0.0, 0.0])
    assert f(x) == np.inf
    assert enzyme.value_and_grad(f)(x)[0] == np.inf


# What code generation calls, and no module names: LLVM must be told of it.
POWER = """
declare double @llvm.powi.f64.i32(double, i32)
define double @f(double %x, i32 %n) {
  %y = call double @llvm.powi.f64.i32(double %x, i32 %n)
  ret double %y
}
"""


def test_a_helper_of_the_compiler_in_a_plain_call(tmp_path: Path) -> None:
    file = tmp_path / "power.ll"
    file.write_text(POWER)
    f = enzyme.link_ir(file, "f", "float64(float64, int32)")
    assert f(1.5, 5) == 1.5**5
    assert enzyme.grad(f)(1.5, 5) == pytest.approx(5 * 1.5**4, rel=1e-15)


WIDE = """
declare { x86_fp80, x86_fp80 } @__mulxc3(x86_fp80, x86_fp80, x86_fp80, x86_fp80)
define double @f(double %x) {
  %w = fpext double %x to x86_fp80
  %y = call { x86_fp80, x86_fp80 } @__mulxc3(x86_fp80 %w, x86_fp80 %w, x86_fp80 %w, x86_fp80 %w)
  %im = extractvalue { x86_fp80, x86_fp80 } %y, 1
  %z = fptrunc x86_fp80 %im to double
  ret double %z
}
"""


def test_wider_numbers_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "wide.ll"
    file.write_text(WIDE)
    f = enzyme.link_ir(file, "f", "float64(float64)")
    with pytest.raises(RuleError, match="complex `long double`, has no derivative"):
        enzyme.grad(f)(1.5)
