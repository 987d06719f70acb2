"""PyTorch: a kernel as an operator, with its derivatives, in autograd, torch.func, vmap and torch.compile.

    layer = wrap(kernel)
    layer(x).sum().backward()

There is one operator, `torch.ops.enzyme_py.kernel(arguments, number)`, and a number for each kernel. Its backward is the same
operator with the number of the pullback (kernels.py), whose backward is the next: so double backward and higher orders go on by
themselves. A fake version tells shapes and dtypes to torch.compile, a rule for vmap runs the items one after the other.

**Types.** Tensors on the CPU, of the dtypes of kernels; those without an axis are numbers in the kernel, and Python's numbers become such
tensors. Contiguous memory is not copied, neither on the way in nor out. The kernel cannot write to its arguments. What the kernel captured is fixed as
it is when it is wrapped.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from enzyme_py.bridges.as_kernels import made
from enzyme_py.bridges.kernels import (
    Function,
    check_no_structure,
    kernels_of,
    kind_of,
    missing,
    said_shapes,
)
from enzyme_py.errors import UnsupportedTypeError

try:
    import torch
except ImportError as error:
    raise ImportError(missing("PyTorch", "torch")) from error

_functions: list[Function] = []  # by number; operators in graphs name them, so they stay
_numbers: dict[Function, int] = {}


def wrap(f: Callable[..., Any], *, shapes: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return a kernel as a function of tensors: a tensor, or a tuple where the kernel returns one.

    torch.compile must know the shapes of results before anything runs. The kernel is asked, by a run on arrays of ones; where that
    does not do, `shapes(*shapes of arguments)` returns the shape of the result, or a tuple of shapes.
    """
    return _Operator(f, shapes)


class _Operator:
    """What `wrap` returns."""

    def __init__(self, f: Callable[..., Any], shapes: Callable[..., Any] | None) -> None:
        self.kernels = kernels_of(f)
        self.shapes = said_shapes(shapes)
        self._place = len(_operators)
        _operators.append(self)
        functools.update_wrapper(self, getattr(f, "py_func", f))

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel."""
        tensors, number = self.operands(*arguments)
        if not torch.compiler.is_compiling():
            found = _apply(number, *tensors)
        else:
            found = torch.ops.enzyme_py.kernel(tensors, number)
        return tuple(found) if _is_tuple(number) else found[0]

    def operands(self, *arguments: Any) -> tuple[list[Any], int]:
        """Return what the operator takes, for `torch.library.opcheck`."""
        tensors = [self._tensor(one, place) for place, one in enumerate(arguments)]
        if not torch.compiler.is_compiling():
            return tensors, _number_of_kinds(self._place, tuple([(one.dtype, one.ndim) for one in tensors]))
        return tensors, _number(self._place, tuple((str(one.dtype), one.ndim) for one in tensors))

    def _tensor(self, value: Any, place: int) -> Any:
        if not isinstance(value, torch.Tensor):
            check_no_structure(value, f"argument {place} of `{self.kernels.__name__}`")
            value = torch.as_tensor(value, dtype=torch.float64 if isinstance(value, float) else None)
        if value.device.type not in ("cpu", "meta"):
            message = f"argument {place} of `{self.kernels.__name__}` is on {value.device}, and kernels run on the CPU"
            raise UnsupportedTypeError(message, remedy="pass x.cpu(), and move the result back")
        if value.layout != torch.strided:
            message = f"argument {place} of `{self.kernels.__name__}` is laid out as {value.layout}"
            raise UnsupportedTypeError(message, remedy="pass x.to_dense(), or its parts one by one")
        return value


_operators: list[_Operator] = []


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _number(place: int, kinds: tuple[tuple[str, int], ...]) -> int:
    """Return the number of an operator's kernel for tensors of these dtypes and numbers of axes."""
    return _number_of_kinds(place, kinds)


