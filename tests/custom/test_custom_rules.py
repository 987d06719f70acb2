"""Rules of users: derivatives by hand first, then against finite differences, in every mode and order."""

from __future__ import annotations

import ctypes
import math

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import AnnotationError, DerivativeError, NoDerivativeError, RuleError
from enzyme_py.testing import test_rule as check_rule
from tests.rotation import diagonal

X = np.array([1.0, -2.0, 3.0])


def push(f):
    return lambda x: enzyme.jvp(f, (x,), (1.0,))[1]


def nested(order, f):
    """Return the derivative of a function of a number, outermost mode first."""
    for mode in reversed(order):
        f = enzyme.grad(f) if mode == "R" else push(f)
    return f


@enzyme.custom_vjp
def by_vjp(x):
    return x**3


def cube_forward(x):
    return by_vjp(x), x


def cube_backward(x, cotangent):
    return (3 * x * x * cotangent,)


by_vjp.defvjp(cube_forward, cube_backward)


@enzyme.custom_jvp
def by_jvp(x):
    return x**3


@by_jvp.defjvp
def cube_rule(primals, tangents):
    return by_jvp(primals[0]), 3 * primals[0] ** 2 * tangents[0]


by_partials = enzyme.rules.partials(lambda x: x**3, lambda x: 3 * x * x)


@pytest.mark.parametrize(
    ("f", "order"),
    diagonal([by_vjp, by_jvp, by_partials], ["R", "F", "RR", "RF", "FR", "FF", "FRR", "RFF"]),
)
def test_cube(f, order) -> None:
    """Also where a rule calls the function that it is for."""
    want = {1: 3 * 1.3**2, 2: 6 * 1.3, 3: 6.0}[len(order)]
    assert nested(order, f)(1.3) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("f", [by_vjp, by_jvp, by_partials])
@pytest.mark.parametrize("order", ["RRR", "RRF"])
def test_third_orders_with_two_reverse_modes_outside_are_refused(f, order) -> None:
    """They would lose a part: the second one gave 36 for the third derivative of x^4 at 2."""
    with pytest.raises(DerivativeError, match="grad of jvp of grad"):
        nested(order, lambda x: f(x) * x)(2.0)
    assert nested("RFR", lambda x: f(x) * x)(2.0) == pytest.approx(48.0, rel=1e-12)


def test_the_rule_decides() -> None:
    """Not the function's code, in either mode; everywhere else the function is what it is."""
    f = enzyme.custom_vjp(lambda x, y: math.sin(x) * y)
    f.defvjp(lambda x, y: (f(x, y), (x, y)), lambda r, g: (10 * g * r[1], None))
    assert f(1.0, 2.0) == pytest.approx(math.sin(1.0) * 2)
    assert numba.njit(lambda x: f(x, 2.0))(1.0) == pytest.approx(math.sin(1.0) * 2)
    assert enzyme.grad(f, argnums=(0, 1))(1.0, 2.0) == (20.0, 0.0)
    assert enzyme.jvp(f, (1.0, 2.0), (1.0, 5.0))[1] == 20.0


@enzyme.custom_vjp
def scaled(a, count):
    return a * a * count


scaled.defvjp(
    lambda a, count: (a * a * count, (a, count)), lambda r, g: (2 * r[0] * g * r[1], None)
)


def repeated(a):
    for i in range(3):
        a = scaled(np.sin(a), i + 1)
    return np.sum(a)


def slopes_of_repeated(a):
    """The first and the second derivative of each element, by the chain rule: a turn is (i + 1) sin^2."""
    slope, bend = np.ones_like(a), np.zeros_like(a)
    for i in range(3):
        by_a, by_a_twice = (i + 1) * np.sin(2 * a), 2 * (i + 1) * np.cos(2 * a)
        slope, bend = by_a * slope, by_a_twice * slope**2 + by_a * bend
        a = (i + 1) * np.sin(a) ** 2
    return slope, bend


def test_arrays_in_a_loop() -> None:
    want, bends = slopes_of_repeated(X)
    np.testing.assert_allclose(enzyme.grad(repeated)(X), want, rtol=1e-12)
    np.testing.assert_allclose(enzyme.jvp(repeated, (X,), (X,))[1], want @ X, rtol=1e-12)
    for outer, inner in (("jacfwd", "grad"), ("jacrev", "jacfwd")):
        found = getattr(enzyme, outer)(getattr(enzyme, inner)(repeated))(X)
        np.testing.assert_allclose(found, np.diag(bends), rtol=1e-10, atol=1e-12)


def test_reverse_over_forward_keeps_constants_apart() -> None:
    """The slope of a square by its point: the primal result once leaked into its own shadow."""

    def slope(a, u):
        return enzyme.jvp(lambda a: np.sum(scaled(a, 1)), (a,), (u,))[1]

    u = np.array([1.0, 0.0, 0.5])
    np.testing.assert_allclose(enzyme.grad(slope)(X, u), 2 * u, rtol=1e-14)


