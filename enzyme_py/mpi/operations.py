"""What numba-mpi's functions (overloads.py) and mpi4py's methods (methods.py) have in common.

Each operation takes the arrays of the user, of any dimensions, and a communicator (works.py). `received` may be None where
nothing comes. The checks raise while a kernel is typed; `name` is that of the function as the user writes it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.errors import LoweringError
from enzyme_py.frontend.target.mpi_calls import InPlace, Operator
from enzyme_py.mpi import plain
from enzyme_py.mpi.collective import gathered, least, most, scattered, shared, summed
from enzyme_py.mpi.messages import begun_receive, begun_send, ended_receive, ended_send
from enzyme_py.mpi.works import (
    c_barrier,
    c_is_nobody,
    c_rank,
    c_size,
    comes_here,
    in_kernels,
    must_be_good,
)

REDUCTIONS = {"SUM": summed, "MIN": least, "MAX": most}
_FLOATS = (types.float64, types.float32, types.complex128, types.complex64)


class SendRequest(NamedTuple):
    """A message that is being sent."""

    sent: Any


class ReceiveRequest(NamedTuple):
    """One that is being received: the work array, the array to be filled, and from whom."""

    received: Any
    data: Any
    source: Any


# ---- checks ----


def refuse(name: str, what: str, remedy: str) -> None:
    """Raise of something that has no derivative."""
    message = f"{name} {what}"
    raise LoweringError(message, remedy=remedy)


def check_arrays(name: str, *kinds: Any) -> None:
    """Raise of arrays that cannot be sent."""
    for kind in kinds:
        if not isinstance(kind, types.Array):
            refuse(name, f"is given {kind} in a kernel", "give it an array; a number is x = np.array([value])")
        if kind.dtype not in _FLOATS:
            remedy = "send floats, x.astype(np.float64), or send it before the derivative is called"
            refuse(name, f"of {kind.dtype} has no derivative", remedy)
        if kind.dtype != kinds[0].dtype:
            remedy = f"make both {kinds[0].dtype}"
            refuse(name, f"is given arrays of {kinds[0].dtype} and {kind.dtype}", remedy)


def is_left_out(kind: Any) -> bool:
    """Tell whether an argument is None, or was not given."""
    return kind is None or isinstance(kind, types.NoneType) or (isinstance(kind, types.Omitted) and kind.value is None)


def reduction(name: str, dtype: Any, kind: Any, default: Any, remedy: str) -> Any:
    """Return the function of collective.py for an operator; `remedy` is how to name one."""
    kind = kind.value if isinstance(kind, types.Omitted) else kind
    if kind is None or kind == default:
        return summed
    if not isinstance(kind, Operator):
        refuse(name, "is given an operator that is not known when the kernel is compiled", remedy)
    if kind.member not in REDUCTIONS:
        refuse(name, f"with {kind.member} has no derivative here", "SUM, MIN and MAX have; others outside of the kernel")
    if kind.member != "SUM" and isinstance(dtype, types.Complex):
        refuse(name, "of complex numbers has no order", "reduce their real parts, or np.abs of them")
    return REDUCTIONS[kind.member]


@in_kernels(plain.fill)
def fill(received, come):
    """Write the numbers of an array of one dimension into another."""
    received[...] = come.reshape(received.shape)


# ---- messages ----


@register_jitable(forceinline=True)
def send(data, dest, tag, comm):
    """Send an array."""
    ended_send(begun_send(data.ravel(), dest, tag, comm))


@register_jitable(forceinline=True)
def receive(data, source, tag, comm):
    """Fill an array with what a rank sends."""
    come = ended_receive(begun_receive(data.size, source, tag, comm, data.dtype))
    if c_is_nobody(source) == 0:
        fill(data, come)


@register_jitable(forceinline=True)
def exchange(sent, dest, send_tag, received, source, receive_tag, comm):
    """Send one array and fill another, in any order."""
    receiving = begun_receive(received.size, source, receive_tag, comm, received.dtype)
    sending = begun_send(sent.ravel(), dest, send_tag, comm)
    come = ended_receive(receiving)
    ended_send(sending)
    if c_is_nobody(source) == 0:
        fill(received, come)


@register_jitable(forceinline=True)
def begin_send(data, dest, tag, comm):
    """Begin to send, and return the request."""
    return SendRequest(begun_send(data.ravel(), dest, tag, comm))


@register_jitable(forceinline=True)
def begin_receive(data, source, tag, comm):
    """Begin to receive, and return the request."""
    return ReceiveRequest(begun_receive(data.size, source, tag, comm, data.dtype), data, source)


def wait(request):
    """Wait for a request; only in compiled code."""
    raise RuntimeError


@overload(wait, strict=False)
def _wait(request):
    kind = getattr(request, "instance_class", None)
    if kind is SendRequest:
        return lambda request: ended_send(request.sent)
    if kind is not ReceiveRequest:
        return None

    def received(request):
        come = ended_receive(request.received)
        if c_is_nobody(request.source) == 0:
            fill(request.data, come)

    return received


# ---- collective operations ----


@register_jitable(forceinline=True)
def broadcast(data, root, comm):
    """Fill the arrays of all with the root's."""
    fill(data, shared(data.ravel(), root, comm))


@register_jitable(forceinline=True)
def barrier(comm):
    """Wait for all."""
    must_be_good(c_barrier(comm))


def reduced(sent, received, root, comm, over):
    """Fill an array, at the root or everywhere, with what `over` makes of the arrays of all; only in compiled code.

    What is sent is an array, a number, or MPI.IN_PLACE: what stands in the array that is filled.
    """
    raise RuntimeError


@overload(reduced, strict=False, prefer_literal=False)
def _reduced(sent, received, root, comm, over):
    if isinstance(sent, InPlace):
        return lambda sent, received, root, comm, over: reduced(received, received, root, comm, over)
    if isinstance(sent, types.Number):
        return lambda sent, received, root, comm, over: reduced(np.array([sent]), received, root, comm, over)
    if isinstance(received, types.NoneType):

        def nowhere(sent, received, root, comm, over):
            over(sent.ravel(), root, comm)
            if comes_here(root, comm):
                raise ValueError("MPI: the root gives no array to be filled")

        return nowhere

    def somewhere(sent, received, root, comm, over):
        if sent.size != received.size:
            raise ValueError("MPI: what is sent and what is received differ in size")
        found = over(sent.ravel(), root, comm)
        if comes_here(root, comm):
            fill(received, found)

    return somewhere


@register_jitable(forceinline=True)
def gather(sent, received, root, comm):
    """Fill an array, at the root or everywhere, with the arrays of all, one behind the other."""
    come = gathered(sent.ravel(), root, comm)
    if comes_here(root, comm):
        if received.size < come.size:
            raise ValueError("MPI: the array to be filled is too small")
        full = received.flatten()  # a view of what is not contiguous cannot be written to
        full[: come.size] = come
        fill(received, full)


@register_jitable(forceinline=True)
def scatter(sent, received, root, comm):
    """Fill the arrays of all with the blocks of the root's array."""
    length = 0
    if c_rank(comm) == root:
        length = received.size * c_size(comm)
        if sent.size < length:
            raise ValueError("MPI: the root's array is too small")
    come = scattered(sent.ravel()[:length], received.size, root, comm)
    fill(received, come)
