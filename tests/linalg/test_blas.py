"""Products of arrays and norms: answers from matrix calculus, forward against reverse, differences."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import native
from enzyme_py.native.runtime import runtime_addresses
from enzyme_py.rules.blas import bodies
from tests.native.modules import differentiated
from tests.rotation import diagonal

pytestmark = pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaPerformanceWarning")

DTYPES = [np.float64, np.float32]
LAYOUTS = ["C", "F"]
TOLERANCE = {np.dtype(np.float64): 1e-12, np.dtype(np.float32): 2e-5}


def draw(*shape: int, dtype: Any = np.float64, order: Any = "C") -> np.ndarray:
    random = np.random.default_rng(sum(shape) + 7 * len(shape))
    return np.asarray(random.uniform(-1.0, 1.0, shape), dtype=dtype, order=order)


def check(f: Callable[..., Any], args: Sequence[np.ndarray], answers: Sequence[np.ndarray]) -> None:
    """Gradients equal the answers; forward mode agrees; nothing else is written."""
    before = [np.copy(arg) for arg in args]
    tolerance = TOLERANCE[args[0].dtype]
    count = len(answers)
    gradients = enzyme.grad(f, argnums=tuple(range(count)))(*args)
    for got, want in zip(gradients, answers, strict=True):
        assert got.shape == want.shape
        assert got.dtype == args[0].dtype
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)
    tangents = [draw(*arg.shape[::-1], dtype=arg.dtype).T for arg in args[:count]]
    tangents = [np.copy(one, order="K") for one in tangents]
    zeros = [np.zeros_like(arg) for arg in args[count:]]
    _, pushed = enzyme.jvp(f, tuple(args), (*tangents, *zeros))
    inner = sum(float(np.vdot(a, t)) for a, t in zip(answers, tangents, strict=True))
    assert pushed == pytest.approx(inner, rel=20 * tolerance, abs=20 * tolerance)
    for arg, old in zip(args, before, strict=True):
        assert arg.tobytes() == old.tobytes()


# First order


@pytest.mark.parametrize(("order", "dtype"), diagonal(["CC", "CF", "FC", "FF"], DTYPES))
def test_matrix_times_matrix(order: str, dtype: Any) -> None:
    a, b = draw(3, 4, dtype=dtype, order=order[0]), draw(4, 2, dtype=dtype, order=order[1])
    w = draw(3, 2, dtype=dtype)
    check(lambda a, b, w: np.sum(w * (a @ b)), (a, b, w), (w @ b.T, a.T @ w))


@pytest.mark.parametrize(("order", "dtype"), diagonal(LAYOUTS, DTYPES))
def test_matrix_times_vector(order: Any, dtype: Any) -> None:
    a, x = draw(3, 5, dtype=dtype, order=order), draw(5, dtype=dtype)
    w = draw(3, dtype=dtype)
    check(lambda a, x, w: np.sum(w * (a @ x)), (a, x, w), (np.outer(w, x), a.T @ w))


@pytest.mark.parametrize(("order", "dtype"), diagonal(LAYOUTS, reversed(DTYPES)))
def test_vector_times_matrix(order: Any, dtype: Any) -> None:
    a, x = draw(3, 5, dtype=dtype, order=order), draw(3, dtype=dtype)
    w = draw(5, dtype=dtype)
    check(lambda a, x, w: np.sum(w * np.dot(x, a)), (a, x, w), (np.outer(x, w), a @ w))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("product", [np.dot, np.vdot], ids=["dot", "vdot"])
def test_vector_times_vector(product: Any, dtype: Any) -> None:
    x, y = draw(6, dtype=dtype), draw(6, dtype=dtype)[::-1].copy()
    check(lambda x, y: product(x, y) ** 2, (x, y), (2 * (x @ y) * y, 2 * (x @ y) * x))


@pytest.mark.parametrize("shapes", [((1, 4), (4, 3)), ((3, 4), (4, 1)), ((1, 4), (4, 1))])
def test_rows_and_columns(shapes: Any) -> None:
    a, b = draw(*shapes[0]), draw(*shapes[1])
    c = a @ b
    check(lambda a, b: np.sum((a @ b) ** 2), (a, b), (2 * c @ b.T, 2 * a.T @ c))


def test_outer() -> None:
    x, y = draw(3), draw(4)
    w = draw(3, 4)
    check(lambda x, y, w: np.sum(w * np.outer(x, y)), (x, y, w), (w @ y, w.T @ x))


def test_one_operand_twice() -> None:
    a = draw(3, 4)
    check(lambda a: np.sum((a.T @ a) ** 2), (a,), (4 * a @ a.T @ a,))
    check(lambda a: np.sum((a @ a.T) ** 2), (a,), (4 * a @ a.T @ a,))


def test_square_of_a_matrix() -> None:
    a, w = draw(3, 3), draw(3, 4)[:, :3].copy()
    check(lambda a, w: np.sum(w * (a @ a)), (a, w), (w @ a.T + a.T @ w,))


def test_strided_operands() -> None:
    a, x = draw(6, 10), draw(10)
    want_a, want_x = np.zeros_like(a), np.zeros_like(x)
    r = a[::2, ::-2] @ x[::2]
    want_a[::2, ::-2] = 2 * np.outer(r, x[::2])
    want_x[::2] = 2 * a[::2, ::-2].T @ r
    check(lambda a, x: np.sum((a[::2, ::-2] @ x[::2]) ** 2), (a, x), (want_a, want_x))


def test_product_into_a_given_array() -> None:
    def f(a, b):
        c = np.ones((a.shape[0], b.shape[1]))
        s = 0.0
        for _ in range(3):  # what was in c must not matter, nor its adjoint
            np.dot(a, b, c)
            c *= c
            s += np.sum(c)
        return s

    a, b = draw(3, 4), draw(4, 2)
    c = a @ b
    check(f, (a, b), (6 * c @ b.T, 6 * a.T @ c))


def test_least_squares() -> None:
    a, x, b = draw(5, 3), draw(3), draw(5)
    r = a @ x - b

    def f(a, x, b):
        r = a @ x - b
        return np.dot(r, r)

    check(f, (a, x, b), (2 * np.outer(r, x), 2 * a.T @ r, -2 * r))


# Loops


def power_gradient(a: np.ndarray, x: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Of sum(A^n x)."""
    states = [x]
    for _ in range(n):
        states.append(a @ states[-1])
    adjoint, by_a = np.ones_like(x), np.zeros_like(a)
    for state in states[-2::-1]:
        by_a += np.outer(adjoint, state)
        adjoint = a.T @ adjoint
    return by_a, adjoint


