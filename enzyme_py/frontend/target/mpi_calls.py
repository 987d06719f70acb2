"""MPI in kernels: numba-mpi is taught when a kernel first names something of it, mpi4py by teaching.py.

    teach_mpi(value, targets)

registers what its functions are in kernels (enzyme_py/mpi/overloads.py), and the type of its operators. An operator is an
enumeration whose numbers are addresses in this process: Numba would write them into the code, where another process or rank would
find them in the cache. Here a member has a type of its own and no number.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AttributeTemplate

from enzyme_py.frontend.target.interrupts import uninterrupted

_PACKAGE = "numba_mpi"
_OVERLOADS = "enzyme_py.mpi.overloads"


class Operator(types.Opaque):  # type: ignore[misc]
    """The type of one operator."""

    def __init__(self, member: str) -> None:
        self.member = member
        super().__init__(f"{_PACKAGE}.Operator.{member}")


class Communicator(types.Type):  # type: ignore[misc]
    """The type of mpi4py's communicators."""

    def __init__(self) -> None:
        super().__init__("mpi4py.MPI.Comm")


class InPlace(types.Opaque):  # type: ignore[misc]
    """The type of mpi4py's MPI.IN_PLACE."""

    def __init__(self) -> None:
        super().__init__("mpi4py.MPI.IN_PLACE")


class _Handle(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(64))


register_default(Operator)(models.OpaqueModel)
register_default(InPlace)(models.OpaqueModel)
register_default(Communicator)(_Handle)


def teach_mpi(value: Any, targets: tuple[Any, ...]) -> None:
    """Teach our targets numba-mpi, if the value is of it and they do not know it."""
    if _PACKAGE in sys.modules and is_of_mpi(value):
        with global_compiler_lock, uninterrupted():
            _teach(targets)


@functools.cache
def _teach(targets: tuple[Any, ...]) -> None:
    importlib.import_module(_OVERLOADS).register()
    for target in targets:
        _teach_operators(target)
        target.typing_context.refresh()
        target.target_context.refresh()


def is_of_mpi(value: Any) -> bool:
    """Tell whether a value is numba-mpi, or a function or class of it."""
    name = getattr(value, "__module__", None) or getattr(value, "__name__", None)
    return isinstance(name, str) and name.partition(".")[0] == _PACKAGE


def remedy_for(value: Any) -> str | None:
    """Return what to do in place of using something of mpi4py's in a kernel; None of other values."""
    owner = getattr(value, "__module__", None) or type(value).__module__
    if not isinstance(owner, str) or owner.partition(".")[0] != "mpi4py":
        return None
    return (
        "in a kernel call the methods of a communicator that are in docs/mpi.md, comm.Allreduce(x, y), or numba-mpi's functions; "
        "the rest of mpi4py outside of it"
    )


def _teach_operators(target: Any) -> None:
    enumeration = sys.modules[_PACKAGE].Operator
    kind = numba.typeof(enumeration)

    class _Attributes(AttributeTemplate):  # type: ignore[misc]
        key = kind

        def generic_resolve(self, kind: Any, member: str) -> Any:
            return Operator(member) if member in enumeration.__members__ else None

    target.typing_context.insert_attributes(_Attributes(target.typing_context))
    rows = [(_no_value, member, (kind,)) for member in enumeration.__members__]
    target.target_context._insert_getattr_defn(rows)


def _no_value(context: Any, builder: Any, kind: Any, value: Any, member: str) -> Any:
    return context.get_dummy_value()
