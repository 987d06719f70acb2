"""The Numba dispatcher behind every derivative: errors of ours arrive as they were raised.

A derivative is compiled at its first call, so what the user did wrong is found beneath some twenty
frames of Numba. This dispatcher takes the error out of there and raises it anew, from the user's
own call; `enzyme_py.set_verbose_errors(True)` keeps every frame. Calls of compiled code do not pass
through here: Numba's C dispatcher asks for a compilation only where it has no code.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from numba.core import dispatcher, errors, types
from numba.core.registry import CPUDispatcher

from enzyme_py.errors import EnzymeError, LoweringError, UnsupportedTypeError, Where, own_error
from enzyme_py.frontend.lower import where_is
from enzyme_py.njit.plans import Plan
from enzyme_py.settings import settings


class DerivativeDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A CPU dispatcher, in every respect, whose errors are the user's to read."""

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        try:
            return super()._compile_for_args(*args, **kws)
        except (EnzymeError, errors.NumbaError) as error:
            if settings.verbose and isinstance(error, EnzymeError):
                raise
            found = self._told(error, args)
        # Outside of the handler, so that the error does not drag Numba's along.
        raise found.with_traceback(None)

    def _told(self, error: Exception, args: tuple[Any, ...]) -> EnzymeError:
        own = own_error(error)
        if own is None:
            own = self._unsupported(args) or self._unexplained(error)
        own.__cause__ = own.__context__ = None
        return own

    @property
    def plan(self) -> Plan | None:
        """The plan that the runner was made from."""
        code, cells = self.py_func.__code__, self.py_func.__closure__ or ()
        captured = dict(zip(code.co_freevars, cells, strict=True))
        return captured["plan"].cell_contents if "plan" in captured else None

    def _unsupported(self, args: tuple[Any, ...]) -> EnzymeError | None:
        """The error for an argument that no compiled code can take, if there is one."""
        for number, value in enumerate(self._flattened(args)):
            if _has_type(value):
                continue
            label = str(number) if self.plan is None else self.plan.argument_label(number)
            kind = type(value).__name__
            message = f"argument `{label}` is of type {kind}, which compiled code cannot take"
            remedy = (
                "pass numbers, arrays, and tuples of these; let the kernel capture anything else"
            )
            return UnsupportedTypeError(message, where=self._where(label), remedy=remedy)
        return None

    def _flattened(self, args: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the arguments as the user counts them: those of *args come as one tuple."""
        packed = self.py_func.__code__.co_flags & inspect.CO_VARARGS
        for value in args[0] if packed and args else args:
            yield value.value if isinstance(value, dispatcher.OmittedArg) else value

    def _unexplained(self, error: Exception) -> EnzymeError:
        message = f"Numba cannot compile `{self.__name__}`: {str(error).strip()}"
        return LoweringError(message, where=self._where(None))

    def _where(self, argument: str | None) -> Where | None:
        kernel = getattr(self.plan, "kernel", None)
        return None if kernel is None else where_is(kernel, argument)


def _has_type(value: Any) -> bool:
    try:
        found = dispatcher.typeof(value, dispatcher.Purpose.argument)
    except (errors.NumbaValueError, errors.NumbaError, ValueError):
        return False
    return not isinstance(found, types.PyObject)
