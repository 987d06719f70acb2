"""Products of Hessians with vectors: the gradient's derivative along one direction.

Forward outside: the gradient's tangent, and where it is wanted the gradient itself beside it. Reverse outside: the
pull-back of the vector through the gradient, which is the vector times the Hessian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.modes import Mode
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.jacobians.jacobian import Jacobian, jacobian_runner
from enzyme_py.transforms.plans.dispatcher import derivative_dispatcher
from enzyme_py.transforms.plans.plans import Plan
from enzyme_py.transforms.plans.runners import named_runner


@dataclass(frozen=True)
class Product(Plan):
    """A Hessian by the first argument, times a vector; product_code.py writes `product_at` from it."""

    kernel: Any
    outer: Mode
    inner: Mode
    skipped: int = 0  # the kernel's leading arguments, which its function holds: they follow on v
    with_gradient: bool = False  # the gradient is wanted, too: it has a cost of its own, a copy

    def argument_label(self, number: int) -> str:
        """See `Plan`; the second argument is the vector."""
        if number == 1:
            return "v"
        if number == 0:
            return super().argument_label(self.skipped)
        is_held = number - 2 < self.skipped
        return super().argument_label(number - 2 if is_held else number - 1)


@kept_with_kernel
def product_runner(plan: Product) -> Any:
    """Return the dispatcher (x, v, *others) -> (product, gradient); None for a gradient not wanted."""

    def product(x, v, *others):  # type: ignore[no-untyped-def]  # compiled by Numba
        return product_at(plan, x, v, others)

    product.__name__ = product.__qualname__ = f"hvp_of_{plan.kernel.py_func.__name__}"
    return derivative_dispatcher(product, plan)


def gradient_kernel(plan: Product) -> Any:
    if plan.inner.is_forward:
        wanted = Jacobian(
            plan.kernel,
            plan.inner,
            argnums=(0,),
            is_single=True,
            by_output=True,
            skipped=plan.skipped,
        )
        return jacobian_runner(wanted)
    reverse = Gradient(
        plan.kernel,
        (0,),
        is_single=True,
        skipped=plan.skipped,
        runtime_activity=plan.inner.runtime_activity,
        strong_zero=plan.inner.strong_zero,
    )
    return named_runner(reverse, plan.kernel, f"grad_of_{plan.kernel.py_func.__name__}")


def product_at(wanted: Any, x: Any, v: Any, others: Any) -> NoReturn:
    """Return (product, gradient or None); only in compiled code."""
    message = "product_at is called from compiled code only"
    raise RuntimeError(message)
