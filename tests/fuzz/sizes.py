"""Sizes and shapes of the kernels of shapes.py, as texts, and what is known of them when a kernel is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

Lines = list[str]
Sizes = tuple[str, ...]
STATEMENTS = (1, 1, 2, 2, 3, 3, 4, 5, 7)
NAMES = ("n", "k", "m", "u", "z")  # of sizes, in the order of the last argument
LARGEST = 5  # of n, k and m, for this count of numbers
MOST = 1500  # numbers in an array of the largest sizes
RANK = 5
LEVELS = 2  # of loops and branches in each other
EMPTY = 0.06  # of the kernels have an argument without numbers
_TRIED = (
    (1, 1, 1),
    (7, 11, 13),
    (4, 2, 3),
    (5, 9, 2),
)  # values of n, k and m; the first are the smallest


@cache
def values(size: str) -> tuple[int, ...]:
    """Return what a size is for some values of the arguments."""
    return tuple(eval(size, {"n": n, "k": k, "m": m, "u": 1, "z": 0}) for n, k, m in _TRIED)


def least(size: str) -> int:
    """Return the smallest value of a size."""
    return values(size)[0]


def is_one(size: str) -> bool:
    """Tell whether a size is always 1, and stretches to any other."""
    return set(values(size)) == {1}


def product(sizes: Sequence[str]) -> str:
    """Return the size of an array."""
    return " * ".join(f"({one})" if " " in one else one for one in sizes) or "1"


def is_alike(sizes: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether two arrays have the same shape."""
    return [values(one) for one in sizes] == [values(one) for one in others]


def stretches(sizes: Sequence[str], to: Sequence[str]) -> bool:
    """Tell whether NumPy stretches the first shape to the second."""
    if len(sizes) > len(to):
        return False
    pairs = zip(sizes[::-1], to[::-1], strict=False)
    return all(is_one(one) or values(one) == values(other) for one, other in pairs)


def together(sizes: Sizes, others: Sizes) -> Sizes | None:
    """Return the shape of the sum of two arrays, if there is one."""
    short, long = sorted((sizes, others), key=len)
    short = (*["1"] * (len(long) - len(short)), *short)
    found = []
    for one, other in zip(short, long, strict=True):
        if values(one) != values(other) and not (is_one(one) or is_one(other)):
            return None
        found.append(other if is_one(one) else one)
    return tuple(found)


@dataclass(frozen=True)
class Array:
    """An expression of an array: its text, its shape, whether nothing else holds its memory, whether Numba calls it C."""

    text: str
    sizes: Sizes
    is_new: bool = False
    is_c: bool = False

    @property
    def rank(self) -> int:
        """The number of its axes."""
        return len(self.sizes)


def bracketed(size: str) -> str:
    """Return a size as an operand."""
    return f"({size})" if " " in size else size
