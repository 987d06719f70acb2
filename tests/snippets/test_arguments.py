"""Arrays as users have them: of other libraries, other byte orders, halves; and what is refused, with what to do."""

from __future__ import annotations

import array
import collections
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, UnsupportedTypeError

X = np.array([1.0, -2.0, 3.0])  # exact as halves
V = np.array([0.5, 1.0, 2.0])


def cubes(x):
    return np.sum(x**3)


class WithArray:
    """As pandas and xarray have it."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return X.copy()


class WithInterface:
    def __init__(self) -> None:
        self.kept = X.copy()
        self.__array_interface__ = self.kept.__array_interface__


class WithDlpack:
    """As PyTorch and JAX have it, on a CPU."""

    def __dlpack__(self, **given: Any) -> Any:
        return X.copy().__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class OnGpu:
    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


class OnGpuOfCupy:
    __cuda_array_interface__: ClassVar[dict[str, Any]] = {}


class WithTape(WithDlpack):
    requires_grad = True


def misaligned() -> Any:
    made = np.ndarray((3,), np.float64, bytearray(25), 1)
    made[:] = X
    assert not made.flags.aligned
    return made


def strided() -> Any:
    return np.repeat(X, 2)[::2]


TAKEN: dict[str, Callable[[], Any]] = {
    "array": WithArray,
    "interface": WithInterface,
    "dlpack": WithDlpack,
    "big-endian": lambda: X.astype(">f8"),
    "big-endian single": lambda: X.astype(">f4"),
    "half": lambda: X.astype(np.float16),
    "big-endian half": lambda: X.astype(">f2"),
    "misaligned": misaligned,
    "strided": strided,
}


@pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN)
def test_by_hand(make: Callable[[], Any]) -> None:
    enzyme.grad(cubes)(X)  # so that there is code for plain arrays
    slope, value = 3 * X**2, np.sum(X**3)
    np.testing.assert_allclose(enzyme.grad(cubes)(make()), slope)
    found, gradient = enzyme.value_and_grad(cubes)(make())
    assert found == pytest.approx(value)
    np.testing.assert_allclose(gradient, slope)
    np.testing.assert_allclose(enzyme.gradient(cubes, make())[0], slope)
    np.testing.assert_allclose(enzyme.vjp(cubes, make())[1](2.0)[0], 2 * slope)
    np.testing.assert_allclose(enzyme.jacrev(enzyme.grad(cubes))(make()), np.diag(6 * X))


@pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN)
def test_forward_mode_with_tangents_of_the_same_kind(make: Callable[[], Any]) -> None:
    tangent = make()
    assert enzyme.jvp(cubes, (make(),), (tangent,))[1] == pytest.approx(3 * np.sum(X**3))


@pytest.mark.parametrize("make", TAKEN.values(), ids=TAKEN)
def test_inside_of_containers_and_captured(make: Callable[[], Any]) -> None:
    found = enzyme.grad(lambda d: np.sum(d["a"] ** 3))({"a": make()})
    np.testing.assert_allclose(found["a"], 3 * X**2)
    held = {"w": make()}
    np.testing.assert_allclose(enzyme.grad(lambda x: np.sum(held["w"] * x))(V), X)


def misaligned() -> np.ndarray:
    array = np.zeros(8 * X.size + 1, np.uint8)[1:].view(np.float64)
    array[:] = X
    return array


def of_pair(pair):
    return np.sum(pair[0] ** 3) * pair[1]


def test_what_numba_remembers_of_types_is_not_believed() -> None:
    """Numba's C code takes these for plain arrays once it has seen one, or one that is misaligned: its type is the same."""
    masked, swapped = np.ma.array(X, mask=[False, True, False]), X.astype(">f8")
    for plain in (X, misaligned()):
        np.testing.assert_array_equal(enzyme.grad(cubes)(plain), 3 * X**2)
        np.testing.assert_array_equal(enzyme.grad(of_pair)((plain, 2.0))[0], 6 * X**2)
    np.testing.assert_array_equal(enzyme.grad(cubes)(swapped), 3 * X**2)
    np.testing.assert_array_equal(enzyme.grad(of_pair)((swapped, 2.0))[0], 6 * X**2)
    for run in (lambda: enzyme.grad(cubes)(masked), lambda: enzyme.grad(of_pair)((masked, 2.0))):
        with pytest.raises(UnsupportedTypeError, match=r"mask[\s\S]*x\.filled"):
            run()


class OfTheirs(np.ndarray):
    """A class of arrays that changes nothing, as np.memmap."""


def test_other_classes_of_arrays_are_the_memory_that_they_have() -> None:
    array = X.copy().view(OfTheirs)
    found = enzyme.grad(of_pair)((array, 2.0))[0]
    np.testing.assert_array_equal(found, 6 * X**2)
    slope = np.zeros(3).view(OfTheirs)
    enzyme.autodiff(enzyme.Reverse, cubes, enzyme.Active, enzyme.Duplicated(array, slope))
    np.testing.assert_array_equal(slope, 3 * X**2)


