"""NumPy's universal functions, of arrays, in double and single precision, and complex."""

from __future__ import annotations

import numba
import numpy as np

from tests.coverage.row import Draw, Table

row = Table("universal functions")
WITHIN = Draw((5,), -0.8, 0.8)
X = Draw((5,))
ABOVE = Draw((5,), 1.2, 2.5)
MATRIX = Draw((3, 5))

_UNARY = {
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh exp exp2 expm1 "
    "abs fabs negative positive square cbrt sign deg2rad rad2deg degrees radians "
    "floor ceil trunc rint sinc": (-0.8, 0.8),
    "sqrt log log2 log10 log1p arccosh reciprocal": (1.2, 2.5),
}
_ANALYTIC = (
    "sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh exp exp2 expm1 log log2 "
    "log10 log1p sqrt square reciprocal negative positive conj abs sign"
).split()
for _names, (_low, _high) in _UNARY.items():
    for _name in _names.split():
        _kernel = eval(f"lambda x: np.{_name}(x)", {"np": np})
        row(f"np.{_name}", _kernel, Draw((5,), _low, _high))
        row(f"np.{_name} of float32", _kernel, Draw((5,), _low, _high, "float32"))
        row(f"np.{_name} of a number", _kernel, Draw(None, _low, _high))
for _name in _ANALYTIC:
    _kernel = eval(f"lambda x: np.{_name}(x)", {"np": np})
    row(f"np.{_name} of complex128", _kernel, Draw((4,), 0.2, 0.9, "complex128"))
    row(f"np.{_name} of complex64", _kernel, Draw((4,), 0.2, 0.9, "complex64"))

_BINARY = {
    "add subtract multiply divide maximum minimum fmax fmin hypot arctan2 copysign logaddexp logaddexp2": WITHIN,
    "power float_power": ABOVE,
    "fmod remainder mod": Draw((5,), 5.1, 5.4),
    "floor_divide": Draw((5,), 5.1, 5.4),
}
for _names, _first in _BINARY.items():
    for _name in _names.split():
        _kernel = eval(f"lambda x, y: np.{_name}(x, y)", {"np": np})
        _second = Draw((5,), 1.0, 1.2)
        row(f"np.{_name}", _kernel, _first, _second)
        row(
            f"np.{_name} of float32",
            _kernel,
            Draw((5,), _first.low, _first.high, "float32"),
            Draw((5,), 1.0, 1.2, "float32"),
        )
        row(f"np.{_name} broadcast", _kernel, Draw((3, 1), _first.low, _first.high), _second)
for _name in "add subtract multiply divide power".split():
    _kernel = eval(f"lambda x, y: np.{_name}(x, y)", {"np": np})
    row(f"np.{_name} of complex128", _kernel, *[Draw((4,), dtype="complex128")] * 2)
    row(f"np.{_name} of complex64", _kernel, *[Draw((4,), dtype="complex64")] * 2)

for _name in "isfinite isinf isnan signbit logical_not".split():
    row(f"np.{_name}", eval(f"lambda x: x * np.{_name}(x)", {"np": np}), WITHIN)
for _name in "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor".split():
    row(f"np.{_name}", eval(f"lambda x, y: x * np.{_name}(x, y)", {"np": np}), WITHIN, X)
for _name in "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm".split():
    row(
        f"np.{_name}",
        eval(f"lambda x, n: x * np.{_name}(n, 2)", {"np": np}),
        X,
        np.array([1, 2, 3, 4, 6]),
    )
