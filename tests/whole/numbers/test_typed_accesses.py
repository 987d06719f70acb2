"""Gradients of directional derivatives, where a kernel writes constants over what depends on x.

With b = x * x, of which constants c replace all but the first element, the kernel is x0^4 + sum c^2: its derivative
along v is 4 x0^3 v0, the gradient of that 12 x0^2 v0 by x0 and 4 x0^3 by v0, and nothing by all others.
"""

from __future__ import annotations

import math
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward
from enzyme_py.errors import TypeAnalysisError
from enzyme_py.llvm import Load, Store
from enzyme_py.native.machine import target_machine
from enzyme_py.passes.types.tags import KIND, Tags
from enzyme_py.passes.types.typed_accesses import TypedAccesses
from tests.passes.running import is_left_alone, ran
from tests.rotation import diagonal

X = np.array([0.7, 0.8, 0.9])
V = np.array([1.0, 0.5, 0.25])
C = np.array([0.3, 0.2, 0.6])

WAYS = {
    "one by one": """
    for i in range(1, n):
        b[i] = {}
""",
    "a slice": """
    t = np.empty(n)
    for i in range(n):
        t[i] = {}
    b[1:] = t[1:]
""",
    "a number for a slice": """
    for i in range(n):
        b[1:] = {}
""",
    "carried through memory": """
    for i in range(n):
        if x[i] > 0.1:
            b[1] = {}
        b[2] = b[1]
""",
}
CONSTANTS = (
    "c[i]",
    "np.floor(x[i] * 3)",
    "np.sign(x[i])",
    "float(i)",
    "x[i] // 0.3",
    "float(math.frexp(x[i])[1])",
    "(c[i] if x[i] > 0.75 else 0.25)",
    "np.spacing(x[i])",
    "float(np.argmax(x))",
    "enzyme.stop_gradient(x[i])",
    "max(c[i], 0.35)",
    "np.dot(c, c)",
    "np.sort(c)[i]",
    "np.linalg.inv(np.outer(c, c) + np.eye(3))[i, 1]",
    "np.float32(c[i])",
    "abs(c[i] + 1j)",
    "(0.1, 0.2, 0.3)[i]",
)


def kernel(way: str, constant: str) -> Any:
    """Return a kernel that overwrites all but the first element."""
    text = f"def f(x, c, n):\n    b = x * x\n{WAYS[way].format(constant)}    return np.sum(b * b)\n"
    scope = {"np": np, "math": math, "enzyme": enzyme}
    exec(text, scope)
    return numba.njit(scope["f"])


def slope_of(f: Any) -> Any:
    """Return the derivative of a kernel along a direction."""

    @numba.njit
    def slope(x, v, c, n):
        return enzyme.autodiff(Forward, f, Duplicated, Duplicated(x, v), Const(c), n)[0]

    return slope


@pytest.mark.parametrize(("way", "constant"), diagonal(WAYS, CONSTANTS))
def test_gradients_of_slopes_forget_what_constants_replace(way: str, constant: str) -> None:
    taken = enzyme.grad(slope_of(kernel(way, constant)), argnums=(0, 1))
    by_x, by_v = taken(X, V, C, 3)
    np.testing.assert_allclose(by_x, [12 * X[0] ** 2 * V[0], 0.0, 0.0], rtol=1e-14)
    np.testing.assert_allclose(by_v, [4 * X[0] ** 3, 0.0, 0.0], rtol=1e-14)


def column(a, c):
    b = a * a
    b[:, 1] = c
    return np.sum(b * b)


