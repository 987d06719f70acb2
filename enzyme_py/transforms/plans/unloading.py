"""Machine code of runners that goes with the runner: Numba unloads nothing that it compiled.

Numba hands every module to one engine of the process, which keeps IR and machine code for ever (0.8 MB of each
function, measured). The library here does the same work on the same IR, in an LLVM context of its own, and loads the code as
that of derivatives is loaded: it is unloaded with its last reference. Where other compiled code calls the
function, and where something is needed that only Numba's engine has, Numba's own library takes its place.
The pipeline that chooses it is in runner_compiler.py.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, codegen, types
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.environment import Environment

from enzyme_py.errors import UnresolvedSymbolError
from enzyme_py.foundations.llvm_modules import Modules, run_once
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.loading import link
from enzyme_py.native.machine import emit_assembly, emit_object
from enzyme_py.native.optimising import outside_names
from enzyme_py.native.stored.disk_cache import holds_addresses
from enzyme_py.native.symbols import shared_address
from enzyme_py.transforms.plans.usual_arguments import runner_context

_ENVIRONMENT = "_ZN08NumbaEnv"  # how the names begin of pointers to what Numba calls environments
_WRAPPER = "_ZN7cpython"


@register_pass(mutates_CFG=False, analysis_only=True)
class ChooseLibrary(AnalysisPass):  # type: ignore[misc]
    """Gives a function the library that can be unloaded, and a context whose wrappers look at arrays."""

    _name = "enzyme_py_library"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Choose by what the function returns."""
        state.targetctx = runner_context(state.targetctx)
        if state.library is None and _is_plain(state.return_type):
            owner = state.targetctx.codegen()
            state.library = UnloadableLibrary(owner, state.func_id.func_qualname)
        return False


