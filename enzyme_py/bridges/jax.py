"""JAX: a kernel as a function of JAX, in jit, grad, jvp, vmap and scan, of all orders.

    f = wrap(kernel)
    jax.jit(jax.grad(lambda x: f(x).sum()))(x)

A call is one custom call of XLA on the native door: no Python runs in it. Where there is no C compiler, which makes the
handler at the first use, it is `jax.pure_callback`.

**Derivatives.** `kernel` is a primitive with a jvp, which is the linear primitive `pushed` of the tangents. Its transpose is the primitive
`kernel` again, of the pullback, and its own jvp is `pushed` of the tangents' kernel (kernels.py): so both modes nest, to any
order that enzyme_py has.

**Types.** Arrays are kernel arguments of the same dtype; those without an axis are numbers. float64 needs JAX's `jax_enable_x64`.
Arguments are never written to. What the kernel captured is fixed as it is when it is wrapped.
"""

from __future__ import annotations

import functools
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
    import jax
except ImportError as error:
    raise ImportError(missing("JAX", "jax")) from error

import jax.ffi
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from enzyme_py.bridges import jax_ffi

Shapes = Callable[..., Any]


def wrap(
    f: Callable[..., Any], *, shapes: Shapes | None = None, ffi: bool | None = None
) -> Callable[..., Any]:
    """Return a kernel as a function of JAX: arrays in, arrays out, a tuple where the kernel returns one.

    JAX must know the shapes of results before anything runs. The kernel is asked, by a run on arrays of ones; where that does not
    do, `shapes(*shapes of arguments)` returns the shape of the result, or a tuple of shapes. `ffi` False calls
    back to Python, True demands that XLA calls the door itself; left out, it does where it can.
    """
    kernels, said = kernels_of(f), said_shapes(shapes)

    @functools.wraps(getattr(f, "py_func", f))
    def call(*arguments: Any) -> Any:
        names = [f"argument {place} of `{kernels.__name__}`" for place in range(len(arguments))]
        for one, name in zip(arguments, names, strict=True):
            check_no_structure(one, name)
        arrays = [jnp.asarray(one) for one in arguments]
        kinds = tuple(kind_of(one.dtype, one.ndim, name) for one, name in zip(arrays, names, strict=True))
        function = Function(
            kernels.of(kinds),
            said,
            bool(ffi if ffi is not None else jax_ffi.is_there()),
        )
        if function.way and not jax_ffi.is_there():
            raise RuntimeError(
                "XLA cannot call C here: no C compiler was found, or it failed; leave ffi out"
            )
        found = _kernel.bind(*arrays, function=function, items=None, shared=())
        return tuple(found) if function.kernel.is_tuple else found[0]

    return call


# Two primitives: a call of a kernel, and the tangents of one, which are linear in the last arguments. `items`: how many items
# there are along the first axis of all arguments that are not `shared`, and of all results; None where there is no such axis.
_kernel = Primitive("enzyme_py_kernel")
_kernel.multiple_results = True
_pushed = Primitive("enzyme_py_pushed")
_pushed.multiple_results = True


def _types(
    avals: Sequence[Any], function: Function, items: int | None, shared: tuple[bool, ...]
) -> list[Any]:
    """Return the types of the results of a call."""
    sizes = [one.shape for one in avals]
    if items is None:
        return [
            jax.ShapeDtypeStruct(*one)
            for one in zip(function.shapes(sizes), function.dtypes, strict=True)
        ]
    sizes = [size if is_shared else size[1:] for size, is_shared in zip(sizes, shared, strict=True)]
    found = zip(function.shapes(sizes), function.dtypes, strict=True)
    return [jax.ShapeDtypeStruct((items, *size), dtype) for size, dtype in found]


def _called(
    *arrays: Any, function: Function, items: int | None, shared: tuple[bool, ...]
) -> list[Any]:
    """Return the results of a call, as JAX traces it."""
    results = _types(arrays, function, items, shared)
    if not function.way or len(arrays) + len(results) > _MOST_BUFFERS:
        return list(
            jax.pure_callback(
                functools.partial(_by_python, function, items, shared), results, *arrays
            )
        )
    door = function.kernel.door
    _alive.add(door)
    bits = sum(1 << place for place, one in enumerate(shared) if one)
    return list(
        jax.ffi.ffi_call(jax_ffi.TARGET, results)(
            *arrays,
            door=np.int64(door.packed),
            items=np.int64(-1 if items is None else items),
            number=np.int64(door.number),
            shared=np.int64(bits),
        )
    )


