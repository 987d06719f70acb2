"""What a plain function reaches is bound anew, as where a cell of a notebook is run again: the next call sees it.

Each answer is that of the function as Python would run it now. A stale derivative would be wrong without a word.
"""

from __future__ import annotations

import functools
import math
import sys
import types
import warnings

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Duplicated, Forward, Reverse
from enzyme_py.errors import CompiledAgainWarning
from enzyme_py.frontend.functions import kernels, lifting

CELL = """
def inner(x):
    return scale * x * x

def helper(x):
    return inner(x) + np.sum(table) * x

def f(x):
    return 3.0 * helper(x)

table = np.array([1.0, 2.0])
scale = 2.0
"""

ASKED = {
    "gradient": lambda f, x: enzyme.gradient(f, x)[0],
    "grad": lambda f, x: enzyme.grad(f)(x),
    "value_and_grad": lambda f, x: enzyme.value_and_grad(f)(x)[1],
    "autodiff": lambda f, x: enzyme.autodiff(Reverse, f, Active, Active(x))[0][0],
    "autodiff forward": lambda f, x: enzyme.autodiff(Forward, f, Duplicated(x, 1.0))[0],
    "jvp": lambda f, x: enzyme.jvp(f, (x,), (1.0,))[1],
    "vjp": lambda f, x: enzyme.vjp(f, x)[1](1.0)[0],
    "of a lambda that names it": lambda f, x: enzyme.gradient(lambda y: f(y), x)[0],
    "of a partial": lambda f, x: enzyme.gradient(functools.partial(f), x)[0],
}


@pytest.fixture
def cell():
    scope = {"np": np, "math": math, "__name__": __name__}
    exec(CELL, scope)
    return scope


def run_again(scope, text: str) -> None:
    exec(text, scope)


def slope(scope, x: float) -> float:
    """By hand: of 3 (scale x^2 + sum(table) x)."""
    return 3.0 * (2.0 * scope["scale"] * x + float(np.sum(scope["table"])))


@pytest.mark.parametrize("name", ASKED)
def test_a_number_a_table_and_a_helper(cell, name: str) -> None:
    ask, f, x = ASKED[name], cell["f"], 1.5
    for _ in range(2):
        assert ask(f, x) == pytest.approx(slope(cell, x), rel=1e-14)
    cell["scale"] = 5.0
    for _ in range(2):
        assert ask(f, x) == pytest.approx(slope(cell, x), rel=1e-14)
    cell["table"] = np.array([1.0, 2.0, 7.0])
    for _ in range(2):
        assert ask(f, x) == pytest.approx(slope(cell, x), rel=1e-14)
    run_again(cell, "def inner(x):\n    return scale * math.sin(x)\n")
    for _ in range(2):
        assert ask(f, x) == pytest.approx(3.0 * (5.0 * math.cos(x) + 10.0), rel=1e-14)
    run_again(cell, "def helper(x):\n    return -inner(x)\n")
    for _ in range(2):
        assert ask(f, x) == pytest.approx(-15.0 * math.cos(x), rel=1e-14)


def test_hvp_and_hessian(cell) -> None:
    run_again(cell, "def g(x):\n    return np.sum(scale * x * x * x)\n")
    x, v = np.array([1.0, 2.0]), np.array([1.0, -1.0])
    for scale in (2.0, 7.0, 2.0):
        cell["scale"] = scale
        np.testing.assert_allclose(enzyme.hvp(cell["g"], x, v), 6.0 * scale * x * v, rtol=1e-14)
        np.testing.assert_allclose(enzyme.hessian(cell["g"])(x), np.diag(6.0 * scale * x), rtol=1e-14)


def test_the_old_value_again_is_the_old_kernel(cell) -> None:
    f = cell["f"]
    first = enzyme.grad(f)
    cell["scale"] = 9.0
    assert enzyme.grad(f) is not first
    cell["scale"] = 2.0
    cell["table"] = table = np.array([4.0])
    second = enzyme.grad(f)
    cell["table"] = table.copy()
    assert enzyme.grad(f)(1.0) == second(1.0) == slope(cell, 1.0)


