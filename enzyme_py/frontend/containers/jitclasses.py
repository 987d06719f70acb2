"""Instances of jitclasses in kernels: Numba types their methods by compiling them for the processor.

It does so in the middle of a kernel, and whatever such a compilation asks for is made for the target that compiles: here
that of kernels. It was kept as the processor's own, and then no njit function of the process could make an array any
more (measured, if none had made one before). So while Numba types a method, the processor is the target.
"""

from __future__ import annotations

import contextlib
from typing import Any

from numba.core import types
from numba.core.target_extension import target_override
from numba.experimental.jitclass.base import ClassBuilder, JitClassType


def registry_of(value: Any) -> Any:
    """Return the registry of the code of all methods, if a value is a jitclass."""
    # Numba tells its CPU target of each class; their methods are registered for all.
    return ClassBuilder.class_impl_registry if isinstance(value, JitClassType) else None


class TypesJitclasses:
    """A typing context that leaves typing of jitclasses to the processor's."""

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """See Numba's."""
        with _compiled_for(func.this if isinstance(func, types.BoundFunction) else func):
            return super().resolve_function_type(func, args, kws)  # type: ignore[misc]

    def resolve_getattr(self, typ: Any, attr: str) -> Any:
        """See Numba's."""
        with _compiled_for(typ):
            return super().resolve_getattr(typ, attr)  # type: ignore[misc]

    def resolve_setattr(self, target: Any, attr: str, value: Any) -> Any:
        """See Numba's."""
        with _compiled_for(target):
            return super().resolve_setattr(target, attr, value)  # type: ignore[misc]


def _compiled_for(kind: Any) -> contextlib.AbstractContextManager[Any]:
    is_class = isinstance(kind, (types.ClassInstanceType, types.ClassType))
    return target_override("cpu") if is_class else contextlib.nullcontext()
