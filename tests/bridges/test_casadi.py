"""CasADi with our derivatives, beside its own; its solver with them."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

casadi = pytest.importorskip("casadi")

from enzyme_py.bridges.casadi import function

X, A = np.array([-1.2, 1.0, -0.5]), 2.0


def mixed(m, x, a):
    """A vector and a number, of a matrix, a vector and a number; raises behind an edge."""
    if x[0] > 10.0:
        raise ValueError("too far")
    total = 0.0
    for i in range(x.size - 1):
        total += a * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return (m @ x) * a, total


def of_casadi(m, x, a):
    total = sum(a * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(2))
    return casadi.mtimes(m, x) * a, total


def test_derivatives_beside_casadis_own():
    f = function(mixed, (2, 3), (3,), ())
    m, x, a = casadi.MX.sym("m", 2, 3), casadi.MX.sym("x", 3), casadi.MX.sym("a")
    given = np.arange(6.0).reshape(2, 3), X, A

    def asked(g):
        y, total = g(m, x, a)
        both = casadi.vertcat(y * total, total)
        return casadi.Function(
            "asked",
            [m, x, a],
            [
                both,
                casadi.jacobian(both, m),
                casadi.jacobian(both, x),
                casadi.gradient(total, x),
                casadi.jtimes(both, x, x),
                casadi.hessian(total, x)[0],
                casadi.jacobian(casadi.gradient(total, a), x),
            ],
        )(*given)

    for found, own in zip(asked(f), asked(of_casadi), strict=True):
        assert np.allclose(found.full(), own.full(), rtol=1e-13, atol=1e-13)

    options = {"ipopt.print_level": 0, "print_time": 0, "ipopt.sb": "yes"}
    problem = {"x": x, "f": f(np.zeros((2, 3)), x, 100.0)[1]}
    solver = casadi.nlpsol("solver", "ipopt", problem, options)
    assert np.allclose(solver(x0=np.zeros(3))["x"].full().ravel(), 1.0, atol=1e-6)
    with pytest.raises(RuntimeError, match="too far"):
        f(given[0], np.full(3, 11.0), A)


def test_shapes_that_casadi_has_not():
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match=r"numbers, vectors and matrices"):
        function(mixed, (2, 3, 4))
