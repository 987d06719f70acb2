"""A program whose calls of Enzyme go to functions of this process.

A call `__enzyme_autodiff(f, ...)` in IR becomes one of a function of its own, which takes the place for the result first.
It is a function of ctypes, and has the derivative of `f` by `link_ir` and `autodiff`.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np

import enzyme_py as enzyme
from tests.enzyme_suite.programs import MARKERS, Declared, NotAsked, alone, drop_unused, signature

_CALL = re.compile(
    rf"^  (?P<to>%[\w.]+ = )?(?:tail |notail )?(?:call|invoke) (?P<type>.+?) ?(?:\([^()]*\) )?"
    rf"@(?:_Z\d+)?(?P<marker>{'|'.join(MARKERS)})\w*\((?P<given>.*)\)(?P<rest>[^()\n]*)$",
    re.MULTILINE,
)
_ATTRIBUTES = re.compile(
    r"\b(?:noundef|nonnull|signext|zeroext|align \d+|dereferenceable\(\d+\)|fast|nofpclass\([a-z ]+\)) "
)
_OTHERS = re.compile(r"@(?:_Z\d+)?(__enzyme_\w+)")
_EXTERNAL = re.compile(r"^(?P<name>@enzyme_\w+) = external (?:\w+ )*global i32", re.MULTILINE)
_LOADED = re.compile(r"load i32, ptr @(enzyme_\w+)")
_C = {
    "ptr": ctypes.c_void_p,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
}
_ACTIVITIES = {
    "enzyme_const": "const",
    "enzyme_dup": "dup",
    "enzyme_dupnoneed": "dup",
    "enzyme_out": "out",
}
_numbers = itertools.count()


class Site:
    """A place where a program asks for a derivative."""

    def __init__(self, call: re.Match[str], text: str) -> None:
        self.symbol = f"enzyme_suite_{next(_numbers)}"
        self.is_forward = "fwddiff" in call["marker"]
        first, *rest = (_ATTRIBUTES.sub("", one) for one in _split(call["given"]))
        if not first.startswith("ptr @"):
            raise NotAsked("derivative of something else than a function by its name")
        self.name = first.removeprefix("ptr @").strip('"')
        self.types: list[str] = []
        self.given: list[tuple[str, str]] = []  # what it is to Enzyme, and its type
        self.activities: list[str] = []
        marked = ""
        self.kept: list[str] = []
        for one in rest:
            type_, _, value = one.partition(" ")
            marker = _LOADED.match(_made(value, text[: call.start()]))
            if marker:
                if marker[1] not in _ACTIVITIES:
                    raise NotAsked(f"marker {marker[1]}")
                marked = _ACTIVITIES[marker[1]]
                continue
            if type_ not in _C:
                raise NotAsked(f"call with {type_}")
            self.kept.append(one)
            self.types.append(type_)
            self.activities.append(marked)
            marked = ""
        self.type = _ATTRIBUTES.sub("", call["type"])
        self.result = _expanded(self.type, text)

    def text(self, call: re.Match[str]) -> str:
        """Return the call of the function in this process, in the place of the one in the program."""
        place = f"%{self.symbol}"
        lines = [f"  {place} = alloca [8 x double]"]
        lines += [f"  store [8 x double] zeroinitializer, ptr {place}"]
        lines += [f"  call void @{self.symbol}({', '.join([f'ptr {place}', *self.kept])})"]
        if call["to"]:
            lines += [f"  {call['to']}load {self.type}, ptr {place}"]
        return "\n".join(lines)

    @property
    def declaration(self) -> str:
        return f"declare void @{self.symbol}({', '.join(['ptr', *self.types])})"


def _made(value: str, before: str) -> str:
    """Return the instruction that makes a value, of the function at whose end a text breaks off."""
    place = before.rfind(f"  {value} = ")
    return before[place:].partition(" = ")[2] if place >= 0 else ""


def _split(text: str) -> list[str]:
    """Return the parts of a list with commas outside of brackets."""
    parts, depth = [""], 0
    for one in text:
        depth += (one in "([{") - (one in ")]}")
        if one == "," and not depth:
            parts.append("")
        else:
            parts[-1] += one
    return [one.strip() for one in parts]


def _expanded(type_: str, text: str) -> list[str]:
    """Return the numbers of a result's type."""
    if type_.startswith("%"):
        found = re.search(rf"^{re.escape(type_)} = type (.*)$", text, re.MULTILINE)
        type_ = found[1] if found else type_
    return [one for one in re.split(r"[{}, ]+", type_) if one and one != "void"]


