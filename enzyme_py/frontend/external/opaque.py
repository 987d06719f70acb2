"""Opaque functions: code that Enzyme does not look into, and that is constant to every derivative.

    sizes_and_results = opaque("name", body)

makes an intrinsic for the code of kernels. It takes a work array (ruled.py) and returns another one, which
`body(work)` makes: so the results may have any size. Enzyme takes the call for inactive, and the native
stage gives it the body that waits under another name. Whoever reads the array passes each number through
`stop_gradient`, as everything does that comes from memory which is to be constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from enzyme_py.frontend.external.ruled import RuledFunctions, is_work, library_of
from enzyme_py.rules.ruled_symbols import OPAQUE_PREFIX

_POINTER = ir.IntType(8).as_pointer()


def opaque(name: str, body: Callable[..., Any]) -> Any:
    """Return the intrinsic of an opaque function; the name is its own in all the process."""

    @intrinsic
    def call(typing_context, work):  # type: ignore[no-untyped-def]
        if not is_work(work):
            message = f"the work array of {name} is one of floats, one-dimensional and contiguous"
            raise TypingError(message)

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            kind = sig.args[0]
            symbol = f"{OPAQUE_PREFIX}{name}.{kind.dtype}"
            library = library_of(context, symbol, kind, lambda made: made.define_opaque(body))
            context.add_linking_libs([library])
            function = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(_POINTER, [_POINTER]), symbol
            )
            data = make_array(kind)(context, builder, args[0]).data
            found = builder.call(function, [builder.bitcast(data, _POINTER)])
            return RuledFunctions(context, None, builder.module, symbol, kind).array_at(
                builder, found
            )

        return signature(work, work), lower

    return call
