"""A program of several ranks, which test_mpi.py starts: `mpiexec -n 2 python -m tests.cluster.ranks`. Rank 0 prints what all found."""

from __future__ import annotations

import json
import sys

import numpy as np
from mpi4py import MPI

import enzyme_py as enzyme
from enzyme_py.cluster import work
from tests.cluster.kernels import OVER, cut, data, logistic, residual

COMM = MPI.COMM_WORLD
RANK, SIZE = COMM.Get_rank(), COMM.Get_size()
COUNT = 7
W, X, Y = data(50)


def own(parts):
    """Return the pieces of this rank: those behind its part of the list, of which rank 1 has none if there are four."""
    ends = [0, *np.linspace(0, COUNT, SIZE + 1).astype(int)[1:]]
    if SIZE == 4:
        ends[2] = ends[1]
    return parts[ends[RANK] : ends[RANK + 1]]


def logistic_but(w, X, y):
    if X.shape[0] == 8 and y[0] > 2.0:
        raise ValueError("not this one")
    return logistic(w, X, y)


def told(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error.args[0]), getattr(error, "__notes__", [])]
    return ["nothing", "", []]


def say(name, found):
    """Print what rank 0 found, and whether it is what all others found."""
    all_of_them = COMM.gather(found)
    if RANK == 0:
        print(json.dumps({name: found, "same": all(one == found for one in all_of_them)}), flush=True)


def bits(value):
    return [np.asarray(one).tobytes().hex() for one in (value if isinstance(value, tuple) else (value,))]


def main():
    xs, ys = own(cut(X, COUNT)), own(cut(Y, COUNT))
    both = enzyme.cluster.value_and_grad(logistic, over=OVER, comm=COMM)
    say("value_and_grad", bits(both(W, xs, ys)))
    say("jvp", bits(enzyme.cluster.jvp(residual, over=OVER, comm=COMM)(W, np.ones_like(W), xs, ys)))
    say("compiled", sum(COMM.allgather([one.outcome for one in enzyme.inspect.finished()].count("kept"))))
    wrong = [y.copy() for y in ys]
    if RANK == SIZE - 1:
        wrong[-1][0] = 3.0
    X8 = [np.resize(one, (8, one.shape[1])) for one in xs]
    y8 = [np.resize(one, 8) for one in wrong]
    failing = enzyme.cluster.value_and_grad(logistic_but, over=OVER, comm=COMM)
    say("error", told(lambda: failing(W, X8, y8)))
    say("other arguments", told(lambda: both(W + RANK, xs, ys)))
    say("nothing", told(lambda: both(W, [], [])))
    if RANK == 1:
        work.versions.cache_clear()
        true = dict(work.versions())
        sys.modules["enzyme_py.cluster.derivatives"].versions = lambda: tuple((true | {"numba": "0.1"}).items())
    say("versions", told(lambda: both(W, xs, ys)))


if __name__ == "__main__":
    main()