def test_state_that_a_matrix_moves_on() -> None:
    def f(a, x):
        for _ in range(7):
            x = a @ x
        return np.sum(x)

    a, x = draw(4, 4), draw(4)
    check(f, (a, x), power_gradient(a, x, 7))


def test_nonlinear_states() -> None:
    def f(a, x):
        for _ in range(5):
            x = np.sin(a @ x)
        return np.sum(x)

    a, x = draw(4, 4), draw(4)
    states = [x]
    for _ in range(5):
        states.append(np.sin(a @ states[-1]))
    adjoint, by_a = np.ones(4), np.zeros((4, 4))
    for state in states[-2::-1]:
        inner = adjoint * np.cos(a @ state)
        by_a += np.outer(inner, state)
        adjoint = a.T @ inner
    check(f, (a, x), (by_a, adjoint))


def test_operands_made_in_the_loop() -> None:
    """Their shadow has to be zero in every turn; it once was whatever the memory held."""

    def f(a, b):
        s = 0.0
        for _ in range(4):
            s += np.sum(np.sin(a[:2, :2].copy() @ b))
        return s

    a, b = draw(4, 4), draw(2, 3)
    inner = 4 * np.cos(a[:2, :2] @ b)
    want = np.zeros_like(a)
    want[:2, :2] = inner @ b.T
    for _ in range(3):  # memory is used again
        check(f, (a, b), (want, a[:2, :2].T @ inner))


def sizes_that_change(a, x):
    s = 0.0
    for i in range(3):
        for j in range(2):
            t = a[i:, j:].copy()
            s += np.sum(t @ t.T) * x[i] + np.sum(t @ x[j:])
    return s


