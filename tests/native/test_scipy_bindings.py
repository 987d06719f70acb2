"""SciPy's bindings of BLAS by themselves: who imports them or the package later finds what it would have found."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOADED = """
import sys
from enzyme_py.foundations.scipy_bindings import bindings, capsules
found = bindings()
assert "scipy.linalg" not in sys.modules
"""
LATER = {
    "the module": "import scipy.linalg.cython_blas\nassert scipy.linalg.cython_blas is found[1]",
    "from the package": "from scipy.linalg import cython_blas, cython_lapack\nassert cython_lapack is found[0]",
    "under a name": "import scipy.linalg.cython_lapack as one\nassert one is found[0]",
    "the package": "import scipy.linalg\nassert scipy.linalg.cython_blas is found[1]",
    "the package, and what it does": "import numpy as np, scipy.linalg\n"
    "assert abs(scipy.linalg.det(2.0 * np.eye(3)) - 8.0) < 1e-12",
    "another package that uses it": "import scipy.optimize\n"
    "assert scipy.optimize.minimize(lambda x: x[0]**2, [1.0]).success",
    "numba": "import numba, numpy as np\n"
    "assert numba.njit(lambda a: np.linalg.solve(a, a @ a))(np.eye(2))[1, 1] == 1.0",
    "twice": "assert bindings() == found",
}


def run(text: str) -> None:
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("later", LATER)
def test_later_imports(later) -> None:
    run(LOADED + LATER[later])


def test_the_pointers_are_those_of_the_usual_import() -> None:
    text = """
import scipy.linalg.cython_blas as blas, scipy.linalg.cython_lapack as lapack
usual = {**lapack.__pyx_capi__, **blas.__pyx_capi__}
from enzyme_py.foundations.scipy_bindings import bindings, capsules
assert bindings() == [lapack, blas]
assert set(capsules()) == set(usual) and "dgemm" in usual and "dgesv" in usual
"""
    run(text)


def test_an_unusual_installation_is_imported_as_usual() -> None:
    text = """
import sys
from enzyme_py.foundations import scipy_bindings
scipy_bindings.PathFinder = type("Finder", (), {"find_spec": staticmethod(lambda *given: None)})
assert [one.__name__ for one in scipy_bindings.bindings()] == ["scipy.linalg.cython_lapack", "scipy.linalg.cython_blas"]
assert "scipy.linalg" in sys.modules
"""
    run(text)


def test_a_finished_product_of_matrices_imports_no_package(tmp_path) -> None:
    text = f"""
import sys
import numpy as np
import enzyme_py as enzyme
enzyme.config(cache_dir={str(tmp_path)!r})

def f(a):
    return np.sum(np.linalg.inv(a @ a))

found = enzyme.grad(f)(np.eye(2) * 2.0)
assert abs(found[0, 0] + 0.25) < 1e-12, found  # d(x^-2) = -2 x^-3
print("scipy.linalg" in sys.modules)
"""
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "False"
