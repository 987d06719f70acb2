"""The Numba target "enzyme": Numba's typing and lowering, IR left raw, callees recompiled.

Four targets are built here, alike but for two things. The calling convention (see
calling_convention.py): `KERNEL` raises without returning; `CATCHING` is for kernels that hold a `try`.
And what derivatives inside of kernels do with constant arrays: in the two `SHADOWING` ones these get
shadows, see assembly/hidden_shadows.py.

A kernel's callees arrive as CPU dispatchers (`@njit` functions) or as plain Python functions.
Both are mapped to dispatchers of the same target, one per function, so that their code is compiled
again without optimisation and linked in as IR.
"""

from __future__ import annotations

import contextlib
import types as pytypes
import warnings
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from numba.core import cpu, dispatcher, types, typing
from numba.core.base import _wrap_impl
from numba.core.compiler_lock import global_compiler_lock
from numba.core.descriptors import TargetDescriptor
from numba.core.errors import (
    NumbaDebugInfoWarning,
    NumbaExperimentalFeatureWarning,
    NumbaParallelSafetyWarning,
    NumbaPerformanceWarning,
)
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.runtime import rtsys
from numba.core.target_extension import (
    dispatcher_registry,
    jit_registry,
    target_override,
    target_registry,
)

from enzyme_py.errors import LoweringError
from enzyme_py.foundations.content.compiled_content import note_content
from enzyme_py.foundations.keeping import made_of, released
from enzyme_py.foundations.places import python_function
from enzyme_py.foundations.versions import is_library
from enzyme_py.frontend.arrays import axes
from enzyme_py.frontend.arrays.array_expressions import lower_array_expression
from enzyme_py.frontend.arrays.broadcasting import (
    broadcast_shape,
    forget_broadcast_indices,
    is_broadcast,
)
from enzyme_py.frontend.arrays.captured_arrays import FreezesArrays
from enzyme_py.frontend.arrays.contiguity import contiguity, is_contiguity
from enzyme_py.frontend.arrays.new_arrays import makes_array, makes_list
from enzyme_py.frontend.codegen.calling_convention import CatchingCallConv, KernelCallConv
from enzyme_py.frontend.codegen.library import RawCodegen
from enzyme_py.frontend.codegen.lines import LineInfo
from enzyme_py.frontend.codegen.named_integers import NamesIntegers
from enzyme_py.frontend.codegen.outlining import (
    Outlined,
    is_table_operation,
    outlined,
    tuple_hash_type,
)
from enzyme_py.frontend.codegen.tables import holds_no_floats
from enzyme_py.frontend.codegen.type_hints import hint_block_operations, hint_records, hint_scratch
from enzyme_py.frontend.containers.dataclass_calls import class_of_tuples
from enzyme_py.frontend.containers.jitclasses import TypesJitclasses, registry_of
from enzyme_py.frontend.containers.memory import ExceptionNRT, RegionNRT
from enzyme_py.frontend.containers.pipeline import KernelCompiler
from enzyme_py.frontend.containers.record_copies import CopiesRecords
from enzyme_py.frontend.numpy_functions import scans, searching, sets, signals
from enzyme_py.frontend.numpy_functions.products import inlined, is_product, replaced
from enzyme_py.frontend.numpy_functions.smooth import power_by_slopes, smooth_version
from enzyme_py.frontend.parallel import chunk_sizes
from enzyme_py.frontend.parallel.wishes import kinds_of_loops
from enzyme_py.frontend.target import mpi_calls
from enzyme_py.frontend.target.hierarchy import (
    EnzymeCatchingTarget,
    EnzymeShadowingCatchingTarget,
    EnzymeShadowingTarget,
    EnzymeTarget,
    EnzymeThreadedTarget,
)
from enzyme_py.frontend.target.options import KernelOptions, Token
from enzyme_py.frontend.target.refusals import refused
from enzyme_py.frontend.target.registries import ReadsOnce
from enzyme_py.frontend.target.replacements import own_value, replacement
from enzyme_py.frontend.target.signatures import CallsBySignature
from enzyme_py.frontend.target.universal import is_universal, teach
from enzyme_py.frontend.target.versions import own_versions
from enzyme_py.symbols import DOOR