@functools.cache
def _number_of_kinds(place: int, kinds: tuple[tuple[Any, int], ...]) -> int:
    one = _operators[place]
    given = tuple(
        kind_of(str(dtype).removeprefix("torch."), ndim, f"argument {at} of `{one.kernels.__name__}`")
        for at, (dtype, ndim) in enumerate(kinds)
    )
    return _number_of(Function(one.kernels.of(given), one.shapes))


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _is_tuple(number: int) -> bool:
    return _functions[number].kernel.is_tuple


def _number_of(function: Function) -> int:
    if function not in _numbers:
        _functions.append(function)
        _numbers[function] = len(_functions) - 1
    return _numbers[function]


@torch.library.custom_op("enzyme_py::kernel", mutates_args=(), device_types="cpu")  # type: ignore[untyped-decorator]
def _kernel(arguments: list[torch.Tensor], number: int) -> list[torch.Tensor]:
    _check_tangents(arguments)
    return _results(arguments, number)


def _results(arguments: Sequence[Any], number: int) -> list[Any]:
    """Run a kernel on tensors of numbers."""
    arrays = [_array(one) for one in arguments]
    found = _functions[number].kernel(*arrays)
    tensors = []
    for one in found:
        tensors.append(_tensor_of(one, arrays))
        arrays.append(one)
    return tensors


def _check_tangents(tensors: Sequence[Any]) -> None:
    """Refuse tangents that come to the operator itself, which PyTorch would drop without a word."""
    if not torch._C._is_fwd_grad_enabled():  # noqa: SLF001  (within `_Call`, which has them)
        return
    try:
        is_dual = any(
            torch.autograd.forward_ad.unpack_dual(one).tangent is not None for one in tensors
        )
    except RuntimeError:  # compiled code of PyTorch may not even look
        is_dual = True
    if is_dual:
        message = "forward mode through the operator of a kernel, which would drop the tangent"
        remedy = "call what `wrap` returned, outside of torch.compile; or take torch.func.jvp, within it too"
        raise UnsupportedTypeError(message, remedy=remedy)


def _array(tensor: Any) -> Any:
    """Return a tensor's numbers as an array; its own memory, if that is contiguous."""
    own = tensor.detach()
    if own.is_conj() or own.is_neg():
        own = own.resolve_conj().resolve_neg()
    return own.contiguous().numpy()


def _tensor_of(value: Any, arrays: Sequence[Any]) -> Any:
    """Return a result as a tensor of memory that no argument and no other result has."""
    if isinstance(value, float):
        return torch.scalar_tensor(value, dtype=torch.float64)
    if not isinstance(value, np.ndarray):
        return torch.as_tensor(value, dtype=getattr(torch, np.asarray(value).dtype.name))
    is_own = value.flags.writeable and value.flags.c_contiguous
    if not is_own or any(np.may_share_memory(value, one) for one in arrays):
        value = value.copy(order="C")
    return torch.from_numpy(value)


@_kernel.register_fake  # type: ignore[untyped-decorator]
def _fake(arguments: list[torch.Tensor], number: int) -> list[torch.Tensor]:
    _check_tangents(arguments)  # PyTorch asks here while it traces
    function = _functions[number]
    shapes = function.shapes([tuple(one.shape) for one in arguments])
    dtypes = [getattr(torch, one.name) for one in function.dtypes]
    return [
        arguments[0].new_empty(shape, dtype=dtype)
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]


# -- derivatives: of the operator, for graphs; and of `_Call`, which knows forward mode and torch.func as well


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    arguments, number = inputs
    ctx.save_for_backward(*arguments)
    ctx.number = number
    ctx.shapes = [(one.shape, one.dtype) for one in output]


def _backward(ctx: Any, gradients: Sequence[Any]) -> Any:
    needed = ctx.needs_input_grad[0]
    flags = list(needed) if isinstance(needed, list | tuple) else [needed] * len(ctx.saved_tensors)
    return _pulled(ctx, gradients, flags, torch.ops.enzyme_py.kernel), None