def test_results_of_another_size_and_integers() -> None:
    @enzyme.custom_jvp
    def outer(x, n):
        return np.outer(x, x), x[:n]

    @outer.defjvp
    def rule(primals, tangents):
        (x, n), (dx, _) = primals, tangents
        return outer(x, n), (np.outer(dx, x) + np.outer(x, dx), dx[:n])

    def loss(x):
        matrix, head = outer(x, 2)
        return np.sum(matrix) * head[0]

    want = 2 * X.sum() * X[0] + X.sum() ** 2 * np.array([1.0, 0.0, 0.0])
    np.testing.assert_allclose(enzyme.grad(loss)(X), want, rtol=1e-13)
    np.testing.assert_allclose(enzyme.jvp(loss, (X,), (X,))[1], want @ X, rtol=1e-13)


def test_complex_numbers_count_as_pairs() -> None:
    square = enzyme.custom_vjp(lambda z: z * z)
    square.defvjp(lambda z: (z * z, z), lambda z, g: (2 * z.conjugate() * g,))
    cube = enzyme.rules.partials(lambda z: z * z * z, lambda z: 3 * z * z)

    def real(x):
        z, w = square(complex(x, 2 * x)), cube(complex(x, 2 * x))
        return z.real + 3 * z.imag + w.imag

    x = 1.5  # (x + 2ix)^2 = (-3 + 4i) x^2, (x + 2ix)^3 = (-11 - 2i) x^3
    want = 2 * (-3 + 12) * x - 3 * 2 * x**2
    assert enzyme.grad(real)(x) == pytest.approx(want, rel=1e-13)
    assert enzyme.jvp(real, (x,), (1.0,))[1] == pytest.approx(want, rel=1e-13)


def test_function_arguments_tuples_and_defaults() -> None:
    applied = enzyme.custom_vjp(lambda g, p, k=2.0: g(p[0]) * p[1] * k, nondiff_argnums=(0,))
    applied.defvjp(
        lambda g, p, k=2.0: (g(p[0]) * p[1] * k, (p, k)),
        lambda g, r, c: ((c * r[0][1] * r[1], c * g(r[0][0]) * r[1]), None),
    )

    def sine(x):
        return math.sin(x)

    found = enzyme.grad(lambda x, y: applied(sine, (x, y)), argnums=(0, 1))(0.5, 3.0)
    assert found == pytest.approx((6.0, 2 * math.sin(0.5)))
    found = enzyme.grad(lambda x, y: applied(sine, (x, y), k=1.0), argnums=(0, 1))(0.5, 3.0)
    assert found == pytest.approx((3.0, math.sin(0.5)))


def test_float32_stays_float32() -> None:
    found = enzyme.grad(lambda a: np.sum(scaled(a, 2)))(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, (4 * X).astype(np.float32))


LIBM = ctypes.CDLL("libm.so.6")
erf = LIBM.erf
erf.argtypes, erf.restype = [ctypes.c_double], ctypes.c_double


def test_c_functions() -> None:
    """By ctypes: the pass sees neither, and forward mode of their address would be a wild call."""
    f = enzyme.rules.partials(lambda x: erf(x), lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x))
    slope = 2 / math.sqrt(math.pi) * math.exp(-0.25)
    assert enzyme.grad(f)(0.5) == pytest.approx(slope, rel=1e-14)
    assert nested("FR", f)(0.5) == pytest.approx(-slope, rel=1e-13)
    rounded = enzyme.rules.inactive(lambda x: round(erf(x) * 100))
    assert enzyme.grad(lambda x: rounded(x) * x)(0.5) == 52.0
    assert enzyme.jvp(lambda x: rounded(x) * x, (0.5,), (1.0,))[1] == 52.0


def solved(a, b):
    if a[0, 0] > 100:
        raise KeyError("far out")
    return np.linalg.solve(a, b)


def solved_pull(arguments, x, cotangent):
    g = np.linalg.solve(arguments[0].T, cotangent)
    return -np.outer(g, x), g


def solved_push(arguments, tangents, x):
    return np.linalg.solve(arguments[0], tangents[1] - tangents[0] @ x)


MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]])
SIDE = np.array([1.0, 2.0])


def test_python_functions() -> None:
    solve = enzyme.rules.python(
        solved, "float64[:](float64[:,:], float64[:])", vjp=solved_pull, jvp=solved_push
    )
    check_rule(solve, MATRIX, SIDE)
    with pytest.raises(KeyError, match="far out"):
        enzyme.grad(lambda a, b: np.sum(solve(a, b)))(MATRIX * 100, SIDE)
    with pytest.raises(NoDerivativeError, match="the_vjp_of_solved"):
        enzyme.jvp(enzyme.grad(lambda b: np.sum(solve(MATRIX, b) ** 2)), (SIDE,), (SIDE,))


