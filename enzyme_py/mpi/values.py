"""Communicators, operators and MPI.IN_PLACE of mpi4py as values of compiled code; methods.py has what communicators can do.

A communicator is its handle, 0 in code that names MPI.COMM_WORLD (works.py). The others have types of their own and no value.
"""

from __future__ import annotations

from typing import Any

from mpi4py import MPI
from numba.core import types
from numba.core.imputils import lower_constant
from numba.core.typing import signature
from numba.core.typing.typeof import Purpose
from numba.extending import NativeValue, intrinsic, typeof_impl, unbox

from enzyme_py.errors import LoweringError
from enzyme_py.frontend.target.mpi_calls import Communicator, InPlace, Operator
from enzyme_py.mpi.works import WORLD

_OPERATORS = ("SUM", "MIN", "MAX", "PROD", "LAND", "BAND", "LOR", "BOR", "LXOR", "BXOR", "MAXLOC", "MINLOC")


def _typeof_communicator(value: Any, context: Any) -> Any:
    if isinstance(value, MPI.Intercomm):
        message = "an intercommunicator has two groups of ranks, and no derivatives here"
        raise LoweringError(message, remedy="merge the groups outside of the kernel: comm.Merge()")
    if value == MPI.COMM_NULL:
        message = "MPI.COMM_NULL, the communicator of no ranks, is given to a kernel"
        raise LoweringError(message, remedy="let the ranks that are in no group leave out the call: if comm != MPI.COMM_NULL")
    if context.purpose is Purpose.constant and value != MPI.COMM_WORLD:
        message = "a kernel names a communicator that is a global variable, whose handle is another one in each process"
        raise LoweringError(message, remedy="pass it as an argument of the kernel")
    return Communicator()


def _typeof_operator(value: Any, context: Any) -> Any:
    for name in _OPERATORS:
        if value == getattr(MPI, name):
            return Operator(name)
    return Operator("an operator of your own")


def _unbox_communicator(kind, value, c):
    handle = c.pyapi.object_getattr_string(value, "handle")
    number = c.pyapi.long_as_ulonglong(handle)
    c.pyapi.decref(handle)
    return NativeValue(number, is_error=c.pyapi.c_api_error())


def _unbox_nothing(kind, value, c):
    return NativeValue(c.context.get_dummy_value())


def _constant_communicator(context, builder, kind, value):
    return context.get_constant(types.int64, WORLD)


def _constant_nothing(context, builder, kind, value):
    return context.get_dummy_value()


@intrinsic
def handle_of(typing_context, comm):
    """Return a communicator as an integer."""
    return signature(types.int64, comm), lambda context, builder, sig, args: args[0]


def register_values() -> None:
    """Tell Numba of their types."""
    for kind, found in ((MPI.Comm, _typeof_communicator), (MPI.Op, _typeof_operator)):
        typeof_impl.register(kind)(found)
    typeof_impl.register(MPI.InPlaceType)(lambda value, context: InPlace())
    unbox(Communicator)(_unbox_communicator)
    lower_constant(Communicator)(_constant_communicator)
    for kind in (Operator, InPlace):
        unbox(kind)(_unbox_nothing)
        lower_constant(kind)(_constant_nothing)
