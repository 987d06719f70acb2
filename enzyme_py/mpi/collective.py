"""Collective functions as linear maps between the arrays of all ranks, and their adjoints.

    function                         adjoint
    summed(x, EVERYBODY, comm)       summed(y, EVERYBODY, comm)
    summed(x, root, comm)            shared(y, root, comm)
    shared(x, root, comm)            summed(y, root, comm)
    gathered(x, root, comm)          scattered(y, n, root, comm)
    scattered(x, n, root, comm)      gathered(y, root, comm)
    gathered(x, EVERYBODY, comm)     sum_scattered(y, n, comm)
    sum_scattered(x, n, comm)        gathered(y, EVERYBODY, comm)

Each takes an array of one dimension and returns a new one. It is a ruled function (frontend/external/ruled.py) whose rules call
its adjoint, and itself: so there are derivatives of any order, and they send what they need by the same functions.

Minima and maxima are sums: of the number of the rank that attains it, and of zeros of the others. Which rank that is, is
constant.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from enzyme_py.frontend.external.opaque import opaque
from enzyme_py.frontend.external.ruled import ruled, size_in
from enzyme_py.mpi import plain
from enzyme_py.mpi.works import (
    COUNT,
    EVERYBODY,
    FIRST,
    MADE,
    PEER,
    address_in,
    c_bcast,
    c_gather,
    c_rank,
    c_reduce,
    c_reduce_scatter,
    c_scatter,
    c_size,
    c_winners,
    comes_here,
    comm_in,
    given,
    in_kernels,
    kind_of,
    made,
    message,
    must_be_good,
    reals_of,
)
from enzyme_py.transforms.values.stop import stop_gradient


@register_jitable(forceinline=True)
def _holding(x, room, peer, comm):
    """Return a work array that holds an array, and has room for so many numbers that come; `peer` is a root, or an operator."""
    work = message(x.size, room, peer, 0, comm, x.size + room, x.dtype)
    given(work, work)[:] = x
    return work


def _sum_primal(work):
    n = size_in(work, COUNT)
    into = address_in(work, FIRST + n)
    count = n * reals_of(work)
    must_be_good(c_reduce(address_in(work, FIRST), into, count, kind_of(work), 0, size_in(work, PEER), comm_in(work)))


def _sum_forward(work, shadow):
    made(shadow, work)[:] = summed(given(shadow, work), size_in(work, PEER), comm_in(work))


def _sum_reverse(work, shadow):
    come = made(shadow, work)
    root, comm = size_in(work, PEER), comm_in(work)
    into = given(shadow, work)
    if root == EVERYBODY:
        into += summed(come, root, comm)
    else:
        into += shared(come, root, comm)
    come[:] = 0.0


_sum = ruled("mpi.sum", _sum_primal, _sum_forward, _sum_reverse)


@in_kernels(plain.summed)
def summed(x, root, comm):
    """Return the sum over all ranks; zeros where it does not come."""
    work = _holding(x, x.size, root, comm)
    _sum(work)
    return made(work, work).copy()


def _share_primal(work):
    made(work, work)[:] = given(work, work)
    n = size_in(work, COUNT)
    into = address_in(work, FIRST + n)
    must_be_good(c_bcast(into, n * reals_of(work), kind_of(work), size_in(work, PEER), comm_in(work)))


def _share_forward(work, shadow):
    made(shadow, work)[:] = shared(given(shadow, work), size_in(work, PEER), comm_in(work))


def _share_reverse(work, shadow):
    come = made(shadow, work)
    root, comm = size_in(work, PEER), comm_in(work)
    found = summed(come, root, comm)
    if c_rank(comm) == root:
        into = given(shadow, work)
        into += found
    come[:] = 0.0


_share = ruled("mpi.share", _share_primal, _share_forward, _share_reverse)


@in_kernels(plain.shared)
def shared(x, root, comm):
    """Return the array of the root."""
    work = _holding(x, x.size, root, comm)
    _share(work)
    return made(work, work).copy()


def _gather_primal(work):
    n = size_in(work, COUNT)
    into = address_in(work, FIRST + n)
    count = n * reals_of(work)
    must_be_good(c_gather(address_in(work, FIRST), into, count, kind_of(work), size_in(work, PEER), comm_in(work)))


def _gather_forward(work, shadow):
    made(shadow, work)[:] = gathered(given(shadow, work), size_in(work, PEER), comm_in(work))


def _gather_reverse(work, shadow):
    come = made(shadow, work)
    n = size_in(work, COUNT)
    root, comm = size_in(work, PEER), comm_in(work)
    into = given(shadow, work)
    if root == EVERYBODY:
        into += sum_scattered(come, n, comm)
    else:
        into += scattered(come, n, root, comm)
    come[:] = 0.0


_gather = ruled("mpi.gather", _gather_primal, _gather_forward, _gather_reverse)


@in_kernels(plain.gathered)
def gathered(x, root, comm):
    """Return the arrays of all ranks one behind the other; nothing where they do not come."""
    length = 0
    if comes_here(root, comm):
        length = x.size * c_size(comm)
    work = _holding(x, length, root, comm)
    _gather(work)
    return made(work, work).copy()


def _scatter_primal(work):
    into = address_in(work, FIRST + size_in(work, COUNT))
    count = size_in(work, MADE) * reals_of(work)
    must_be_good(c_scatter(address_in(work, FIRST), into, count, kind_of(work), size_in(work, PEER), comm_in(work)))


def _scatter_forward(work, shadow):
    made(shadow, work)[:] = scattered(given(shadow, work), size_in(work, MADE), size_in(work, PEER), comm_in(work))


def _scatter_reverse(work, shadow):
    come = made(shadow, work)
    into = given(shadow, work)
    into += gathered(come, size_in(work, PEER), comm_in(work))
    come[:] = 0.0


_scatter = ruled("mpi.scatter", _scatter_primal, _scatter_forward, _scatter_reverse)


@in_kernels(plain.scattered)
def scattered(x, n, root, comm):
    """Return this rank's block, of n numbers, of the array of the root; x has no numbers elsewhere."""
    work = _holding(x, n, root, comm)
    _scatter(work)
    return made(work, work).copy()