_OVERLOADS = (axes, chunk_sizes, scans, searching, sets, signals)  # they teach Numba as they are imported
# The options of a user's @njit that change what its code computes.
_KEPT_OPTIONS = ("fastmath", "error_model", "boundscheck", "inline", "forceinline")


class KernelTypingContext(ReadsOnce, refused.RefusesThreads, TypesJitclasses, typing.Context):  # type: ignore[misc]
    """Resolves Python functions and CPU dispatchers to dispatchers of this target."""

    def __init__(self, target: KernelTarget) -> None:
        self._kernel_target = target
        self._known: weakref.WeakSet[Any] = weakref.WeakSet()  # functions made by vectorize
        super().__init__()

    def resolve_value_type(self, val: Any) -> Any:
        refused.refuse_value(val)
        mpi_calls.teach_mpi(val, TARGETS)
        if self._kernel_target.is_threaded:
            refused.refuse_threads(val)
        if isinstance(val, CPUDispatcher):
            return types.Dispatcher(self._kernel_target.dispatcher_of(val))
        if is_universal(val):
            teach(self._kernel_target, val, self._known)
        if isinstance(val, type) and (found := class_of_tuples(val)) is not None:
            return found
        if registry := registry_of(val):
            self._kernel_target.target_context.install_registry(registry)
            return val.class_type
        val = own_value(self._kernel_target, val)
        try:
            return super().resolve_value_type(val)
        except ValueError:
            refused.refuse_unknown(val)
            if isinstance(val, pytypes.FunctionType):
                return types.Dispatcher(self._kernel_target.dispatcher_of(val))
            raise

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        found = tuple_hash_type(func, args)
        if found is not None:
            return found
        return super().resolve_function_type(self._kernel_target.own_type(func), args, kws)


class KernelContext(ReadsOnce, FreezesArrays, CopiesRecords, NamesIntegers, cpu.CPUContext):  # type: ignore[misc]
    """Lowers for differentiation: raw libraries, no counts, our calling convention."""

    DIBuilder = LineInfo

    def __init__(self, typing_context: Any, name: str, target: KernelTarget) -> None:
        self._kernel_target = target
        self._in_exception = False
        self.last_payload: Any = None
        self.is_table = False
        super().__init__(typing_context, name)

    @global_compiler_lock  # type: ignore[misc]
    def init(self) -> None:
        super().init()
        self._internal_codegen = RawCodegen("enzyme_py.kernels")
        self.special_ops["arrayexpr"] = lower_array_expression

    def load_additional_registries(self) -> None:
        # Numba's runtime is built by whichever context asks first; it must be the CPU's.
        rtsys.initialize(cpu_target.target_context)
        super().load_additional_registries()

    @property
    def kernel_target(self) -> KernelTarget:
        """The target that this context lowers for."""
        return self._kernel_target

    @property
    def call_conv(self) -> Any:
        return self._kernel_target.convention(self)

    @property
    def nrt(self) -> RegionNRT:
        return (ExceptionNRT if self._in_exception else RegionNRT)(self, self.enable_nrt)

    @contextlib.contextmanager
    def exception_memory(self) -> Iterator[None]:
        """Within the block, memory comes from where the catcher of an exception frees it."""
        self._in_exception = True
        try:
            yield
        finally:
            self._in_exception = False

    def get_data_type(self, ty: Any) -> Any:
        found = super().get_data_type(ty)
        if isinstance(ty, (types.ListPayload, types.SetPayload)):
            # Numba asks for it right before it makes or grows a list or a set, and does that
            # without saying the type.
            self.last_payload = found
            self.is_table = holds_no_floats(ty.container.dtype)
        return found

    def get_env_manager(self, builder: Any, return_pyobject: bool = False) -> Any:
        return refused.NoEnvironment()  # only boxing asks for one, of what is printed or an exception's argument, by address

    def get_constant_generic(self, builder: Any, ty: Any, val: Any) -> Any:
        if isinstance(ty, types.Dispatcher):
            # Numba would write the address of the object; calls are resolved by type alone.
            return self.get_dummy_value()
        return super().get_constant_generic(builder, ty, val)

    def post_lowering(self, mod: Any, library: Any) -> None:
        """As Numba's, but without linking its runtime, whose place the region takes."""
        if self.fastmath:
            from numba.core import fastmathpass

            fastmathpass.rewrite_module(mod, self.fastmath)
        hint_block_operations(mod)
        hint_scratch(mod)
        hint_records(mod, self.target_data)
        forget_broadcast_indices(mod)

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        """Nothing is executable yet; a unique token stands for the compiled function."""
        return Token(fndesc.qualname)

    def call_unresolved(self, builder: Any, name: str, sig: Any, args: Any) -> Any:
        # A recursion may call another overload of the same function (its first call had a literal).
        self.active_code_library.recursive_calls.add(name)
        return super().call_unresolved(builder, name, sig, args)

    def compile_subroutine(self, builder: Any, impl: Any, sig: Any, *args: Any, **kws: Any) -> Any:
        if is_product(impl) or makes_list(impl):
            kws.setdefault("flags", inlined())
        own = smooth_version(replaced(impl))
        return super().compile_subroutine(builder, own, sig, *args, **kws)

    def compile_internal(self, builder: Any, impl: Any, sig: Any, args: Any, *rest: Any) -> Any:
        if is_broadcast(impl):
            return broadcast_shape(builder, args)
        if is_contiguity(impl):
            return contiguity(builder, impl, args)
        own = power_by_slopes(impl, args[-1]) if args else impl
        return super().compile_internal(builder, own, sig, args, *rest)

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        if (implementation := replacement(fn, sig)) is not None:
            return _wrap_impl(implementation, self, sig)
        own = self._kernel_target.own_type(fn)
        is_code = own is not fn and isinstance(own, types.Dispatcher)  # and not a rule's door
        if is_code and tuple(sig.args) not in own.dispatcher.overloads:
            # A method of a jitclass, which the CPU target has typed.
            own.dispatcher.compile(tuple(sig.args))
        found = super().get_function(own, sig, _firstcall)
        return Outlined(found, self, sig) if is_table_operation(fn, sig) else found

    def build_set(self, builder: Any, set_type: Any, items: Any) -> Any:
        if not holds_no_floats(set_type.dtype):
            return super().build_set(builder, set_type, items)
        usual = super().build_set
        return outlined(self, builder, lambda inner, given: usual(inner, set_type, given), items)


