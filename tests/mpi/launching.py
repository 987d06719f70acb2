"""Programs on several ranks, started by the mpiexec that is installed beside this Python."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import FOLDER

PROGRAMS = Path(__file__).parent / "programs"
MPIEXEC = Path(sys.prefix) / "bin" / "mpiexec"
OF_A_LAUNCHER = ("PMI", "MPI", "OMPI", "PMIX", "PRTE", "HYDRA")  # variables that tell a process that it is a rank

missing = [one for one in ("mpi4py", "numba_mpi") if importlib.util.find_spec(one) is None]
if not MPIEXEC.is_file():
    missing.append("mpiexec")
needs_mpi = pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)} (the extra mpi)")


@dataclass(frozen=True)
class Outcome:
    """What a program on several ranks did."""

    code: int
    out: str
    error: str

    @property
    def good(self) -> list[str]:
        return [one for one in self.out.splitlines() if one.startswith("good ")]

    def check(self, count: int) -> None:
        """Nothing is wrong, nothing failed, and so many claims were made."""
        wrong = [one for one in self.out.splitlines() if one.startswith("WRONG ")]
        assert not wrong, "\n".join(wrong)
        assert self.code == 0, self.error[-3000:] or self.out[-3000:]
        assert len(self.good) == count, self.out


def run(
    ranks: int, program: str, *arguments: str, limit: float = 600, timeout: float = 500
) -> Outcome:
    """Run a program on so many ranks; after `limit` seconds it is killed, which is a failed test."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(OF_A_LAUNCHER)
    }
    environment |= {
        "ENZYME_PY_MPI_TIMEOUT": str(timeout),
        "PYTHONPATH": str(PROGRAMS),
        "NUMBA_CACHE_DIR": str(Path(os.environ[FOLDER]) / "numba"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    # By `-m mpi4py` an exception on one rank ends all: docs/mpi.md.
    python = [sys.executable, "-m", "mpi4py"]
    command = [str(MPIEXEC), "-n", str(ranks), *python, str(PROGRAMS / program), *arguments]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, error = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, error = process.communicate()
        pytest.fail(f"{program} on {ranks} ranks hangs: killed after {limit} s\n{out}\n{error}")
    return Outcome(process.returncode, out, error)
