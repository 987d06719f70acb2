"""SciPy's solvers with our derivatives, beside answers of mathematics and SciPy's own derivatives."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from scipy.integrate import solve_ivp
from scipy.optimize import NonlinearConstraint, curve_fit, least_squares, minimize, root

import enzyme_py as enzyme
from enzyme_py.bridges.scipy import model, objective, residual, system

START = np.array([-1.2, 1.0, -0.5, 0.8])


def rosenbrock(x):
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def test_objective_beside_scipys_own_derivatives():
    o = objective(rosenbrock)
    assert o.fun(START) == pytest.approx(scipy.optimize.rosen(START), rel=1e-14)
    assert np.allclose(o.jac(START), scipy.optimize.rosen_der(START), rtol=1e-13)
    assert np.allclose(o.hess(START), scipy.optimize.rosen_hess(START), rtol=1e-13)
    p = np.arange(4.0)
    assert np.allclose(o.hessp(START, p), scipy.optimize.rosen_hess_prod(START, p), rtol=1e-13)


@pytest.mark.parametrize(
    ("method", "wants"),
    [
        ("BFGS", ("jac",)),
        ("L-BFGS-B", ("jac",)),
        ("SLSQP", ("jac",)),
        ("Newton-CG", ("jac", "hessp")),
        ("trust-ncg", ("jac", "hessp")),
        ("trust-krylov", ("jac", "hessp")),
        ("trust-constr", ("jac", "hessp")),
        ("dogleg", ("jac", "hess")),
        ("trust-exact", ("jac", "hess")),
    ],
)
def test_minimize(method, wants):
    o = objective(rosenbrock)
    start = np.array([1.1, 1.15, 1.2]) if method == "dogleg" else np.array([-1.2, 1.0, 0.5])
    found = minimize(o.fun, start, method=method, **{name: getattr(o, name) for name in wants})
    assert np.allclose(found.x, 1.0, atol=1e-3)


def test_value_and_gradient_once_a_point():
    runs = np.zeros(1)

    def counting(x, runs):
        runs[0] += 1.0
        return np.sum(x**4)

    o = objective(counting)
    x = np.array([1.0, 2.0])

    assert o.fun(x, runs) == 17.0
    before = runs[0]
    runs[0] = before - 1.0  # as it was before the call: then all content is the same
    assert o.jac(x, runs).tolist() == [4.0, 32.0]
    assert runs[0] == before - 1.0, "the gradient came with the value"
    assert o.jac(x, runs).tolist() == [4.0, 32.0]
    assert runs[0] == before, "what is kept is handed out once"


def test_nothing_old_comes_back():
    weights = np.array([1.0, 1.0])
    o = objective(lambda x: np.sum(weights * x**2))
    x = np.array([1.0, 2.0])
    assert o.fun(x) == 5.0
    weights[:] = 3.0  # what was captured changes between value and gradient
    assert o.jac(x).tolist() == [6.0, 12.0]
    assert o.fun(x) == 15.0
    x[0] = 5.0  # SciPy's own array, changed in place
    assert o.jac(x).tolist() == [30.0, 12.0]

    o = objective(lambda x, a: a * np.sum(x**2))
    assert o.fun(x, 1.0) == 29.0
    assert o.jac(x, 2.0).tolist() == [20.0, 8.0]
    gradient = o.jac(x, 2.0)
    gradient[:] = 0.0  # the caller's own
    assert o.jac(x, 2.0).tolist() == [20.0, 8.0]


def test_args_of_minimize():
    o = objective(lambda x, centre, factor: factor * np.sum((x - centre) ** 2))
    centre = np.array([1.0, -2.0])
    found = minimize(
        o.fun, np.zeros(2), args=(centre, 3.0), jac=o.jac, hessp=o.hessp, method="trust-ncg"
    )
    assert np.allclose(found.x, centre, atol=1e-8)


def test_exceptions_of_the_kernel():
    def of_positive(x):
        if x[0] < 0:
            raise ValueError("x is negative here")
        return np.sum(np.sqrt(x))

    o = objective(of_positive)
    with pytest.raises(ValueError, match="x is negative here"):
        minimize(o.fun, np.ones(2), jac=o.jac, method="BFGS")


def distances(x, times, seen):
    return x[0] * np.exp(-x[1] * times) - seen


@pytest.mark.parametrize("mode", [None, enzyme.Forward, enzyme.Reverse])
@pytest.mark.parametrize("method", ["trf", "lm", "dogbox"])
def test_least_squares(mode, method):
    times = np.linspace(0.0, 3.0, 20)
    seen = 2.0 * np.exp(-0.7 * times)
    r = residual(distances, mode=mode)
    x = np.array([1.0, 1.0])
    by_hand = np.stack([np.exp(-times), -times * np.exp(-times)], axis=1)
    assert np.allclose(r.jac(x, times, seen), by_hand, rtol=1e-14, atol=0)
    found = least_squares(r.fun, x, jac=r.jac, method=method, args=(times, seen))
    assert np.allclose(found.x, [2.0, 0.7], atol=1e-7)


def chain(x):
    r = np.empty_like(x)
    for i in range(x.size):
        left = x[i - 1] if i > 0 else 1.0
        right = x[i + 1] if i < x.size - 1 else 0.0
        r[i] = x[i] ** 3 + 2.0 * x[i] - left - right
    return r


def test_sparse_jacobians_keep_their_pattern():
    r = residual(chain, sparse=True)
    x = np.linspace(0.1, 1.0, 50)
    matrix = r.jac(x)
    assert scipy.sparse.issparse(matrix)
    assert matrix.nnz == 3 * 50 - 2
    by_hand = scipy.sparse.diags_array(
        [-np.ones(49), 3 * x**2 + 2, -np.ones(49)], offsets=[-1, 0, 1]
    )
    assert abs(matrix - by_hand).max() < 1e-14
    found = least_squares(r.fun, x, jac=r.jac, tr_solver="lsmr")
    assert np.abs(chain(found.x)).max() < 1e-6
    given = residual(chain, pattern=by_hand != 0)
    assert abs(given.jac(x) - by_hand).max() < 1e-14


def test_a_sparse_hessian():
    o = objective(rosenbrock, sparse=True)
    matrix = o.hess(START)
    assert scipy.sparse.issparse(matrix)
    assert np.allclose(matrix.toarray(), scipy.optimize.rosen_hess(START), rtol=1e-13)


def test_root():
    r = residual(chain)
    found = root(r.fun, np.ones(5), jac=r.jac, method="hybr", tol=1e-13)
    assert found.success
    assert np.abs(chain(found.x)).max() < 1e-10


def test_constraints_with_their_hessians():
    """The point of the circle of radius 2 that lies nearest to (3, 4)."""
    o = objective(lambda x: (x[0] - 3.0) ** 2 + (x[1] - 4.0) ** 2)
    c = residual(lambda x: np.array([x[0] ** 2 + x[1] ** 2]))
    assert np.array_equal(c.hess(np.ones(2), np.array([3.0])), 6.0 * np.eye(2))
    circle = NonlinearConstraint(c.fun, 4.0, 4.0, jac=c.jac, hess=c.hess)
    found = minimize(
        o.fun, [1.0, 1.0], jac=o.jac, hess=o.hess, constraints=circle, method="trust-constr"
    )
    assert np.allclose(found.x, [1.2, 1.6], atol=1e-4)


def robertson(t, y, k):
    return np.array(
        [
            -k[0] * y[0] + k[1] * y[1] * y[2],
            k[0] * y[0] - k[1] * y[1] * y[2] - k[2] * y[1] ** 2,
            k[2] * y[1] ** 2,
        ]
    )


@pytest.mark.parametrize("method", ["BDF", "Radau", "LSODA"])
@pytest.mark.parametrize("sparse", [False, True])
def test_stiff_equations(method, sparse):
    rates = np.array([0.04, 1e4, 3e7])
    y = np.array([0.7, 2e-5, 0.3])
    s = system(robertson, sparse=sparse)
    by_hand = np.array(
        [
            [-0.04, 1e4 * y[2], 1e4 * y[1]],
            [0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]],
            [0.0, 6e7 * y[1], 0.0],
        ]
    )
    matrix = s.jac(0.0, y, rates)
    assert np.allclose(matrix.toarray() if sparse else matrix, by_hand, rtol=1e-14)
    if sparse and method == "LSODA":
        return  # takes dense ones only
    options = {"rtol": 1e-8, "atol": 1e-10, "method": method, "args": (rates,)}
    found = solve_ivp(s.fun, (0.0, 40.0), [1.0, 0.0, 0.0], jac=s.jac, **options)
    own = solve_ivp(robertson, (0.0, 40.0), [1.0, 0.0, 0.0], **options)
    assert np.allclose(found.y[:, -1], own.y[:, -1], rtol=1e-5)
    assert found.y[:, -1].sum() == pytest.approx(1.0, abs=1e-9)
    assert np.allclose(found.y[0, -1], 0.7158270687, rtol=1e-5)  # known of this problem


def test_curve_fit():
    def decay(t, size, rate):
        return size * np.exp(-rate * t)

    t = np.linspace(0.0, 4.0, 30)
    m = model(decay)
    by_hand = np.stack([np.exp(-0.5 * t), -3.0 * t * np.exp(-0.5 * t)], axis=1)
    assert np.allclose(m.jac(t, 3.0, 0.5), by_hand, rtol=1e-14, atol=0)
    found, covariance = curve_fit(
        m.fun, t, decay(t, 2.5, 1.3), jac=m.jac
    )  # SciPy counts the parameters
    assert np.allclose(found, [2.5, 1.3], atol=1e-8)
    own, _ = curve_fit(decay, t, decay(t, 2.5, 1.3))
    assert np.allclose(found, own, atol=1e-6)
    assert covariance.shape == (2, 2)


def test_bad_input():
    o = objective(rosenbrock)
    still = START.copy()
    still.flags.writeable = False
    assert np.array_equal(o.jac(still), objective(rosenbrock).jac(START))
    assert np.allclose(o.jac(np.repeat(START, 2)[::2]), scipy.optimize.rosen_der(START))
    assert np.allclose(o.jac([-1, 1]), scipy.optimize.rosen_der(np.array([-1.0, 1.0])))
    assert o.fun(np.zeros(0)) == 0.0
    assert o.jac(np.zeros(0)).shape == (0,)
    with pytest.raises(TypeError, match="Cannot cast"):
        o.fun(np.array([1.0 + 2.0j]))
    with pytest.raises(enzyme.errors.AnnotationError, match="a model without parameters"):
        model(lambda t: t).jac(np.ones(2))


def test_what_nobody_holds_is_given_back() -> None:
    """Jacobians are kept with the object that makes them, and not for the life of the process."""

    def decay(t, size, rate):  # type: ignore[no-untyped-def]
        return size * np.exp(-rate * t)

    def squares(x):  # type: ignore[no-untyped-def]
        return x * x

    fitted, solved = model(decay), residual(squares)
    fitted.jac(np.linspace(0.0, 1.0, 4), 2.0, 0.5)
    solved.jac(np.ones(3))
    watched = [weakref.ref(fitted), weakref.ref(solved)]
    del fitted, solved
    gc.collect()
    assert [one() for one in watched] == [None, None]