def _is_plain(kind: Any) -> bool:
    """Tell whether values of a type hold no address of code, as lists do: of what frees their items."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_is_plain, kind))
    if isinstance(kind, types.Array):
        return isinstance(kind.dtype, types.Number | types.Boolean | types.Record)
    return isinstance(kind, types.Number | types.Boolean | types.NoneType)


def derivatives_of(library: Any) -> Iterator[NativeFunction]:
    """Yield the derivatives that the code of a library calls, each once."""
    found: dict[int, NativeFunction] = {}
    pending: list[Any] = [library]
    while pending:
        library = pending.pop()
        for one in getattr(library, "enzyme_py_derivatives", ()):
            found[id(one.keep_alive)] = one
        pending.extend(getattr(library, "_linking_libraries", ()))
    yield from found.values()


class UnloadableLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The code of one function and of all that it calls, outside of Numba's engine."""

    def __init__(self, owner: Any, name: str) -> None:
        codegen.CodeLibrary.__init__(self, owner, name)  # not Numba's module, in its context
        self._linking_libraries: list[Any] = []
        self._parts: list[str] = []
        self._optimised = b""
        self._addresses: dict[str, int] = {}
        self._loaded: object = None
        self.code: ObjectCode | None = None  # that is loaded
        self.environments: dict[str, Any] = {}  # the constants that it looks up, by symbol
        self._of_numba: Any = None

    # -- what Numba does with a library while it lowers

    def add_ir_module(self, ir_module: ir.Module) -> None:
        self._raise_if_finalized()
        self._parts.append(cgutils.normalize_ir_text(str(ir_module)))

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True
        try:
            with Modules() as modules:
                self._load(self._final(modules))
        except UnresolvedSymbolError:
            self._numbas()

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        is_wrapper = name.startswith(
            _WRAPPER
        )  # what Python calls; other addresses may outlive this
        if self._loaded is None or not is_wrapper:
            return self._numbas().get_pointer_to_function(name)  # type: ignore[no-any-return]
        return self._addresses.get(name, 0)

    def lent_address(self, name: str) -> int:
        """Return where a function is, for whoever holds this library as long as it is called."""
        self._ensure_finalized()
        if self._loaded is None:
            return self._numbas().get_pointer_to_function(name)  # type: ignore[no-any-return]
        return self._addresses.get(name, 0)

    @property
    def codegen(self) -> Any:
        """What sets the environment of this function, for which Numba asks the engine."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Let the code find the Python objects that it needs."""
        self.environments[name] = environment
        if self._loaded is not None:
            address = ctypes.c_void_p.from_address(self._addresses[name])
            address.value = id(environment)
        if self._of_numba is not None:
            self._of_numba.codegen.set_env(name, environment)

    # -- what others ask of it

    def _get_module_for_linking(self) -> llvm.ModuleRef:
        return self._numbas()._get_module_for_linking()

    def get_llvm_str(self) -> str:
        if self._loaded is None:
            return str(self._numbas().get_llvm_str())
        with Modules() as modules:
            return str(modules.parsed(self._optimised))

    def get_asm_str(self) -> str:
        if self._loaded is None:
            return str(self._numbas().get_asm_str())
        with Modules() as modules:
            return emit_assembly(modules.parsed(self._optimised))

    @property
    def optimised(self) -> bytes:
        """The bitcode, for a caller of the same kind; nothing where Numba's library took the place."""
        return self._optimised if self._loaded is not None else b""

    def derivatives(self) -> Iterator[NativeFunction]:
        """Yield those that the code calls, each once."""
        yield from derivatives_of(self)

    def holds_addresses(self) -> bool:
        """Tell whether an address of this process stands in the code."""
        with Modules() as modules:
            return holds_addresses(str(modules.parsed(self._optimised)))

    def _numbas(self) -> Any:
        """Return the same as a library of Numba's, which stays for ever."""
        if self._of_numba is None:
            made = self._codegen.create_library(self.name)
            for part in self._parts:
                module = llvm.parse_assembly(part)
                module.verify()
                made.add_llvm_module(module)
            for library in self._linking_libraries:
                made.add_linking_library(library)
            made.finalize()
            for name, environment in self.environments.items():
                made.codegen.set_env(name, environment)
            self._of_numba = made
        return self._of_numba

    # -- as Numba's library does it

    def _final(self, modules: Modules) -> llvm.ModuleRef:
        final = modules.parsed(str(self._codegen._create_empty_module(self.name)))
        for part in self._parts:
            module = modules.parsed(part)
            module.verify()
            final.link_in(module)
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            final.link_in(modules.parsed(_code_to_link(library)))
        level = {"loop_vectorize": self._codegen._loopvect, "opt": self._codegen._opt_level}
        for options in ({**level, "slp_vectorize": False, "cost": "cheap"}, {}):
            # Numba also runs passes on each function before; of runners, measured, they change nothing.
            manager, builder = self._codegen._module_pass_manager(**options)
            run_once(manager, final, builder)
        final.verify()
        return final

    def _load(self, final: llvm.ModuleRef) -> None:
        environments = [
            one
            for one in final.global_variables
            if one.name.startswith(_ENVIRONMENT) and not one.is_declaration
        ]
        for one in environments:
            one.linkage = "external"  # and not common: nobody else has it
        names = [one.name for one in environments]
        functions = [
            one.name
            for one in final.functions
            if not one.is_declaration and one.linkage == llvm.Linkage.external
        ]
        self._optimised = final.as_bitcode()
        needed = tuple(outside_names(final))
        code = ObjectCode(emit_object(final), (*functions, *names), needed)
        self._loaded, self._addresses = link(code, shared_address)
        self.code = code
        for name in names:  # of the functions that are called
            environment = Environment._memo.get(name)
            if environment is not None:
                self.set_env(name, environment)


def _code_to_link(library: Any) -> bytes:
    """Return the bitcode of a library, whose functions others may define as well."""
    if not isinstance(library, UnloadableLibrary) or not library.optimised:
        return library._get_module_for_linking().as_bitcode()  # type: ignore[no-any-return]
    with Modules() as modules:
        module = modules.parsed(library.optimised)
        for one in (*module.functions, *module.global_variables):
            if not one.is_declaration and one.linkage == llvm.Linkage.external:
                one.linkage = "linkonce_odr"
        return module.as_bitcode()  # type: ignore[no-any-return]
