"""A least-squares fit on pieces of data, each on a rank of MPI:

    mpiexec -n 4 python examples/mpi_regression.py

Started without mpiexec, it starts two ranks by itself. Every rank runs the same SciPy on the same numbers, since all ranks get the gradient of all pieces, to the same bits.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

ROWS, PIECES = 2_000, 8
TRUTH = np.array([0.5, -2.0, 1.5])


def loss(w, t, seen):
    total = 0.0
    for i in range(t.size):
        total += (w[0] + w[1] * np.exp(-w[2] * t[i]) - seen[i]) ** 2
    return total


def piece(number):
    generator = np.random.default_rng(number)
    t = generator.uniform(0.0, 3.0, ROWS)
    return t, TRUTH[0] + TRUTH[1] * np.exp(-TRUTH[2] * t) + 0.1 * generator.normal(size=ROWS)


def main():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, size = comm.Get_rank(), comm.Get_size()
    first, last = rank * PIECES // size, (rank + 1) * PIECES // size
    own = [piece(number) for number in range(first, last)]  # this rank's, none if there are many ranks
    t, seen = [one for one, _ in own], [one for _, one in own]
    total = enzyme.cluster.value_and_grad(loss, over=("t", "seen"), comm=comm)
    found = minimize(total, np.ones(3), args=(t, seen), jac=True, method="L-BFGS-B")
    if rank == 0:
        print(f"weights on {size} ranks:", np.round(found.x, 3), "after", found.nit, "steps")


if __name__ == "__main__":
    if importlib.util.find_spec("mpi4py") is None:
        print("needs mpi4py and an MPI: pip install mpi4py mpich")
    elif {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"} & set(os.environ):
        main()
    else:
        places = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        mpiexec = shutil.which("mpiexec", path=places)
        if mpiexec is None:
            print("needs mpiexec: pip install mpich")
        else:
            command = [mpiexec, "-n", "2", sys.executable, __file__]
            print(subprocess.check_output(command, text=True), end="")
