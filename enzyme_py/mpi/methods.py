"""mpi4py's communicators in kernels: registered when the type of one is first asked for (frontend/target/teaching.py).

A communicator is an argument, or captured; MPI.COMM_WORLD may be a global variable. Its methods have the parameters of mpi4py.
They serve code of Numba's own target too, where nothing else does, so a kernel may be called as it is.

Arrays are sent in the order in which they lie in memory, as mpi4py does. Those of lower case, which pickle objects, are here for
numbers and arrays alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numpy as np
from mpi4py import MPI
from numba.core import types
from numba.extending import (
    overload,
    overload_attribute,
    overload_method,
)

from enzyme_py.frontend.target.mpi_calls import Communicator, InPlace
from enzyme_py.mpi import works
from enzyme_py.mpi.collective import shared, sum_scattered, summed
from enzyme_py.mpi.library import mpi_address
from enzyme_py.mpi.operations import (
    ReceiveRequest,
    SendRequest,
    barrier,
    begin_receive,
    begin_send,
    broadcast,
    check_arrays,
    exchange,
    fill,
    gather,
    is_left_out,
    receive,
    reduced,
    reduction,
    refuse,
    scatter,
    send,
    wait,
)
from enzyme_py.mpi.values import handle_of, register_values
from enzyme_py.mpi.works import EVERYBODY, c_rank, c_size

_SUM, _ANYBODY, _ANY_TAG = MPI.SUM, int(MPI.ANY_SOURCE), int(MPI.ANY_TAG)
_OUTSIDE = "call it outside of the kernel, and pass what it returns"
_INSTEAD = {
    "Ssend": "call Send",
    "Bsend": "call Send",
    "Rsend": "call Send",
    "Issend": "call Isend",
    "Ibsend": "call Isend",
    "Irsend": "call Isend",
    "send": "send an array: comm.Send(x, dest)",
    "recv": "receive into an array: comm.Recv(x, source=0)",
    "sendrecv": "exchange arrays: comm.Sendrecv(x, dest, recvbuf=y, source=0)",
    "isend": "send an array: comm.Isend(x, dest)",
    "irecv": "receive into an array: comm.Irecv(x, source=0)",
    "reduce": "reduce into an array, comm.Reduce(x, y), or call comm.allreduce(x)",
    "gather": "gather into an array: comm.Gather(x, y)",
    "allgather": "gather into an array: comm.Allgather(x, y)",
    "scatter": "scatter into an array: comm.Scatter(x, y)",
    "Alltoall": "send and receive one array after the other: comm.Sendrecv(x, dest, recvbuf=y, source=0)",
    "Gatherv": "gather arrays of one size, Gather, or send them: Isend, Irecv",
    "Allgatherv": "gather arrays of one size, Allgather, or broadcast one after the other",
    "Scatterv": "scatter arrays of one size, Scatter, or send them: Isend, Irecv",
    "Iallreduce": "call Allreduce",
    "Ireduce": "call Reduce",
    "Ibcast": "call Bcast",
    "Ibarrier": "call Barrier",
    "Igather": "call Gather",
    "Iallgather": "call Allgather",
    "Iscatter": "call Scatter",
    "Sendrecv_replace": "call Sendrecv with two arrays",
}


# ---- arrays in the order of memory ----


def in_memory(x):
    """Return an array as it lies in memory: its transposed, of one in Fortran's order; only in compiled code."""
    raise RuntimeError


@overload(in_memory, strict=False, jit_options={"forceinline": True})
def _in_memory(x):
    if isinstance(x, types.Array) and x.layout == "F" and x.ndim > 1:
        return lambda x: x.T
    return lambda x: x


# ---- messages ----


def _check_status(name: str, status: Any) -> None:
    if not is_left_out(status):
        refuse(name, "is given a status", "leave it out: who sends and how much is known")


def _check_source(name: str, source: Any) -> None:
    if isinstance(source, types.Omitted | int):
        remedy = f"name the rank: {name}(x, source=0)"
        refuse(name, "receives from any rank, which the reverse sweep cannot answer in order", remedy)


def _send(comm, buf, dest, tag=0):
    check_arrays("comm.Send", buf)

    def of_kernels(comm, buf, dest, tag=0):
        send(in_memory(buf), dest, tag, handle_of(comm))

    return of_kernels


def _receive(comm, buf, source=_ANYBODY, tag=_ANY_TAG, status=None):
    check_arrays("comm.Recv", buf)
    _check_source("comm.Recv", source)
    _check_status("comm.Recv", status)

    def of_kernels(comm, buf, source=_ANYBODY, tag=_ANY_TAG, status=None):
        receive(in_memory(buf), source, tag, handle_of(comm))

    return of_kernels


