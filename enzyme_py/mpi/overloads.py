"""numba-mpi's functions in kernels: registered when a kernel first names one of them (frontend/target/messages.py).

Each stands for the function of the same name of numba_mpi, whose parameters it has, and returns what that returns: 0, a request
beside it. Requests are of a type of our own, which holds the work array of the message. In kernels that are not differentiated,
and in Python, numba-mpi's own code runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba_mpi
import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme_py.errors import LoweringError
from enzyme_py.frontend.target.mpi_calls import Operator
from enzyme_py.mpi.collective import best, gathered, scattered, shared, summed
from enzyme_py.mpi.messages import begun_receive, begun_send, ended_receive, ended_send
from enzyme_py.mpi.works import (
    EVERYBODY,
    TARGET,
    c_barrier,
    c_is_nobody,
    c_rank,
    c_size,
    must_be_good,
)
from enzyme_py.symbols import DOOR
from enzyme_py.transforms.plans.structures import defined

_ANY_TAG = numba_mpi.api.recv.ANY_TAG
_OPERATIONS = {"SUM": 0, "MIN": 1, "MAX": 2}
_FLOATS = (types.float64, types.float32, types.complex128, types.complex64)
_INSTEAD = {
    "test": "wait for it: numba_mpi.wait(request)",
    "testall": "wait for them: numba_mpi.waitall(requests)",
    "testany": "wait for them: numba_mpi.waitall(requests)",
    "waitany": "wait for all, numba_mpi.waitall(requests), or for one after the other, numba_mpi.wait(request)",
    "wtime": "take the time outside of the kernel",
    "initialized": "ask outside of the kernel; importing numba_mpi initializes MPI",
    "query_thread": "ask outside of the kernel",
}


class SendRequest(NamedTuple):
    """What isend returns in kernels."""

    sent: Any


class ReceiveRequest(NamedTuple):
    """What irecv returns in kernels: the work array, the array to be filled, and from whom."""

    received: Any
    data: Any
    source: Any


def _refuse(name: str, what: str, remedy: str) -> None:
    message = f"numba_mpi.{name} {what}"
    raise LoweringError(message, remedy=remedy)


def _check(name: str, *kinds: Any) -> None:
    """Raise of arrays that cannot be sent."""
    for kind in kinds:
        if not isinstance(kind, types.Array):
            _refuse(name, f"is given {kind} in a kernel", "give it an array; a number is x = np.array([value])")
        if kind.dtype not in _FLOATS:
            remedy = "send floats, x.astype(np.float64), or send it before the derivative is called"
            _refuse(name, f"of {kind.dtype} has no derivative", remedy)
        if kind.dtype != kinds[0].dtype:
            remedy = f"make both {kinds[0].dtype}"
            _refuse(name, f"is given arrays of {kinds[0].dtype} and {kind.dtype}", remedy)


def _operation(name: str, kind: Any) -> int:
    kind = getattr(kind, "value", kind) if isinstance(kind, types.Omitted) else kind
    if kind in (None, numba_mpi.Operator.SUM):
        return _OPERATIONS["SUM"]
    if not isinstance(kind, Operator):
        remedy = "write it where it is called: operator=numba_mpi.Operator.MIN"
        _refuse(name, "is given an operator that is not known when the kernel is compiled", remedy)
    return _OPERATIONS[kind.member]


def _kernel_function(function: Any, check: Callable[..., Any]) -> None:
    """Register what a function of numba_mpi is in kernels."""
    if hasattr(function, "py_func"):  # a dispatcher: kernels call its door
        door = defined(f"def {function.__name__}(*given): raise RuntimeError", function.__name__, {})
        setattr(function, DOOR, door)
        function = door
    overload(function, target=TARGET, strict=False)(check)




def _send(data, dest, tag=0):
    _check("send", data)

    def send(data, dest, tag=0):
        ended_send(begun_send(data.ravel(), dest, tag))
        return 0

    return send


def _recv(data, source=None, tag=_ANY_TAG):
    _check("recv", data)
    _check_source("recv", source)

    def recv(data, source=None, tag=_ANY_TAG):
        come = ended_receive(begun_receive(data.size, source, tag, data.dtype))
        if c_is_nobody(source) == 0:
            data[...] = come.reshape(data.shape)
        return 0

    return recv


def _check_source(name: str, source: Any) -> None:
    if isinstance(source, types.Omitted | types.NoneType) or source is None:
        remedy = f"name the rank: numba_mpi.{name}(data, source=0)"
        _refuse(name, "receives from any rank, which the reverse sweep cannot answer in order", remedy)


def _sendrecv(senddata, dest, recvdata, source=None, sendtag=0, recvtag=_ANY_TAG):
    _check("sendrecv", senddata, recvdata)
    _check_source("sendrecv", source)

    def sendrecv(senddata, dest, recvdata, source=None, sendtag=0, recvtag=_ANY_TAG):
        receiving = begun_receive(recvdata.size, source, recvtag, recvdata.dtype)
        sending = begun_send(senddata.ravel(), dest, sendtag)
        come = ended_receive(receiving)
        ended_send(sending)
        if c_is_nobody(source) == 0:
            recvdata[...] = come.reshape(recvdata.shape)
        return 0

    return sendrecv


def _isend(data, dest, tag=0):
    _check("isend", data)

    def isend(data, dest, tag=0):
        return 0, SendRequest(begun_send(data.ravel(), dest, tag))

    return isend


def _irecv(data, source=None, tag=_ANY_TAG):
    _check("irecv", data)
    _check_source("irecv", source)

    def irecv(data, source=None, tag=_ANY_TAG):
        received = begun_receive(data.size, source, tag, data.dtype)
        return 0, ReceiveRequest(received, data, source)

    return irecv


def _wait(request):
    kind = getattr(request, "instance_class", None)
    if kind is SendRequest:

        def send(request):
            ended_send(request.sent)
            return 0

        return send
    if kind is not ReceiveRequest:
        _refuse("wait", f"is given {request}", "give it what numba_mpi.isend or irecv returned in the same kernel")

    def receive(request):
        come = ended_receive(request.received)
        if c_is_nobody(request.source) == 0:
            request.data[...] = come.reshape(request.data.shape)
        return 0

    return receive


def _waitall(requests):
    if not isinstance(requests, types.BaseTuple) or getattr(requests, "instance_class", None):
        _refuse("waitall", f"is given {requests}", "give it a tuple of requests: numba_mpi.waitall((first, second))")
    lines = [f"    wait(requests[{i}])" for i in range(len(requests))]
    text = "\n".join(["def waitall(requests):", *lines, "    return 0"])
    return defined(text, "waitall", {"wait": numba_mpi.wait})


def _allreduce(sendobj, recvobj, operator=numba_mpi.Operator.SUM):
    text = "def allreduce(sendobj, recvobj, operator=default):"
    return _reduction("allreduce", text, sendobj, recvobj, operator, "EVERYBODY")


def _reduce(sendobj, recvobj, operator, root):
    text = "def reduce(sendobj, recvobj, operator, root):"
    return _reduction("reduce", text, sendobj, recvobj, operator, "root")


def _reduction(name: str, head: str, sent: Any, received: Any, operator: Any, root: str) -> Any:
    given = "sendobj.ravel()"
    if isinstance(sent, types.Number):
        given = "np.array([sendobj])"
        _check(name, types.Array(sent, 1, "C"), received)
    else:
        _check(name, sent, received)
    operation = _operation(name, operator)
    if operation and isinstance(received.dtype, types.Complex):
        _refuse(name, "of complex numbers has no order", "reduce their real parts, or np.abs of them")
    found = f"best(given, {operation}, {root})" if operation else f"summed(given, {root})"
    lines = [
        head,
        f"    given = {given}",
        "    if given.size != recvobj.size:",
        f"        raise ValueError('numba_mpi.{name}: what is sent and what is received differ in size')",
        f"    found = {found}",
        *([] if root == "EVERYBODY" else ["    if c_rank() != root:", "        return 0"]),
        "    recvobj[...] = found.reshape(recvobj.shape)",
        "    return 0",
    ]
    scope = {"np": np, "best": best, "summed": summed, "EVERYBODY": EVERYBODY, "c_rank": c_rank}
    return defined("\n".join(lines), name, {**scope, "default": numba_mpi.Operator.SUM})


def _bcast(data, root):
    _check("bcast", data)

    def bcast(data, root):
        data[...] = shared(data.ravel(), root).reshape(data.shape)
        return 0

    return bcast


def _gather(send_data, recv_data, count, root):
    _check("gather", send_data, recv_data)

    def gather(send_data, recv_data, count, root):
        if send_data.size != count:
            raise ValueError("numba_mpi.gather: count is not the size of what is sent")
        come = gathered(send_data.ravel(), root)
        if c_rank() == root:
            if recv_data.size < come.size:
                raise ValueError("numba_mpi.gather: the root's array is too small")
            recv_data.ravel()[: come.size] = come
        return 0

    return gather


def _allgather(send_data, recv_data, count):
    _check("allgather", send_data, recv_data)

    def allgather(send_data, recv_data, count):
        if send_data.size != count:
            raise ValueError("numba_mpi.allgather: count is not the size of what is sent")
        come = gathered(send_data.ravel(), EVERYBODY)
        if recv_data.size < come.size:
            raise ValueError("numba_mpi.allgather: the array to be filled is too small")
        recv_data.ravel()[: come.size] = come
        return 0

    return allgather


def _scatter(send_data, recv_data, count, root):
    _check("scatter", send_data, recv_data)

    def scatter(send_data, recv_data, count, root):
        if recv_data.size != count:
            raise ValueError("numba_mpi.scatter: count is not the size of what is received")
        length = 0
        if c_rank() == root:
            length = count * c_size()
            if send_data.size < length:
                raise ValueError("numba_mpi.scatter: the root's array is too small")
        come = scattered(send_data.ravel()[:length], count, root)
        recv_data[...] = come.reshape(recv_data.shape)
        return 0

    return scatter


def _barrier():
    def barrier():
        must_be_good(c_barrier())
        return 0

    return barrier


def _rank():
    def rank():
        return c_rank()

    return rank


def _size():
    def size():
        return c_size()

    return size


def _refused(name: str, remedy: str) -> Callable[..., Any]:
    def typed(*given):
        _refuse(name, "is not differentiated", remedy)

    return typed


_OWN: dict[str, Callable[..., Any]] = {
    "send": _send,
    "recv": _recv,
    "sendrecv": _sendrecv,
    "isend": _isend,
    "irecv": _irecv,
    "wait": _wait,
    "waitall": _waitall,
    "allreduce": _allreduce,
    "reduce": _reduce,
    "bcast": _bcast,
    "gather": _gather,
    "allgather": _allgather,
    "scatter": _scatter,
    "barrier": _barrier,
    "rank": _rank,
    "size": _size,
    **{name: _refused(name, remedy) for name, remedy in _INSTEAD.items()},
}


def register() -> None:
    """Tell our targets of all of them."""
    for name, check in _OWN.items():
        function = getattr(numba_mpi, name, None)
        if function is not None:
            _kernel_function(function, check)