def test_shadows_in_another_order_of_bytes_are_refused() -> None:
    """A gradient that goes into a copy would be lost."""
    array = X.astype(">f8")
    with pytest.raises(EnzymeError, match=r">f8[\s\S]*astype"):
        enzyme.Duplicated(array, np.zeros_like(array))


REFUSED: dict[str, tuple[Any, str]] = {
    "gpu": (OnGpu(), r"OnGpu lies in the memory of a GPU[\s\S]*copy it to the CPU"),
    "cupy": (OnGpuOfCupy(), r"OnGpuOfCupy lies in the memory of a GPU[\s\S]*copy it to the CPU"),
    "tape": (WithTape(), r"requires a gradient of its own library[\s\S]*detach"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_to_do(name: str) -> None:
    enzyme.grad(cubes)(X)  # code for plain arrays, which a masked array must not find
    value, message = REFUSED[name]
    runs: list[Callable[[], Any]] = [
        lambda: enzyme.grad(cubes)(value),
        lambda: enzyme.value_and_grad(cubes)(value),
        lambda: enzyme.vjp(cubes, value),
        lambda: enzyme.jvp(cubes, (value,), (X,)),
        lambda: enzyme.gradient(cubes, value),
        lambda: enzyme.grad(lambda d: np.sum(d["a"]))({"a": value}),
        lambda: enzyme.grad(lambda x: np.sum(x * value))(X),
    ]
    for run in runs:
        with pytest.raises(UnsupportedTypeError, match=message):
            run()


def test_matrices_are_refused() -> None:
    matrix = np.eye(2).view(np.matrix)
    enzyme.grad(cubes)(np.eye(2))
    for run in (lambda: enzyme.vjp(cubes, matrix), lambda: enzyme.grad(cubes)(matrix)):
        with pytest.raises(UnsupportedTypeError, match=r"np\.matrix[\s\S]*np\.asarray"):
            run()


class Metres(np.ndarray):
    """An array with a unit, as libraries of units have them: its product is in square metres."""

    def __mul__(self, other: Any) -> Any:
        return 1e4 * np.asarray(self) * np.asarray(other)


class Doubling(dict[str, Any]):
    def __getitem__(self, key: str) -> Any:
        return 2.0 * dict.__getitem__(self, key)


class FromOne(list[Any]):
    def __getitem__(self, place: Any) -> Any:
        return list.__getitem__(self, place - 1)


class ByAttribute(dict[str, Any]):
    __getattr__ = dict.__getitem__  # raises KeyError where Python asks for an attribute


def test_classes_that_are_read_otherwise_are_refused() -> None:
    """Their numbers were taken as they lie there, without a word."""
    with pytest.raises(UnsupportedTypeError, match=r"class Metres, whose operations are its own[\s\S]*np\.asarray"):
        enzyme.gradient(cubes, X.view(Metres))
    for f, given in (
        (lambda p: p["a"] ** 2, Doubling(a=3.0)),
        (lambda p: p[1] ** 2, FromOne([3.0, 4.0])),
        (lambda p: p[0]["a"] ** 2, (Doubling(a=3.0), 1.0)),
    ):
        for run in (lambda f=f, given=given: enzyme.gradient(f, given), lambda f=f, given=given: enzyme.jvp(f, (given,), (given,))):
            with pytest.raises(UnsupportedTypeError, match="of its own: a kernel would see"):
                run()
    held = Doubling(a=3.0)
    with pytest.raises(UnsupportedTypeError, match="of its own: a kernel would see"):
        enzyme.gradient(lambda x: x * held["a"], 2.0)


def test_classes_that_are_read_as_usual() -> None:
    assert enzyme.gradient(lambda p: p["a"] ** 2, ByAttribute(a=3.0)) == ({"a": 6.0},)
    assert enzyme.gradient(lambda p: p["a"] ** 2, collections.OrderedDict(a=3.0)) == ({"a": 6.0},)
    (found,) = enzyme.gradient(lambda x: np.sum(x * x), array.array("d", [1.0, 2.0]))
    np.testing.assert_array_equal(found, [2.0, 4.0])
    np.testing.assert_array_equal(enzyme.grad(lambda x: np.sum(x * x))(X.view(np.recarray)), 2.0 * X)


@pytest.mark.parametrize("value", [np.array([1.0, None]), X.astype(np.longdouble), "abc", memoryview(X)], ids=lambda one: type(one).__name__)
def test_what_has_no_gradient_says_so(value: Any) -> None:
    with pytest.raises(EnzymeError, match=r"argument `x`"):
        enzyme.grad(cubes)(value)