def gradient_of_sizes_that_change(a: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    by_a, by_x = np.zeros_like(a), np.zeros_like(x)
    for i in range(3):
        for j in range(2):
            t = a[i:, j:]
            by_a[i:, j:] += 2 * x[i] * t.sum(axis=0) + x[j:]
            by_x[i] += np.sum(t @ t.T)
            by_x[j:] += t.sum(axis=0)
    return by_a, by_x


def test_sizes_that_change_from_turn_to_turn() -> None:
    a, x = draw(4, 4), draw(4)
    check(sizes_that_change, (a, x), gradient_of_sizes_that_change(a, x))


def test_sizes_that_change_at_second_order() -> None:
    """The gradient is a polynomial of degree two, so central differences are exact."""
    a, x, da, dx = draw(4, 4), draw(4), draw(4, 5)[:, :4].copy(), draw(4)[::-1].copy()
    gradient = enzyme.grad(sizes_that_change, argnums=(0, 1))
    up = gradient_of_sizes_that_change(a + da, x + dx)
    down = gradient_of_sizes_that_change(a - da, x - dx)
    for got, high, low in zip(enzyme.jvp(gradient, (a, x), (da, dx))[1], up, down, strict=True):
        np.testing.assert_allclose(got, (high - low) / 2, rtol=1e-12, atol=1e-12)


def test_kernel_that_catches_exceptions() -> None:
    """Such a kernel is compiled otherwise, without recomputing in the reverse sweep."""

    def f(a, x):
        s = 0.0
        for i in range(3):
            try:
                if i == 1:
                    raise ValueError("the middle")
                t = a[i:, :].copy()
                s += np.sum((t @ x) ** 2)
            except Exception:
                s += np.dot(x, x)
        return s

    a, x = draw(4, 4), draw(4)
    by_a = 2 * np.outer(a @ x, x)
    by_a[2:] *= 2
    by_x = 2 * a.T @ (a @ x) + 2 * a[2:].T @ (a[2:] @ x) + 2 * x
    check(f, (a, x), (by_a, by_x))


def test_matrix_changed_after_its_use() -> None:
    def f(a, x):
        a = a.copy()
        y = a @ x
        a[:, :] = 0.0
        return np.sum(y * y)

    a, x = draw(3, 3), draw(3)
    r = a @ x
    check(f, (a, x), (2 * np.outer(r, x), 2 * a.T @ r))


def test_operands_that_are_only_read_are_not_copied() -> None:
    """A thousand turns with a matrix of 2 MB: copies would be 2 GB."""

    def f(a, x):
        for _ in range(1000):
            x = a @ x
        return np.sum(x)

    a, x = draw(512, 512) / 512, draw(512)
    native.library().enzyme_py_reset_stats()
    enzyme.grad(f, argnums=(0, 1))(a, x)
    assert native.memory_stats().peak < 100e6


# Empty, infinite, constant


@pytest.mark.parametrize("shape", [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0)])
def test_empty_matrices(shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    a, b = np.ones((m, k)), np.ones((k, n))
    check(lambda a, b: np.sum(a @ b + 1.0), (a, b), (np.zeros((m, k)), np.zeros((k, n))))
    product = enzyme.jit(lambda a, b: a @ b)(a, b)
    np.testing.assert_array_equal(product, np.zeros((m, n)))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("order", LAYOUTS)
def test_empty_matrix_times_vector(shape: tuple[int, int], order: Any) -> None:
    def f(a, x, y):
        return np.sum(a @ x + 1.0) + np.sum(y @ a + 2.0)

    a, x, y = np.ones(shape, order=order), np.ones(shape[1]), np.ones(shape[0])
    answers = (np.zeros(shape), np.zeros(shape[1]), np.zeros(shape[0]))
    check(f, (a, x, y), answers)
    value, _ = enzyme.value_and_grad(f)(a, x, y)
    assert value == shape[0] + 2 * shape[1]


def test_empty_vectors() -> None:
    check(lambda x, y: np.dot(x, y) + 1.0, (np.zeros(0), np.zeros(0)), (np.zeros(0),) * 2)


def test_nan_and_infinity_pass_through() -> None:
    a, x = draw(3, 3), draw(3)
    a[1, 2], x[0] = np.nan, np.inf
    by_a, by_x = enzyme.grad(lambda a, x: np.sum(a @ x), argnums=(0, 1))(a, x)
    np.testing.assert_array_equal(by_a, np.outer(np.ones(3), x))
    np.testing.assert_allclose(by_x, a.T @ np.ones(3))


def test_adjoint_of_overwritten_memory_is_zero_even_if_it_was_not_finite() -> None:
    def f(a, x, c):
        y = np.empty(2)
        y[:] = c
        np.dot(a, x, y)
        return y[0] * np.inf

    a, x, c = draw(2, 2), draw(2), np.ones(2)
    assert not np.isfinite(enzyme.grad(f)(a, x, c)).all()
    np.testing.assert_array_equal(enzyme.grad(f, argnums=2)(a, x, c), np.zeros(2))


@pytest.mark.parametrize("constant", [0, 1])
def test_constant_operand(constant: int) -> None:
    a, b = draw(3, 4), draw(4, 2)
    args: list[Any] = [enzyme.Const(a), enzyme.Const(b)]
    shadow = np.zeros_like((b, a)[constant])
    args[1 - constant] = enzyme.Duplicated((b, a)[constant], shadow)
    old = a.tobytes(), b.tobytes()
    enzyme.autodiff(enzyme.Reverse, lambda a, b: np.sum((a @ b) ** 2), enzyme.Active, *args)
    c = a @ b
    np.testing.assert_allclose(shadow, (2 * a.T @ c, 2 * c @ b.T)[constant])
    assert old == (a.tobytes(), b.tobytes())


def test_two_lanes() -> None:
    def f(a, x):
        return np.sum((a @ x) ** 2)

    a, x = draw(3, 4), draw(4)
    r = a @ x
    by_a, by_x = 2 * np.outer(r, x), 2 * a.T @ r
    da, dx = (draw(3, 4), -draw(3, 4)[::-1].copy()), (draw(4), np.ones(4))
    lanes = enzyme.BatchDuplicated(a, da), enzyme.BatchDuplicated(x, dx)
    (pushed,) = enzyme.autodiff(enzyme.Forward, f, *lanes)
    for lane in range(2):
        want = np.vdot(by_a, da[lane]) + np.vdot(by_x, dx[lane])
        assert pushed[lane] == pytest.approx(want)
    shadows_a = np.zeros((3, 4)), np.ones((3, 4))
    shadows_x = np.zeros(4), np.ones(4)
    lanes = enzyme.BatchDuplicated(a, shadows_a), enzyme.BatchDuplicated(x, shadows_x)
    enzyme.autodiff(enzyme.Reverse, f, enzyme.Active, *lanes)
    for lane in range(2):
        np.testing.assert_allclose(shadows_a[lane], by_a + lane)
        np.testing.assert_allclose(shadows_x[lane], by_x + lane)


# Norms


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5,), (3, 4)])
def test_norm(shape: tuple[int, ...], dtype: Any) -> None:
    x = draw(*shape, dtype=dtype)
    check(lambda x: np.linalg.norm(x), (x,), (x / np.linalg.norm(x),))


