"""Who runs the pieces: Dask, or the ranks of an MPI communicator. Each brings its own scheduling and transport.

With Dask, each piece is a task, and so is each sum of eight nodes of the tree (sums.py): the client gets one result.
What becomes rows goes to the client from each piece.

With MPI, each rank adds up its own pieces as far as the tree allows, which leaves some nodes for each level. Rank 0 takes these in the
order of the ranks, and sends all the result. Before, all ranks compare what must be the same, and behind their pieces
they tell each other what was raised: so an error is raised on every rank, and nobody waits for one that gave up.
"""

from __future__ import annotations

import hashlib
import importlib
import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme_py.cluster.sums import FAN, Nodes, Nothing, joined, summed
from enzyme_py.cluster.work import Job, check_versions, on_piece, one_piece
from enzyme_py.errors import EnzymeError, Where

_TAG = 6174  # of our messages; others of the user's communicator are left alone


def library(name: str) -> Any:
    """Return a library that the extra `cluster` brings, or say so."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = f'enzyme_py.cluster needs {name}, which is not installed: pip install "enzyme_py[cluster]"'
        raise ImportError(message) from error


def no_pieces(label: str) -> EnzymeError:
    """Return what is raised where there is nothing to add up."""
    message = f"there are no pieces: what stands for the data of `{label}` is empty"
    return EnzymeError(message, where=Where(kernel=label), remedy="give at least one piece")


def by_dask(job: Job, shared: tuple[Any, ...], pieces: Sequence[tuple[Any, ...]]) -> Any:
    """Return the result over all pieces, by whatever runs Dask's graphs."""
    dask = library("dask")
    in_common = dask.delayed(job, traverse=False), dask.delayed(shared, traverse=False)
    work = dask.delayed(on_piece, pure=False)
    nodes = [work(*in_common, number, *piece) for number, piece in enumerate(pieces)]
    if not job.wanted.is_sum:
        return _whole(joined_or_nothing(dask.compute(*nodes)), job)
    add = dask.delayed(sum_of, pure=False)
    while len(nodes) > 1:
        nodes = [add(*nodes[first : first + FAN]) for first in range(0, len(nodes), FAN)]
    return _whole(dask.compute(nodes[0])[0], job)


def sum_of(*nodes: Any) -> Any:
    """Return the sum of neighbours in the tree, on a worker of Dask's."""
    return summed(nodes)


def by_mpi(
    comm: Any,
    run: Callable[..., Any],
    job: Job,
    shared: tuple[Any, ...],
    pieces: Sequence[tuple[Any, ...]],
) -> Any:
    """Return the result over the pieces of all ranks, on every rank."""
    counts = _agreed(comm, job, shared, len(pieces))
    first = sum(counts[: comm.Get_rank()])
    nodes, parts, error = Nodes(), [], None
    try:
        for number, piece in enumerate(pieces, first):
            found = one_piece(run, job, shared, number, _present(piece))
            if job.wanted.is_sum:
                nodes.add(0, number, found)
            else:
                parts.append(found)
    except Exception as raised:  # noqa: BLE001  (it is raised on every rank, below)
        error = raised
    _raise_together(comm, error)
    if not job.wanted.is_sum:
        return _whole(joined_or_nothing([one for rank in comm.allgather(parts) for one in rank]), job)
    if comm.Get_rank():
        comm.send(list(nodes.known.items()), dest=0, tag=_TAG)
        found = comm.bcast(None)
    else:
        found = comm.bcast(_total(comm, nodes, sum(counts)))
    if isinstance(found, EnzymeError):
        raise found
    return _whole(found, job)


def _total(comm: Any, nodes: Nodes, count: int) -> Any:
    """Return the sum of the nodes of all ranks, or an error that all shall raise, since they wait for an answer."""
    sent = [comm.recv(source=rank, tag=_TAG) for rank in range(1, comm.Get_size())]
    try:
        for one in sent:
            nodes.merge(one)
        return nodes.total(count)
    except Exception as error:  # noqa: BLE001  (whatever numbers of users' types may do)
        message = f"the results of pieces cannot be added: {error!r}"
        return EnzymeError(message, remedy="return numbers of one type for every piece")


def joined_or_nothing(parts: Sequence[Any]) -> Any:
    """Return the results of pieces as one, if there is any."""
    return joined(parts) if any(not isinstance(one, Nothing) for one in parts) else Nothing()


def _whole(found: Any, job: Job) -> Any:
    if isinstance(found, Nothing):
        raise no_pieces(job.label)
    return found


def _present(piece: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a piece of this rank; one that Dask reads is read now."""
    dask = sys.modules.get("dask")
    if dask is None:
        return piece
    found: tuple[Any, ...] = dask.compute(piece, scheduler="synchronous")[0]
    return found


def _agreed(comm: Any, job: Job, shared: tuple[Any, ...], count: int) -> list[int]:
    """Return how many pieces each rank has, if all ranks ask the same of the same values."""
    digest = hashlib.sha256(repr((job.wanted, job.label, job.over)).encode())
    _write(digest, shared)
    told = comm.allgather((count, job.versions, digest.hexdigest()))
    for rank, (_, theirs, _) in enumerate(told):
        if theirs != told[0][1]:
            check_versions(told[0][1], f"rank {rank}", theirs)
    others = [str(rank) for rank, (_, _, digest) in enumerate(told) if digest != told[0][2]]
    if others:
        message = f"ranks ask for different things: what rank 0 gave for `{job.label}` is not what rank {', '.join(others)} gave"
        remedy = "give all ranks the same arguments beside their pieces: x = comm.bcast(x)"
        raise EnzymeError(message, where=Where(kernel=job.label), remedy=remedy)
    counts = [one for one, _, _ in told]
    if not sum(counts):
        raise no_pieces(job.label)
    return counts


def _write(digest: Any, value: Any) -> None:
    """Write an argument into a digest: arrays by what is in them, whatever memory they lie in."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        digest.update(repr((value.dtype.str, value.shape)).encode())
        digest.update(value.tobytes())
    elif isinstance(value, (tuple, list, dict)):
        digest.update(repr((type(value).__name__, len(value))).encode())
        for one in value.items() if isinstance(value, dict) else value:
            _write(digest, one)
    else:
        digest.update(pickle.dumps(value))


def _raise_together(comm: Any, error: Exception | None) -> None:
    """Raise the error of the lowest rank that has one, on every rank."""
    told = comm.allgather(None if error is None else _portable(error))
    for rank, sent in enumerate(told):
        if sent is not None:
            is_own = rank == comm.Get_rank() and error is not None
            raised: Exception = error if is_own else pickle.loads(sent)  # type: ignore[assignment]  # noqa: S301  (of a rank)
            raised.add_note(f"on rank {rank}")
            raise raised


def _portable(error: Exception) -> bytes:
    """Return an exception as bytes that another rank can read."""
    try:
        sent = pickle.dumps(error)
        pickle.loads(sent)  # noqa: S301  (our own)
    except Exception:  # noqa: BLE001  (classes of users may do anything there)
        other = EnzymeError(f"a piece raised {error!r}", remedy="see the rank that it was raised on")
        for note in getattr(error, "__notes__", ()):
            other.add_note(note)
        sent = pickle.dumps(other)
    return sent
