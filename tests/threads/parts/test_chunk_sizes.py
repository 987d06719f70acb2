"""`numba.parallel_chunksize` in a kernel: it differentiates, on threads and with plain loops, and the size is set back."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import numba, numpy as np, enzyme_py as enzyme
from numba import prange

@numba.njit(parallel=True)
def fifth_powers(x):
    total = 0.0
    with numba.parallel_chunksize(4):
        for i in prange(x.size):
            total += x[i] ** 5 * numba.get_parallel_chunksize()
    return total

x = np.linspace(0.1, 1.0, 100)
with enzyme.config(threads=THREADS):
    np.testing.assert_allclose(enzyme.grad(fifth_powers)(x), 20.0 * x**4, rtol=1e-13)
assert numba.get_parallel_chunksize() == 0
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_in_a_new_process(threads: int) -> None:
    subprocess.run([sys.executable, "-c", SCRIPT.replace("THREADS", str(threads))], check=True)