def _exchange(comm, sendbuf, dest, sendtag=0, recvbuf=None, source=_ANYBODY, recvtag=_ANY_TAG, status=None):
    if is_left_out(recvbuf):
        refuse("comm.Sendrecv", "has no recvbuf", "give it an array to be filled: recvbuf=y")
    check_arrays("comm.Sendrecv", sendbuf, recvbuf)
    _check_source("comm.Sendrecv", source)
    _check_status("comm.Sendrecv", status)

    def of_kernels(comm, sendbuf, dest, sendtag=0, recvbuf=None, source=_ANYBODY, recvtag=_ANY_TAG, status=None):
        exchange(in_memory(sendbuf), dest, sendtag, in_memory(recvbuf), source, recvtag, handle_of(comm))

    return of_kernels


def _begin_send(comm, buf, dest, tag=0):
    check_arrays("comm.Isend", buf)
    return lambda comm, buf, dest, tag=0: begin_send(in_memory(buf), dest, tag, handle_of(comm))


def _begin_receive(comm, buf, source=_ANYBODY, tag=_ANY_TAG):
    check_arrays("comm.Irecv", buf)
    _check_source("comm.Irecv", source)
    return lambda comm, buf, source=_ANYBODY, tag=_ANY_TAG: begin_receive(in_memory(buf), source, tag, handle_of(comm))


def _wait(request, status=None):
    if getattr(request, "instance_class", None) not in (SendRequest, ReceiveRequest):
        return None
    _check_status("request.Wait", status)
    return lambda request, status=None: wait(request)


# ---- collective operations ----


def _barrier(comm):
    return lambda comm: barrier(handle_of(comm))


def _broadcast(comm, buf, root=0):
    check_arrays("comm.Bcast", buf)

    def of_kernels(comm, buf, root=0):
        broadcast(in_memory(buf), root, handle_of(comm))

    return of_kernels


def _over(name: str, dtype: Any, op: Any) -> Any:
    return reduction(name, dtype, op, _SUM, "write it where it is called: op=MPI.MIN")


def _reduce(comm, sendbuf, recvbuf, op=_SUM, root=0):
    over = _check_reduction("comm.Reduce", sendbuf, recvbuf, op)

    def of_kernels(comm, sendbuf, recvbuf, op=_SUM, root=0):
        reduced(in_memory(sendbuf), in_memory(recvbuf), root, handle_of(comm), over)

    return of_kernels


def _allreduce(comm, sendbuf, recvbuf, op=_SUM):
    over = _check_reduction("comm.Allreduce", sendbuf, recvbuf, op)

    def of_kernels(comm, sendbuf, recvbuf, op=_SUM):
        reduced(in_memory(sendbuf), in_memory(recvbuf), EVERYBODY, handle_of(comm), over)

    return of_kernels


def _check_reduction(name: str, sent: Any, received: Any, op: Any) -> Any:
    """Return what reduces, after a look at what is sent."""
    arrays = [one for one in (sent, received) if not isinstance(one, InPlace) and not is_left_out(one)]
    check_arrays(name, *(arrays or [received]))
    return _over(name, arrays[0].dtype, op)


def _reduce_scatter(comm, sendbuf, recvbuf, op=_SUM):
    name = "comm.Reduce_scatter_block"
    check_arrays(name, sendbuf, recvbuf)
    if _over(name, recvbuf.dtype, op) is not summed:
        refuse(name, "takes MPI.SUM alone", "call comm.Allreduce, and take this rank's part")

    def of_kernels(comm, sendbuf, recvbuf, op=_SUM):
        number = handle_of(comm)
        if sendbuf.size != recvbuf.size * c_size(number):
            raise ValueError("MPI: what is sent has not as many blocks as there are ranks")
        fill(in_memory(recvbuf), sum_scattered(in_memory(sendbuf).ravel(), recvbuf.size, number))

    return of_kernels


def _gather(comm, sendbuf, recvbuf, root=0):
    if is_left_out(recvbuf):
        check_arrays("comm.Gather", sendbuf)

        def to_others(comm, sendbuf, recvbuf, root=0):
            gather(in_memory(sendbuf), np.empty(0, sendbuf.dtype), root, handle_of(comm))

        return to_others
    check_arrays("comm.Gather", sendbuf, recvbuf)

    def of_kernels(comm, sendbuf, recvbuf, root=0):
        gather(in_memory(sendbuf), in_memory(recvbuf), root, handle_of(comm))

    return of_kernels


