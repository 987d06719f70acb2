"""The arrays of floats, and the lists of arrays, that requests take as constant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme_py.llvm import Argument, Call, Cast, Function, Module
from enzyme_py.llvm.types import is_pointer
from enzyme_py.llvm.values import attribute_name, attribute_value
from enzyme_py.passes.checks.memory_writes import MemoryWrites
from enzyme_py.passes.module.request_arguments import CONST, given_by
from enzyme_py.passes.module.requests import is_request
from enzyme_py.symbols import REQUEST

_NAMED = "arg."  # parameters that are a user's begin so: `%arg.x.4`
_TYPE = "enzyme_type"
_FLOATS = "]:Float"
_NUMBER = "[-1]:Float"  # of a parameter that is none of memory
_MIXED = "{[-1]:Pointer}"  # to records whose fields are of several types
_ITEM = ":Pointer}"


@dataclass(frozen=True)
class Constants:
    """A function that a request is about, where anything there is active.

    `names` has the user's name of each constant array of floats and each constant list of arrays; `parameters` is all that is constant.
    """

    function: Function
    names: dict[Argument, str]
    parameters: frozenset[Argument]

    @property
    def has_lists(self) -> bool:
        """Whether any of them is a list, or may be one."""
        return any(map(_holds_arrays, self.names))

    @property
    def arrays(self) -> dict[Argument, str]:
        """Those that are arrays of floats."""
        return {one: name for one, name in self.names.items() if _holds_floats(one)}


def constants_in(code: Module) -> Iterator[tuple[Function, Constants]]:
    """Yield the constants of each request of a module, with the function that makes the request."""
    for function in code.functions:
        if function.mentions(f"@{CONST}") and function.mentions(REQUEST):
            for call in function.analysis(MemoryWrites).calls:
                found = _constants_of(call) if is_request(call) else None
                if found is not None:
                    yield function, found


def requested(call: Call) -> Function | None:
    """Return the function that a request is about, if the module defines it."""
    about = call.arguments[0] if call.arguments else None
    if isinstance(about, Cast):  # before any pass
        about = about.value
    return about if isinstance(about, Function) and not about.is_declaration else None


def _constants_of(call: Call) -> Constants | None:
    function = requested(call)
    if function is None:
        return None
    markers = [given.marker for given in given_by(call)]
    if len(markers) != len(function.arguments) or set(markers) == {CONST}:
        return None
    pairs = zip(function.arguments, markers, strict=True)
    constant = [one for one, marker in pairs if marker == CONST]
    names = {
        one: name
        for one in constant
        if (name := _name(one)) and (_holds_floats(one) or _holds_arrays(one))
    }
    return Constants(function, names, frozenset(constant))


def _name(argument: Argument) -> str:
    """Return the user's name for an argument, nothing if it has none."""
    name = argument.name
    return name.removeprefix(_NAMED).partition(".")[0] if name.startswith(_NAMED) else ""


def _type(argument: Argument) -> str | None:
    """Return what is said of the memory behind a parameter."""
    said = (one for one in argument.attributes if attribute_name(one) == _TYPE)
    return next(map(attribute_value, said), None)


def _holds_floats(argument: Argument) -> bool:
    """Tell whether an argument is an array of floats, or of records, which may have floats among their fields."""
    said = _type(argument) or ""
    return said == _MIXED or _FLOATS in said.replace(_NUMBER, "")


def _holds_arrays(argument: Argument) -> bool:
    """Tell whether an argument may be a list of arrays.

    That is a typed list of arrays (to one of numbers writes are refused at run time), or what has no type at
    all: any other list, a dict or an object that a kernel hands on.
    """
    said = _type(argument)
    if said is None:
        return is_pointer(argument.type)
    place = said.removesuffix(_ITEM).rpartition("[-1,")[2] if said.endswith(_ITEM) else ""
    return place.endswith("]") and place[:-1].isdecimal()
