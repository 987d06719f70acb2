"""Functions of a plan whose code is written when the types of their arguments are known.

As `numba.extending.overload` has them, but what is made lies on the plan's kernel and goes with it: Numba's own tables
of overloads keep each function that they ever got, what it captures, and its machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numba.core import types
from numba.core.registry import CPUDispatcher
from numba.core.target_extension import current_target
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from enzyme_py.foundations.keeping import made_of, released
from enzyme_py.transforms.plans.plans import PlanType
from enzyme_py.transforms.plans.runner_compiler import RunnerCompiler

Write = Callable[..., Callable[..., Any]]


def helper(function: Callable[..., Any]) -> Any:
    """Return a dispatcher of a function that only code of ours calls."""
    options = {"nopython": True}
    return released(CPUDispatcher(function, targetoptions=options, pipeline_class=RunnerCompiler))


def written_for(function: Callable[..., Any]) -> Callable[[Write], Write]:
    """Teach Numba a function of (plan, *arguments); the decorated one returns the code for their types."""

    def register(write: Write) -> Write:
        name = f"{write.__module__}.{write.__qualname__}"

        def chosen(kinds: Sequence[Any]) -> Any:
            table = made_of(kinds[0].plan.kernel, name)
            key = current_target(), *kinds  # code for kernels may be another
            return table.get(key) or table.setdefault(key, helper(write(*kinds)))

        def call(typing_context: Any, kinds: Sequence[Any]) -> tuple[Any, Any]:
            made = types.Dispatcher(chosen(kinds))
            return made, typing_context.resolve_function_type(made, tuple(kinds), {})

        @infer_global(function)
        class _Template(AbstractTemplate):  # type: ignore[misc]
            key = function

            def generic(self, args: Sequence[Any], kws: Any) -> Any:
                kinds = [types.unliteral(kind) for kind in args]
                if kws or not isinstance(kinds[0], PlanType):
                    return None
                _, found = call(self.context, kinds)
                return signature(found.return_type, *kinds)

        @lower_builtin(function, PlanType, types.VarArg(types.Any))
        def _lower(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
            made, found = call(context.typing_context, sig.args)
            return context.get_function(made, found)(builder, args)

        return write

    return register
