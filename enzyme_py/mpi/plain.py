"""The functions of collective.py, messages.py and `fill` where nothing is differentiated: kernels that are called as they are.

They have the same parameters and results. A message is an array of its own here, without sizes in front: the number of the
request, and room for what comes.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from enzyme_py.mpi.works import (
    address_in,
    c_bcast,
    c_finish,
    c_gather,
    c_receive,
    c_reduce,
    c_reduce_scatter,
    c_scatter,
    c_send,
    c_size,
    c_winners,
    comes_here,
    kind_of,
    must_be_good,
    must_be_request,
    must_have_ended,
    reals_of,
)


def summed(x, root, comm):
    """Return the sum over all ranks; zeros where it does not come."""
    return _reduced(x, root, comm, 0)


def least(x, root, comm):
    """Return the minima over all ranks; NaN wins."""
    return _best(x, 1, root, comm)


def most(x, root, comm):
    """Return the maxima over all ranks; NaN wins."""
    return _best(x, 2, root, comm)


@register_jitable
def _reduced(x, root, comm, op):
    given, come = x.copy(), np.zeros(x.size, x.dtype)
    count = x.size * reals_of(x)
    must_be_good(c_reduce(address_in(given, 0), address_in(come, 0), count, kind_of(x), op, root, comm))
    return come


@register_jitable
def _best(x, op, root, comm):
    given, marks = x.copy(), np.zeros(x.size, x.dtype)
    must_be_good(c_winners(address_in(given, 0), address_in(marks, 0), x.size, kind_of(x), op, comm))
    for i in range(x.size):
        if marks[i] == 0:
            given[i] = 0.0
    return _reduced(given, root, comm, 0)


def shared(x, root, comm):
    """Return the array of the root."""
    come = x.copy()
    must_be_good(c_bcast(address_in(come, 0), x.size * reals_of(x), kind_of(x), root, comm))
    return come


def gathered(x, root, comm):
    """Return the arrays of all ranks one behind the other; nothing where they do not come."""
    length = 0
    if comes_here(root, comm):
        length = x.size * c_size(comm)
    given, come = x.copy(), np.zeros(length, x.dtype)
    count = x.size * reals_of(x)
    must_be_good(c_gather(address_in(given, 0), address_in(come, 0), count, kind_of(x), root, comm))
    return come


def scattered(x, n, root, comm):
    """Return this rank's block, of n numbers, of the array of the root; x has no numbers elsewhere."""
    given, come = x.copy(), np.zeros(n, x.dtype)
    must_be_good(c_scatter(address_in(given, 0), address_in(come, 0), n * reals_of(x), kind_of(x), root, comm))
    return come


def sum_scattered(x, n, comm):
    """Return this rank's block, of n numbers, of the sum over all ranks."""
    given, come = x.copy(), np.zeros(n, x.dtype)
    count = n * reals_of(x)
    must_be_good(c_reduce_scatter(address_in(given, 0), address_in(come, 0), count, kind_of(x), comm))
    return come


def begun_send(x, peer, tag, comm):
    """Begin to send an array of one dimension; returns what `ended_send` takes."""
    given = x.copy()
    number = c_send(address_in(given, 0), x.size * reals_of(x), kind_of(x), peer, tag, comm)
    must_be_request(number)
    return np.array([number])


def ended_send(work):
    """Wait for a send."""
    must_have_ended(c_finish(work[0], address_in(work, 0)))


def begun_receive(count, peer, tag, comm, dtype):
    """Begin to receive; returns what `ended_receive` takes."""
    come = np.zeros(count, dtype)
    number = c_receive(count * reals_of(come), kind_of(come), peer, tag, comm)
    must_be_request(number)
    return number, come


def ended_receive(work):
    """Wait for what was received, and return it."""
    number, come = work
    must_have_ended(c_finish(number, address_in(come, 0)))
    return come


def fill(received, come):
    """Write the numbers of an array of one dimension into another. Numba's `received[...] = come` takes seconds to compile."""
    for number, place in enumerate(np.ndindex(received.shape)):
        received[place] = come[number]