def test_norm_of_strided() -> None:
    x = draw(9)
    want = np.zeros(9)
    want[::2] = x[::2] / np.linalg.norm(x[::2])
    check(lambda x: np.linalg.norm(x[::2]), (x,), (want,))


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_norm_outside_the_range_of_squares(scale: float) -> None:
    x = np.array([3.0, -4.0]) * scale
    value, gradient = enzyme.value_and_grad(lambda x: np.linalg.norm(x))(x)
    assert value == pytest.approx(5 * scale, rel=1e-14)
    np.testing.assert_allclose(gradient, [0.6, -0.8], rtol=1e-14)


def test_norm_of_zero_and_infinity() -> None:
    norm = enzyme.value_and_grad(lambda x: np.linalg.norm(x))
    value, gradient = norm(np.zeros(3))
    assert value == 0.0
    np.testing.assert_array_equal(gradient, np.zeros(3))
    assert norm(np.array([1.0, np.inf]))[0] == np.inf
    assert np.isnan(norm(np.array([1.0, np.nan]))[0])


# Complex numbers: real functions of them, whose derivatives are those of pairs of reals


def complex_pair(*shape: int) -> np.ndarray:
    return np.asarray(draw(*shape) + 1j * draw(*shape)[::-1])


@pytest.mark.parametrize("order", ["CC", "CF", "FC", "FF"])
def test_complex_products(order: str) -> None:
    def f(a, b, x):
        c = a @ (b @ x)
        d = (a @ b) @ x + x[:3] @ a[:, :3]
        return np.sum(c.real**2) + np.sum(d.imag * c.real) + np.vdot(x, x[::-1].copy()).imag

    a = np.asarray(complex_pair(3, 4), order=order[0])
    b = np.asarray(complex_pair(4, 5), order=order[1])
    x = complex_pair(5)
    tangents = complex_pair(3, 4)[::-1].copy("K"), complex_pair(4, 5) * 1j, complex_pair(5) * 0.5
    tangents = tuple(np.asarray(t, order=o) for t, o in zip(tangents, (*order, "C"), strict=True))
    value, pushed = enzyme.jvp(f, (a, b, x), tangents)
    assert value == pytest.approx(f(a, b, x))
    h = 1e-6
    moved = [f(*(v + s * h * t for v, t in zip((a, b, x), tangents, strict=True))) for s in (1, -1)]
    assert pushed == pytest.approx((moved[0] - moved[1]) / (2 * h), rel=1e-7)
    shadows = [np.zeros_like(v) for v in (a, b, x)]
    pairs = [enzyme.Duplicated(v, s) for v, s in zip((a, b, x), shadows, strict=True)]
    enzyme.autodiff(enzyme.Reverse, f, enzyme.Active, *pairs)
    total = sum(
        np.vdot(s.view(float), t.view(float))
        if s.flags.c_contiguous
        else np.vdot(s.T.view(float), t.T.view(float))
        for s, t in zip(shadows, tangents, strict=True)
    )
    assert total == pytest.approx(pushed, rel=1e-12)