def test_other_code_of_a_helper(cell) -> None:
    f, x = cell["f"], 0.5
    assert enzyme.gradient(f, x)[0] == slope(cell, x)
    cell["inner"].__code__ = (lambda x: 4.0 * x).__code__
    assert enzyme.gradient(f, x)[0] == 3.0 * (4.0 + 3.0)
    cell["inner"].__defaults__ = (1.0,)
    assert enzyme.gradient(f, x)[0] == 3.0 * (4.0 + 3.0)


def test_defaults(cell) -> None:
    run_again(cell, "def g(x, k=2.0):\n    return k * x * x\ndef h(x, *, k=2.0):\n    return k * x * x\n")
    for name in ("g", "h"):
        g = cell[name]
        run_again(cell, f"def outer(x):\n    return {name}(x)\n")
        for _ in range(2):
            assert enzyme.gradient(cell["outer"], 3.0) == (12.0,)
            assert enzyme.gradient(g, 3.0)[0] == enzyme.grad(g)(3.0) == 12.0
        if name == "g":
            g.__defaults__ = (5.0,)
        else:
            g.__kwdefaults__ = {"k": 5.0}
        for _ in range(2):
            assert enzyme.gradient(g, 3.0)[0] == enzyme.grad(g)(3.0) == 30.0
            assert enzyme.gradient(cell["outer"], 3.0) == (30.0,)


def test_functions_of_one_factory_with_other_defaults() -> None:
    def make(k):
        def by_name(x, *, scale=k):
            return scale * x * x

        def by_place(x, scale=k):
            return scale * x * x

        return by_name, by_place

    for k in (2.0, 3.0, 2.0, 0.0):
        for f in make(k):
            assert enzyme.grad(f)(3.0) == enzyme.gradient(f, 3.0)[0] == 6.0 * k


def test_captured_functions(cell) -> None:
    """A closure whose captured function names a global."""
    helper = cell["helper"]

    def f(x):
        return 2.0 * helper(x)

    factor = 4.0

    def g(x):
        return factor * helper(x)

    for scale in (2.0, 3.0):
        cell["scale"] = scale
        for _ in range(2):
            assert enzyme.gradient(f, 1.0)[0] == 2.0 / 3.0 * slope(cell, 1.0)
            assert enzyme.gradient(g, 1.0)[0] == 4.0 / 3.0 * slope(cell, 1.0)
    factor = -1.0
    assert enzyme.gradient(g, 1.0)[0] == -1.0 / 3.0 * slope(cell, 1.0)


def test_what_a_global_helper_has_captured(cell) -> None:
    def make():
        k = 2.0

        def helper(x):
            return k * x

        def other(value):
            nonlocal k
            k = value

        return helper, other

    cell["helper"], put = make()
    assert enzyme.gradient(cell["f"], 1.0) == (6.0,)
    put(5.0)
    assert enzyme.gradient(cell["f"], 1.0) == (15.0,)


def test_modules_of_the_users(cell, monkeypatch) -> None:
    own = types.ModuleType("own_module_of_a_test")
    monkeypatch.setitem(sys.modules, own.__name__, own)
    exec("K = 2.0\ndef square(x):\n    return K * x * x\n", vars(own))
    cell["own"] = own
    run_again(cell, "def f(x):\n    return own.square(x) + own.K * x\n")
    f = cell["f"]
    for _ in range(2):
        assert enzyme.gradient(f, 3.0) == (14.0,)
    own.K = 10.0
    for _ in range(2):
        assert enzyme.gradient(f, 3.0) == (70.0,)
    exec("def square(x):\n    return K * x\n", vars(own))
    for _ in range(2):
        assert enzyme.gradient(f, 3.0) == (20.0,)


def test_a_builtin_that_is_covered_and_uncovered(cell) -> None:
    run_again(cell, "def f(x):\n    return abs(x) * x\n")
    assert enzyme.gradient(cell["f"], -2.0) == (4.0,)
    run_again(cell, "def abs(x):\n    return 5.0\n")
    assert enzyme.gradient(cell["f"], -2.0) == (5.0,)
    del cell["abs"]
    assert enzyme.gradient(cell["f"], -2.0) == (4.0,)


