"""Linear algebra in kernels: each function by formulas, differences, directions and orders.

Each case compiles for seconds. An ordinary run takes those of ORDINARY; `pytest --full` takes each function in
both modes and in all second orders.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward

RANDOM = np.random.default_rng(5)
SINGULAR = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])


def draw(*shape: int, like: str = "f") -> Any:
    found = RANDOM.normal(size=shape)
    return found + 1j * RANDOM.normal(size=shape) if like == "c" else found


A, B, V = draw(3, 3) + 3.0 * np.eye(3), draw(3, 2), draw(3)
TALL, WIDE = draw(4, 2), draw(2, 4)
ZA, ZB = draw(3, 3, like="c") + 3.0 * np.eye(3), draw(3, 2, like="c")
ZTALL, ZWIDE = draw(4, 2, like="c"), draw(2, 4, like="c")
POSITIVE, ZPOSITIVE = A @ A.T + np.eye(3), ZA @ ZA.conj().T + np.eye(3)
DIAGONALISABLE = A @ np.diag([1.0, 2.0, 3.5]) @ np.linalg.inv(A)


def inner(x: Any, y: Any) -> float:
    return float(np.sum((np.conj(x) * y).real))


def slope(f: Callable[..., Any], at: tuple[Any, ...], along: tuple[Any, ...]) -> Any:
    """The derivative of f in one direction, by differences of the fourth order."""

    def value(step: float) -> Any:
        return f(*(x + step * v for x, v in zip(at, along, strict=True)))

    return (8.0 * (value(1e-4) - value(-1e-4)) - value(2e-4) + value(-2e-4)) / 12e-4


# Kernels. Those of vectors that are known up to a factor have results that do not depend on it.


def z_solve(a, b):
    x = np.linalg.solve(a, b)
    return np.sum((x * x * np.conj(x)).real) + np.sum((x * x).imag)


def z_inv(a):
    x = np.linalg.inv(a)
    return np.sum((x * x * np.conj(x)).real) + np.sum((x * x).imag)


def d_solve(a, b):
    x = np.linalg.solve(a, b)
    return np.sum(np.sin(x) * x)


def z_det(a):
    d = np.linalg.det(a)
    s, size = np.linalg.slogdet(a)
    return (d * d).imag + d.real + (s * s).imag * np.sin(size) + s.real


def d_det(a):
    s, size = np.linalg.slogdet(a)
    return np.sin(0.1 * np.linalg.det(a)) + s * np.sin(size)


def z_cholesky(a):
    x = np.linalg.cholesky(a)
    return np.sum((x * x * np.conj(x)).real) + np.sum((x * x).imag)


def d_cholesky(a):
    x = np.linalg.cholesky(a)
    return np.sum(np.sin(x) * x)


def z_eigh(a):
    w, v = np.linalg.eigh(a)
    p = v[0] * np.conj(v[1])
    return np.sum(np.sin(w) * w) + np.sum(p.real * w) + np.sum(p.imag * w**2)


def d_eigh(a):
    w, v = np.linalg.eigh(a)
    return np.sum(np.sin(w) * w) + np.sum(v[0] ** 2 * w) + np.sum(v[0] * v[1] * w**2)


def d_eigvalsh(a):
    w = np.linalg.eigvalsh(a)
    return np.sum(np.sin(w) * w)


def z_svd(a):
    u, s, vh = np.linalg.svd(a, False)
    p = u[0] * vh[:, 1]
    q = u[0] * np.conj(u[1])
    return np.sum(np.sin(s) * s) + np.sum(p.real * s + p.imag * s**2) + np.sum(q.imag * s**2)


def d_svd(a):
    u, s, vh = np.linalg.svd(a)
    k = len(s)
    left, right = np.ascontiguousarray(u[:, k:]), np.ascontiguousarray(vh[k:])
    p, q = left @ left.T, right.T @ right
    free = p[0, 1] * s[0] + np.sin(p[1, 1]) + np.sin(q[0, 1]) + q[1, 1] ** 2 * s[1]
    return free + np.sum(np.sin(s) * s) + np.sum(u[0, :k] * vh[:k, 1] * s)


def z_qr(a):
    q, r = np.linalg.qr(a)
    return np.sum((q * q).imag) + np.sum(q.real) + np.sum((r * r * r).imag) + np.sum(r.real**2)


def d_qr(a):
    q, r = np.linalg.qr(a)
    return np.sum(np.sin(q)) + np.sum(np.sin(r) * r)


def z_pinv(a):
    p = np.linalg.pinv(a)
    return np.sum((p * p * p).imag + p.real**2)


def d_pinv(a):
    p = np.linalg.pinv(a)
    return np.sum(np.sin(p) * p)


def lstsq(a, b):
    x, left, rank, s = np.linalg.lstsq(a, b)
    return np.sum((x * x).real) + np.sum(left**2) + rank * np.sum(s**2 * np.sin(s))


def z_eig(a):
    w, v = np.linalg.eig(a)
    return np.sum((w * w * w).imag + (v[0] * v[1] * w).real + (v[2] * v[2]).imag * w.real)


def d_eig(a):
    w, v = np.linalg.eig(a)
    return np.sum(np.sin(w) * w + v[0] ** 2 * w + v[1] ** 3 * v[0] * w)


def eigvals(a):
    w = np.linalg.eigvals(a)
    return np.sum(np.sin(w) * w)


def norms(a):
    by_values = np.linalg.norm(a, 2) ** 2 + np.linalg.norm(a, -2) ** 3 + np.linalg.cond(a)
    by_sums = np.linalg.norm(a, 1) ** 2 * np.linalg.norm(a, -1)
    by_rows = np.linalg.norm(a, np.inf) ** 2 * np.linalg.norm(a, -np.inf)
    return by_values + by_sums + by_rows + np.linalg.norm(a) * np.linalg.matrix_rank(a)


def vector_norms(x):
    return (np.linalg.norm(x, 3) + np.linalg.norm(x, 1) ** 2 + np.linalg.norm(x, 0) * x[0].real) * (
        np.linalg.norm(x, np.inf) + np.linalg.norm(x, -np.inf) ** 2 + np.linalg.norm(x, 2)
    )


def powers(a):
    fifth, back = np.linalg.matrix_power(a, 5), np.linalg.matrix_power(a, -3)
    return np.sum(np.sin(fifth)) + np.sum(back**2) + np.linalg.cond(a, 1)


def products(a, b):
    outside = np.outer(a[0], b[:, 0])
    return (
        np.trace(a) * np.trace(outside, 1) + np.sum(np.sin(np.kron(a, b))) + np.vdot(a[0], b[:, 1])
    )


@dataclass(frozen=True)
class Row:
    """A kernel and its arguments."""

    kernel: Callable[..., float]
    arguments: tuple[Any, ...]


ORDERS = ("reverse", "forward", "FoR", "RoR", "FoF", "RoF")
ROWS = {
    "solve": Row(d_solve, (A, V)),
    "solve-matrix": Row(d_solve, (A, B)),
    "solve-complex": Row(z_solve, (ZA, ZB)),
    "inv": Row(z_inv, (ZA,)),
    "det": Row(d_det, (A,)),
    "det-complex": Row(z_det, (ZA,)),
    "cholesky": Row(d_cholesky, (POSITIVE,)),
    "cholesky-complex": Row(z_cholesky, (ZPOSITIVE,)),
    "eigh": Row(d_eigh, (POSITIVE,)),
    "eigh-complex": Row(z_eigh, (ZPOSITIVE,)),
    "eigvalsh": Row(d_eigvalsh, (POSITIVE,)),
    "svd-full-tall": Row(d_svd, (TALL,)),
    "svd-full-wide": Row(d_svd, (WIDE,)),
    "svd": Row(z_svd, (ZTALL,)),
    "svd-wide": Row(z_svd, (ZWIDE,)),
    "qr-tall": Row(d_qr, (TALL,)),
    "qr-wide": Row(z_qr, (ZWIDE,)),
    "qr-complex": Row(z_qr, (ZTALL,)),
    "pinv-tall": Row(d_pinv, (TALL,)),
    "pinv-wide": Row(z_pinv, (ZWIDE,)),
    "lstsq": Row(lstsq, (TALL, draw(4))),
    "lstsq-wide": Row(lstsq, (ZWIDE, draw(2, 3, like="c"))),
    "eig": Row(d_eig, (DIAGONALISABLE,)),
    "eig-complex": Row(z_eig, (draw(3, 3, like="c"),)),
    "eigvals": Row(eigvals, (DIAGONALISABLE,)),
    "norms": Row(norms, (TALL,)),
    "vector-norms": Row(vector_norms, (draw(5),)),
    "vector-norms-complex": Row(vector_norms, (draw(5, like="c"),)),
    "powers": Row(powers, (0.4 * A,)),
    "products": Row(products, (A, B)),
}
ORDINARY = {
    "solve": ("RoR",),
    "det": ("reverse",),
    "cholesky-complex": ("reverse",),
    "eigh": ("FoR",),
    "svd": ("reverse",),
    "qr-tall": ("reverse",),
    "pinv-wide": ("reverse",),
    "lstsq": ("reverse",),
    "eig-complex": ("reverse",),
    "powers": ("reverse",),
}


def gradients(f: Callable[..., Any], at: tuple[Any, ...]) -> Any:
    return enzyme.grad(f, argnums=tuple(range(len(at))))(*at)


def directional(f: Callable[..., float], along: tuple[Any, ...]) -> Callable[..., Any]:
    """The tangent of f in one direction, as a function of one or two arguments."""
    if len(along) == 1:
        (u,) = along
        return lambda a: enzyme.jvp(f, (a,), (u,))[1]
    u, v = along
    return lambda a, b: enzyme.jvp(f, (a, b), (u, v))[1]


def second(order: str, row: Row, along: tuple[Any, ...], other: tuple[Any, ...]) -> float:
    """The second derivative in two directions, by derivatives of derivatives."""
    f, at = row.kernel, row.arguments
    slopes = enzyme.grad(f, argnums=tuple(range(len(at))))
    if order == "FoR":
        return sum(map(inner, enzyme.jvp(lambda *x: slopes(*x), at, along)[1], other))
    if order == "RoR":
        return sum(map(inner, enzyme.vjp(lambda *x: slopes(*x), *at)[1](other), along))
    if order == "FoF":
        return float(enzyme.jvp(directional(f, other), at, along)[1])
    return sum(map(inner, gradients(directional(f, other), at), along))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "order" in metafunc.fixturenames:
        is_full = metafunc.config.getoption("full")
        cases = [
            # Of an ordinary run all share one worker: most of them solve.
            pytest.param(row, order, id=f"{name}-{order}", marks=pytest.mark.xdist_group(name) if is_full else ())
            for name, row in ROWS.items()
            for order in (ORDERS if is_full else ORDINARY.get(name, ()))
        ]
        metafunc.parametrize(("row", "order"), cases)
    if "kind" in metafunc.fixturenames:
        is_full = metafunc.config.getoption("full")
        metafunc.parametrize("kind", [np.float32, np.complex64][: 1 + is_full])


def test_derivative(row: Row, order: str) -> None:
    f, at = row.kernel, row.arguments
    along, other = (tuple(draw(*x.shape, like=x.dtype.kind) for x in at) for _ in range(2))
    if order in {"forward", "reverse"}:
        want, tolerance = slope(f, at, along), 1e-8
        if order == "forward":
            found = enzyme.jvp(f, at, along)[1]
        else:
            found = sum(map(inner, gradients(f, at), along))
    else:
        want, tolerance = slope(lambda *x: sum(map(inner, gradients(f, x), other)), at, along), 1e-6
        found = second(order, row, along, other)
    np.testing.assert_allclose(found, want, rtol=tolerance, atol=tolerance)


# By hand.


def check_gradient(f: Callable[..., Any], at: Any, want: Any) -> None:
    np.testing.assert_allclose(enzyme.grad(f)(at), want, rtol=1e-9, atol=1e-11)


def test_cofactors_of_a_singular_matrix() -> None:
    minors = [
        [np.linalg.det(np.delete(np.delete(SINGULAR, i, 0), j, 1)) for j in range(3)]
        for i in range(3)
    ]
    signs = np.array([[1, -1, 1], [-1, 1, -1], [1, -1, 1]])
    slopes = enzyme.grad(lambda a: np.linalg.det(a))
    np.testing.assert_allclose(slopes(SINGULAR), signs * minors, rtol=1e-12)
    np.testing.assert_array_equal(slopes(np.zeros((3, 3))), np.zeros((3, 3)))


def lower_twice(a: Any) -> Any:
    """The gradient of a function of the lower triangle, where each number stands for two."""
    return 2.0 * np.tril(a) - np.diag(np.diag(a))


def test_determinant_beside_an_inverse() -> None:
    """The sizes of an array that a function returns were taken for constant memory."""

    def ratio(a):  # d^2 / D, of ((a, b), (c, d)) with the determinant D
        return np.linalg.det(a) * np.linalg.inv(a)[0, 0] ** 2

    (a, b), (c, d) = given = np.array([[2.0, 0.5], [0.3, 1.5]])
    size = a * d - b * c
    by_a = [
        [2.0 * d**4 / size**3, -2.0 * d**3 * c / size**3],
        [-2.0 * d**3 * b / size**3, 2.0 * a * d**3 / size**3 - 3.0 * d**2 / size**2],
    ]
    direction = np.array([[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(enzyme.hvp(ratio, given, direction), by_a, rtol=1e-12)


def test_logarithm_of_a_determinant() -> None:
    def f(a):
        return np.linalg.slogdet(a)[1] + 2.0 * np.sum(np.log(np.diag(np.linalg.cholesky(a))))

    own = np.linalg.inv(POSITIVE)
    check_gradient(f, POSITIVE, own + lower_twice(own))


def test_equal_eigenvalues_and_singular_values() -> None:
    """What does not depend on the choice of vectors is finite and right."""

    def f(a):
        return np.sum(np.linalg.eigvalsh(a) ** 3) + np.linalg.norm(a, 2) ** 2

    lost = np.outer([1.0, 2.0, 2.0], [1.0, 2.0, 2.0])  # rank one: two zeros
    check_gradient(f, lost, lower_twice(3.0 * lost @ lost) + 2.0 * lost)
    split = np.diag([5.0, 2.0, 2.0])
    check_gradient(f, split, 3.0 * split**2 + np.diag([10.0, 0.0, 0.0]))


def test_eigenvectors() -> None:
    slopes = enzyme.grad(lambda a: np.sum(np.linalg.eigh(a)[1][0]))
    assert np.isnan(slopes(np.eye(2))).any()  # those of equal values have no derivative
    assert slopes(np.array([[2.0, 1.0], [1.0, 3.0]]))[0, 1] == 0.0


def test_single_precision(kind: Any) -> None:
    def f(a):
        x = np.linalg.solve(a, a[:, 0].copy() + a[:, 1])
        return np.linalg.slogdet(a)[1] + np.abs(np.sum(x))

    at = POSITIVE if kind is np.float32 else ZPOSITIVE
    along = draw(3, 3, like=at.dtype.kind)
    found = enzyme.grad(f)(at.astype(kind))
    assert found.dtype == kind
    np.testing.assert_allclose(inner(found, along), slope(f, (at,), (along,)), rtol=1e-4)


def test_layouts() -> None:
    wide = np.zeros((6, 6))
    wide[::2, ::2] = A
    found = gradients(d_solve, (wide[::2, ::2], np.asfortranarray(B)))
    along = draw(3, 3), draw(3, 2)
    want = slope(d_solve, (A, B), along)
    np.testing.assert_allclose(sum(map(inner, found, along)), want, rtol=1e-8)


def repeated(a, x, turns):
    for _ in range(turns):
        x = np.linalg.solve(a, np.sin(x))
    return np.sum(x * x)


def test_loop() -> None:
    along = (draw(3, 3), draw(3))
    want = slope(lambda a, x: repeated(a, x, 4), (A, V), along)
    found = enzyme.gradient(repeated, A, V, 4)
    np.testing.assert_allclose(sum(map(inner, found[:2], along)), want, rtol=1e-8)


def test_constant_operand() -> None:
    dv = np.zeros(3)
    enzyme.autodiff(d_solve, Const(A), Duplicated(V, dv))
    np.testing.assert_allclose(dv, gradients(d_solve, (A, V))[1], rtol=1e-12)
    tangent = enzyme.gradient(Forward, d_solve, Const(A), V)[1]
    np.testing.assert_allclose(tangent, dv, rtol=1e-12)

    def made_here(v):
        a = 3.0 * np.eye(3)
        a[0, 1] = 1.0
        return np.sum(np.linalg.solve(a, v) ** 2)

    inverse = np.linalg.inv(np.array([[3.0, 1.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]]))
    check_gradient(made_here, V, 2.0 * inverse.T @ inverse @ V)


def test_from_compiled_code() -> None:
    kernel = numba.njit(d_solve)

    @numba.njit
    def caller(a, v):
        return enzyme.gradient(kernel, a, v)

    for found, want in zip(caller(A, V), gradients(d_solve, (A, V)), strict=True):
        np.testing.assert_array_equal(found, want)


def test_the_value_is_that_of_numpy() -> None:
    value, _ = enzyme.value_and_grad(d_solve)(A, V)
    np.testing.assert_allclose(value, d_solve(A, V), rtol=1e-12)


# Bad input: as in the primal.

ROOT = np.linalg.LinAlgError
TURNING = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
BAD = {
    "solve-singular": (d_solve, (np.zeros((3, 3)), V), ROOT, "singular"),
    "solve-square": (d_solve, (TALL, draw(4)), ROOT, "square"),
    "solve-sizes": (d_solve, (A, draw(4)), ROOT, "Incompatible"),
    "solve-nan": (d_solve, (A * np.nan, V), ROOT, "infs or NaNs"),
    "inv-singular": (powers, (0.0 * A,), ROOT, "singular"),
    "cholesky-indefinite": (z_cholesky, (-ZPOSITIVE,), ROOT, "not positive definite"),
    "svd-nan": (d_svd, (WIDE * np.inf,), ROOT, "infs or NaNs"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    kernel, at, error, says = BAD[name]
    with pytest.raises(error, match=says):
        gradients(kernel, at)


def test_complex_eigenvalues_of_a_real_matrix(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("full"):
        pytest.skip("compiles for seconds: with --full")
    with pytest.raises(ValueError, match="domain"):
        gradients(eigvals, (TURNING,))


def test_rank_deficient_factors_have_no_derivative() -> None:
    with pytest.raises(np.linalg.LinAlgError, match="derivative does not exist"):
        enzyme.grad(z_qr, argnums=(0,))(ZTALL * np.array([1.0, 0.0]))


def test_empty_matrices() -> None:
    def f(a, b):
        return np.sum(np.linalg.solve(a, b)) + np.linalg.det(a) + np.sum(np.linalg.inv(a))

    for found in gradients(f, (np.zeros((0, 0)), np.zeros(0))):
        assert found.size == 0