def test_complex_norm() -> None:
    x = complex_pair(4)
    shadow = np.zeros_like(x)
    f = lambda x: np.linalg.norm(x)
    enzyme.autodiff(enzyme.Reverse, f, enzyme.Active, enzyme.Duplicated(x, shadow))
    np.testing.assert_allclose(shadow, x / np.linalg.norm(x), rtol=1e-12)


# Second order


def hessian_product_forward_over_reverse(f: Any, args: Any, tangents: Any) -> Any:
    gradient = enzyme.grad(f, argnums=tuple(range(len(args))))
    return enzyme.jvp(gradient, args, tangents)[1]


def hessian_product_reverse_over_reverse(f: Any, args: Any, tangents: Any) -> Any:
    gradient = enzyme.grad(f, argnums=(0, 1))

    def along(x, y, dx, dy):
        by_x, by_y = gradient(x, y)
        return np.sum(by_x * dx) + np.sum(by_y * dy)

    return enzyme.grad(along, argnums=(0, 1))(*args, *tangents)


def hessian_product_reverse_over_forward(f: Any, args: Any, tangents: Any) -> Any:
    def along(x, y, dx, dy):
        return enzyme.jvp(f, (x, y), (dx, dy))[1]

    return enzyme.grad(along, argnums=(0, 1, 2, 3))(*args, *tangents)[:2]


WAYS = [
    hessian_product_forward_over_reverse,
    hessian_product_reverse_over_reverse,
    hessian_product_reverse_over_forward,
]


@pytest.mark.parametrize(("way", "dtype"), diagonal(WAYS, DTYPES))
def test_second_order_of_matrix_products(way: Any, dtype: Any) -> None:
    """|A B|^2: gradient (2 C B', 2 A' C), whose directional derivative follows by the product rule."""
    a, b = draw(3, 4, dtype=dtype), draw(4, 2, dtype=dtype)
    da, db = draw(4, 3, dtype=dtype).T.copy(), draw(2, 4, dtype=dtype).T.copy()
    c, dc = a @ b, da @ b + a @ db
    got = way(lambda a, b: np.sum((a @ b) ** 2), (a, b), (da, db))
    want = 2 * dc @ b.T + 2 * c @ db.T, 2 * da.T @ c + 2 * a.T @ dc
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4 if dtype is np.float32 else 1e-12)


@pytest.mark.parametrize("way", WAYS, ids=["forward-reverse", "reverse-reverse", "reverse-forward"])
def test_second_order_of_vector_products(way: Any) -> None:
    """|A x|^2 + (x' x)^2; the kernel is given A', so the operand's layout is F."""
    a, x, da, dx = draw(3, 4), draw(4), draw(4, 3).T.copy(), draw(4)[::-1].copy()
    r, dr = a @ x, da @ x + a @ dx
    args, tangents = (a.T.copy(), x), (da.T.copy(), dx)
    got = way(lambda b, x: np.sum((b.T @ x) ** 2) + np.dot(x, x) ** 2, args, tangents)
    by_a = 2 * np.outer(dr, x) + 2 * np.outer(r, dx)
    by_x = 2 * da.T @ r + 2 * a.T @ dr + 8 * (x @ dx) * x + 4 * (x @ x) * dx
    np.testing.assert_allclose(got[0], by_a.T, rtol=1e-12)
    np.testing.assert_allclose(got[1], by_x, rtol=1e-12)


