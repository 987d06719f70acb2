"""Loops whose branches choose between numbers become one block; the numbers stay the same, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.native.rewrites.flat_loops import flatten_loops
from tests.native.sums.running import run
from tests.passes.running import with_line

# A choice of two arms, one of one arm that reads, and a plain block between.
LOOP = """
declare double @sqrt(double)
declare double @llvm.fabs.f64(double)
define double @f(ptr %d, ptr %b, i64 %n, double %start) {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %next, %last ]
  %sum = phi double [ %start, %entry ], [ %more, %last ]
  %d.at = getelementptr double, ptr %d, i64 %i
  %b.at = getelementptr double, ptr %b, i64 %i
  %x = load double, ptr %d.at, align 8
  %is.inside = fcmp ogt double %x, 0.0
  br i1 %is.inside, label %inside, label %edge

inside:
  %root = call double @sqrt(double %x)
  %double = fmul double %root, 2.0
  br label %meet

edge:
  %size = call double @llvm.fabs.f64(double %x)
  br label %meet

meet:
  %y = phi double [ %double, %inside ], [ %size, %edge ]
  %z = phi double [ %x, %inside ], [ %x, %edge ]
  %yz = fadd double %y, %z
  br label %plain

plain:
  %is.small = fcmp olt double %yz, 1.5
  br i1 %is.small, label %arm, label %last

arm:
  %again = load double, ptr %b.at, align 8
  %part = fdiv double %again, %yz
  br label %last

last:
  %w = phi double [ %part, %arm ], [ %start, %plain ]
  %old = load double, ptr %b.at, align 8
  %new = fadd double %old, %w
  store double %new, ptr %b.at, align 8
  %more = fadd double %sum, %new
  %next = add nuw nsw i64 %i, 1
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %done, label %head

done:
  %total = phi double [ %more, %last ]
  ret double %total
}
"""


def test_the_same_numbers() -> None:
    code = Module(LOOP)
    flatten_loops(code)
    (loop,) = code.function("f").analysis(Loops).loops
    assert len(loop.blocks) == 1
    assert "@sqrt" not in str(code).replace("declare double @sqrt(double)", "")
    for count in (1, 2, 100):
        d = np.random.default_rng(count).normal(size=count)
        d[:1] = 0.0
        found = [np.arange(1.0, count + 1) for _ in range(2)]
        sums = [run(text, d, b, 0.25) for text, b in zip((LOOP, str(code)), found, strict=True)]
        assert sums[0] == sums[1]
        np.testing.assert_array_equal(*found)
        y = np.where(d > 0.0, 2.0 * np.sqrt(np.abs(d)), np.abs(d)) + d
        b = np.arange(1.0, count + 1)
        with np.errstate(divide="ignore"):
            np.testing.assert_array_equal(found[1], b + np.where(y < 1.5, b / y, 0.25))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  %size = call double @llvm.fabs.f64(double %x)", "  store double 1.0, ptr %b.at\n  %size = fneg double %x"),
        ("  %size = call double @llvm.fabs.f64(double %x)", "  %size = call double @g(double %x)"),
        ("  %again = load double, ptr %b.at, align 8", "  %far = getelementptr double, ptr %b, i64 999\n  %again = load double, ptr %far"),
        ("  br i1 %is.inside, label %inside, label %edge", "  br i1 %is.inside, label %inside, label %done"),
    ],
)  # fmt: skip
def test_what_may_not_be_computed_for_nothing(old: str, new: str) -> None:
    text = with_line(LOOP, old, new) + "declare double @g(double)\n"
    if "label %done\n\ninside" in text:
        text = text.replace("[ %more, %last ]\n  ret", "[ %more, %last ], [ %sum, %head ]\n  ret")
    code = Module(text)
    flatten_loops(code)
    (loop,) = code.function("f").analysis(Loops).loops
    assert len(loop.blocks) > 1


POINTER = """\
  %box = alloca ptr, align 8
  store ptr %b, ptr %box, align 8
  br label %head
"""
ARM = """\
  %there = load ptr, ptr %box, align 8
  %again.at = getelementptr double, ptr %there, i64 %i
  %again = load double, ptr %again.at, align 8
"""


def with_pointers(at_last: str = "") -> str:
    """The same loop, which reads in two places from where an array is; Enzyme keeps such pointers."""
    text = with_line(LOOP, "  br label %head", POINTER.rstrip("\n"))
    text = with_line(text, "  %b.at = getelementptr double, ptr %b, i64 %i", """\
  %here = load ptr, ptr %box, align 8
  %b.at = getelementptr double, ptr %here, i64 %i
  %b.now = load double, ptr %b.at, align 8""")
    text = with_line(text, "  %again = load double, ptr %b.at, align 8", ARM.rstrip("\n"))
    return with_line(text, "  store double %new, ptr %b.at, align 8", f"  store double %new, ptr %b.at, align 8{at_last}")


def test_arms_that_read_what_is_read_in_any_case() -> None:
    code = Module(with_pointers())
    flatten_loops(code)
    (loop,) = code.function("f").analysis(Loops).loops
    assert len(loop.blocks) == 1
    assert not any(one.type == "ptr" and one.opcode == "load" for one in loop.header.instructions)
    d = np.random.default_rng(3).normal(size=50)
    found = [np.arange(1.0, 51) for _ in range(2)]
    sums = [run(text, d, b, 0.25) for text, b in zip((LOOP, str(code)), found, strict=True)]
    assert sums[0] == sums[1]
    np.testing.assert_array_equal(*found)


def test_where_pointers_are_written_arms_read_for_themselves() -> None:
    code = Module(with_pointers("\n  store ptr %d, ptr %box, align 8"))
    flatten_loops(code)
    (loop,) = code.function("f").analysis(Loops).loops
    assert len(loop.blocks) > 1


def rooted(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            square = 0.0
            for k in range(3):
                square += (x[i, k] - x[j, k]) ** 2
            total += np.sqrt(square) * square
    return total


def roots(x):
    return np.sum(np.sqrt(x * x + 1.0)) + np.sum(np.sqrt(np.abs(x)))


def test_roots_in_loops_and_at_their_edge() -> None:
    """The third power of distances has the slope 3 r (x - y), and 0 for points that coincide."""
    x = np.random.default_rng(1).normal(size=(30, 3))
    x[7] = x[3]
    apart = x[:, None] - x[None]
    far = np.sqrt(np.sum(apart**2, axis=2))
    np.testing.assert_allclose(enzyme.grad(rooted)(x), np.sum(3.0 * far[:, :, None] * apart, axis=1), rtol=1e-12)
    v = np.random.default_rng(2).normal(size=x.shape)
    along = enzyme.jvp(enzyme.grad(rooted), (x,), (v,))[1]
    np.testing.assert_allclose(enzyme.hvp(rooted, x, v), along, rtol=1e-12)
    y = np.random.default_rng(3).normal(size=50)
    slope = y / np.sqrt(y * y + 1.0) + np.sign(y) * 0.5 / np.sqrt(np.abs(y))
    np.testing.assert_allclose(enzyme.grad(roots)(y), slope, rtol=1e-12)
    bend = (y * y + 1.0) ** -1.5 - 0.25 * np.abs(y) ** -1.5
    np.testing.assert_allclose(enzyme.hvp(roots, y, np.ones(50)), bend, rtol=1e-11)
    y[4] = 0.0
    assert enzyme.grad(roots)(y)[3] == pytest.approx(slope[3], rel=1e-12)