class KernelTarget(TargetDescriptor):  # type: ignore[misc]
    """One of the targets, with its contexts and its dispatchers."""

    options = KernelOptions

    def __init__(
        self,
        name: str,
        convention: Callable[[Any], Any],
        *,
        shadows_constants: bool = False,
        is_threaded: bool = False,
    ) -> None:
        super().__init__(name)
        self.name = name
        self.convention = convention
        self.shadows_constants = shadows_constants  # of requests inside of kernels
        self.is_threaded = is_threaded  # `prange` loops are lowered for threads (frontend/parallel/)

    @property
    def is_catching(self) -> bool:
        """Whether its kernels return Numba's status of an exception."""
        return self.convention is CatchingCallConv

    @cached_property
    def typing_context(self) -> Any:
        return KernelTypingContext(self)

    @cached_property
    def target_context(self) -> Any:
        return KernelContext(self.typing_context, self.name, self)

    def own_type(self, kind: Any) -> Any:
        """Return the type to use here for a type that may speak of a CPU dispatcher."""
        if isinstance(kind, types.Dispatcher):
            door = getattr(getattr(kind.dispatcher, "origin", kind.dispatcher), DOOR, None)
            if door is not None:  # a function with rules: see custom/door.py
                return self.typing_context.resolve_value_type(door)
        if isinstance(kind, types.Dispatcher) and isinstance(kind.dispatcher, CPUDispatcher):
            return types.Dispatcher(self.dispatcher_of(kind.dispatcher))
        return kind

    def dispatcher_of(self, function: Any) -> Any:
        """Return the one dispatcher of this target for a CPU dispatcher or a plain function."""
        function = getattr(function, "origin", function)
        known = made_of(function, "targets")
        found = known.get(self.name)
        if found is None:
            is_own = isinstance(function, dispatcher.Dispatcher)  # functools.wraps copies attributes
            given = (function.targetoptions, function.locals) if is_own else ({}, None)
            found = self.make_dispatcher(python_function(function), *given)
            found.origin = function
            known[self.name] = found
        return found

    def make_dispatcher(self, py_func: Any, options: dict[str, Any], variables: Any = None) -> Any:
        if options.get("forceobj"):
            message = f"`{py_func.__name__}` is compiled in object mode"
            raise LoweringError(message, remedy="remove forceobj=True; a kernel must be nopython")
        kept = {name: options[name] for name in _KEPT_OPTIONS if name in options}
        is_parallel = bool(options.get("parallel"))
        options = {"nopython": True, **kept}
        pipeline: type = KernelCompiler
        if is_parallel and self.is_threaded:
            # Not imported by who has no such loops: Numba's parallel loops are large.
            from enzyme_py.frontend.parallel.loops import ThreadedCompiler

            pipeline = ThreadedCompiler
            options["parallel"] = kinds_of_loops(py_func)
        made = self.dispatcher_class(py_func, dict(variables or {}), options, pipeline)
        made.is_parallel = is_parallel
        return made

    @cached_property
    def dispatcher_class(self) -> type:
        return type("KernelDispatcher", (KernelDispatcher,), {"targetdescr": self})

    def override(self) -> Any:
        """Context manager: Numba's template look-ups happen for this target."""
        return target_override(self.name)