def test_a_jitted_helper_bound_anew(cell) -> None:
    run_again(cell, "import numba\n@numba.njit\ndef helper(x):\n    return 2.0 * x\n")
    assert enzyme.gradient(cell["f"], 1.0) == (6.0,)
    run_again(cell, "@numba.njit\ndef helper(x):\n    return 4.0 * x\n")
    assert enzyme.gradient(cell["f"], 1.0) == (12.0,)


def test_functions_that_call_each_other(cell) -> None:
    text = "def even(x, n):\n    return 1.0 if n == 0 else x * odd(x, n - 1)\ndef odd(x, n):\n    return {} * even(x, n - 1)\n"
    run_again(cell, text.format(1.0))
    even = cell["even"]
    assert enzyme.gradient(even, 2.0, 4)[0] == 4.0
    del cell["odd"]
    odd = text.format(3.0).split("\n", 2)[2]
    run_again(cell, odd)
    assert enzyme.gradient(even, 2.0, 4)[0] == 36.0


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The functions of which kernels were made."""
    found = []
    for module in (kernels, lifting):
        usual = module.jitted
        monkeypatch.setattr(
            module, "jitted", lambda function, *rest, usual=usual: found.append(function.__name__) or usual(function, *rest)
        )
    return found


def test_a_number_that_changes_at_each_call_is_handed_over(cell, made) -> None:
    """Two kernels: one with the number in it, and one that is given it."""
    run_again(cell, "def f(x):\n    return scale * x * x + limit\nlimit = 1\n")
    f = cell["f"]
    for step in range(20):
        cell["scale"] = 0.5 * step
        assert enzyme.gradient(f, 3.0)[0] == enzyme.grad(f)(3.0) == 3.0 * step
        assert enzyme.value_and_grad(f)(3.0)[0] == 4.5 * step + 1
    assert made == ["f", "f"]
    cell["scale"] = 2  # an integer is compiled in
    assert enzyme.gradient(f, 3.0)[0] == 12.0
    cell["scale"] = 7
    assert enzyme.gradient(f, 3.0)[0] == 42.0
    run_again(cell, "def scale(x):\n    return x\ndef g(x):\n    return scale(x)\n")
    assert enzyme.gradient(cell["g"], 3.0)[0] == 1.0
    cell["scale"] = 1.5
    assert enzyme.gradient(f, 3.0)[0] == 9.0


def test_a_helper_that_is_asked_by_itself(cell) -> None:
    """By itself its number is handed over; in the function that calls it, compiled in."""
    f, inner = cell["f"], cell["inner"]
    for scale in (2.0, 5.0, 7.0, -0.0, 0.0, 5.0):
        cell["scale"] = scale
        assert enzyme.gradient(inner, 3.0) == (6.0 * scale,)
        assert enzyme.gradient(f, 3.0)[0] == slope(cell, 3.0)
        assert math.copysign(1.0, enzyme.value_and_grad(inner)(3.0)[0]) == math.copysign(1.0, scale)
        assert enzyme.gradient(lambda x: inner(x), 3.0) == (6.0 * scale,)
    cell["table"][0] = 100.0
    assert enzyme.gradient(f, 3.0)[0] == slope(cell, 3.0)
    assert enzyme.gradient(cell["helper"], 3.0)[0] == pytest.approx(slope(cell, 3.0) / 3.0, rel=1e-14)
    cell["table"][0] = 50.0
    assert enzyme.gradient(f, 3.0)[0] == slope(cell, 3.0)


def test_a_function_that_calls_itself_and_names_a_number_that_changes(cell) -> None:
    run_again(cell, "def f(x, n):\n    return scale * x if n == 0 else x * f(x, n - 1)\ndef g(x):\n    return f(x, 2)\n")
    for scale in (2.0, 5.0, 7.0):
        cell["scale"] = scale
        assert enzyme.gradient(cell["g"], 3.0) == (27.0 * scale,)
        assert enzyme.gradient(cell["f"], 3.0, 2)[0] == 27.0 * scale


@pytest.mark.parametrize("shape", [(3,), (2, 3), (400, 400)])
@pytest.mark.parametrize("order", ["C", "F", "strided"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.complex128])
def test_an_array_that_is_written_to(cell, made, shape, order, dtype) -> None:
    """Numba freezes small arrays whose numbers lie behind each other, and reads the memory of others."""
    run_again(cell, "def f(x):\n    return x * np.sum(table).real\n")
    f, given = cell["f"], np.ones(shape, dtype)
    given = np.asfortranarray(given) if order == "F" else given if order == "C" else np.repeat(given, 2, axis=-1)[..., ::2]
    cell["table"] = given
    for step in range(4):
        given[..., 0] = step
        expected = float(np.sum(given.real))
        for _ in range(2):
            assert enzyme.gradient(f, 3.0)[0] == enzyme.grad(f)(3.0) == expected
    assert len(made) <= 2


def test_arrays_in_a_helper_and_in_a_tuple(cell) -> None:
    run_again(cell, "def inner(x):\n    return x * table[0] * both[1][0]\nboth = 1.0, np.ones(2)\ndef f(x):\n    return inner(x)\n")
    f, table = cell["f"], cell["table"]
    for step in (2.0, 5.0):
        table[0] = step
        assert enzyme.gradient(f, 3.0) == (step * cell["both"][1][0],)
        cell["both"][1][0] = 10.0 * step
        assert enzyme.gradient(f, 3.0) == enzyme.gradient(lambda x: f(x), 3.0) == (10.0 * step * step,)


def test_an_inner_function_and_the_function_itself_name_it(cell, made) -> None:
    run_again(cell, "def f(x):\n    inner = lambda y: scale * y\n    return inner(x) + scale * x\n")
    for step in range(4):
        cell["scale"] = 1.5 * step
        assert enzyme.gradient(cell["f"], 3.0) == (3.0 * step,)


def test_lambdas_that_name_an_array_share_a_kernel(cell, made) -> None:
    for _ in range(5):
        run_again(cell, "g = lambda x: x * table[1]")
        cell["g"].__code__ = cell.setdefault("code", cell["g"].__code__)
        assert enzyme.gradient(cell["g"], 3.0) == (2.0,)
    assert len(made) == 1


def test_numbers_in_second_orders(cell) -> None:
    """hvp and hessian have a test of their own."""
    run_again(cell, "def f(x):\n    return np.sum(scale * x**3)\n")
    x = np.array([1.0, 2.0])
    for step in range(4):
        cell["scale"] = 1.0 + step
        for jac in (enzyme.jacrev, enzyme.jacfwd):
            np.testing.assert_allclose(jac(enzyme.grad(cell["f"]))(x), np.diag(6.0 * (1.0 + step) * x), rtol=1e-14)
        np.testing.assert_allclose(enzyme.vmap(enzyme.grad(cell["f"]))(x[None])[0], 3.0 * (1.0 + step) * x * x, rtol=1e-14)


@pytest.mark.parametrize(("changes", "times"), [(8, 1), pytest.param(17, 2, marks=pytest.mark.full)])
def test_what_changes_often_in_a_helper_is_told(cell, changes, times) -> None:
    """At the 8th change and at the 16th; not of what is handed over."""
    f = cell["f"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for step in range(changes + 1):
            cell["scale"] = 1.0 + step
            assert enzyme.gradient(f, 1.0)[0] == slope(cell, 1.0)
    told = [one for one in caught if issubclass(one.category, CompiledAgainWarning)]
    names = {str(one.message).split("`")[1] for one in told}
    assert "`scale`, which has changed 8 times" in str(told[0].message)
    assert names <= {"f", "helper", "inner"}
    assert len(told) == times * len(names)
    run_again(cell, "def g(x):\n    return scale * x\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for step in range(20):
            cell["scale"] = 1.0 + step
            assert enzyme.gradient(cell["g"], 1.0)[0] == 1.0 + step
