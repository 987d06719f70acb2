"""MPI in kernels: numba-mpi's functions and mpi4py's communicators, differentiated by rules of ours; see docs/mpi.md.

library.py      the MPI library of this process, and the addresses of the runtime's functions (csrc/mpi.h)
works.py        what the rules share
collective.py   sums, broadcasts, gathers, scatters; minima and maxima
messages.py     messages between two ranks
plain.py        these functions where nothing is differentiated
operations.py   what numba-mpi and mpi4py have in common
overloads.py    numba-mpi's functions in kernels
values.py       communicators and operators of mpi4py as values
methods.py      the methods of mpi4py's communicators
"""
