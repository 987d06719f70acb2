"""The noun that assembly produces: one LLVM module, ready for Enzyme."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from enzyme_py.errors import Where
from enzyme_py.llvm import Module


class WithCode:
    """A module as text, and as objects for those who ask: read once, and handed on with the text."""

    ir: str

    @cached_property
    def code(self) -> Module:
        """The code as objects. Who edits it hands on another module, by `with_code`."""
        return Module(self.ir)

    def with_code(self, code: Module, **changes: Any) -> Self:
        """Return this module with other code, which need not be read again, and with other facts."""
        new = replace(self, ir=str(code), **changes)  # type: ignore[type-var]
        vars(new)["code"] = code
        return new


@dataclass(frozen=True)
class DiffModule(WithCode):
    """All orders of one derivative in one module of textual LLVM IR.

    `entries` are the symbols that callers need after Enzyme, each of the form
    `i32 entry(ptr ret, ptr excinfo, args...)`; `options` are command-line options of Enzyme;
    `where` is the user's kernel, for messages.
    """

    ir: str
    entries: tuple[str, ...]
    options: tuple[str, ...]
    where: Where
    fast_math: tuple[str, ...] = ()  # what the user allows, in words of LLVM's; "fast": all of it; and ANY_ORDER
    keeps_slopes: bool = False  # of functions that would be called again (rules/slopes.py)
    is_nested: bool = False  # something in it is differentiated more than once
    name: str = ""  # of the derivative, for messages
    types: str = ""  # of its arguments, for people who look into the cache
    style: str = ""  # of the native stage: "", "scalar" or "rolled", see native/optimising.py