class KernelDispatcher(CallsBySignature, dispatcher.Dispatcher):  # type: ignore[misc]
    """Compiles for a kernel target; never called from Python."""

    origin: Any = None  # the CPU dispatcher or the function that it stands for
    is_parallel = False  # the user asked for threads, and there is a loop for them

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        released(self)

    @property
    def is_compiling(self) -> Any:
        # A function with rules is called by its door, so a rule may call it: no recursion.
        return not hasattr(self.origin, DOOR) and super().is_compiling

    def add_overload(self, cres: Any) -> None:
        # No C entry point exists to insert.
        self.overloads[tuple(cres.signature.args)] = cres
        cres.library.codegen.libraries[cres.fndesc.mangled_name] = cres.library
        cres.library.is_parallel = self.is_parallel
        cres.library.loops = tuple((cres.metadata or {}).get("enzyme_py_loops", ()))

    def compile(self, sig: Any) -> Any:
        with self.targetdescr.override(), warnings.catch_warnings(), own_versions():
            # Functions made up for array expressions have no source. The compiler lock guards the filters too.
            warnings.simplefilter("ignore", NumbaDebugInfoWarning)
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)  # functions in tuples (custom/door.py)
            if self.targetdescr.is_threaded:  # the primal has warned of its loops
                warnings.simplefilter("ignore", NumbaPerformanceWarning)
                warnings.simplefilter("ignore", NumbaParallelSafetyWarning)
            if self.origin is not None and not is_library(self.py_func.__module__):
                note_content(self.origin, (self.targetdescr.name, sig))
            return super().compile(sig)


def _decorator(target: KernelTarget) -> Callable[..., Any]:
    """Return what @jit means while Numba compiles its own overloads for the target."""

    def jit(*args: Any, **options: Any) -> Any:
        def wrap(py_func: Any) -> Any:
            own = {"forceinline": True} if is_product(py_func) or makes_array(py_func) else {}
            return target.make_dispatcher(py_func, {**options, **own})

        return wrap(args[0]) if args and callable(args[0]) else wrap

    return jit


KERNEL = KernelTarget("enzyme", KernelCallConv)
CATCHING = KernelTarget("enzyme_catching", CatchingCallConv)
SHADOWING = KernelTarget("enzyme_shadowing", KernelCallConv, shadows_constants=True)
SHADOWING_CATCHING = KernelTarget("enzyme_shadowing_catching", CatchingCallConv, shadows_constants=True)
THREADED = KernelTarget("enzyme_threaded", KernelCallConv, is_threaded=True)
TARGETS = (KERNEL, CATCHING, SHADOWING, SHADOWING_CATCHING, THREADED)

for _kind, _target in (
    (EnzymeTarget, KERNEL),
    (EnzymeCatchingTarget, CATCHING),
    (EnzymeShadowingTarget, SHADOWING),
    (EnzymeShadowingCatchingTarget, SHADOWING_CATCHING),
    (EnzymeThreadedTarget, THREADED),
):
    target_registry[_target.name] = _kind
    jit_registry[_kind] = _decorator(_target)
    dispatcher_registry.ondemand[_kind] = lambda target=_target: target.dispatcher_class
