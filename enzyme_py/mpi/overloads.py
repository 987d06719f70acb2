"""numba-mpi's functions in kernels: registered when a kernel first names one of them (frontend/target/mpi_calls.py).

Each stands for the function of the same name of numba_mpi, whose parameters it has, and returns what that returns: 0, a request
beside it. Requests are of a type of our own, which holds the work array of the message. In kernels that are not differentiated,
and in Python, numba-mpi's own code runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba_mpi
from numba.core import types
from numba.extending import overload

from enzyme_py.mpi.operations import (
    ReceiveRequest,
    SendRequest,
    barrier,
    begin_receive,
    begin_send,
    broadcast,
    check_arrays,
    exchange,
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
from enzyme_py.mpi.works import EVERYBODY, TARGET, WORLD, c_rank, c_size
from enzyme_py.symbols import DOOR
from enzyme_py.transforms.plans.structures import defined

_ANY_TAG = numba_mpi.api.recv.ANY_TAG
_INSTEAD = {
    "test": "wait for it: numba_mpi.wait(request)",
    "testall": "wait for them: numba_mpi.waitall(requests)",
    "testany": "wait for them: numba_mpi.waitall(requests)",
    "waitany": "wait for all, numba_mpi.waitall(requests), or for one after the other, numba_mpi.wait(request)",
    "wtime": "take the time outside of the kernel",
    "initialized": "ask outside of the kernel; importing numba_mpi initializes MPI",
    "query_thread": "ask outside of the kernel",
}


def _refuse(name: str, what: str, remedy: str) -> None:
    refuse(f"numba_mpi.{name}", what, remedy)


def _check(name: str, *kinds: Any) -> None:
    check_arrays(f"numba_mpi.{name}", *kinds)


def _kernel_function(function: Any, check: Callable[..., Any]) -> None:
    """Register what a function of numba_mpi is in kernels."""
    if hasattr(function, "py_func"):  # a dispatcher: kernels call its door
        door = defined(f"def {function.__name__}(*given): raise RuntimeError", function.__name__, {})
        setattr(function, DOOR, door)
        function = door
    overload(function, target=TARGET, strict=False)(check)


def _send(data, dest, tag=0):
    _check("send", data)

    def of_kernels(data, dest, tag=0):
        send(data, dest, tag, WORLD)
        return 0

    return of_kernels


def _recv(data, source=None, tag=_ANY_TAG):
    _check("recv", data)
    _check_source("recv", source)

    def of_kernels(data, source=None, tag=_ANY_TAG):
        receive(data, source, tag, WORLD)
        return 0

    return of_kernels


def _check_source(name: str, source: Any) -> None:
    if is_left_out(source):
        remedy = f"name the rank: numba_mpi.{name}(data, source=0)"
        _refuse(name, "receives from any rank, which the reverse sweep cannot answer in order", remedy)


def _sendrecv(senddata, dest, recvdata, source=None, sendtag=0, recvtag=_ANY_TAG):
    _check("sendrecv", senddata, recvdata)
    _check_source("sendrecv", source)

    def of_kernels(senddata, dest, recvdata, source=None, sendtag=0, recvtag=_ANY_TAG):
        exchange(senddata, dest, sendtag, recvdata, source, recvtag, WORLD)
        return 0

    return of_kernels


def _isend(data, dest, tag=0):
    _check("isend", data)
    return lambda data, dest, tag=0: (0, begin_send(data, dest, tag, WORLD))


def _irecv(data, source=None, tag=_ANY_TAG):
    _check("irecv", data)
    _check_source("irecv", source)
    return lambda data, source=None, tag=_ANY_TAG: (0, begin_receive(data, source, tag, WORLD))


def _wait(request):
    if getattr(request, "instance_class", None) not in (SendRequest, ReceiveRequest):
        _refuse("wait", f"is given {request}", "give it what numba_mpi.isend or irecv returned in the same kernel")

    def of_kernels(request):
        wait(request)
        return 0

    return of_kernels


def _waitall(requests):
    if not isinstance(requests, types.BaseTuple) or getattr(requests, "instance_class", None):
        _refuse("waitall", f"is given {requests}", "give it a tuple of requests: numba_mpi.waitall((first, second))")
    lines = [f"    wait(requests[{i}])" for i in range(len(requests))]
    text = "\n".join(["def waitall(requests):", *lines, "    return 0"])
    return defined(text, "waitall", {"wait": numba_mpi.wait})


def _allreduce(sendobj, recvobj, operator=numba_mpi.Operator.SUM):
    over = _over("allreduce", sendobj, recvobj, operator)

    def of_kernels(sendobj, recvobj, operator=numba_mpi.Operator.SUM):
        reduced(sendobj, recvobj, EVERYBODY, WORLD, over)
        return 0

    return of_kernels


def _reduce(sendobj, recvobj, operator, root):
    over = _over("reduce", sendobj, recvobj, operator)

    def of_kernels(sendobj, recvobj, operator, root):
        reduced(sendobj, recvobj, root, WORLD, over)
        return 0

    return of_kernels


def _over(name: str, sent: Any, received: Any, operator: Any) -> Any:
    """Return what reduces, after a look at what is sent."""
    _check(name, types.Array(sent, 1, "C") if isinstance(sent, types.Number) else sent, received)
    remedy = "write it where it is called: operator=numba_mpi.Operator.MIN"
    return reduction(f"numba_mpi.{name}", received.dtype, operator, numba_mpi.Operator.SUM, remedy)


def _bcast(data, root):
    _check("bcast", data)

    def of_kernels(data, root):
        broadcast(data, root, WORLD)
        return 0

    return of_kernels


def _gather(send_data, recv_data, count, root):
    _check("gather", send_data, recv_data)

    def of_kernels(send_data, recv_data, count, root):
        if send_data.size != count:
            raise ValueError("numba_mpi.gather: count is not the size of what is sent")
        gather(send_data, recv_data, root, WORLD)
        return 0

    return of_kernels


def _allgather(send_data, recv_data, count):
    _check("allgather", send_data, recv_data)

    def of_kernels(send_data, recv_data, count):
        if send_data.size != count:
            raise ValueError("numba_mpi.allgather: count is not the size of what is sent")
        gather(send_data, recv_data, EVERYBODY, WORLD)
        return 0

    return of_kernels


def _scatter(send_data, recv_data, count, root):
    _check("scatter", send_data, recv_data)

    def of_kernels(send_data, recv_data, count, root):
        if recv_data.size != count:
            raise ValueError("numba_mpi.scatter: count is not the size of what is received")
        scatter(send_data, recv_data, root, WORLD)
        return 0

    return of_kernels


def _barrier():
    def of_kernels():
        barrier(WORLD)
        return 0

    return of_kernels


def _rank():
    return lambda: c_rank(WORLD)


def _size():
    return lambda: c_size(WORLD)


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