class Program:
    """The IR of a program, with sites in the place of its calls of Enzyme."""

    def __init__(self, text: str) -> None:
        self.sites: list[Site] = []

        def replaced(call: re.Match[str]) -> str:
            if "call " not in call[0]:
                raise NotAsked("call with an exception's way out")
            site = Site(call, text)
            self.sites.append(site)
            return site.text(call)

        made = _EXTERNAL.sub(r"\g<name> = global i32 0", _CALL.sub(replaced, text))
        used = [line for line in made.splitlines() if _OTHERS.search(line)]
        others = [line for line in used if not line.startswith("declare ")]
        if others:
            name = _OTHERS.search(others[0])
            raise NotAsked(f"uses {name[1] if name else 'another function of Enzyme'}")
        if not self.sites:
            raise NotAsked("calls no derivative")
        if " @main(" not in text:
            raise NotAsked("a file without a program")
        self.text = "\n".join([made, *(one.declaration for one in self.sites)])

    def run(self, answers: dict[str, Callable[..., None]]) -> int:
        """Run the program; each site has a function that is given the place for the result and the arguments."""
        kept = []
        for site in self.sites:
            kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *(_C[one] for one in site.types))
            kept.append(kind(answers[site.symbol]))
            llvm.add_symbol(site.symbol, ctypes.cast(kept[-1], ctypes.c_void_p).value)
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(
            reloc="pic", codemodel="large"
        )
        module = llvm.parse_assembly(self.text, llvm.create_context())
        library = ctypes.create_string_buffer(8)  # what C++ names as the owner of its destructors
        llvm.add_symbol("__dso_handle", ctypes.addressof(library))
        drop_unused(module)
        _check_all_found(module)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        engine.run_static_constructors()
        main = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
        name = ctypes.create_string_buffer(b"program")
        names = (ctypes.c_char_p * 2)(ctypes.addressof(name), None)
        return int(main(engine.get_function_address("main"))(1, ctypes.addressof(names)))


def _check_all_found(module: llvm.ModuleRef) -> None:
    """Say which symbol is missing: MCJIT says nothing, resolves no other one either, and jumps to address 0."""
    for one in (*module.functions, *module.global_variables):
        is_needed = one.is_declaration and not one.name.startswith("llvm.")
        if is_needed and llvm.address_of_symbol(one.name) is None:
            raise NotAsked(f"no library here has {one.name}")


# --- one derivative --------------------------------------------------------------------------------------------------------


class Derivative:
    """The derivative that a site asks for."""

    def __init__(self, site: Site, found: Declared, code: str, folder: Path) -> None:
        self.site = site
        result, self.kinds = signature(found)
        self.has_result = result.startswith("float")
        self.places = list(_places(site, self.kinds))
        file = alone(code, site.name, folder)
        self.function = enzyme.link_ir(file, site.name, f"{result}({', '.join(self.kinds)})")

    def __call__(self, place: int, *values: Any) -> None:
        """Take it, and write what comes by value to the place for the result."""
        arguments, given = [], iter(values)
        for kind, activity in self.places:
            one = _value(kind, next(given))
            if activity == "dup":
                arguments.append(enzyme.Duplicated(one, _value(kind, next(given))))
            elif activity == "out":
                arguments.append(enzyme.Active(one))
            else:
                arguments.append(enzyme.Const(one))
        found = self._taken(arguments)
        size = 0
        for one, kind in zip(found, self.site.result, strict=False):
            ctypes.memmove(place + size, _bytes(one, kind), 8 if kind == "double" else 4)
            size += 8 if kind == "double" else 4

    def _taken(self, arguments: list[Any]) -> list[Any]:
        if self.site.is_forward:
            result = enzyme.Duplicated if self.has_result else enzyme.Const
            return list(enzyme.autodiff(enzyme.Forward, self.function, result, *arguments))
        result = enzyme.Active if self.has_result else enzyme.Const
        slopes = enzyme.autodiff(enzyme.Reverse, self.function, result, *arguments)[0]
        return [one for one in slopes if one is not None]


def _places(site: Site, kinds: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each argument's type and its activity: the one that is named, else Enzyme's own choice."""
    number = 0
    for kind in kinds:
        if number >= len(site.types):
            raise NotAsked("call with other arguments than the function has")
        own = "dup" if kind.endswith("]") and kind.startswith("float") else "const"
        if kind in ("float64", "float32"):
            own = "dup" if site.is_forward else "out"
        activity = site.activities[number] or own
        yield kind, activity
        number += 2 if activity == "dup" else 1
    if number != len(site.types):
        raise NotAsked("call with other arguments than the function has")


def _value(kind: str, value: Any) -> Any:
    if kind.endswith("]"):
        return _memory(np.dtype(kind.partition("[")[0]).str, value or 0)
    return np.dtype(kind).type(value)


@functools.cache
def _room(kind: str) -> Any:
    return np.ctypeslib.as_ctypes_type(np.dtype(kind))


def _memory(kind: str, address: int) -> Any:
    """Return the memory at an address as an array of one number: how many there are, C does not say."""
    if not address:
        return np.zeros(1, kind)
    return np.ctypeslib.as_array((_room(kind) * 1).from_address(address))


def _bytes(value: Any, kind: str) -> bytes:
    return np.dtype("f8" if kind == "double" else "f4").type(value).tobytes()