def _pulled(
    ctx: Any, gradients: Sequence[Any], needed: Sequence[bool], call: Callable[..., Any]
) -> list[Any]:
    """Return the gradients of the arguments, by a call of the pullback."""
    arguments = ctx.saved_tensors
    function = _functions[ctx.number]
    which = tuple(place for place in function.kernel.floats if needed[place])
    given: list[Any] = [None] * len(arguments)
    if which:
        cotangents = [
            torch.zeros(shape, dtype=dtype) if one is None else one
            for one, (shape, dtype) in zip(gradients, ctx.shapes, strict=True)
        ]
        found = call([*arguments, *cotangents], _number_of(function.pulled(which)))
        for place, one in zip(which, found, strict=True):
            given[place] = one
    return given


def _is_plain(tensors: Sequence[Any]) -> bool:
    """Tell whether nobody could see the operator: then the kernel is called at once, which saves 50 microseconds."""
    if torch._C._len_torch_dispatch_stack() or _is_traced_early():  # noqa: SLF001
        return False
    return all(type(one) in _PLAIN and one.device.type == "cpu" for one in tensors)


def _has_duals() -> bool:
    """Tell whether tensors may have tangents now."""
    return bool(torch.autograd.forward_ad._current_level >= 0)  # noqa: SLF001


_PLAIN = (torch.Tensor, torch.nn.Parameter)


def _is_traced_early() -> bool:
    """Tell whether somebody writes down what is called before PyTorch dispatches it, as torch.export does."""
    key = torch._C.DispatchKey.PreDispatch  # noqa: SLF001
    return bool(torch._C._dispatch_tls_is_dispatch_key_included(key))  # noqa: SLF001


