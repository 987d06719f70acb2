"""What a kernel does, as a digest: what Numba makes, told to foundations/content/function_content.py.

    content_of(kernel, types)

A dispatcher counts with its function and its options, an intrinsic with what it does, a type by its name and what the
name does not say, a function with the overloads that it has of the user's.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.typing.templates import builtin_registry
from numba.stencils.stencil import StencilFunc

from enzyme_py.foundations.content.function_content import (
    Unordered,
    attached,
    circular,
    content_of,
    parts_of,
    shown,
)
from enzyme_py.foundations.content.names import NotHashable
from enzyme_py.foundations.versions import in_library, is_library

__all__ = ["NotHashable", "content_of"]

RULE = "enzyme_py_rule"  # of a dispatcher with rules: what it computes, and the rules (custom/door.py)


@parts_of.register
def _(value: Dispatcher) -> tuple[Any, ...]:
    rule = getattr(value, RULE, None)
    if rule is not None:
        return ("ruled", *rule)
    options = {**value.targetoptions, **({"locals": value.locals} if value.locals else {})}
    compiler = value._compiler.pipeline_class
    # Types that it was compiled for alone convert what it is called with (frontend/target/signatures.py).
    signatures = () if value._can_compile else value.nopython_signatures
    given = [(one.return_type, *one.args) for one in signatures]
    return ("dispatcher", type(value), compiler, value.py_func, Unordered(options.items()), *given)


@parts_of.register
def _(value: _Intrinsic) -> tuple[Any, ...]:
    return ("intrinsic", value._defn)


@parts_of.register
def _(value: StencilFunc) -> tuple[Any, ...]:
    return ("stencil", value.kernel_ir.func_id.func, value.mode, Unordered(value.options.items()))


@parts_of.register
def _(value: types.Type) -> tuple[Any, ...]:
    kind = type(value)
    if isinstance(value, types.Dispatcher):
        return ("type", kind, value.dispatcher)
    if isinstance(value, types.Omitted):
        return ("omitted", value.value)
    if isinstance(value, types.ClassType | types.ClassInstanceType | types.ClassDataType):
        raise NotHashable(f"the jitclass {value.name}")
    if " at 0x" in value.name or kind.__module__.partition(".")[0] not in ("numba", "numpy"):
        raise NotHashable(f"the type {value}")
    key = () if value.key is value or value.key == value.name else (value.key,)
    return ("type", kind, value.name, *key)


class _Overloads:
    """What Numba knows of functions by `numba.extending.overload`; its list only grows."""

    def __init__(self) -> None:
        self._templates: dict[
            int, list[Any]
        ] = {}  # by the address of a function, which the list keeps
        self._read = 0

    def of(self, value: Any) -> list[Any]:
        """Return what is known of a function, but for what a library tells of its own."""
        self._read_on()
        found: list[Any] = []
        for template in self._templates.get(id(value), ()):
            defined = getattr(template, "_overload_func", None)
            if defined is None:
                raise NotHashable(
                    f"{shown(value)} has types of its own, by {template.__qualname__}"
                )
            defined = getattr(defined, "__func__", defined)
            if not is_library(defined.__globals__["__name__"]) or in_library(value) is None:
                names = ("_jit_options", "_strict", "_inline", "prefer_literal", "metadata")
                options = {name: getattr(template, name) for name in names}
                options["_inline"] = options["_inline"].value
                found += ["overload", options, defined]
        return found

    def _read_on(self) -> None:
        new = builtin_registry.globals[self._read :]
        self._read += len(new)
        for known, kind in new:
            for template in getattr(kind, "templates", ()):
                if not is_library(template.__module__) or hasattr(template, "_overload_func"):
                    self._templates.setdefault(id(known), []).append(template)


circular.append(Dispatcher)
attached.append(_Overloads().of)
