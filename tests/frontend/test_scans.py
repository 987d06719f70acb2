"""np.max, np.any and their like: found by csrc/scans.c, and derivatives of what is read there."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.frontend.codegen.library import with_callees
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.native.runtime import interface, scan_library
from enzyme_py.rules.orders import SCAN
from enzyme_py.testing import check_grads


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_built_library_agrees_with_numpy(dtype) -> None:
    random = np.random.default_rng(0)
    for n in (1, 7, 8, 15, 16, 17, 1023, 1024, 1025, 5000):
        values = random.integers(-20, 20, n).astype(dtype)
        for side in ("max", "min"):
            function = getattr(scan_library(), f"enzyme_py_{side}_{np.dtype(dtype)}")
            kind = "double *" if dtype is np.float64 else "float *"
            place = function(interface().cast(kind, values.ctypes.data), n)
            assert place == getattr(np, f"arg{side}")(values)


def spread(x):
    return np.max(x) ** 2 - 3.0 * np.min(x)


def spread_by_methods(x):
    return x.max() ** 2 - 3.0 * x.min()


def old_names(x):
    return np.amax(x) ** 2 - 3.0 * np.amin(x)


X = np.array([[0.5, -2.0, 3.0], [3.0, -2.0, 1.0]])
# By hand: 2 max at the first of the largest, -3 at the first of the smallest.
FIRST = np.array([[0.0, -3.0, 6.0], [0.0, 0.0, 0.0]])
LAYOUTS = {
    "C": lambda x: x,
    "C, float32": lambda x: x.astype(np.float32),
    "A": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
}


@pytest.mark.parametrize("kernel", [spread, spread_by_methods, old_names])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_first_of_equals_takes_the_derivative(kernel, layout) -> None:
    x = LAYOUTS[layout](X)
    found = enzyme.grad(kernel)(x)
    np.testing.assert_array_equal(found, FIRST)
    assert enzyme.jvp(kernel, (x,), (np.ones_like(x),))[1] == FIRST.sum()


def test_in_fortran_order_some_of_the_equals_takes_it() -> None:
    found = enzyme.grad(spread)(np.asfortranarray(X))
    assert found.sum() == FIRST.sum()
    assert np.count_nonzero(found) == 2
    assert set(np.flatnonzero(found == 6.0)) < {2, 3}


def test_bits_are_those_of_numba() -> None:
    largest = enzyme.value_and_grad(lambda x: np.max(x))
    plain = numba.njit(lambda x: np.max(x))
    random = np.random.default_rng(1)
    for x in (
        np.array([-0.0, 0.0]),
        np.array([0.0, -0.0]),
        np.array([1.0, np.nan, 5.0, np.nan]),
        np.array([-np.inf, -np.inf]),
        np.array([-np.inf, np.inf, np.inf]),
        random.normal(size=3000),
    ):
        value, slope = largest(x)
        assert np.array(value).tobytes() == np.array(plain(x)).tobytes()
        np.testing.assert_array_equal(slope, np.eye(x.size)[np.argmax(x)])


def test_nothing_has_no_extreme() -> None:
    for kernel, word in ((lambda x: np.max(x), "maximum"), (lambda x: x.min(), "minimum")):
        with pytest.raises(ValueError, match=f"{word} which has no identity"):
            enzyme.grad(kernel)(np.zeros(0))
    with pytest.raises(ValueError, match=r"^zero-size array reduction not possible"):
        enzyme.grad(lambda x: np.ptp(x))(np.zeros(0))


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x: np.max(x),
        lambda x: x.max(),
        lambda x: x[np.argmin(x)],
        lambda x: x[x.argmin()],
        lambda x: np.ones((2, x.size)).max() * np.amin(x),
        lambda x: x[0] if np.any(x > 1.0) else x[1],
        lambda x: x[0] if (x > 1.0).all() else x[1],
    ],
)
def test_no_loop_is_left(kernel) -> None:
    compiled = compile_kernel(as_kernel(kernel), (numba.float64[::1],))
    names = {name for library in with_callees(compiled.library) for name in library.functions}
    assert any(name.startswith(SCAN) for name in names)
    assert not any("arraymath" in name for name in names)


def test_places_in_kernels_are_numbas() -> None:
    def at_places(x):
        flat = x.reshape(-1)
        return flat[x.argmax()] + 2.0 * flat[np.argmin(x)] + x[x.argmax(1)[1], np.argmin(x, 0)[0]]

    wanted = np.array([[0.0, 2.0, 1.0], [0.0, 0.0, 0.0]])  # of the first two terms
    wanted[X.argmax(1)[1], np.argmin(X, 0)[0]] += 1.0
    np.testing.assert_array_equal(enzyme.grad(at_places)(X), wanted)
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        enzyme.grad(lambda x: x[np.argmax(x)])(np.zeros(0))


def test_integers_and_complex_numbers_are_numbas_affair() -> None:
    def mixed(x, n, z):
        return np.sum(x) * np.max(n) + z.max().real * x[0]

    found = enzyme.gradient(mixed, np.ones(2), np.array([3, 7]), np.array([1j, 2.0 + 1j]))
    np.testing.assert_array_equal(found[0], [9.0, 7.0])


def guarded(x, y):
    """Branches by what all elements say; none of an array without elements is true, and each of them."""
    total = 0.0
    for i in range(x.size):
        if np.any(x[:i] > 1.0) and not (y[:i] > 1.0).any():
            total += x[i] * y[i]
        if np.all(np.isfinite(x[i:])) and (x * y < 9.0).all():
            total += np.sin(x[i])
        while np.any(x * total > 4.0):
            total *= 0.5
    return total


def test_truths_are_constants_in_every_order() -> None:
    x, y = Y, np.array([0.4, 0.6, 0.1, 1.2, 0.9])
    for second in (guarded, lambda x, y: guarded(x * x, y - x)):
        check_grads(second, (x, y), order=1)
    check_grads(lambda x: guarded(x, x * 0.3), (x,), order=1)
    assert enzyme.grad(lambda x: np.sum(x) if np.all(x > 9.0) else 7.0)(np.zeros(0)).size == 0


def test_reverse_over_reverse_of_truths() -> None:
    def loss(x):
        total = 0.0
        for i in range(x.size):
            if np.any(x[: i + 1] > 1.0) or np.all(x < 2.0):
                total += np.sin(x[i]) * x[0]
        return total

    check_grads(loss, (Y,), order=2)


def lowered(x, n):
    """The largest is halved, again and again: a place for each turn, in memory that changes."""
    y = x.copy()
    total = 0.0
    for _ in range(n):
        largest = np.max(y)
        total += largest * np.sin(largest)
        y[np.argmax(y)] = 0.5 * largest
    return total


def of_slices(x):
    total = 0.0
    for i in range(1, x.size + 1):
        total += np.max(x[:i]) * np.min(x[i - 1 :]) ** 2
    return total


def log_sum_exp(x):
    largest = np.max(x)
    return np.log(np.sum(np.exp(x - largest))) + largest


Y = np.array([0.3, 1.9, -0.7, 1.1, 0.2])
BLOCK = (np.arange(48.0) * 29.0 % 48.0).reshape(
    2, 3, 4, 2
) / 24.0 - 0.99  # no two alike, nor nearly


def pooled(x):
    """Windows, which are no contiguous arrays."""
    total = 0.0
    for i in range(x.shape[1] - 1):
        window = x[:, i : i + 2, :, 1]
        total += np.max(window) ** 2 - window.min() ** 3 + np.ptp(window) * window[0, 0, 1]
        total += x[window.argmin() % 2, i, 0, 0] ** 2
        if np.any(window > 0.52) and (window < 2.0).all():
            total *= 1.5
    return total


def along_an_axis(x):
    total = 0.0
    for axis in range(4):
        at = np.argmax(x, axis)
        for k in at.ravel()[:5]:
            total += x[k % 2, k % 3, k, axis % 2] ** 2
    return total + x[x.argmin(-1)[1, 2, 3], 0, 0, 0] ** 3


@pytest.mark.parametrize(("kernel", "order"), [(pooled, 2), (along_an_axis, 1)])
def test_arrays_with_steps(kernel, order) -> None:
    assert enzyme.value_and_grad(kernel)(BLOCK)[0] == pytest.approx(numba.njit(kernel)(BLOCK))
    check_grads(kernel, (BLOCK,), order=order)


def test_reverse_over_reverse_along_an_axis() -> None:
    """Constants to both: the second derivative by forward mode says the same."""
    along = np.cos(BLOCK)

    def slope(x):
        return np.sum(enzyme.grad(along_an_axis)(x) * along)

    wanted = enzyme.jvp(enzyme.grad(along_an_axis), (BLOCK,), (along,))[1]
    np.testing.assert_allclose(enzyme.grad(slope)(BLOCK), wanted, rtol=1e-13)


def test_windows_by_hand() -> None:
    """d/dx max(x)^2 = 2 max at the largest, of the axes 0 and 2 of each column."""

    def loss(x):
        return sum([np.max(x[:, i]) ** 2 for i in range(3)])

    x = BLOCK[..., 0]
    wanted = np.zeros_like(x)
    for i in range(3):
        part = x[:, i]
        a, b = np.unravel_index(np.argmax(part), part.shape)
        wanted[a, i, b] = 2.0 * part[a, b]
    np.testing.assert_allclose(enzyme.grad(loss)(x), wanted, rtol=1e-15)


@pytest.mark.parametrize("function", [np.argmax, np.argmin])
def test_places_along_axes_are_numpys(function) -> None:
    """With numbers that are none, and equal ones; an axis that is not there, and one without elements."""
    x = np.random.default_rng(3).integers(0, 3, (3, 4, 5)).astype(float)
    x[1, 2] = np.nan

    def places(x, axis):
        return function(x, axis) * 1.0

    for axis in (0, 1, 2, -1, -3):
        for given in (x, np.asfortranarray(x), x[:, ::-1], x.T):
            found = enzyme.jvp(places, (given, axis), (given, None))[0]
            np.testing.assert_array_equal(found, function(given, axis))
    line = enzyme.jvp(lambda x: np.array([function(x, -1) * 1.0]), (x[0, 0],), (x[0, 0],))[0]
    assert line == function(x[0, 0])
    with pytest.raises(ValueError, match="axis is out of bounds"):
        enzyme.jvp(places, (x, 3), (x, None))
    with pytest.raises(ValueError, match="of an empty sequence"):
        enzyme.jvp(places, (x[:, :0], 1), (x[:, :0], None))


@pytest.mark.parametrize("kernel", [lambda x: lowered(x, 6), of_slices, log_sum_exp])
def test_every_order_agrees_with_differences(kernel) -> None:
    check_grads(kernel, (Y,), order=2)


def test_second_derivatives_by_hand() -> None:
    p = np.exp(Y) / np.exp(Y).sum()
    wanted = np.diag(p) - np.outer(p, p)
    forms = {
        "forward over reverse": enzyme.jacfwd(enzyme.grad(log_sum_exp)),
        "reverse over reverse": enzyme.jacrev(enzyme.grad(log_sum_exp)),
        "reverse over forward": enzyme.jacrev(enzyme.jacfwd(log_sum_exp)),
        "forward over forward": enzyme.jacfwd(enzyme.jacfwd(log_sum_exp)),
    }
    for name, form in forms.items():
        np.testing.assert_allclose(form(Y), wanted, rtol=1e-12, atol=1e-14, err_msg=name)