@pytest.mark.parametrize(("c", "order"), diagonal([C, C[::-1], np.repeat(C, 2)[::2]], "CF"))
def test_a_column_that_is_replaced(c: Any, order: str) -> None:
    a = np.asarray(np.arange(1.0, 10.0).reshape(3, 3) / 9, order=order)
    v = np.asarray(np.cos(a), order=order)
    f = numba.njit(column)

    @numba.njit
    def slope(a, v, c):
        return enzyme.autodiff(Forward, f, Duplicated, Duplicated(a, v), Const(c))[0]

    by_a, by_v = enzyme.grad(slope, argnums=(0, 1))(a, v, c)
    mask = np.array([1.0, 0.0, 1.0])
    np.testing.assert_allclose(by_a, 12 * a**2 * v * mask, rtol=1e-13)
    np.testing.assert_allclose(by_v, 4 * a**3 * mask, rtol=1e-13)


def test_bytes_of_doubles_seen_as_floats_are_refused() -> None:
    @numba.njit
    def kernel(x):
        y = x * 2.0
        halves = y.view(np.float32)
        halves[1] = halves[3]
        return y[0] * x[1]

    for derivative in (lambda x: enzyme.jvp(kernel, (x,), (x,)), enzyme.grad(kernel)):
        with pytest.raises(TypeAnalysisError, match=r"two different types(.|\n)*view") as refusal:
            derivative(np.array([1.5, 3.0]))
        assert "defect" not in str(refusal.value)


PAIRS = (("double", "float"), ("double", "i64"), ("float", "i64"))


@pytest.mark.parametrize(("one", "other"), PAIRS + tuple((b, a) for a, b in PAIRS))
def test_llvm_concludes_nothing_of_two_types_at_one_place(one: str, other: str) -> None:
    """What was stored is loaded again behind a store of the other type, which may have changed it."""
    zeros = {"double": "0.0", "float": "0.0", "i64": "0"}
    text = f"""define {one} @f(ptr %p, ptr %q) {{
  store {one} {zeros[one]}, ptr %p
  store {other} {zeros[other]}, ptr %q
  %v = load {one}, ptr %p
  ret {one} %v
}}
"""
    code = ran(TypedAccesses(), text).code
    tags = Tags(code)
    for access in code.function("f").instructions:
        if isinstance(access, Load | Store) and not access.has_metadata(KIND):
            tags.put(access, "long")
    tagged = str(code)
    assert tagged.count("!tbaa") == 3
    machine = target_machine()
    module = llvm.parse_assembly(tagged)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    assert f"load {one}, ptr %p" in str(module)


def test_what_is_tagged() -> None:
    given = """define void @f(ptr %p, double %x, i64 %n) {
  %a = load double, ptr %p, align 8
  store float 0.0, ptr %p
  %n2 = load i64, ptr %p, align 8
  %l = load double, ptr %p, align 8, !tbaa !0
  store double %x, ptr %p, align 8, !noalias !3
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{!"other", !2, i64 0}
!2 = !{!"root"}
!3 = !{!4}
!4 = distinct !{!4, !5}
!5 = distinct !{!5}
"""
    code = ran(TypedAccesses(), given).code
    lines, before = str(code).split("\n"), given.split("\n")
    changed = [new != old for new, old in zip(lines, before, strict=False)][:9]
    assert changed == [False, True, True, False, False, True, False, False, False]
    double, single, _, _, stored, _ = code.function("f").instructions
    types = [code.metadata[one.metadata[KIND]].operands[0] for one in (double, single, stored)]
    float_, long = (code.metadata[one].operands[1] for one in (types[0], types[1]))
    assert types[2] == types[0]
    assert code.metadata[types[0]].content == f'!{{!"double", {float_}, i64 0}}'
    assert float_ == types[1]
    assert code.metadata[float_].content == f'!{{!"float", {long}, i64 0}}'
    whole = code.metadata[long].operands[1]
    assert code.metadata[long].content == f'!{{!"long", {whole}, i64 0}}'
    root = code.metadata[whole].operands[1]
    assert code.metadata[whole].content == f'!{{!"whole", {root}, i64 0}}'
    assert code.metadata[root].content == '!{!"enzyme_py"}'
    assert lines[5].startswith("  store double %x, ptr %p, align 8, !noalias !3, !tbaa ")
    assert is_left_alone(TypedAccesses(), str(code))