def test_python_functions_with_jitted_rules_have_second_orders() -> None:
    cube = enzyme.rules.python(
        lambda x: float(x**3),
        "float64(float64)",
        vjp=numba.njit(lambda arguments, x, c: (3 * arguments[0] ** 2 * c,)),
        jvp=numba.njit(lambda arguments, t, x: 3 * arguments[0] ** 2 * t[0]),
    )
    for order in ("RR", "RF", "FR", "FF"):
        assert nested(order, cube)(1.3) == pytest.approx(6 * 1.3, rel=1e-12)


def test_a_python_function_with_one_rule() -> None:
    double = enzyme.rules.python(lambda x: 2 * x, "float64(float64)", vjp=lambda a, r, c: (2 * c,))
    assert enzyme.grad(double)(1.0) == 2.0
    with pytest.raises(NotImplementedError, match="forward mode"):
        enzyme.jvp(double, (1.0,), (1.0,))


def wrong_vjp(fwd, bwd):
    f = enzyme.custom_vjp(lambda x, y: x * y)
    f.defvjp(fwd, bwd)
    return enzyme.grad(f)(1.0, 2.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: enzyme.grad(enzyme.custom_vjp(lambda x: x))(1.0), "has no rule yet"),
        (lambda: wrong_vjp(lambda x, y: x * y, lambda r, g: (g, g)), "2 values were expected"),
        (lambda: wrong_vjp(lambda x, y: (x * y, x), lambda r, g: (g,)), "returns a tuple of 1"),
        (
            lambda: wrong_vjp(lambda x, y: (x * y, x), lambda r, g: (g, (g, g))),
            "cotangent of argument 1",
        ),
        (lambda: wrong_vjp(lambda x, y: ((x, y), x), lambda r, g: (g, g)), "expected was float64"),
        (lambda: wrong_vjp(lambda x, y: (x * y, x), lambda r: r), "bwd takes 1 arguments"),
        (
            lambda: wrong_vjp(lambda x, y: (x * y, x), lambda r, g: (r.nothing, g)),
            "cannot be compiled",
        ),
        (lambda: enzyme.custom_vjp(3), "a function was expected"),
        (lambda: enzyme.custom_jvp(lambda x: x, nondiff_argnums=(1,)), "nondiff_argnums"),
        (lambda: by_vjp.defvjp(cube_forward, cube_backward), "was called before"),
        (lambda: enzyme.rules.partials(lambda x, y: x * y, None), "1 partials given"),
        (lambda: enzyme.rules.partials(lambda x: x, lambda: 1.0), "takes 0 arguments"),
        (
            lambda: enzyme.grad(enzyme.rules.partials(lambda x: x, lambda x: (1.0, x)))(1.0),
            "tuple of 2",
        ),
        (lambda: enzyme.grad(enzyme.rules.python(abs, "float64(float64)"))(1.0), "without a rule"),
        (lambda: enzyme.rules.python(abs, "nonsense"), "is no signature"),
        (lambda: enzyme.rules.python(lambda x: "no", "float64(float64)")(1.0), "returned str"),
    ],
)
def test_wrong_rules(make, message) -> None:
    with pytest.raises(RuleError, match=message):
        make()


def test_a_cotangent_of_another_shape() -> None:
    f = enzyme.custom_vjp(lambda a: a * 2)
    f.defvjp(lambda a: (a * 2, a), lambda a, g: (g[1:],))
    with pytest.raises(ValueError, match="shape of the argument"):
        enzyme.grad(lambda a: np.sum(f(a)))(X)


def test_writing_to_an_argument_is_refused() -> None:
    """The rule's function has copies, so a derivative would not see it."""

    def doubled(a):
        a *= 2.0
        return np.sum(a)

    f = enzyme.custom_jvp(doubled)
    f.defjvp(lambda primals, tangents: (np.sum(2 * primals[0]), np.sum(2 * tangents[0])))
    with pytest.raises(ValueError, match="writes to its argument 0"):
        enzyme.jvp(f, (X,), (X,))


def test_empty_arrays_and_nan() -> None:
    assert enzyme.grad(lambda a: np.sum(scaled(a, 2)))(np.zeros(0)).shape == (0,)
    found = enzyme.grad(lambda a: np.sum(scaled(a, 2)))(np.array([np.nan, 1.0]))
    np.testing.assert_array_equal(found, [np.nan, 4.0])


def test_a_wrong_number_is_found() -> None:
    wrong = enzyme.rules.partials(lambda x: x**3, lambda x: 2 * x)
    with pytest.raises(AssertionError, match="jvp"):
        check_rule(wrong, 1.5)
    check_rule(by_partials, 1.5, order=2)
    with pytest.raises(AnnotationError, match="has no rule"):
        check_rule(lambda x: x, 1.5)
