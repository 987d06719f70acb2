"""Messages between two ranks: four ruled functions of one work array each, and what is made of them.

    work = [sizes | numbers | spare], and the spare is such a work array again, as often as there are reverse sweeps

    primal              forward, on the shadow     reverse, on the spare of the shadow
    begin_send          begin_send                 end_receive, add what came to the shadow's numbers
    end_send            end_send                   begin_receive
    begin_receive       begin_receive              end_send, the shadow's numbers become zero
    end_receive         end_receive                begin_send of the shadow's numbers

So the reverse of waiting is to begin, and that of beginning is to wait: requests that were open at once are open at once in the
reverse sweep too, and what cannot block cannot block there. In forward mode a shadow is a work array itself once it has sizes in
front. In the reverse sweep it is not, since what the kernel stored in front of the work array becomes zero in its shadow, and a
second reverse sweep would find that: so the spare is, to which kernels store nothing.

The messages of tangents go behind those of numbers, with the same peer and tag: MPI keeps the order of messages between two ranks.
Those of adjoints have the tag that the message had. A send that nobody waits for has an adjoint nevertheless; what was begun to be
received and is not waited for never arrives.
"""

from __future__ import annotations

from numba.extending import register_jitable

from enzyme_py.frontend.external.ruled import ruled, set_size, size_in
from enzyme_py.mpi import plain
from enzyme_py.mpi.works import (
    COUNT,
    FIRST,
    PEER,
    REQUEST,
    TAG,
    address_in,
    c_finish,
    c_receive,
    c_send,
    comm_in,
    given,
    in_kernels,
    kind_of,
    message,
    must_be_request,
    must_have_ended,
    reals_of,
    write_sizes,
)

_SWEEPS = 2  # reverse sweeps over each other that there is room for


@register_jitable(forceinline=True)
def _spare(shadow, work):
    start = FIRST + size_in(work, COUNT)
    if work.size < 2 * start:
        raise NotImplementedError("MPI: three reverse sweeps over each other; take jvp of grad of grad")
    return shadow[start : work.size]


@register_jitable(forceinline=True)
def _write_spare_sizes(spare, work):
    write_sizes(spare, work)
    set_size(spare, 0, spare.size)


@register_jitable(forceinline=True)
def _new_message(count, peer, tag, comm, dtype):
    room = _SWEEPS * (FIRST + count)
    return message(count, 0, peer, tag, comm, room + count, dtype)


def _begin_send_primal(work):
    count = size_in(work, COUNT) * reals_of(work)
    number = c_send(
        address_in(work, FIRST), count, kind_of(work), size_in(work, PEER), size_in(work, TAG), comm_in(work)
    )
    must_be_request(number)
    set_size(work, REQUEST, number)


def _begin_send_forward(work, shadow):
    write_sizes(shadow, work)
    _begin_send(shadow)


def _begin_send_reverse(work, shadow):
    spare = _spare(shadow, work)
    if size_in(spare, 0) == 0:  # nobody has waited for it
        _write_spare_sizes(spare, work)
        _begin_receive(spare)
    _end_receive(spare)
    into = given(shadow, work)
    into += given(spare, work)


_begin_send = ruled("mpi.begin_send", _begin_send_primal, _begin_send_forward, _begin_send_reverse)


def _end_send_primal(work):
    must_have_ended(c_finish(size_in(work, REQUEST), address_in(work, FIRST)))


def _end_send_forward(work, shadow):
    _end_send(shadow)


def _end_send_reverse(work, shadow):
    spare = _spare(shadow, work)
    _write_spare_sizes(spare, work)
    _begin_receive(spare)


_end_send = ruled("mpi.end_send", _end_send_primal, _end_send_forward, _end_send_reverse)


def _begin_receive_primal(work):
    count = size_in(work, COUNT) * reals_of(work)
    number = c_receive(count, kind_of(work), size_in(work, PEER), size_in(work, TAG), comm_in(work))
    must_be_request(number)
    set_size(work, REQUEST, number)


def _begin_receive_forward(work, shadow):
    write_sizes(shadow, work)
    _begin_receive(shadow)


def _begin_receive_reverse(work, shadow):
    spare = _spare(shadow, work)
    if size_in(spare, 0) != 0:  # it was waited for
        _end_send(spare)
    given(shadow, work)[:] = 0.0


_begin_receive = ruled(
    "mpi.begin_receive", _begin_receive_primal, _begin_receive_forward, _begin_receive_reverse
)


def _end_receive_primal(work):
    tag = c_finish(size_in(work, REQUEST), address_in(work, FIRST))
    must_have_ended(tag)
    set_size(work, TAG, tag)


def _end_receive_forward(work, shadow):
    _end_receive(shadow)


def _end_receive_reverse(work, shadow):
    spare = _spare(shadow, work)
    _write_spare_sizes(spare, work)
    given(spare, work)[:] = given(shadow, work)
    _begin_send(spare)


_end_receive = ruled(
    "mpi.end_receive", _end_receive_primal, _end_receive_forward, _end_receive_reverse
)


@in_kernels(plain.begun_send)
def begun_send(x, peer, tag, comm):
    """Begin to send an array of one dimension; returns the work array, to be given to `ended_send`."""
    work = _new_message(x.size, peer, tag, comm, x.dtype)
    given(work, work)[:] = x
    _begin_send(work)
    return work


@in_kernels(plain.ended_send)
def ended_send(work):
    """Wait for a send."""
    _end_send(work)


@in_kernels(plain.begun_receive)
def begun_receive(count, peer, tag, comm, dtype):
    """Begin to receive; returns the work array, to be given to `ended_receive`."""
    work = _new_message(count, peer, tag, comm, dtype)
    _begin_receive(work)
    return work


@in_kernels(plain.ended_receive)
def ended_receive(work):
    """Wait for what was received, and return it."""
    _end_receive(work)
    return given(work, work)
