"""Searches whose inner loops look closer at some rows: nothing in them is differentiated, and all memory is given back right."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

WORDS = ("Plastic coated", "Carbon steel, honed bare", "Cement lining", "Carbon steel, bare", "Fiberglass", "Cr13, bare", "Zinc plate")
SIZES = (5e-6, 12.5e-6, 33e-6, 36e-6, 38e-6, 55e-6, 70e-6)


def looked_up(word, x):
    try:
        size = SIZES[WORDS.index(word)]
    except Exception:
        raise KeyError("no such word")  # noqa: B904  # Numba knows no `from`
    return size * x * x


def found_row(rows, key, x):
    i = 0
    while True:
        if rows[i, 0] == key[0]:
            k = 0
            while k < len(key) and rows[i, k] == key[k]:
                k += 1
            if k == len(key):
                break
        i += 1
    rows[0, 0] = i
    return x * x * (i + 1)


def found_with_an_array(rows, key, x):
    i = 0
    while True:
        if rows[i, 0] == key[0]:
            rest = np.zeros(2, np.int64)
            rest[0] = rows[i, 1]
            rest[1] = rows[i, 2]
            rest[rows[i, 3]] += 1
            if rest[0] == key[1] and rest[1] == key[2]:
                break
        i += 1
    rows[0, 0] = i
    return x * x * (i + 1)


@pytest.mark.parametrize("place", range(len(WORDS)))
def test_a_word_among_words(place: int) -> None:
    """Of fluids: the first word has another length than the one that is found, so its letters are not looked at."""
    slopes = enzyme.grad(looked_up, argnums=1)
    assert slopes(WORDS[place], 3.0) == pytest.approx(6.0 * SIZES[place], rel=1e-15)
    assert enzyme.jvp(slopes, (WORDS[place], 3.0), (None, 1.0))[1] == pytest.approx(2.0 * SIZES[place], rel=1e-15)


@pytest.mark.parametrize("row", range(4))
def test_a_row_of_integers(row: int) -> None:
    """What is read is overwritten behind the search, so it is cached."""
    rows = np.array([[1, 2, 3], [4, 5, 6], [4, 5, 7], [4, 1, 2]])
    assert enzyme.grad(found_row, argnums=2)(rows.copy(), rows[row].copy(), 3.0) == 6.0 * (row + 1)


@pytest.mark.parametrize("row", range(4))
def test_a_row_beside_an_array_of_its_iteration(row: int) -> None:
    """The first iteration may make none, and its place held no address."""
    rows = np.array([[1, 2, 3, 0], [4, 5, 6, 1], [4, 5, 8, 1], [4, 1, 2, 0]])
    key = rows[row, :3].copy()
    key[1 + rows[row, 3]] += 1
    assert enzyme.grad(found_with_an_array, argnums=2)(rows.copy(), key, 3.0) == 6.0 * (row + 1)