row("np.invert", lambda x, n: x * np.invert(n), X, np.array([1, 2, 3, 4, 5]))
row("np.nextafter", lambda x: x * np.nextafter(x, 10.0), X)
row("np.spacing", lambda x: x * np.spacing(x), X)
row("np.ldexp", lambda x, n: np.ldexp(x, n), X, np.array([1, 2, -1, 0, 3]))
row("np.conjugate", lambda x: np.conjugate(x), Draw((4,), dtype="complex128"))
row("np.divmod", lambda x, y: np.divmod(x, y)[1] * x, Draw((5,), 5.1, 5.4), Draw((5,), 1.0, 1.2))
row("np.angle", lambda z: np.angle(z), Draw((4,), dtype="complex128"))
row("np.angle of a complex number", lambda z: np.angle(z), Draw(None, dtype="complex128"))
row("np.real", lambda z: np.real(z) * 2.0, Draw((4,), dtype="complex128"))
row("np.imag", lambda z: np.imag(z) * 2.0, Draw((4,), dtype="complex128"))
row("ndarray.real", lambda z: z.real * z.imag, Draw((4,), dtype="complex128"))
row("ndarray.imag", lambda z: z.imag, Draw((4,), dtype="complex128"))
row("ndarray.conj", lambda z: z.conj() * z, Draw((4,), dtype="complex128"))
row("np.nan_to_num", lambda x: np.nan_to_num(x), WITHIN)
row("np.isneginf", lambda x: x * np.isneginf(x), X)
row("np.isposinf", lambda x: x * np.isposinf(x), X)
row("np.isreal", lambda x: x * np.isreal(x), X)
row("np.iscomplex", lambda x: x * np.iscomplex(x), X)
row("np.isclose", lambda x, y: x * np.isclose(x, y), X, X)


def _out_unary(x):
    result = np.empty_like(x)
    np.sin(x, result)
    return result


def _out_in_place(x):
    y = x * 2.0
    np.exp(y, y)
    return y


def _out_binary(x, y):
    result = np.zeros_like(x)
    np.multiply(x, y, result)
    return result


def _in_place(x, y):
    z = x * 1.0
    z += y
    z *= x
    z -= y
    z /= x + 3.0
    z **= 2
    return z


row("np.sin with out", _out_unary, X)
row("np.exp with out being its argument", _out_in_place, X)
row("np.multiply with out", _out_binary, X, X)
row("operator.iadd", _in_place, X, X)
row("array expression", lambda x, y: np.sin(x) * y + x**2 / (1.0 + y) - 3.0, MATRIX, X)
row(
    "array expression of float32",
    lambda x, y: np.sin(x) * y + x**2,
    *[Draw((4,), dtype="float32")] * 2,
)


@numba.vectorize
def _vectorized(x, y):
    return np.sin(x) * y if x > 1.0 else x * y**2


@numba.vectorize(["float64(float64, float64)"])
def _vectorized_eagerly(x, y):
    return np.sin(x) * y


@numba.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
def _inner_product(x, y, result):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i] * y[i]
    result[0] = total


@numba.guvectorize("(n)->(n)")
def _running_sum(x, result):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
        result[i] = total * total


@numba.stencil
def _stencil(x):
    return np.sin(x[-1]) * x[1] + x[0] ** 2


@numba.stencil(cval=1.0)
def _stencil_of_a_plane(x, y):
    return x[0, 1] * y[-1, 0] + x[-1, 0]


def _stencil_into(x, y):
    result = x * y
    _stencil(x, out=result)
    return result


def _generalized(x, y):
    result = np.zeros(x.shape[0])
    _inner_product(x, y, result)
    return result


def _generalized_lazily(x):
    result = np.zeros_like(x)
    _running_sum(x, result)
    return result


row("numba.vectorize", lambda x, y: _vectorized(x, y), X, X)
row("numba.vectorize of numbers", lambda x, y: _vectorized(x, y), Draw(None), Draw(None))
row("numba.vectorize with a signature", lambda x, y: _vectorized_eagerly(x, y), X, X)
row("numba.guvectorize", _generalized, MATRIX, MATRIX)
row("numba.guvectorize without a signature", _generalized_lazily, X)
row("numba.stencil", lambda x: _stencil(x), X)
row("numba.stencil of two arrays", lambda x, y: _stencil_of_a_plane(x, y), MATRIX, MATRIX)
row("numba.stencil with out", _stencil_into, X, X)
