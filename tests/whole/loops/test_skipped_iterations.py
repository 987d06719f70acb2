"""Loops that leave one iteration out are split there; the numbers stay the same, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.control_flow.skipped_iterations import SkippedIterations
from tests.native.sums.running import run
from tests.passes.running import is_left_alone, ran, with_line

# The sum of d[j] b[j] for j from 2 to n but for one, which is written to b[1] after each one; it is the number in b[0].
LOOP = """
define double @f(ptr %d, ptr %b, i64 %n, double %start) {
entry:
  %number = load double, ptr %b, align 8
  %k = fptosi double %number to i64
  %last = getelementptr double, ptr %b, i64 1
  br label %head

head:
  %j = phi i64 [ 2, %entry ], [ %next, %end ]
  %twice = phi i64 [ 5, %entry ], [ %twice.next, %end ]
  %sum = phi double [ %start, %entry ], [ %sum.end, %end ]
  %is = icmp eq i64 %j, %k
  br i1 %is, label %end, label %body

body:
  %d.at = getelementptr double, ptr %d, i64 %j
  %x = load double, ptr %d.at, align 8
  %is.large = fcmp ogt double %x, 1.0e30
  br i1 %is.large, label %raise, label %more

more:
  %count = sitofp i64 %twice to double
  %y = fmul double %x, %count
  %sum.more = fadd double %sum, %y
  store double %sum.more, ptr %last, align 8
  br label %end

end:
  %sum.end = phi double [ %sum.more, %more ], [ %sum, %head ]
  %next = add nuw nsw i64 %j, 1
  %twice.next = add i64 %twice, 3
  %ends = icmp eq i64 %next, %n
  br i1 %ends, label %out, label %head

out:
  %twofold = fmul double %sum.end, 2.0
  ret double %twofold

raise:
  unreachable
}
"""
REQUEST = """
declare double @__enzyme_autodiff(...)
define double @g(ptr %d, ptr %b, i64 %n, double %s) {
  %r = call double (...) @__enzyme_autodiff(ptr @f, ptr %d, ptr %b, i64 %n, double %s)
  ret double %r
}
"""


def split(text: str) -> str:
    made = str(ran(SkippedIterations(), text + REQUEST).code)
    return made[: made.index("\ndeclare double @__enzyme_autodiff")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("%sum.end, 2.0", "%sum.end, 2.0"),  # as it is
        ("icmp eq i64 %j, %k\n  br i1 %is, label %end, label %body", "icmp ne i64 %k, %j\n  br i1 %is, label %body, label %end"),
        ("%ends = icmp eq i64 %next, %n\n  br i1 %ends, label %out, label %head", "%ends = icmp ne i64 %n, %next\n  br i1 %ends, label %head, label %out"),
    ],
)  # fmt: skip
def test_the_same_numbers(old: str, new: str) -> None:
    text = with_line(LOOP, old, new)
    after = split(text)
    assert after.count("load double, ptr %d.at") == 2
    for count in (3, 4, 5, 12):
        for skipped in (-1.0, 0.0, 1.0, 2.0, 3.0, count - 2.0, count - 1.0, float(count), 1e9):
            d = np.random.default_rng(count).normal(size=count)
            found = []
            for one in (text, after):
                b = np.array([skipped, 7.0, *d[2:]])
                found.append((run(one, d, b, 0.5), b[1]))
            assert found[0] == found[1], (count, skipped)
            taken = [j for j in range(2, count) if j != skipped]
            expected = 0.5 + sum(d[j] * (5.0 + 3.0 * (j - 2)) for j in taken)
            assert found[1] == (pytest.approx(2.0 * expected, rel=1e-14), pytest.approx(expected if taken else 7.0, rel=1e-14))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[ %sum, %head ]", "[ 0.0, %head ]"),  # the iteration does something
        ("icmp eq i64 %j, %k", "icmp slt i64 %j, %k"),
        ("icmp eq i64 %j, %k", "icmp eq i64 %twice, %k"),
        ("  %next = add", "  store double 1.0, ptr %last\n  %next = add"),
        ("fmul double %sum.end, 2.0", "fmul double %sum, 2.0"),  # what the last iteration began with
        ("icmp eq i64 %next, %n", "icmp sge i64 %next, %n"),
    ],
)  # fmt: skip
def test_other_loops_are_left_alone(old: str, new: str) -> None:
    assert is_left_alone(SkippedIterations(), with_line(LOOP, old, new) + REQUEST)


def test_a_second_counter_of_a_few_bits() -> None:
    """It was given a start of 64 bits, and the code was invalid; here it comes to 127, and goes on from -128."""
    text = LOOP
    for line in ("%twice = phi i64", "sitofp i64 %twice", "add i64 %twice"):
        text = with_line(text, line, line.replace("i64", "i8"))
    after, count = split(text), 60
    for skipped in (2.0, 30.0, 50.0, 1e9):
        d = np.random.default_rng(3).normal(size=count)
        b = np.array([skipped, 7.0, *d[2:]])
        factors = (5 + 3 * (np.arange(count) - 2)).astype(np.int8)
        expected = 0.5 + sum(d[j] * factors[j] for j in range(2, count) if j != skipped)
        assert run(after, d, b, 0.5) == pytest.approx(2.0 * expected, rel=1e-13)


def pulled(x, m, steps):
    """Bodies that pull at all others."""
    place, speed = x.copy(), np.zeros_like(x)
    for _ in range(steps):
        for i in range(m.size):
            a, b, c = 0.0, 0.0, 0.0
            for j in range(m.size):
                if i != j:
                    p, q, r = place[j, 0] - place[i, 0], place[j, 1] - place[i, 1], place[j, 2] - place[i, 2]
                    square = p * p + q * q + r * r + 0.01
                    pull = m[j] / (square * np.sqrt(square))
                    a += pull * p
                    b += pull * q
                    c += pull * r
            speed[i, 0] += 0.01 * a
            speed[i, 1] += 0.01 * b
            speed[i, 2] += 0.01 * c
        for i in range(m.size):
            for k in range(3):
                place[i, k] += speed[i, k]
    return np.sum(place * place)


def on_arrays(x, m, steps):
    """The same; what a body does to itself is nothing."""
    place, speed = x.copy(), np.zeros_like(x)
    for _ in range(steps):
        apart = np.expand_dims(place, 0) - np.expand_dims(place, 1)
        square = np.sum(apart * apart, axis=2) + 0.01
        pull = m / (square * np.sqrt(square))
        speed += 0.01 * np.sum(np.expand_dims(pull, 2) * apart, axis=1)
        place += speed
    return np.sum(place * place)


def slopes_by_complex_numbers(x, m, steps):
    """Of each place and each mass, by steps of 1e-30 i: they know no derivative."""
    found = []
    for number in range(x.size + m.size):
        given = np.append(x, m).astype(complex)
        given[number] += 1e-30j
        place, mass = given[: x.size].reshape(x.shape), given[x.size :]
        found.append(np.imag(on_arrays(place, mass, steps)) / 1e-30)
    return np.reshape(found[: x.size], x.shape), np.array(found[x.size :])


@pytest.mark.parametrize("count", [1, 2, 3, 40])
def test_bodies_that_pull_at_each_other(count: int) -> None:
    draw = np.random.default_rng(count)
    x, m, v = draw.normal(size=(count, 3)), draw.uniform(0.5, 1.5, count), draw.normal(size=(count, 3))
    slope, by_mass = enzyme.grad(pulled, argnums=(0, 1))(x, m, 3)
    wanted = slopes_by_complex_numbers(x, m, 3)
    np.testing.assert_allclose(slope, wanted[0], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(by_mass, wanted[1], rtol=1e-11, atol=1e-12)
    assert np.sum(slope * v) == pytest.approx(enzyme.jvp(pulled, (x, m, 3), (v, 0.0 * m, 0))[1], rel=1e-12)
    product = enzyme.hvp(pulled, x, v, m, 3)
    np.testing.assert_allclose(product, enzyme.hvp(pulled, x, v, m, 3, outer=enzyme.Reverse), rtol=1e-10, atol=1e-11)


def left_out(x, k, first):
    """The numbers but for one, each written over in place."""
    y = x.copy()
    for _ in range(3):
        for j in range(first, x.size):
            if j == k:
                continue
            y[j] = np.sin(y[j]) * y[j - 1] + 0.5 * y[k]
    return np.sum(y * y)


def test_what_is_left_out_may_be_nowhere() -> None:
    x = np.random.default_rng(4).normal(size=12)
    for k in (0, 1, 5, 11):
        for first in (1, 2, 7):
            v = np.random.default_rng(k).normal(size=12)
            slope = enzyme.grad(left_out)(x, k, first)
            along = enzyme.jvp(left_out, (x, k, first), (v, 0, 0))[1]
            assert np.sum(slope * v) == pytest.approx(along, rel=1e-11)
            near = np.imag(left_out(x + 1e-30j * v, k, first)) / 1e-30
            assert near == pytest.approx(along, rel=1e-11)
