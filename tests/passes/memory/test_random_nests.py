"""Nests of loops at random: what is copied in front of them, read once more behind them, or cached."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.passes.memory.nests import Nest
from tests.rotation import sweep

X = np.array([0.31, 0.87, 0.52, 0.95, 0.14])


@pytest.mark.parametrize("seed", sweep(range(300), every=40))
def test_gradients(seed: int, tmp_path: Path) -> None:
    f = function(Nest(seed).text, tmp_path)
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
