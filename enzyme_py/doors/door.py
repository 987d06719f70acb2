"""cfunc: the C function of a transform, in this process."""

from __future__ import annotations

import ctypes
import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba.core.typing.typeof import Purpose, typeof

from enzyme_py.doors import failures
from enzyme_py.doors.lowering import PACKED, lowered
from enzyme_py.doors.slots import Slot, argument_slots, argument_types, result_slots
from enzyme_py.errors import EnzymeError, ShadowError, UnsupportedTypeError, Where
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.frontend.target.teaching import teach

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Door:
    """A C function; the code that it runs lives as long as this object, so hold it while C may call.

    `address` is that of the function which `declaration` declares, `packed` that of
    `int32_t (void *const *data, const int64_t *const *sizes)`: a pointer and sizes for each of `arguments` and
    `results`, numbers by pointers too.
    """

    name: str
    address: int
    packed: int
    arguments: tuple[Slot, ...]
    results: tuple[Slot, ...]
    number: int = field(repr=False)
    library: Any = field(repr=False)

    @property
    def declaration(self) -> str:
        """The C declaration."""
        return declared(self.name, self.arguments, self.results)

    @property
    def ctypes(self) -> Any:
        """The function for ctypes, which lets go of the interpreter's lock while it runs."""
        kinds: list[Any] = []
        for slot in self.arguments:
            kinds += (
                [ctypes.c_void_p] if slot.is_array else [np.ctypeslib.as_ctypes_type(slot.dtype)]
            )
            kinds += [ctypes.c_int64] * (slot.ndim or 0)
        for slot in self.results:
            kinds += [ctypes.c_void_p, *[ctypes.c_int64] * (slot.ndim or 0)]
        function = ctypes.CFUNCTYPE(ctypes.c_int32, *kinds)(self.address)
        function.door = self  # type: ignore[attr-defined]
        return function

    def error(self) -> BaseException | None:
        """Return the exception of this thread's last call with status 1; asked again there is none."""
        return failures.take(self.number)

    def check(self, status: int) -> None:
        """Raise what a status stands for; 0 is good."""
        if status == failures.GOOD:
            return
        if status == failures.OTHER_SIZES:
            message = f"a result of `{self.name}` has other sizes than the memory for it"
            raise ShadowError(message, remedy="give memory of the shape that the result has")
        error = self.error()
        if error is not None:
            raise error
        message = f"`{self.name}` returned status {status}"
        raise EnzymeError(message, remedy="ask in the thread that called, and once for each call")


def cfunc(transform: Callable[..., Any], signature: Any, *, name: str | None = None) -> Door:
    """Return the C function of a kernel or transform for arguments of a signature: no Python in it, and no lock.

    The signature is Numba's: `"(float64[::1], int64)"`, or a tuple of types; arrays are C-contiguous. What the
    function captured is fixed in it, as it is now. See `Door` for what comes back, and help(enzyme_py.doors) for the C
    parameters.

    Examples:
        >>> door = enzyme.cfunc(enzyme.grad(lambda x: x**3), "(float64,)")
        >>> door.address > 0
        True
    """
    teach()
    failures.register()
    dispatcher, held = opened(transform)
    where = where_is(getattr(getattr(dispatcher, "plan", None), "kernel", None) or dispatcher)
    kinds = argument_types(signature)
    arguments = argument_slots(_names(dispatcher, len(held), kinds, where), kinds, where)
    fixed = fixed_values(held, where)
    given = (*map(_constant_type, fixed), *(one.kind for one in arguments))
    slots = arguments, result_slots(compiled_result(dispatcher, given), where)
    number = next(_numbers)
    title = name or dispatcher.__name__
    library = lowered(title, number, dispatcher, fixed, slots)
    address, packed = (library.lent_address(symbol) for symbol in (title, title + PACKED))
    return Door(title, address, packed, *slots, number, library)


def declared(name: str, arguments: tuple[Slot, ...], results: tuple[Slot, ...]) -> str:
    """Return the C declaration of a door."""
    parameters = [one for slot in arguments for one in slot.declared(is_result=False)]
    parameters += [one for slot in results for one in slot.declared(is_result=True)]
    return f"int32_t {name}({', '.join(parameters) or 'void'});"


def _names(dispatcher: Any, held: int, kinds: tuple[Any, ...], where: Where) -> list[str]:
    """Return the names of the arguments, as many as the signature has."""
    parameters = list(inspect.signature(dispatcher.py_func).parameters.values())[held:]
    names = [one.name for one in parameters]
    if parameters and parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL:
        star = names.pop()
        parameters.pop()
        names += [f"{star}{number}" for number in range(len(kinds) - len(names))]
    needed = sum(one.default is inspect.Parameter.empty for one in parameters)
    if not needed <= len(kinds) <= len(names):
        listed = ", ".join(names)
        message = f"the signature has {len(kinds)} arguments, `{dispatcher.__name__}` takes {len(names)}: {listed}"
        raise UnsupportedTypeError(message, where=where, remedy="give the type of each argument")
    return names[: len(kinds)]


def fixed_values(held: tuple[Any, ...], where: Where) -> tuple[Any, ...]:
    """Return captured values as constants of compiled code; raises for those that cannot be such."""
    return tuple(_fixed(value, where) for value in held)


def _fixed(value: Any, where: Where) -> Any:
    """Return a captured value as a constant of compiled code."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fciub":
        return np.ascontiguousarray(value).reshape(value.shape)
    if isinstance(value, (float, complex, int, np.number, np.bool_)):
        return value
    message = f"a C function cannot hold the captured {type(value).__name__}"
    raise UnsupportedTypeError(message, where=where, remedy="pass it as an argument")


def _constant_type(value: Any) -> Any:
    return typeof(value, Purpose.constant)


def compiled_result(dispatcher: Any, kinds: tuple[Any, ...]) -> Any:
    """Return the type of what a dispatcher returns for arguments of given types; it is compiled for them."""
    _, _, folded, _ = dispatcher.get_call_template(kinds, {})
    return dispatcher.overloads[tuple(folded)].signature.return_type


__all__ = ["Door", "cfunc"]
