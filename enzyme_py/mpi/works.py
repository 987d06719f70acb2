"""What rules of messages share: work arrays, and the runtime's functions in compiled code.

    work = [length | size 1 ... size 6 | what is given | what comes | spare]

A work array is that of frontend/external/ruled.py, with room for six sizes whatever the function: counts, root or peer, tag,
and the number of a request. `given(work, ...)` and its kin are parts of it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.extending import intrinsic, overload, register_jitable
from numba.np.arrayobj import make_array

from enzyme_py.frontend.external.ruled import NUMBERS_OF_A_SIZE, set_size, size_in
from enzyme_py.mpi.library import PREFIX

TARGET = "enzyme"
FIRST = NUMBERS_OF_A_SIZE * 7  # where numbers begin
COUNT, MADE, PEER, TAG, REQUEST = 1, 2, 3, 4, 5  # the sizes; PEER is the root of collective functions
EVERYBODY = -1  # as a root

_POINTER = ir.IntType(8).as_pointer()


def _external(name: str, parameters: str) -> Any:
    """Return a function of csrc/mpi.h; `p` is a pointer, `i` an integer."""
    kinds = {"p": types.voidptr, "i": types.int64}
    return types.ExternalFunction(PREFIX + name, types.int64(*(kinds[one] for one in parameters)))


c_rank = _external("rank", "")
c_size = _external("size", "")
c_is_nobody = _external("is_nobody", "i")
c_send = _external("send", "piiii")
c_receive = _external("receive", "iiii")
c_finish = _external("finish", "ip")
c_reduce = _external("reduce", "ppiiii")
c_bcast = _external("bcast", "piii")
c_gather = _external("gather", "ppiii")
c_scatter = _external("scatter", "ppiii")
c_reduce_scatter = _external("reduce_scatter", "ppii")
c_barrier = _external("barrier", "")
c_winners = _external("winners", "ppiii")


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
def must_be_good(status):
    """Raise what a function of csrc/mpi.h returned."""
    if status == 1:
        raise ValueError("MPI: the ranks give arrays of different sizes, or name different roots")
    if status != 0:
        raise RuntimeError("MPI failed; standard error says why")


