"""C functions of transforms: their answers are those of mathematics, and what goes wrong is told."""

from __future__ import annotations

import ctypes
import gc
import threading

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.doors import failures


def loss(x, a):
    """Sum of a x^2; its gradient is 2 a x, and sum of x^2 by a."""
    if a < 0:
        raise ValueError("a is negative")
    if a > 100:
        raise IndexError("a is too large:", a)
    total = 0.0
    for i in range(x.size):
        total += a * x[i] ** 2
    return total


def address(array):
    return array.ctypes.data


@pytest.fixture(scope="module")
def door():
    return enzyme.cfunc(enzyme.value_and_grad(loss, argnums=(0, 1)), "(float64[::1], float64)")


def called(door, x, a, room=None):
    value, slope = np.zeros(2)[:1], np.zeros(1)
    gradient = np.full(x.size if room is None else room, 7.0)
    status = door.ctypes(
        address(x), x.size, a, address(value), address(gradient), gradient.size, address(slope)
    )
    return status, value[0], gradient, slope[0]


def test_value_and_gradients(door):
    x = np.array([1.0, -2.0, 3.0])
    status, value, gradient, slope = called(door, x, 0.5)
    assert status == 0
    assert value == 7.0
    assert gradient.tolist() == [1.0, -2.0, 3.0]
    assert slope == 14.0
    assert door.error() is None


def test_nothing_in_an_empty_array(door):
    assert called(door, np.zeros(0), 0.5)[:2] == (0, 0.0)


def test_declaration(door):
    assert door.declaration == (
        "int32_t value_and_grad_of_loss(double *x, int64_t x_0, double a, double *result0, "
        "double *result1, int64_t result1_0, double *result2);"
    )


def test_exceptions_come_as_a_status(door):
    x = np.ones(2)
    status, *_ = called(door, x, -1.0)
    assert status == failures.RAISED
    with pytest.raises(ValueError, match="a is negative"):
        door.check(status)
    assert door.error() is None  # it was taken
    status, *_ = called(door, x, 200.0)
    error = door.error()
    assert type(error) is IndexError
    assert error.args == ("a is too large:", 200.0)
    assert called(door, x, 1.0)[0] == 0


def test_memory_of_another_size(door):
    status, _, gradient, _ = called(door, np.ones(3), 1.0, room=2)
    assert status == failures.OTHER_SIZES
    assert gradient.tolist() == [7.0, 7.0]
    with pytest.raises(enzyme.errors.ShadowError, match="other sizes"):
        door.check(status)


def test_each_thread_has_its_own_exception(door):
    called(door, np.ones(2), -1.0)
    found = []
    thread = threading.Thread(target=lambda: found.append(door.error()))
    thread.start()
    thread.join()
    assert found == [None]
    assert type(door.error()) is ValueError


def test_the_code_lives_as_long_as_its_function():
    function = enzyme.cfunc(enzyme.grad(lambda x: x**3), "float64,").ctypes
    gc.collect()
    result = np.zeros(1)
    assert function(2.0, address(result)) == 0
    assert result[0] == 12.0


def test_packed(door):
    x, a = np.array([1.0, 2.0]), np.array([3.0])
    value, gradient, slope = np.zeros(1), np.zeros(2), np.zeros(1)
    sizes = np.array([2], dtype=np.int64)
    data = (ctypes.c_void_p * 5)(*map(address, (x, a, value, gradient, slope)))
    shapes = (ctypes.c_void_p * 5)(address(sizes), None, None, address(sizes), None)
    packed = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(door.packed)
    assert packed(ctypes.addressof(data), ctypes.addressof(shapes)) == 0
    assert (value[0], gradient.tolist(), slope[0]) == (15.0, [6.0, 12.0], 5.0)


def test_matrices_in_c_order():
    """The Jacobian of A x by x is A; the result of a transposed product is written in C order."""

    def product(x, a):
        return a @ x

    door = enzyme.cfunc(enzyme.jacfwd(product), "(float64[::1], float64[:, ::1])")
    a, x, found = np.arange(6.0).reshape(2, 3), np.ones(3), np.zeros((2, 3))
    assert door.ctypes(address(x), 3, address(a), 2, 3, address(found), 2, 3) == 0
    assert np.array_equal(found, a)

    turned = enzyme.cfunc(lambda a: a.T, "float64[:, ::1],")
    found = np.zeros((3, 2))
    assert turned.ctypes(address(a), 2, 3, address(found), 3, 2) == 0
    assert np.array_equal(found, a.T)


@pytest.mark.parametrize(
    ("item", "given"),
    [
        ("float32", np.float32),
        ("complex128", np.complex128),
        ("int64", np.int64),
        ("uint8", np.uint8),
        ("bool_", np.bool_),
    ],
)
def test_types_of_arrays(item, given):
    door = enzyme.cfunc(lambda x: x.copy(), f"{item}[::1],")
    x = np.array([1, 0, 1]).astype(given)
    found = np.zeros_like(x)
    assert door.ctypes(address(x), 3, address(found), 3) == 0
    assert np.array_equal(found, x)


def test_numbers():
    door = enzyme.cfunc(lambda a, b, c, d: (a + b, c, not d), "float32, int32, int64, boolean")
    assert door.declaration.startswith(
        "int32_t <lambda>(float a, int32_t b, int64_t c, uint8_t d, double *result0"
    )
    first, second, third = np.zeros(1), np.zeros(1, np.int64), np.zeros(1, np.bool_)
    assert door.ctypes(1.5, -3, 1 << 40, True, *map(address, (first, second, third))) == 0
    assert (first[0], second[0], third[0]) == (-1.5, 1 << 40, False)


def test_captured_values_are_fixed():
    weights, factor = np.array([1.0, 2.0, 4.0]), 3.0

    def weighted(x):
        return factor * np.sum(weights * x * x)

    door = enzyme.cfunc(enzyme.grad(weighted), "float64[::1],")
    weights[:] = 0.0
    x, found = np.ones(3), np.zeros(3)
    assert door.ctypes(address(x), 3, address(found), 3) == 0
    assert found.tolist() == [6.0, 12.0, 24.0]


@pytest.mark.parametrize(
    ("signature", "says"),
    [
        ("float64[:], float64", "C-contiguous"),
        (
            "unicode_type, float64",
            "argument `x` of type unicode_type cannot come through a C function",
        ),
        ("complex128, float64", "a complex number cannot come by value"),
        ("float64[::1],", "the signature has 1 arguments, `loss` takes 2: x, a"),
        ("float46[::1],", "is no signature"),
    ],
)
def test_refusals(signature, says):
    with pytest.raises(enzyme.errors.UnsupportedTypeError, match=says.replace("(", r"\(")):
        enzyme.cfunc(loss, signature)


def test_captured_tuples_of_arrays_are_refused():
    numbers = (np.ones(2), np.ones(2))

    def of_tuple(x):
        return np.sum(numbers[0] * x)

    with pytest.raises(enzyme.errors.UnsupportedTypeError, match="cannot hold the captured tuple"):
        enzyme.cfunc(enzyme.grad(of_tuple), "float64[::1],")