_MOST_BUFFERS = 63  # the handler marks each by a bit; a gradient by forty numbers has more

# What XLA has compiled holds the addresses of doors, for as long as it likes.
_alive: set[Any] = set()


def _by_python(
    function: Function, items: int | None, shared: tuple[bool, ...], *given: Any
) -> list[Any]:
    arrays = [np.asarray(one) for one in given]
    results = [(size.shape, size.dtype) for size in _types(arrays, function, items, shared)]
    if items is None:
        found = function.kernel(*arrays)
        return [_fitting(one, *kind) for one, kind in zip(found, results, strict=True)]
    batch = [np.empty(*one) for one in results]
    for item in range(items):
        own = [
            one if is_shared else one[item] for one, is_shared in zip(arrays, shared, strict=True)
        ]
        for one, place in zip(function.kernel(*own), batch, strict=True):
            place[item] = _fitting(one, place.shape[1:], place.dtype)
    return batch


def _fitting(value: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return a result as an array; raises where it has another shape than XLA was told."""
    if np.shape(value) != shape:
        raise ValueError(jax_ffi.OTHER_SHAPE)
    return np.asarray(value, dtype)


def _tangents(*arrays: Any, function: Function, which: tuple[int, ...], **batch: Any) -> list[Any]:
    return _called(*arrays, function=function.pushed(which), **batch)


@functools.lru_cache(maxsize=1024)
def _jitted(traced: Any, parameters: tuple[tuple[str, Any], ...]) -> Any:
    return jax.jit(functools.partial(traced, **dict(parameters)))


def _define(primitive: Any, traced: Any) -> None:
    def run(*arrays: Any, **parameters: Any) -> Any:
        return _jitted(traced, tuple(sorted(parameters.items())))(*arrays)

    def types_of(*avals: Any, **parameters: Any) -> Any:
        return [
            jax.core.ShapedArray(one.shape, one.dtype)
            for one in jax.eval_shape(functools.partial(traced, **parameters), *avals)
        ]

    primitive.def_impl(run)
    primitive.def_abstract_eval(types_of)
    mlir.register_lowering(primitive, _elsewhere)
    mlir.register_lowering(primitive, mlir.lower_fun(traced, multiple_results=True), platform="cpu")
    batching.primitive_batchers[primitive] = functools.partial(_batched, primitive)


def _elsewhere(context: Any, *_: Any, **__: Any) -> Any:
    """Refuse code for another platform than the CPU."""
    platforms = context.platforms or context.module_context.platforms
    message = f"a kernel in code of JAX for {' and '.join(platforms)}, and kernels run on the CPU"
    raise UnsupportedTypeError(
        message, remedy='move what it takes there, x = jax.device_put(x, jax.devices("cpu")[0])'
    )


def _batched(
    primitive: Any,
    arrays: Any,
    axes: Any,
    *,
    items: int | None,
    shared: tuple[bool, ...],
    **rest: Any,
) -> Any:
    """Batch a call: its items are a loop in C; those of items are a loop of JAX."""
    places = [axis is None for axis in axes]
    count = next(
        one.shape[axis] for one, axis in zip(arrays, axes, strict=True) if axis is not None
    )
    moved = [
        one if axis is None else jnp.moveaxis(one, axis, 0)
        for one, axis in zip(arrays, axes, strict=True)
    ]
    if items is None:
        found = primitive.bind(*moved, items=count, shared=tuple(places), **rest)
        return found, [0] * len(found)

    def one_item(mapped: Any) -> Any:
        own = iter(mapped)
        given = [
            one if is_shared else next(own) for one, is_shared in zip(moved, places, strict=True)
        ]
        return primitive.bind(*given, items=items, shared=shared, **rest)

    found = jax.lax.map(
        one_item, [one for one, is_shared in zip(moved, places, strict=True) if not is_shared]
    )
    return found, [0] * len(found)


def _jvp_of_kernel(
    primals: Any, tangents: Any, *, function: Function, items: int | None, shared: Any
) -> Any:
    results = _kernel.bind(*primals, function=function, items=items, shared=shared)
    which = tuple(place for place in function.kernel.floats if type(tangents[place]) is not ad.Zero)
    if not which:
        return results, [ad.Zero.from_primal_value(one) for one in results]
    given = [tangents[place] for place in which]
    moved = _pushed.bind(
        *primals, *given, function=function, which=which, **_batch(items, shared, which)
    )
    return results, moved


def _jvp_of_pushed(
    primals: Any,
    tangents: Any,
    *,
    function: Function,
    which: tuple[int, ...],
    items: int | None,
    shared: Any,
) -> Any:
    inner = function.pushed(which)
    results = _pushed.bind(*primals, function=function, which=which, items=items, shared=shared)
    own = tuple(place for place in inner.kernel.floats if type(tangents[place]) is not ad.Zero)
    if not own:
        return results, [ad.Zero.from_primal_value(one) for one in results]
    given = [tangents[place] for place in own]
    return results, _pushed.bind(
        *primals, *given, function=inner, which=own, **_batch(items, shared, own)
    )


def _batch(items: int | None, shared: tuple[bool, ...], which: tuple[int, ...]) -> dict[str, Any]:
    """Return how the arguments of a derivative are batched: a tangent as its primal."""
    return {
        "items": items,
        "shared": () if items is None else (*shared, *(shared[place] for place in which)),
    }


def _transposed(
    cotangents: Any,
    *given: Any,
    function: Function,
    which: tuple[int, ...],
    items: int | None,
    shared: Any,
) -> Any:
    """The pullback: the kernel of gradients, called with the cotangents of the results."""
    count = len(function.kernel.kinds)
    wanted = tuple(
        place
        for place, one in zip(which, given[count:], strict=True)
        if ad.is_undefined_primal(one)
    )
    cotangents = [_conjugate(ad.instantiate_zeros(one)) for one in cotangents]
    is_shared = () if items is None else (*shared[:count], *(False for _ in cotangents))
    gradients = iter(
        _kernel.bind(
            *given[:count],
            *cotangents,
            function=function.pulled(wanted),
            items=items,
            shared=is_shared,
        )
    )
    found: list[Any] = [None] * count
    for number, place in enumerate(which):
        if place not in wanted:
            found.append(None)
            continue
        gradient = _conjugate(next(gradients))
        is_sum = items is not None and shared[count + number]
        found.append(gradient.sum(axis=0) if is_sum else gradient)
    return found


def _conjugate(value: Any) -> Any:
    """Change between our cotangents, of pairs of reals, and JAX's, which are multiplied as they are."""
    return jnp.conj(value) if jnp.iscomplexobj(value) else value


_define(_kernel, _called)
_define(_pushed, _tangents)
ad.primitive_jvps[_kernel] = _jvp_of_kernel
ad.primitive_jvps[_pushed] = _jvp_of_pushed
ad.primitive_transposes[_pushed] = _transposed

# -- the way back


def as_kernel(
    function: Callable[..., Any], signature: Any, *, order: int = 2
) -> Callable[..., Any]:
    """Return a function of JAX as a kernel, with JAX's derivatives of both modes.

    The signature says the types of result and arguments, as Numba writes them: "float64[:](float64[:], float64)". Numbers arrive as
    arrays without an axis. Everything runs under `jax.jit`. What the function captured is constant, and stays as it is in the first
    call, as under `jit`. `order` 1 compiles less, and has no second derivatives.
    """
    return made(_Jax(), function, signature, order)  # type: ignore[no-any-return]


def _check_there(dtype: Any, name: str) -> None:
    known = jax.dtypes.canonicalize_dtype(dtype)
    if known != dtype:
        message = f"{name} is of {dtype}, which JAX would take for {known}"
        raise UnsupportedTypeError(
            message, remedy='call jax.config.update("jax_enable_x64", True) first'
        )


class _Jax:
    """How JAX takes our values, and gives derivatives."""

    def given(self, value: Any, dtype: Any, name: str) -> Any:
        _check_there(dtype, name)
        return jnp.asarray(value, dtype)

    def taken(self, value: Any, dtype: Any, name: str) -> Any:
        _check_there(dtype, f"the result of `{name}`")
        found = jnp.asarray(value)
        if not np.can_cast(found.dtype, dtype, "same_kind"):
            message = f"`{name}` returned an array of {found.dtype}, and its signature says {dtype}"
            raise UnsupportedTypeError(message, remedy="write its type into the signature")
        return found.astype(dtype)

    def numbers(self, value: Any) -> Any:
        return np.asarray(value)

    def pulled(
        self, function: Callable[..., Any], moved: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        _, back = jax.vjp(function, *moved)
        return tuple(map(_conjugate, back(tuple(map(_conjugate, cotangents)))))

    def pushed(
        self, function: Callable[..., Any], moved: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        return jax.jvp(function, tuple(moved), tuple(tangents))[1]  # type: ignore[no-any-return]

    def ready(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return jax.jit(function)  # type: ignore[no-any-return]


__all__ = ["as_kernel", "wrap"]