def _allgather(comm, sendbuf, recvbuf):
    check_arrays("comm.Allgather", sendbuf, recvbuf)

    def of_kernels(comm, sendbuf, recvbuf):
        gather(in_memory(sendbuf), in_memory(recvbuf), EVERYBODY, handle_of(comm))

    return of_kernels


def _scatter(comm, sendbuf, recvbuf, root=0):
    if is_left_out(sendbuf):
        check_arrays("comm.Scatter", recvbuf)

        def from_others(comm, sendbuf, recvbuf, root=0):
            scatter(np.empty(0, recvbuf.dtype), in_memory(recvbuf), root, handle_of(comm))

        return from_others
    check_arrays("comm.Scatter", sendbuf, recvbuf)

    def of_kernels(comm, sendbuf, recvbuf, root=0):
        scatter(in_memory(sendbuf), in_memory(recvbuf), root, handle_of(comm))

    return of_kernels


# ---- of lower case: numbers and arrays are returned ----


def _check_object(name: str, kind: Any) -> bool:
    """Tell whether an object is a number, and raise if it is neither that nor an array."""
    is_number = isinstance(kind, types.Float | types.Complex)
    if isinstance(kind, types.Integer | types.Boolean):
        refuse(name, f"of {kind} has no derivative", "give it a float, float(n), or call it outside of the kernel")
    if not is_number:
        check_arrays(name, kind)
    return is_number


def _allreduce_object(comm, sendobj, op=_SUM):
    is_number = _check_object("comm.allreduce", sendobj)
    over = _over("comm.allreduce", sendobj if is_number else sendobj.dtype, op)
    if is_number:
        return lambda comm, sendobj, op=_SUM: over(np.array([sendobj]), EVERYBODY, handle_of(comm))[0]
    if over is not summed:
        refuse("comm.allreduce", "of an array takes MPI.SUM alone", "call comm.Allreduce(x, y, op=MPI.MIN)")
    return lambda comm, sendobj, op=_SUM: over(sendobj.ravel(), EVERYBODY, handle_of(comm)).reshape(sendobj.shape)


def _broadcast_object(comm, obj, root=0):
    if _check_object("comm.bcast", obj):
        return lambda comm, obj, root=0: shared(np.array([obj]), root, handle_of(comm))[0]
    return lambda comm, obj, root=0: shared(obj.ravel(), root, handle_of(comm)).reshape(obj.shape)


# ---- what is registered ----

_METHODS: dict[str, Callable[..., Any]] = {
    "Send": _send,
    "Recv": _receive,
    "Sendrecv": _exchange,
    "Isend": _begin_send,
    "Irecv": _begin_receive,
    "Barrier": _barrier,
    "barrier": _barrier,
    "Bcast": _broadcast,
    "Reduce": _reduce,
    "Allreduce": _allreduce,
    "Reduce_scatter_block": _reduce_scatter,
    "Gather": _gather,
    "Allgather": _allgather,
    "Scatter": _scatter,
    "allreduce": _allreduce_object,
    "bcast": _broadcast_object,
    "Get_rank": lambda comm: lambda comm: c_rank(handle_of(comm)),
    "Get_size": lambda comm: lambda comm: c_size(handle_of(comm)),
}


def _refused(name: str) -> Callable[..., Any]:
    remedy = _INSTEAD.get(name, _OUTSIDE)

    def typed(comm, *given):
        refuse(f"comm.{name}", "is not among what a kernel can ask of a communicator", remedy)

    return typed


def register() -> None:
    """Tell Numba of communicators, and where the functions of the runtime are."""
    register_values()
    _register_methods()
    for one in vars(works).values():
        if isinstance(one, types.ExternalFunction):
            llvmlite.binding.add_symbol(one.symbol, mpi_address(one.symbol))


def _register_methods() -> None:
    overload_attribute(Communicator, "rank")(lambda comm: lambda comm: c_rank(handle_of(comm)))
    overload_attribute(Communicator, "size")(lambda comm: lambda comm: c_size(handle_of(comm)))
    for name, value in _public(MPI.Intracomm, MPI.Cartcomm, MPI.Graphcomm, MPI.Distgraphcomm).items():
        if name in _METHODS:
            overload_method(Communicator, name, strict=False)(_METHODS[name])
        elif callable(value):
            overload_method(Communicator, name, strict=False)(_refused(name))
        elif name not in ("rank", "size"):
            overload_attribute(Communicator, name)(_refused(name))
    for kind in (types.NamedTuple, types.NamedUniTuple):
        for name in ("Wait", "wait"):
            overload_method(kind, name, strict=False)(_wait)


def _public(*classes: type) -> dict[str, Any]:
    return {name: getattr(one, name) for one in classes for name in dir(one) if not name.startswith("_")}
