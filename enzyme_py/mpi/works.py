"""What rules of messages share: work arrays, and the runtime's functions in compiled code.

    work = [length | size 1 ... size 7 | what is given | what comes | spare]

A work array is that of frontend/external/ruled.py, with room for seven sizes whatever the function: counts, root or peer, tag,
the communicator, whose handle may be a pointer and is two of them, and the number of a request. `given(work, ...)` and its kin
are parts of it.

A communicator is an integer here, as in csrc/mpi.h: `handle_of` gives it. 0 is MPI_COMM_WORLD.

A kernel that is called as it is, and has communicators of mpi4py, runs the functions of plain.py in place of those with rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.extending import intrinsic, overload, register_jitable
from numba.np.arrayobj import make_array

from enzyme_py.frontend.external.ruled import NUMBERS_OF_A_SIZE, new_work, set_size, size_in
from enzyme_py.mpi.library import PREFIX

TARGET = "enzyme"
FIRST = NUMBERS_OF_A_SIZE * 8  # where numbers begin
COUNT, MADE, PEER, TAG, _COMM_HIGH, _COMM_LOW, REQUEST = range(1, 8)  # the sizes; PEER is the root of collective functions
EVERYBODY = -1  # as a root
WORLD = 0  # as a communicator

_POINTER = ir.IntType(8).as_pointer()


def _external(name: str, parameters: str) -> Any:
    """Return a function of csrc/mpi.h; `p` is a pointer, `i` an integer."""
    kinds = {"p": types.voidptr, "i": types.int64}
    return types.ExternalFunction(PREFIX + name, types.int64(*(kinds[one] for one in parameters)))


c_rank = _external("rank", "i")
c_size = _external("size", "i")
c_is_nobody = _external("is_nobody", "i")
c_send = _external("send", "piiiii")
c_receive = _external("receive", "iiiii")
c_finish = _external("finish", "ip")
c_reduce = _external("reduce", "ppiiiii")
c_bcast = _external("bcast", "piiii")
c_gather = _external("gather", "ppiiii")
c_scatter = _external("scatter", "ppiiii")
c_reduce_scatter = _external("reduce_scatter", "ppiii")
c_barrier = _external("barrier", "i")
c_winners = _external("winners", "ppiiii")


def in_kernels(elsewhere: Callable[..., Any]) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator: the function serves kernels, and `elsewhere` code of Numba's own target, where nothing is differentiated."""

    def register(function: Callable[..., Any]) -> Any:
        overload(function, target=TARGET, strict=False, jit_options={"forceinline": True})(lambda *given: function)
        overload(function, strict=False)(lambda *given: elsewhere)
        return function

    return register


@intrinsic
def address_in(typing_context, work, place):
    """Return the address of an element of a work array, as a pointer."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        data = make_array(sig.args[0])(context, builder, args[0]).data
        at = builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.int64)])
        return builder.bitcast(at, _POINTER)

    return signature(types.voidptr, work, place), lower


def kind_of(work):
    """Return the kind of a work array's numbers in the words of csrc/mpi.h; only in compiled code."""
    raise RuntimeError


@overload(kind_of, strict=False, jit_options={"forceinline": True})
def _kind_of(work):
    kind = int(work.dtype in (types.float32, types.complex64))
    return lambda work: kind


def reals_of(work):
    """Return how many real numbers make one; only in compiled code."""
    raise RuntimeError


@overload(reals_of, strict=False, jit_options={"forceinline": True})
def _reals_of(work):
    reals = 2 if isinstance(work.dtype, types.Complex) else 1
    return lambda work: reals


@register_jitable(forceinline=True)
def message(count, room, peer, tag, comm, numbers, dtype):
    """Return a work array with these sizes and room for so many numbers."""
    return new_work((count, room, peer, tag, comm >> 32, comm & 0xFFFFFFFF, 0), numbers, dtype)


@register_jitable(forceinline=True)
def comm_in(work):
    """Return the communicator that stands in a work array."""
    return (size_in(work, _COMM_HIGH) << 32) | size_in(work, _COMM_LOW)


@register_jitable(forceinline=True)
def given(work, like):
    """Return the part of an array that is given; the sizes stand in `like`."""
    return work[FIRST : FIRST + size_in(like, COUNT)]


@register_jitable(forceinline=True)
def made(work, like):
    """Return the part that comes."""
    start = FIRST + size_in(like, COUNT)
    return work[start : start + size_in(like, MADE)]


@register_jitable(forceinline=True)
def write_sizes(work, like):
    """Copy the sizes in front, as integers: nothing of them has a derivative."""
    for number in range(REQUEST):
        set_size(work, number, size_in(like, number))


@register_jitable(forceinline=True)
def comes_here(root, comm):
    """Tell whether this rank gets a result."""
    return root == EVERYBODY or c_rank(comm) == root


@register_jitable(forceinline=True)
def must_be_request(number):
    """Raise if MPI did not begin a message."""
    if number < 1:
        raise RuntimeError("MPI failed; standard error says why")


@register_jitable(forceinline=True)
def must_have_ended(tag):
    """Raise if MPI did not end a message."""
    if tag < 0:
        raise RuntimeError("MPI failed; standard error says why")


@register_jitable(forceinline=True)
def must_be_good(status):
    """Raise what a function of csrc/mpi.h returned."""
    if status == 1:
        raise ValueError("MPI: the ranks give arrays of different sizes, or name different roots")
    if status != 0:
        raise RuntimeError("MPI failed; standard error says why")