@pytest.mark.parametrize("way", WAYS, ids=["forward-reverse", "reverse-reverse", "reverse-forward"])
def test_second_order_of_norms(way: Any) -> None:
    """|x| |y|: Hessian of a norm is (I - n n') / |x|."""
    x, y, dx, dy = draw(3), draw(4), draw(3)[::-1].copy(), draw(4)[::-1].copy()
    nx, ny = np.linalg.norm(x), np.linalg.norm(y)
    ex, ey = x / nx, y / ny
    got = way(lambda x, y: np.linalg.norm(x) * np.linalg.norm(y), (x, y), (dx, dy))
    np.testing.assert_allclose(got[0], ny * (dx - ex * (ex @ dx)) / nx + ex * (ey @ dy), rtol=1e-12)
    np.testing.assert_allclose(got[1], nx * (dy - ey * (ey @ dy)) / ny + ey * (ex @ dx), rtol=1e-12)


@pytest.mark.parametrize("way", WAYS, ids=["forward-reverse", "reverse-reverse", "reverse-forward"])
def test_second_order_through_a_loop(way: Any) -> None:
    def f(a, x):
        for _ in range(4):
            x = np.sin(a @ x)
        return np.sum(x * x)

    a, x, da, dx = draw(3, 3), draw(3), draw(3, 4)[:, :3].copy(), draw(3)[::-1].copy()
    gradient = enzyme.grad(f, argnums=(0, 1))
    h = 1e-5
    up, down = gradient(a + h * da, x + h * dx), gradient(a - h * da, x - h * dx)
    for got, high, low in zip(way(f, (a, x), (da, dx)), up, down, strict=True):
        np.testing.assert_allclose(got, (high - low) / (2 * h), rtol=1e-7, atol=1e-9)


# Refusals


def test_sizes_that_do_not_fit_raise() -> None:
    a, b = np.zeros((0, 2**31)), np.zeros((2**31, 0))  # no memory at all
    with pytest.raises(OverflowError, match="too large to fit in C int"):
        enzyme.grad(lambda a, b: np.sum(a @ b))(a, b)


DOT_OF_MANY = """
define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
  %y = call double @cblas_ddot_64_(i64 2147483648, ptr %ret, i64 1, ptr %ret, i64 1)
  store double %y, ptr %ret
  ret i32 0
}
declare double @cblas_ddot_64_(i64, ptr, i64, ptr, i64)
define void @body(ptr %pack) {
  %status = call i32 @entry(ptr %pack, ptr null, double 0.0)
  ret void
}
"""


def test_a_size_in_a_derivative_does_not_wrap() -> None:
    """Numba checks the kernel's own sizes; those that the pass makes are checked at the call."""
    function = native.load(native.optimise(differentiated(DOT_OF_MANY, "entry", "body")))
    kind = ctypes.CFUNCTYPE(
        ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32
    )
    slot = ctypes.c_double()
    enter = kind(runtime_addresses()["enzyme_py_enter"])
    assert enter(function.addresses["body"], ctypes.byref(slot), None, 0) == -18


def test_mismatched_shapes_raise_as_in_numba() -> None:
    with pytest.raises(ValueError, match=r"incompatible array sizes .* \(matrix \* matrix\)"):
        enzyme.grad(lambda a, b: np.sum(a @ b))(np.ones((2, 3)), np.ones((4, 2)))
    with pytest.raises(ValueError, match=r"incompatible array sizes .* \(matrix \* vector\)"):
        enzyme.grad(lambda a, b: np.sum(a @ b))(np.ones((2, 3)), np.ones(4))


def test_only_what_is_called_is_defined() -> None:
    text = bodies({"numba_xxdot"}, 1)
    assert "define linkonce_odr i32 @numba_xxdot(" in text
    assert "@numba_xxgemm(" not in text
