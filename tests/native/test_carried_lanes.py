"""What goes round a loop beside the vector whose first lane it is, is read from the vector.

LLVM 22.1 makes wrong x86 code of such pairs now and then (native/rewrites/carried_lanes.py): `SWAP` is as small as such code gets.
`test_forward_over_forward_over_reverse` gives 0.17 in place of 0.33 without the cure. Its kernel is tanh(s x1) tanh(s / d^5),
d = 1.1 + x0 / 4: two numbers change places in two iterations of a loop that ends at a break.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward
from enzyme_py.llvm import Module
from enzyme_py.native.machine import initialise_llvm, leaves_addresses
from enzyme_py.native.rewrites.carried_lanes import read_carried_lanes

LOOP = """
define double @f(i64 %n, <2 x double> %a, <2 x double> %b, double %other) {{
entry:
  %a0 = extractelement <2 x double> %a, i64 0
  %a1 = extractelement <2 x double> %a, i64 1
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %number = phi double [ {start}, %entry ], [ {following}, %loop ]
  %vector = phi <2 x double> [ %a, %entry ], [ %later, %loop ]
  %later = phi <2 x double> [ %b, %entry ], [ %new, %loop ]
  %first = extractelement <2 x double> %later, i64 0
  %second = extractelement <2 x double> %later, i64 1
  %new = fadd <2 x double> %vector, %later
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret double %number
}}
"""

# The number is carried through a branch in the loop: its phi there has the vector's phi beside it.
BRANCH = """
define double @f(i64 %n, <2 x double> %a, i1 %c) {
entry:
  %a0 = extractelement <2 x double> %a, i64 0
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %number = phi double [ %a0, %entry ], [ %number.end, %latch ]
  %vector = phi <2 x double> [ %a, %entry ], [ %vector.end, %latch ]
  br i1 %c, label %arm, label %latch

arm:
  %new = fadd <2 x double> %vector, %a
  %new0 = extractelement <2 x double> %new, i64 0
  br label %latch

latch:
  %vector.end = phi <2 x double> [ %vector, %loop ], [ %new, %arm ]
  %number.end = phi double [ %number, %loop ], [ %new0, %arm ]
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  ret double %number.end
}
"""


# Two vectors change places in each iteration; returns %vector[1] + %later[0] behind the second one: of (1, 0.2) and (0, 0), 0.2.
SWAP = """
define double @f(i64 %n, ptr %p) {
entry:
  %start = load <2 x double>, ptr %p, align 8
  %start0 = extractelement <2 x double> %start, i64 0
  %some = icmp sgt i64 %n, 3
  br i1 %some, label %head, label %done

head:
  br label %loop

loop:
  %i = phi i64 [ 0, %head ], [ %next, %body ]
  %number = phi double [ %start0, %head ], [ %first, %body ]
  %vector = phi <2 x double> [ %start, %head ], [ %later, %body ]
  %later = phi <2 x double> [ zeroinitializer, %head ], [ %vector, %body ]
  %first = extractelement <2 x double> %later, i64 0
  %enough = icmp eq i64 %i, 2
  br i1 %enough, label %done, label %body

body:
  %unused = call double @tan(double %number)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done

done:
  %one = phi double [ %first, %loop ], [ %first, %body ], [ 0.0, %entry ]
  %two = phi <2 x double> [ %vector, %loop ], [ %vector, %body ], [ %start, %entry ]
  %two1 = extractelement <2 x double> %two, i64 1
  %sum = fadd double %two1, %one
  ret double %sum
}

