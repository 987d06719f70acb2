"""Slices, rows and broadcast arrays at random, in loops long enough for all versions of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.native.sums.slices import OnSlices
from tests.passes.memory.test_random_nests import function
from tests.rotation import sweep


@pytest.mark.parametrize("seed", sweep(range(400), every=200, first=100))
def test_gradients(seed: int, tmp_path: Path) -> None:
    f = function(OnSlices(seed).text, tmp_path)
    gradient, draw = enzyme.grad(f), np.random.default_rng(seed)
    for shape in ((34, 3), (20, 34), (3, 5), (34, 4)):
        x, v = draw.uniform(0.2, 1.0, shape), draw.normal(size=shape)
        for array in (x, np.asfortranarray(x)) if shape == (34, 3) else (x,):
            expected = f(array + 1e-200j * v, shape[0], 2).imag / 1e-200
            assert np.sum(gradient(array, shape[0], 2) * v) == pytest.approx(expected, rel=1e-10, abs=1e-12)
    x, v = draw.uniform(0.2, 1.0, (34, 3)), draw.normal(size=(34, 3))
    product = enzyme.hvp(f, x, v, 34, 1)
    expected = enzyme.jvp(gradient, (x, 34, 1), (v, 0, 0))[1]
    np.testing.assert_allclose(product, expected, rtol=1e-9, atol=1e-10)
