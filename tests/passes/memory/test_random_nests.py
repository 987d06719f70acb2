"""Nests of loops at random: what is copied in front of them, read once more behind them, or cached."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.passes.memory.nests import Nest, NestInPlace
from tests.rotation import sweep

X = np.array([0.31, 0.87, 0.52, 0.95, 0.14])


KINDS = pytest.mark.parametrize("kind", [Nest, NestInPlace])


@KINDS
@pytest.mark.parametrize("seed", sweep(range(400), every=80))
def test_gradients(kind: type[Nest], seed: int, tmp_path: Path) -> None:
    f = function(kind(seed).text, tmp_path)
    gradient = enzyme.grad(f)
    for steps in (3, 0):
        expected = [f(X + 1e-200j * unit, X.size, steps).imag / 1e-200 for unit in np.eye(X.size)]
        np.testing.assert_allclose(gradient(X, X.size, steps), expected, rtol=1e-11, atol=1e-13)


def function(text: str, folder: Path) -> Any:
    file = folder / "nest.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("nest", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def inner_from_outer(x, n, steps):
    """`u[i, 1]` is written by no later j of this i, but in the next step."""
    u = np.zeros((x.size, 2), x.dtype)
    u[:, 0], u[:, 1] = 0.3 * x, 0.4 * x
    total = 0.0 * x[0]
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n - 1):
                total += 0.1 * u[(j + 1) % n, 0] * u[j, -1]
                u[j, 1] = 0.8 * u[j, 1] + 0.1 * u[i, 1] * u[(j + 1) % n, 1]
    return total + np.sum(u)


def begins_further_on(x, n, steps):
    """j goes by twos, but begins one further on for the next i: what an even j reads, an odd one writes."""
    u = 0.4 * x
    total = 0.0 * x[0]
    for i in range(n):
        for j in range(i + 1, n, 2):
            total += u[j] * u[j - 1]
            u[j] = 0.5 * np.sin(u[j]) + 0.2 * u[j - 1] ** 2
    return total + steps * u[n - 1]


def rows_in_turn(x, n, steps):
    """The next row is read by its number modulo n, and written when its turn comes."""
    u = np.zeros((x.size, n), x.dtype)
    for i in range(n):
        u[i, :] = x[i] * 0.4
    total = 0.0 * x[0]
    if n > 1:
        for i in range(n - 1):
            for j in range(n - 2, -1, -1):
                total += u[i, -1] / (1.5 + u[min(j + 1, n - 1), -1] ** 2)
                u[i, j] = 0.8 * u[i, j] + 0.1 * u[(i + 1) % n, -1] * u[(i + 1) % n, 0]
    return total + steps * np.sum(u)


@pytest.mark.parametrize("f", [inner_from_outer, begins_further_on, rows_in_turn])
def test_what_was_wrong_once(f: Any) -> None:
    """Found by the nests above: what scalar evolution told Enzyme, and where counters begin."""
    expected = [f(X + 1e-200j * unit, X.size, 3).imag / 1e-200 for unit in np.eye(X.size)]
    np.testing.assert_allclose(enzyme.grad(f)(X, X.size, 3), expected, rtol=1e-12)
