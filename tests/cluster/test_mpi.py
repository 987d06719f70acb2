"""Ranks of a real mpiexec: the bits of one process, on every rank; an error on every rank, and no hang."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.cluster.kernels import OVER, cut, data, logistic, residual, rows, slopes

pytest.importorskip("mpi4py")
dask = pytest.importorskip("dask")  # for the bits of one process

MPIEXEC = shutil.which("mpiexec", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
ROOT = Path(__file__).resolve().parents[2]
W, X, Y = data(50)
PIECES = cut(X, 7), cut(Y, 7)

pytestmark = pytest.mark.skipif(MPIEXEC is None, reason="there is no mpiexec")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def run(count, folder):
    """Return what a program of so many ranks said; MPICH and Open MPI have different words for more ranks than cores."""
    environment = {
        **os.environ,
        "ENZYME_PY_CACHE_DIR": str(folder),
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    command = [MPIEXEC, "-n", str(count), sys.executable, "-m", "tests.cluster.ranks"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(one.pop("same") for one in found)
    return {name: value for one in found for name, value in one.items()}


def bits(value):
    return [np.asarray(one).tobytes().hex() for one in value]


@pytest.mark.parametrize("count", [2, 4, pytest.param(1, marks=pytest.mark.full)])
def test_ranks_give_the_bits_of_one_process(count, folder):
    is_first = not any(folder.iterdir())
    found = run(count, folder)
    with dask.config.set(scheduler="synchronous"):
        value, gradient = enzyme.cluster.value_and_grad(logistic, over=OVER)(W, *PIECES)
        along = enzyme.cluster.jvp(residual, over=OVER)(W, np.ones_like(W), *PIECES)
    assert np.allclose(gradient, slopes(W, X, Y)[1]) and np.allclose(along[1], rows(W, X, Y)[1].sum(axis=1))
    assert found["value_and_grad"] == bits((value, gradient))
    assert found["jvp"] == bits(along)
    assert found["compiled"] == (2 if is_first else 0)  # each derivative once, whatever the number of ranks
    kind, text, notes = found["error"]
    assert (kind, text) == ("ValueError", "not this one")
    assert notes == ["in piece 6 of the data of `logistic_but`", f"on rank {count - 1}"]
    assert "no pieces" in found["nothing"][1]
    if count > 1:
        others = ", ".join(map(str, range(1, count)))
        assert f"what rank 0 gave for `logistic` is not what rank {others} gave" in found["other arguments"][1]
        assert "numba 0.1 on rank 1" in found["versions"][1]
    else:
        assert found["other arguments"][0] == found["versions"][0] == "nothing"
