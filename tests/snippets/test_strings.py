"""Strings that choose: arguments and variables whose methods a kernel asks, `if method.lower() == "fast"`."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([1.0, 2.0, -0.5])


def upper(x, word):
    return x * 2.0 if word.upper() == "TWICE" else x * 3.0


def lower(x, word):
    return x * 2.0 if word.lower() == "twice" else x * 3.0


def parts(x, word):
    y = x.copy()
    for part in word.split(","):
        y *= 2.0 if part.title() == "Twice" else 3.0
    return y


def stripped(x, word):
    return x * 2.0 if word.strip(" .").startswith("Twi") and word.find("ce") > 0 and word.replace("c", "").count("i") == 1 else x * 3.0


def ends(x, word):
    return np.trim_zeros(np.append(x, 0.0), word) * 2.0


def kinds(x, word):
    return x * (2.0 if word.isalpha() and not word.isupper() else 3.0)


@pytest.mark.parametrize(
    ("kernel", "word", "factor"),
    [
        (upper, "Twice", 2.0), (upper, "thrice", 3.0), (lower, "TWICE", 2.0), (kinds, "twice", 2.0), (parts, "twice,thrice", 6.0),
        (stripped, " Twice.", 2.0), (ends, "fb", 2.0), (ends, "B", 2.0),
        (kinds, "TWICE", 3.0), (upper, "straße", 3.0),
    ],
)  # fmt: skip
def test_words_that_choose(kernel, word, factor):
    value, tangent = enzyme.jvp(kernel, (X, word), (np.ones(3), None))
    assert np.allclose(value, factor * X)
    assert np.allclose(tangent, factor)
    slopes, none = enzyme.vjp(kernel, X, word)[1](np.array([1.0, 0.0, 2.0]))
    assert np.allclose(slopes, factor * np.array([1.0, 0.0, 2.0]))
    assert none is None


def power(x, kind):
    """Return sums of powers, by a word that is asked in each turn: in reverse over reverse its comparison was a loop over letters."""
    total = 0.0
    for i in range(len(x)):
        if kind == "cube":
            total += x[i] ** 3
        elif kind != "none" and "qu" in kind:
            total += x[i] ** 2
    return total


@pytest.mark.parametrize(("kind", "second"), [("cube", 6.0 * X), ("square", np.full(3, 2.0)), ("none", np.zeros(3))])
def test_second_derivatives_of_what_a_word_chooses(kind, second):
    gradient = enzyme.grad(power)

    def along(x, v, word):
        return np.sum(gradient(x, word) * v)

    v = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose(enzyme.grad(along)(X, v, kind), second * v, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(gradient, (X, kind), (v, None))[1], second * v, rtol=1e-14)
