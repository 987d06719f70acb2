"""The rules of a region that the reverse sweep runs again: `remat(f)`.

    def loss(x):
        y = enzyme.remat(wide)(x)       # nothing of what happens inside is kept
        return np.sum(y * y)

The function with rules (door.py) whose derivatives are its own: reverse mode keeps the arguments and the
result, and runs the gradient of `<cotangent, f(*arguments)>` when the sweep comes by. The rules are plain
code with derivatives in it, so they are differentiated in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from enzyme_py.custom.door import Call, with_rules
from enzyme_py.custom.fitting import check_repeatable
from enzyme_py.custom.heads import half_of_rule
from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.derivatives.pullback import pullback
from enzyme_py.transforms.plans.plans import transform


@kept_with_kernel
def rematerialised(kernel: Any) -> Any:
    """Return the dispatcher of a kernel that is run again in reverse mode."""
    return with_rules(kernel, _Again(kernel), f"remat_of_{kernel.py_func.__name__}")


@dataclass(frozen=True)
class _Again:
    """The rules of a function whose derivatives are its own."""

    kernel: Any
    skips_zeros: bool = False

    def check_given(self, call: Call) -> None:
        check_repeatable(call.kernel, tuple(call.arguments), f"`{call.name}`")

    def check(self, call: Call, target: Any) -> None:
        """The function was compiled; nothing else can be wrong."""

    def push(self, call: Call) -> Callable[..., Any]:
        scope = {"run": transform, "plan": Jvp(self.kernel)}
        text = "return run(plan, *arguments, *tangents)[1]"
        return half_of_rule(["def push(arguments, tangents, results):", text], "push", scope)

    def pull(self, call: Call) -> Callable[..., Any]:
        scope = {"run": transform, "plan": pullback(self.kernel)}
        text = "return run(plan, cotangents, *arguments)"
        return half_of_rule(["def pull(arguments, results, cotangents):", text], "pull", scope)
