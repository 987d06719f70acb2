"""`differentiate(request, *arguments)`: a request as a function call that Numba can type and lower.

Inside a kernel the call lowers to an `__enzyme_` call in the same module, so nested requests are
resolved in one run of Enzyme. Everywhere else (plain @njit code) it becomes a call of finished
machine code; the `njit` stage supplies that half through `install_outside`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from numba.core import types
from numba.core.datamodel import models
from numba.core.imputils import lower_constant
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, register_model, typeof_impl

from enzyme_py.assembly.emit import compiled, emit_request
from enzyme_py.assembly.results import check_result, result_type, seed_type
from enzyme_py.foundations.keeping import Carried
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.target.target import KERNEL, KernelContext
from enzyme_py.request import Request


class RequestType(types.Opaque):  # type: ignore[misc]
    """The Numba type of one request; it leads to the request itself."""

    def __init__(self, request: Request) -> None:
        self._carried = Carried(request)
        super().__init__(f"Request({request.name}, {self._carried.number})")

    @property
    def request(self) -> Request:
        found: Request = self._carried.value
        return found

    @property
    def key(self) -> Any:
        return self._carried.number


register_model(RequestType)(models.OpaqueModel)


@typeof_impl.register(Request)
def _typeof_request(value: Request, _context: Any) -> RequestType:
    return RequestType(value)


@lower_constant(RequestType)
def _constant_request(context: Any, _builder: Any, _kind: Any, _value: Any) -> Any:
    return context.get_dummy_value()


def differentiate(request: Request, *arguments: Any) -> NoReturn:
    """Run a request; only compiled code can call this."""
    message = "differentiate is called from compiled code only; use enzyme_py.autodiff"
    raise RuntimeError(message)


Prepare = Callable[[Request, Sequence[Any]], None]
Lower = Callable[[Any, Any, Any, Sequence[Any]], Any]
_outside: dict[str, Any] = {}


def install_outside(prepare: Prepare, lower: Lower) -> None:
    """Say what a request means outside kernels: `prepare` at typing time, `lower` after."""
    _outside["prepare"] = prepare
    _outside["lower"] = lower


def request_signature(request: Request, given: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return the result type of a request and the types to which its arguments are cast.

    Shadows of numbers are cast to the type of their primals, and seeds to that of the result, so
    that a Python float serves for float32.
    """
    kernel = compiled(request, given)
    where = where_is(request.kernel)
    check_result(KERNEL.target_context, request, kernel.return_type, where)
    cast: list[Any] = list(given[: int(request.is_split)])
    for kind, activity in zip(kernel.argument_types, request.activities, strict=True):
        count = request.width if activity.has_shadow else 0
        shadows = given[len(cast) + 1 : len(cast) + 1 + count]
        number = isinstance(kind, types.Number)
        cast += [kind, *([kind] * count if number else shadows)]
    seed = seed_type(request, kernel.return_type)
    cast += [types.unliteral(seed)] * (len(given) - len(cast))
    return result_type(request, kernel.return_type, kernel.argument_types), cast


@infer_global(differentiate)
class _DifferentiateTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        request_type, *given = map(types.unliteral, args)
        if kws or not isinstance(request_type, RequestType):
            return None
        result, given = request_signature(request_type.request, given)
        if not isinstance(self.context, type(KERNEL.typing_context)):
            _outside["prepare"](request_type.request, given)
        return signature(result, request_type, *given)


@lower_builtin(differentiate, RequestType, types.VarArg(types.Any))
def _lower_differentiate(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    if not isinstance(context, KernelContext):
        return _outside["lower"](context, builder, sig, args)
    request, target = sig.args[0].request, context._kernel_target
    if target.shadows_constants:
        request = replace(request, shadows_constants=True)
    return emit_request(context, builder, request, sig.args[1:], args[1:], target)
