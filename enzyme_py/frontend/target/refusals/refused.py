"""Values that no kernel may name, because what is made of them has no derivative."""

from __future__ import annotations

import dataclasses
from typing import Any

import numba
from numba.core import dispatcher
from numba.core.ccallback import CFunc

from enzyme_py.errors import LoweringError
from enzyme_py.frontend.containers.dataclass_calls import code_of_its_own
from enzyme_py.frontend.parallel.wishes import StaysSerialError
from enzyme_py.frontend.target.mpi_calls import Communicator, is_of_mpi, remedy_for
from enzyme_py.frontend.target.teaching import is_special

# What a kernel asks of Numba's own threads, on which no derivative runs.
_OF_NUMBAS_THREADS = (numba.get_thread_id, numba.set_num_threads)


def refuse_value(value: Any) -> None:
    """Raise if a kernel may not name this value."""
    if isinstance(value, dispatcher.ObjModeLiftedWith):
        message = "the kernel enters object mode, and Python code has no derivative"
        remedy = "take the `with objmode` block out of the kernel, or write it in nopython code"
        raise LoweringError(message, remedy=remedy)
    if isinstance(value, CFunc):
        message = f"the kernel calls `{value.__name__}`, a numba.cfunc, by its address"
        remedy = "call the Python function that it was made of: jitted, or plain"
        raise LoweringError(message, remedy=remedy)


def refuse_unknown(value: Any) -> None:
    """Raise of a value that Numba has no type for, where there is something to say."""
    if isinstance(value, type) and dataclasses.is_dataclass(value):
        message = f"the kernel makes a {value.__name__}, a dataclass that has {code_of_its_own(value)}"
        remedy = f"write a function that computes all fields and calls a {value.__name__} without it, or pass its object as an argument"
        raise LoweringError(message, remedy=remedy)
    _refuse_special(value)
    instead = remedy_for(value)
    if instead is not None:
        message = f"the kernel names {getattr(value, '__name__', 'an object')} of mpi4py"
        raise LoweringError(message, remedy=instead)


def _refuse_special(value: Any) -> None:
    """Raise of a function of scipy.special's that Numba does not know, also by what this package teaches it.

    Those that are Python code do not compile: they ask what library an array is of.
    """
    if is_special(value):
        message = f"`scipy.special.{value.__name__}` is not among the special functions with derivatives"
        remedy = "give it a rule: enzyme.rules.python, or enzyme.rules.partials around a C function"
        raise LoweringError(message, remedy=remedy)


class NoEnvironment:
    """In the place of what Numba keeps of a function for Python's objects."""

    @property
    def env_body(self) -> Any:
        """Asked for by calls of functions that are values."""
        message = "the kernel calls a function that is chosen while running (`f if c else g`), by its address"
        remedy = "call both under a branch, y = f(x) if c else g(x); a C function needs a rule: enzyme.rules.partials"
        raise LoweringError(message, remedy=remedy)

    @property
    def read_const(self) -> Any:
        """Asked for by what makes Python's arrays, for their dtype: arrays of a derivative have no owner that Python knows."""
        message = "the kernel raises an exception with an array"
        remedy = "raise it with numbers of the array, such as x[0], or a tuple of them"
        raise LoweringError(message, remedy=remedy)


def refuse_threads(value: Any) -> None:
    """Raise if a kernel that names this value, or something of a value of this type, has to stay on one thread."""
    if is_of_mpi(value) or isinstance(value, Communicator):
        message = "it calls MPI, whose messages have one order"
        raise StaysSerialError(message)
    for one in _OF_NUMBAS_THREADS:
        if value is one:
            message = f"it uses numba.{one.__name__}"
            raise StaysSerialError(message)


class RefusesThreads:
    """For typing contexts: what kernels ask of values of some types keeps them on one thread."""

    _kernel_target: Any

    def resolve_getattr(self, typ: Any, attr: str) -> Any:
        """Return the type of an attribute."""
        if self._kernel_target.is_threaded:
            refuse_threads(typ)
        return super().resolve_getattr(typ, attr)  # type: ignore[misc]
