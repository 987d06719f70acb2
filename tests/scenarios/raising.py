"""Kernels that raise: the derivative must raise the very exception that the primal raises."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RAISING: list[Raising] = []


@dataclass(frozen=True)
class Raising:
    """A kernel, arguments at which it raises, and arguments at which it has the gradient."""

    name: str
    kernel: Callable[..., Any] = field(repr=False)
    bad: tuple[Any, ...]
    good: tuple[Any, ...]
    grad: tuple[Any, ...]


def raising(
    bad: tuple[Any, ...], good: tuple[Any, ...], grad: tuple[Any, ...]
) -> Callable[..., Any]:
    """Decorator that adds the kernel to RAISING."""

    def add(kernel: Callable[..., Any]) -> Callable[..., Any]:
        RAISING.append(Raising(kernel.__name__, kernel, bad, good, grad))
        return kernel

    return add


class OutOfDomain(ValueError):
    """An exception of the user's own."""


@raising(bad=(-1.0,), good=(4.0,), grad=(0.25,))
def constant_message(x):
    if x < 0.0:
        raise ValueError("x must not be negative")
    return math.sqrt(x)


@raising(bad=(-1.0, 7), good=(4.0, 7), grad=(7.0, None))
def message_with_values(x, n):
    if x < 0.0:
        raise OutOfDomain("bad input", n)
    return n * x


@raising(bad=(3.0, 0.0), good=(3.0, 2.0), grad=(0.5, -0.75))
def division_by_zero(x, y):
    return x / y


@raising(
    bad=(np.array([1.0, 2.0, -3.0]),),
    good=(np.array([1.0, 2.0, 3.0]),),
    grad=(np.array([2.0, 4.0, 6.0]),),
)
def in_the_middle_of_a_loop(x):
    total = 0.0
    for i in range(x.size):
        if x[i] < 0.0:
            raise RuntimeError("negative element")
        total += x[i] ** 2
    return total


def positive_log(x):
    if x <= 0.0:
        raise OutOfDomain("log of a negative number")
    return math.log(x)


@raising(bad=(2.0, -1.0), good=(2.0, 4.0), grad=(0.5, 0.25))
def in_a_helper(x, y):
    return positive_log(x) + positive_log(y)


@raising(bad=(0.5,), good=(2.0,), grad=(3.0,))
def failed_assertion(x):
    assert x > 1.0, "x must exceed one"
    return 3.0 * x


@raising(bad=(-1.5, 2), good=(1.5, 2), grad=(6.75, None))
def down_a_recursion(x, n):
    if n == 0:
        if x < 0.0:
            raise KeyError("negative base")
        return x
    return x * down_a_recursion(x, n - 1)
