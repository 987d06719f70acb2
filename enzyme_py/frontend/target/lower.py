"""Lowering: a Python function and its argument types become raw LLVM IR, ready to be linked.

    lower(function, argument_types) -> LoweredKernel

`compile_kernel` is the same without the linking: what a request inside another kernel needs.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from numba.core import errors as numba_errors
from numba.core.compiler_lock import global_compiler_lock

from enzyme_py.errors import AnnotationError, EnzymeError, LoweringError, Where, own_error
from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.foundations.places import argument_names, where_is
from enzyme_py.foundations.stages import stage
from enzyme_py.frontend.codegen.library import linked_module, with_callees
from enzyme_py.frontend.parallel import log
from enzyme_py.frontend.parallel.wishes import threads_are_allowed
from enzyme_py.frontend.target.refusals.remedies import ANY, remedy_of
from enzyme_py.frontend.target.signatures import chosen, converting, converts, of_numbers
from enzyme_py.frontend.target.target import (
    CATCHING,
    KERNEL,
    SHADOWING,
    SHADOWING_CATCHING,
    THREADED,
    KernelTarget,
)
from enzyme_py.frontend.target.teaching import teach

_WRITTEN_FIELD = re.compile(r"for lowering Tree\w+\(.*\)\.\w+ = ")
_TREES = ("TreeList_", "TreeDict_")
# What Numba raises of functions that it cannot compile; one of them is not among its own errors.
_REFUSALS = (
    numba_errors.NumbaError,
    numba_errors.UnsupportedBytecodeError,
    NotImplementedError,
    TypeError,
    AssertionError,  # of an `out` of another type than the result's
    ValueError,  # of functools.reduce
)


_READONLY = "readonly array"
_RAISED = "exc_class"  # of Numba, which asserts that it is a class
_JOINED_LISTS = "list_to_list"  # of Numba, which asserts that both lists have items of one type


@dataclass(frozen=True)
class CompiledKernel:
    """One overload of one kernel in a kernel target, before linking."""

    target: KernelTarget
    symbol: str
    argument_types: tuple[Any, ...]
    return_type: Any
    library: Any


@dataclass(frozen=True)
class LoweredKernel:
    """A kernel with all that it calls."""

    kernel: CompiledKernel
    where: Where

    def linked(self, modules: Modules, *, is_whole: bool) -> llvm.ModuleRef:
        """Return all of it as one raw module, one of the given; the code of rules too, or without it."""
        return linked_module(self.kernel.library, modules, is_whole=is_whole)


def compile_kernel(
    function: Any, argument_types: tuple[Any, ...], target: KernelTarget = KERNEL
) -> CompiledKernel:
    """Type and lower one overload of a function for a kernel target."""
    teach()
    dispatcher = target.dispatcher_of(function)
    with stage("typing"), global_compiler_lock:
        folded: Any = tuple(_folded(function, dispatcher, argument_types))
        signature = chosen(function, folded)
        wanted: Any = folded
        if signature is not None and converts(signature, folded):
            dispatcher = target.dispatcher_of(converting(function))
            folded = wanted = tuple(dispatcher.fold_argument_types(argument_types, {})[1])
        elif signature is not None:
            wanted = of_numbers(signature, folded)
        try:
            dispatcher.compile(wanted)
        except EnzymeError as error:
            error.where = error.where if error.knows_kernel else where_is(function)
            raise
        except _REFUSALS as error:
            raise _explain(function, error) from error
        result = dispatcher.overloads[folded]
    # The types as given, not as folded: defaults have no leaves, and the tuple behind *args has
    # those of its elements, so the flattened signature is the same.
    return CompiledKernel(
        target,
        result.fndesc.mangled_name,
        tuple(argument_types),
        result.signature.return_type,
        result.library,
    )


def _folded(function: Any, dispatcher: Any, argument_types: tuple[Any, ...]) -> Any:
    """Return the argument types with defaults filled in and those of *args in one tuple."""
    try:
        return dispatcher.fold_argument_types(argument_types, {})[1]
    except (numba_errors.NumbaError, TypeError) as error:
        where = where_is(function)
        names = argument_names(function)
        message = (
            f"`{where.kernel}` takes {len(names)} arguments ({', '.join(names)}): "
            f"{len(argument_types)} given"
        )
        remedy = "give one annotation, or one value, for each of its arguments"
        raise AnnotationError(message, where=where, remedy=remedy) from error


def lower(
    function: Any,
    argument_types: tuple[Any, ...],
    where: Where,
    *,
    shadows_constants: bool = False,
) -> LoweredKernel:
    """Lower a function; kernels with a `try` use a catching target."""
    targets = (SHADOWING, SHADOWING_CATCHING) if shadows_constants else (KERNEL, CATCHING)
    with global_compiler_lock:
        kernel = compile_kernel(function, argument_types, targets[0])
        if catches(kernel):
            if is_parallel(kernel):
                log.note("", 0, "the kernel catches exceptions")
            kernel = compile_kernel(function, argument_types, targets[1])
        elif threads_are_allowed() and not shadows_constants and is_parallel(kernel):
            kernel = _threaded(function, argument_types) or kernel
        return LoweredKernel(kernel, where)


def is_parallel(kernel: CompiledKernel) -> bool:
    """Tell whether the kernel or anything that it calls has loops for threads."""
    return any(library.is_parallel for library in with_callees(kernel.library))


def _threaded(function: Any, argument_types: tuple[Any, ...]) -> CompiledKernel | None:
    """Return the kernel with its loops lowered for threads; None where that cannot be."""
    try:
        kernel = compile_kernel(function, argument_types, THREADED)
    except Exception as refusal:  # noqa: BLE001  (Numba's parallel loops take less than others, and say so in many ways)
        reason = str(refusal).strip().split("\n", 1)[0] or type(refusal).__name__
        log.note("", 0, reason)
        return None
    for library in with_callees(kernel.library):
        for loop in library.loops:
            log.note(*loop)
    return kernel


def catches(kernel: CompiledKernel) -> bool:
    """Tell whether the kernel or anything that it calls holds a `try`."""
    return any(library.catches for library in with_callees(kernel.library))


def takes_derivatives(kernel: CompiledKernel) -> bool:
    """Tell whether the kernel or anything that it calls differentiates."""
    return any(
        name.startswith("__enzyme_")
        for library in with_callees(kernel.library)
        for name in library.functions
    )


def _explain(function: Any, error: Exception) -> EnzymeError:
    nested = own_error(error)
    if nested is not None:
        return nested
    where = where_is(function)
    message = f"Numba cannot compile `{where.kernel}`: {str(error).strip()}"
    remedy = ANY
    if isinstance(error, AssertionError) and not str(error).strip():
        message = f"Numba cannot compile `{where.kernel}`: it fails an assertion of its own"
        remedy = (
            "an `out` (np.dot(a, b, out)) must be contiguous and of the result's type: write "
            "`out[...] = np.dot(a, b)` in its place, or look for the call that numba.njit refuses too"
        )
        failed = traceback.extract_tb(error.__traceback__)[-1]
        if _RAISED in (failed.line or ""):
            remedy = "what is raised must be an exception class that is defined: `raise ValueError(...)`"
        if failed.name == _JOINED_LISTS:
            remedy = "lists in a list need items of one type: [[1.0, 2.0], [3.0, 4.0]] in place of [[1.0, 2.0], [3, 4]]"
    if _READONLY in message:
        remedy = (
            "it must compile with numba.njit for arrays that cannot be written, as captured ones: "
            "make what it writes to inside the function, or pass it as an argument"
        )
    if any(one in message for one in _TREES):
        remedy = (
            "in a kernel a list is a tuple (TreeList_...), and a dict (TreeDict_...) is read by keys that are "
            "written there: pass an array for arithmetic; [v for v in given] is a list of the kernel's own"
        )
    if _WRITTEN_FIELD.search(message):
        remedy = "a dataclass is not written to in a kernel: make another one, dataclasses.replace(state, time=t)"
    if isinstance(error, numba_errors.ForceLiteralArg):
        names = argument_names(function)
        asked = ", ".join(f"`{names[one]}`" for one in sorted(error.requested_args) if one < len(names))
        message = f"`{where.kernel}` asks for the value of {asked or 'an argument'} as it compiles (numba.literally)"
        remedy = "write the value where the function is called, lambda x: f(x, 2) or lambda x: f(x, 'mode'), and differentiate that function"
    return LoweringError(message, where=where, remedy=remedy if remedy != ANY else remedy_of(message) or ANY)
