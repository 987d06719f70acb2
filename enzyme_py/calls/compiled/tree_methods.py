"""Methods of dicts and dataclasses, and properties, in compiled code: `state.norm()`, `self.half` of the tuple that stands for one.

A method is a function that holds the tuple; a property is called at once. What they read of `self` is data like any other,
so `enzyme.grad(Model.energy)(model, x)` differentiates by the model, whatever other methods `energy` calls.
"""

from __future__ import annotations

import inspect
import types as pytypes
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.cpython.tupleobj import namedtuple_getattr
from numba.extending import lower_builtin, lower_getattr_generic

from enzyme_py.calls.compiled.tree_keys import member_of_dict
from enzyme_py.foundations.trees import structure_behind
from enzyme_py.frontend.functions.bound_types import BoundKernelType, call_bound
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.transforms.values.functions import make_bound

_CALL = "__call__"


def _member(kind: Any, name: str) -> Any:
    """Return what the class of the dataclass or the dict that a type stands for has under a name."""
    structure = structure_behind(kind)
    if structure is None or issubclass(structure.kind, list) or (name.startswith("__") and name != _CALL):
        return None
    if issubclass(structure.kind, dict):
        return member_of_dict(name) if hasattr(dict, name) else None
    return inspect.getattr_static(structure.kind, name, None)


@infer_getattr
class _Members(AttributeTemplate):  # type: ignore[misc]
    key = types.BaseNamedTuple

    def generic_resolve(self, kind: Any, name: str) -> Any:
        if name in kind.fields:
            return None  # Numba's own
        found = _member(kind, name)
        if isinstance(found, pytypes.FunctionType):
            return BoundKernelType(as_kernel(found), (kind,))
        if isinstance(found, staticmethod):
            return types.Dispatcher(as_kernel(found.__func__))
        if isinstance(found, property):
            return _call(self.context, found, kind)[1].return_type
        return None


def _call(typing_context: Any, found: property, kind: Any) -> tuple[Any, Any]:
    getter = types.Dispatcher(as_kernel(found.fget))
    return getter, typing_context.resolve_function_type(getter, (kind,), {})


@lower_getattr_generic(types.NamedTuple)
@lower_getattr_generic(types.NamedUniTuple)
def _lower_member(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value, name: str) -> Any:
    if name in kind.fields:
        return namedtuple_getattr(context, builder, kind, value, name)
    found = _member(kind, name)
    if isinstance(found, pytypes.FunctionType) and name != _CALL:
        return make_bound(context, builder, BoundKernelType(as_kernel(found), (kind,)), (kind,), (value,))
    if isinstance(found, property):
        getter, call = _call(context.typing_context, found, kind)
        return context.get_function(getter, call)(builder, [value])
    return context.get_dummy_value()


@lower_builtin(types.NamedTuple, BoundKernelType, types.VarArg(types.Any))
@lower_builtin(types.NamedUniTuple, BoundKernelType, types.VarArg(types.Any))
def _lower_call(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
    """Call a dataclass with `__call__`: Numba types that method, and hands over the tuple in its place."""
    kind = sig.args[0]
    method = make_bound(context, builder, kind, kind.kinds, args[:1])
    result = context.get_function(call_bound, sig)(builder, [method, *args[1:]])
    context.nrt.decref(builder, kind, method)
    return result
