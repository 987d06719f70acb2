"""`numba.vectorize` and `numba.guvectorize` functions in kernels, compiled again like any function.

Numba types and lowers each of them in the CPU target alone, by code of its own object. Here an object gets a
type in our typing contexts when a kernel names it first, and its loop calls the element function as
the kernel's target compiled it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba.core import types
from numba.core.typing.templates import AbstractTemplate
from numba.np import npyimpl
from numba.np.ufunc.dufunc import DUFunc, make_dufunc_kernel
from numba.np.ufunc.gufunc import GUFunc, make_gufunc_kernel


def is_universal(value: Any) -> bool:
    """Tell whether a value is a function made by vectorize or guvectorize."""
    return isinstance(value, DUFunc | GUFunc)


def teach(target: Any, function: Any, known: Any) -> None:
    """Make a kernel target's contexts know such a function, if it is not among those known."""
    if function in known:
        return
    known.add(function)
    own = target.dispatcher_of(_element_function(function))

    def generic(self: Any, args: Sequence[Any], kws: Any) -> Any:
        found = function._type_me(args, kws)
        # Before lowering starts: compiling in its midst spoils Numba's own function types.
        own.compile(tuple(_inner_signature(function, found.args).args))
        return found

    template = type(
        f"KernelTyping_{function.__name__}",
        (AbstractTemplate,),
        {"key": function, "generic": generic},
    )
    target.typing_context.insert_user_function(function, template)
    if isinstance(function, DUFunc):  # `at` is left out: it calls what Numba compiled for its own target
        function._install_ufunc_attributes(template)
        function._install_ufunc_reduce(template)
        function._install_ufunc_reduceat(template)
        target.typing_context.refresh()
    lower = _lowerer(function, own)
    inputs = (types.Any,) * function.ufunc.nin
    outputs = (types.Array,) * function.ufunc.nout
    target.target_context.insert_func_defn(
        [(lower, function, given) for given in (inputs + outputs, inputs)]
    )


def _element_function(function: Any) -> Any:
    """Return what the function does to one element, as Python knows it."""
    if isinstance(function, GUFunc):
        return function.gufunc_builder.py_func
    return function._dispatcher.py_func


def _inner_signature(function: Any, given: Sequence[Any]) -> Any:
    if isinstance(function, GUFunc):
        elements = function._get_ewise_dtypes(given)
    else:
        elements = tuple(getattr(kind, "dtype", kind) for kind in given[: function.ufunc.nin])
    return function.find_ewise_function(elements)[0]


def _lowerer(function: Any, own: Any) -> Any:
    is_general = isinstance(function, GUFunc)
    usual: Any = (make_gufunc_kernel if is_general else make_dufunc_kernel)(function)

    class Kernel(usual):  # type: ignore[misc]
        def __init__(self, context: Any, builder: Any, outer_sig: Any) -> None:
            super().__init__(context, builder, outer_sig)
            self.cres = own.overloads[tuple(self.inner_sig.args)]
            context.add_linking_libs((self.cres.library,))

    loop = npyimpl.numpy_gufunc_kernel if is_general else npyimpl.numpy_ufunc_kernel

    def lower(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
        return loop(context, builder, sig, args, function, Kernel)

    lower.libs = ()  # type: ignore[attr-defined]  # Numba asks for it
    return lower
