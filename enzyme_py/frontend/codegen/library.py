"""Code libraries that keep Numba's IR as Numba lowered it: nothing optimised, nothing loaded.

Numba's own libraries optimise each function as it arrives and hand the module to an engine, whose
code generation then rewrites the IR in place. Both spoil differentiation (DESIGN 4): a library of
this file holds raw modules, as bitcode and so in nobody's LLVM context, and `linked_module` joins a library with
everything that it calls, once, when a kernel is complete.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, codegen

from enzyme_py.foundations.llvm_modules import Modules


class RawLibrary(codegen.CPUCodeLibrary):  # type: ignore[misc]
    """Unoptimised code and the libraries it calls."""

    def __init__(self, owner: RawCodegen, name: str) -> None:
        codegen.CodeLibrary.__init__(self, owner, name)  # not Numba's module, in its context
        self._linking_libraries: list[RawLibrary] = []
        self.parts: list[bytes] = []  # the bitcode of each module that was added
        self.functions: set[str] = set()  # the names of those that the code defines or calls
        self.catches = False  # set by the calling convention when the code holds a `try`
        self.stops = False  # set where a user's code stops derivatives on purpose (transforms/values/stop.py)
        self.is_parallel = False  # the user asked for threads, and its code has a loop for them
        self.loops: tuple[tuple[str, int, str], ...] = ()  # of it: function, line, why it stays serial
        self.recursive_calls: set[str] = set()  # symbols that another library will define
        self.is_apart = False  # its code may stay outside of the module of those that call it
        self._is_being_made = False
        self.making: Callable[[], None] | None = None  # what makes the module, when it is asked for

    def add_ir_module(self, ir_module: ir.Module) -> None:
        self._raise_if_finalized()
        with Modules() as modules:
            module = modules.parsed(cgutils.normalize_ir_text(str(ir_module)))
            module.verify()
            self.add_llvm_module(module)

    def add_llvm_module(self, ll_module: llvm.ModuleRef) -> None:
        ll_module.data_layout = self._codegen._data_layout
        self.parts.append(ll_module.as_bitcode())
        self.functions |= {function.name for function in ll_module.functions}

    def add_linking_library(self, library: RawLibrary) -> None:
        # Unlike Numba's: the callee may still be under construction (recursion).
        if library is not self and library not in self._linking_libraries:
            self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def made(self) -> bool:
        """Make the module if that was put off; false while that is under way."""
        if self.making is not None and not self._is_being_made:
            self._is_being_made = True
            try:
                self.making()
            finally:
                self._is_being_made = False
            self.making = None
        return not self._is_being_made

    def get_llvm_str(self) -> str:
        with Modules() as modules:
            return "".join(str(modules.parsed(part)) for part in self.parts)


class RawCodegen(codegen.JITCPUCodegen):  # type: ignore[misc]
    """Makes raw libraries; its engine is never given a module of a kernel."""

    _library_class = RawLibrary

    def __init__(self, module_name: str) -> None:
        super().__init__(module_name)
        self.libraries: weakref.WeakValueDictionary[str, RawLibrary] = (
            weakref.WeakValueDictionary()
        )  # of compiled overloads, by symbol

    def _add_module(self, module: llvm.ModuleRef) -> None:
        """Nothing is loaded from here."""

    def set_env(self, env_name: str, env: object) -> None:
        """Environments serve boxing, and no boxing happens inside a derivative."""

    def insert_unresolved_ref(self, builder: ir.IRBuilder, fnty: ir.FunctionType, name: str) -> Any:
        # All recursion ends up in one module, so a plain declaration is enough.
        return cgutils.get_or_insert_function(builder.module, fnty, name)


def with_callees(library: RawLibrary, *, is_whole: bool = False) -> Iterator[RawLibrary]:
    """Yield the library and all that it calls, directly or not, each once; what is apart only if all is asked for."""
    seen: set[int] = set()
    pending = [library]
    while pending:
        current = pending.pop()
        is_left_out = current.is_apart and current is not library and not is_whole
        if id(current) in seen or is_left_out:
            continue
        seen.add(id(current))
        if current.made():
            yield current
        pending.extend(current._linking_libraries)
        defined = current.codegen.libraries
        pending.extend(defined[name] for name in current.recursive_calls if name in defined)


def linked_module(
    library: RawLibrary, modules: Modules, *, is_whole: bool = False
) -> llvm.ModuleRef:
    """Return a module, one of the given, with the code of `library` and of everything it calls."""
    libraries = with_callees(library, is_whole=is_whole)
    parts = [modules.parsed(part) for one in libraries for part in one.parts]
    for module in parts:
        for function in module.functions:
            # Two libraries may hold the same internal helper.
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = "linkonce_odr"
    first = parts[0]
    for module in parts[1:]:
        first.link_in(module)
    return first