def _sum_scatter_primal(work):
    into = address_in(work, FIRST + size_in(work, COUNT))
    count = size_in(work, MADE) * reals_of(work)
    must_be_good(c_reduce_scatter(address_in(work, FIRST), into, count, kind_of(work), comm_in(work)))


def _sum_scatter_forward(work, shadow):
    made(shadow, work)[:] = sum_scattered(given(shadow, work), size_in(work, MADE), comm_in(work))


def _sum_scatter_reverse(work, shadow):
    come = made(shadow, work)
    into = given(shadow, work)
    into += gathered(come, EVERYBODY, comm_in(work))
    come[:] = 0.0


_sum_scatter = ruled(
    "mpi.sum_scatter", _sum_scatter_primal, _sum_scatter_forward, _sum_scatter_reverse
)


@in_kernels(plain.sum_scattered)
def sum_scattered(x, n, comm):
    """Return this rank's block, of n numbers, of the sum over all ranks."""
    work = _holding(x, n, 0, comm)
    _sum_scatter(work)
    return made(work, work).copy()


def _winners(work):
    n = size_in(work, COUNT)
    found = message(n, n, 0, 0, 0, n, work.dtype)
    at = address_in(work, FIRST), address_in(found, FIRST)
    must_be_good(c_winners(at[0], at[1], n, kind_of(work), size_in(work, PEER), comm_in(work)))
    return found


_ask_winners = opaque("mpi.winners", _winners)


@register_jitable(forceinline=True)
def _best(x, op, root, comm):
    work = _holding(x, 0, op, comm)
    marks = _ask_winners(work)
    chosen = np.zeros(x.size, x.dtype)
    for i in range(x.size):
        if stop_gradient(marks[FIRST + i]) > 0.5:
            chosen[i] = x[i]
    return summed(chosen, root, comm)


@in_kernels(plain.least)
def least(x, root, comm):
    """Return the minima over all ranks."""
    return _best(x, 1, root, comm)


@in_kernels(plain.most)
def most(x, root, comm):
    """Return the maxima over all ranks."""
    return _best(x, 2, root, comm)