declare double @tan(double)
"""


def swapped(text: str) -> float:
    """Return what the machine code of SWAP gives."""
    initialise_llvm()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3, jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_void_p)(engine.get_function_address("f"))
    start = np.array([1.0, 0.2])
    return float(call(4, start.ctypes.data))


def test_code_of_a_pair() -> None:
    found, text = rewritten(SWAP)
    assert found
    assert swapped(text) == 0.2


@pytest.mark.skipif(not leaves_addresses(), reason="another LLVM or another processor, which may be right")
def test_what_llvm_makes_of_a_pair_is_wrong() -> None:
    """The rewrite is needed as long as this passes."""
    assert swapped(SWAP) != 0.2


def rewritten(text: str) -> tuple[bool, str]:
    code = Module(text)
    found = read_carried_lanes(code)
    return found, str(code)


@pytest.mark.parametrize("start", ["%a0", "poison"])
def test_a_pair(start: str) -> None:
    found, text = rewritten(LOOP.format(start=start, following="%first"))
    assert found
    assert "phi double" not in text
    assert "%number = extractelement <2 x double> %vector, i64 0" in text


@pytest.mark.parametrize(
    ("start", "following"), [("%a1", "%first"), ("%a0", "%second"), ("%other", "%first"), ("0.0", "%first"), ("%a0", "%number")]
)
def test_no_pair(start: str, following: str) -> None:
    found, text = rewritten(LOOP.format(start=start, following=following))
    assert not found
    assert f"%number = phi double [ {start}, %entry ], [ {following}, %loop ]" in text


def test_a_pair_that_rests_on_another_one() -> None:
    found, text = rewritten(BRANCH)
    assert found
    assert "phi double" not in text
    assert "%number.end = extractelement <2 x double> %vector.end, i64 0" in text
    assert "%number = extractelement <2 x double> %vector, i64 0" in text


def test_a_pair_that_rests_on_none() -> None:
    found, text = rewritten(BRANCH.replace("%number, %loop ], [ %new0, %arm", "%number, %loop ], [ 1.0, %arm"))
    assert not found
    assert text.count("phi double") == 2


N = 5
X = np.random.default_rng(1).uniform(-1.0, 1.0, N)
S = 0.37
W, DS = np.random.default_rng(2).uniform(-1.0, 1.0, N), -0.6


@numba.njit
def kernel(x: Any, s: Any, n: Any) -> Any:
    q, u = s * x[1], s
    for _ in range(n):
        u = u / (1.1 + 0.25 * x[0])
    for i in range(n - 1, -1, -1):
        if i == 2:
            break
        u, q = (q, np.tanh(u))
    return q * u


slopes = enzyme.grad(kernel, argnums=(0, 1))


@numba.njit
def along(x: Any, s: Any, v: Any, vs: Any, n: Any) -> Any:
    dx, ds = slopes(x, s, n)
    return np.sum(dx * v) + ds * vs


@numba.njit
def bent(x: Any, s: Any, w: Any, ws: Any, v: Any, vs: Any, n: Any) -> Any:
    both = Duplicated(x, w), Duplicated(s, ws)
    return enzyme.autodiff(Forward, along, Duplicated, *both, Const(v), Const(vs), Const(n))[0]


def third_by_hand() -> float:
    """Third derivative along (W, DS), by polynomials in a step t: truncated products, quotients and tanh."""

    def product(a: Any, b: Any) -> Any:
        return np.convolve(a, b)[:4]

    def tanh(a: Any) -> Any:
        value = np.tanh(a[0])
        first = 1 - value * value
        h = np.array([0.0, *a[1:]])
        square = product(h, h)
        cube = product(square, h)
        return np.array([value, 0, 0, 0]) + first * h - value * first * square + (value * value - 1 / 3) * first * cube

    s = np.array([S, DS, 0.0, 0.0])
    d = np.array([1.1 + 0.25 * X[0], 0.25 * W[0], 0.0, 0.0])
    ratio = -d[1] / d[0]
    inverse = np.array([1.0, ratio, ratio**2, ratio**3]) / d[0]
    u = s
    for _ in range(N):
        u = product(u, inverse)
    q = product(s, np.array([X[1], W[1], 0.0, 0.0]))
    return float(6 * product(tanh(q), tanh(u))[3])


def test_forward_over_forward_over_reverse() -> None:
    fixed = [Const(one) for one in (W.copy(), DS, W.copy(), DS, N)]
    (found,) = enzyme.autodiff(Forward, bent, Duplicated, Duplicated(X, W), Duplicated(S, DS), *fixed)
    assert np.isclose(found, third_by_hand(), rtol=1e-12)