class _Derivatives:
    """What both kinds of calls know: the way back, and the way forward."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        def call(given: list[Any], number: int) -> Any:
            return _apply(number, *given)

        return None, *_pulled(ctx, gradients, ctx.needs_input_grad[1:], call)

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: Any) -> Any:
        arguments = ctx.saved_tensors
        function = _functions[ctx.number]
        which = tuple(place for place in function.kernel.floats if tangents[place] is not None)
        moved = [tangents[place] for place in which]
        return _apply(_number_of(function.pushed(which)), *arguments, *moved)


class _Direct(_Derivatives, torch.autograd.Function):  # type: ignore[misc]
    """A call outside of torch.compile and of the transforms of torch.func: of the form that costs PyTorch least."""

    @staticmethod
    def forward(ctx: Any, number: int, *arguments: Any) -> Any:
        call = _results if _is_plain(arguments) else torch.ops.enzyme_py.kernel
        found = tuple(call(list(arguments), number))
        _keep(ctx, (arguments, number), found)
        ctx.save_for_forward(*arguments)
        return found


class _Call(_Derivatives, torch.autograd.Function):  # type: ignore[misc]
    """A call outside of torch.compile, of the form that transforms need."""

    @staticmethod
    def forward(number: int, *arguments: Any) -> Any:
        call = _results if _is_plain(arguments) else torch.ops.enzyme_py.kernel
        return tuple(call(list(arguments), number))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        number, *arguments = inputs
        _keep(ctx, (arguments, number), output)
        ctx.save_for_forward(*arguments)

    @staticmethod
    def vmap(info: Any, in_dims: Any, number: int, *arguments: Any) -> Any:
        def call(given: list[Any]) -> Any:
            return _apply(number, *given)

        found, axes = _each(info.batch_size, in_dims[1:], arguments, number, call)
        return tuple(found), tuple(axes)


def _apply(number: int, *arguments: Any) -> Any:
    is_transformed = torch._C._are_functorch_transforms_active()  # noqa: SLF001
    if not is_transformed and not torch.is_grad_enabled() and not _has_duals() and _is_plain(arguments):
        return tuple(_results(arguments, number))
    return (_Call if is_transformed else _Direct).apply(number, *arguments)


# PyTorch asks for it at each call, and finding it takes 15 microseconds.
_Call.forward.__signature__ = inspect.signature(_Call.forward)  # type: ignore[attr-defined]


def _each(
    size: int, axes: Sequence[Any], arguments: Sequence[Any], number: int, call: Callable[..., Any]
) -> Any:
    """Run the items of vmap one after the other."""
    columns = [
        [one] * size if axis is None else one.unbind(axis)
        for one, axis in zip(arguments, axes, strict=True)
    ]
    items = [call(list(one)) for one in zip(*columns, strict=True)]
    found = [torch.stack(one) for one in zip(*items, strict=True)]
    return found, [0] * len(found)


def _batched(info: Any, in_dims: Any, arguments: list[Any], number: int) -> Any:
    def call(given: list[Any]) -> Any:
        return torch.ops.enzyme_py.kernel(given, number)

    return _each(info.batch_size, in_dims[0], arguments, number, call)


_kernel.register_autograd(_backward, setup_context=_keep)
_kernel.register_vmap(_batched)


def _transformed(arguments: list[torch.Tensor], number: int) -> list[torch.Tensor]:
    """Run the operator under a transform of torch.func, which does not ask it for derivatives and would drop its tangents."""
    return list(_apply(number, *arguments))


_rows = torch.library.Library("enzyme_py", "FRAGMENT")
_rows.impl("kernel", _transformed, "FuncTorchDynamicLayerFrontMode")

# -- the way back


def as_kernel(
    function: Callable[..., Any], signature: Any, *, order: int = 2
) -> Callable[..., Any]:
    """Return a module or a function of tensors as a kernel, with PyTorch's derivatives of both modes.

    The signature says the types of result and arguments, as Numba writes them: "float64[:](float64[:], float64)". Numbers arrive as
    tensors without an axis. Parameters of a module are constant, with the values that they have in each call; pass them as
    arguments, by `torch.func.functional_call`, to differentiate by them. `order` 1 compiles less, and has no second derivatives.
    """
    if isinstance(function, torch.nn.Module):
        for name, one in (*function.named_parameters(), *function.named_buffers()):
            if one.device.type != "cpu":
                message = f"`{name}` of `{type(function).__name__}` is on {one.device}, and kernels run on the CPU"
                raise UnsupportedTypeError(
                    message,
                    remedy="pass module.cpu(), or a function that moves its arguments and its result",
                )
    return made(_PyTorch(), function, signature, order)  # type: ignore[no-any-return]


class _PyTorch:
    """How PyTorch takes our values, and gives derivatives."""

    def given(self, value: Any, dtype: Any, name: str) -> Any:
        return torch.as_tensor(value, dtype=getattr(torch, dtype.name))

    def taken(self, value: Any, dtype: Any, name: str) -> Any:
        wanted = getattr(torch, dtype.name)
        if not isinstance(value, torch.Tensor):
            value = torch.as_tensor(value)
        if value.device.type != "cpu":
            message = f"`{name}` returned a tensor on {value.device}"
            raise UnsupportedTypeError(message, remedy="return y.cpu()")
        if not torch.can_cast(value.dtype, wanted):
            message = f"`{name}` returned a tensor of {value.dtype}, and its signature says {dtype}"
            raise UnsupportedTypeError(message, remedy="write its type into the signature")
        return value.to(wanted)

    def numbers(self, value: Any) -> Any:
        return _array(value)

    def pulled(
        self, function: Callable[..., Any], moved: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        _, back = torch.func.vjp(function, *moved)
        return back(tuple(cotangents))  # type: ignore[no-any-return]

    def pushed(
        self, function: Callable[..., Any], moved: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        return torch.func.jvp(function, tuple(moved), tuple(tangents))[1]  # type: ignore[no-any-return]

    def ready(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return torch.no_grad()(function)  # type: ignore[no-any-return]


__all__ = ["as_kernel", "wrap"]
