"""Loops with a version for usual arrays give the same numbers as before, to the last bit, for arrays of all kinds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.native.rewrites.usual_loops import add_usual_loops
from tests.native.sums.loops import Machine

# u[i] = d[0 or i] v[0 or i] + at a step of n: what Numba makes of an expression of arrays, and of an assignment to a slice.
TEXT = """
define void @f(ptr %u, ptr %d, ptr %v, i64 %n, double %c, ptr %out) {
entry:
  %bits = fptosi double %c to i64
  %one.bit = and i64 %bits, 1
  %other.bit = and i64 %bits, 2
  %third.bit = and i64 %bits, 4
  %is.one = icmp ne i64 %one.bit, 0
  %is.other = icmp eq i64 %other.bit, 0
  %is.third = icmp ne i64 %third.bit, 0
  %step = lshr i64 %bits, 3
  br label %body

body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %j = select i1 %is.one, i64 %i, i64 0
  %k = select i1 %is.other, i64 0, i64 %i
  %l = select i1 %is.third, i64 %i, i64 0
  %d.at = getelementptr double, ptr %d, i64 %j
  %v.at = getelementptr double, ptr %v, i64 %k
  %w.at = getelementptr double, ptr %v, i64 %l
  %x = load double, ptr %d.at, align 8
  %y = load double, ptr %v.at, align 8
  %w = load double, ptr %w.at, align 8
  %xy = fmul double %x, %y
  %z = fadd double %xy, %w
  %far = mul i64 %i, %step
  %u.at = getelementptr i8, ptr %u, i64 %far
  store double %z, ptr %u.at, align 8
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %body

done:
  store double %z, ptr %out, align 8
  ret void
}
"""


@pytest.mark.parametrize("count", [1, 5, 64, 333])
def test_all_ways_give_the_same(count: int) -> None:
    code = Module(TEXT)
    add_usual_loops(code)
    assert str(code).count("store double %z.usual, ptr %u.at.usual") == 1
    assert str(code).count("br i1 %end, label %body.exit, label %body, !llvm.loop") == 1  # the seldom one stays as it is
    assert str(code).count(", !llvm.loop !") == 1
    before, after = Machine(TEXT, is_optimised=False), Machine(str(code))
    draw = np.random.default_rng(3)
    d, v = draw.normal(size=400), draw.normal(size=400)
    for choices in range(8):
        for step in (0, 8, 16, 24):
            given = [np.zeros(1200) for _ in range(2)]
            last = [
                machine.run(u, d, v, count, choices + 8 * step)
                for machine, u in zip((before, after), given, strict=True)
            ]
            assert last[0] == last[1]
            np.testing.assert_array_equal(*given)


def test_two_conditions_are_left_to_llvm() -> None:
    text = TEXT.replace("mul i64 %i, %step", "mul i64 %i, 8").replace(
        "%is.third, i64 %i", "%is.one, i64 %i"
    )
    code = Module(text)
    add_usual_loops(code)
    assert str(code) == str(Module(text))


def test_a_loop_that_calls_is_left_alone() -> None:
    text = (
        TEXT.replace("  %xy = fmul double %x, %y", "  %xy = call double @g(double %x)")
        + "declare double @g(double)\n"
    )
    code = Module(text)
    add_usual_loops(code)
    assert str(code) == str(Module(text))


def smoothed(u, a, b, c):
    """What of `a`, `b`, `c` has one row or one column is broadcast."""
    v = u.copy()
    for _ in range(3):
        v[1:-1, 1:-1] = (
            0.5 * v[1:-1, 1:-1]
            + a * v[2:, 1:-1] * v[:-2, 1:-1]
            + b * v[1:-1, 2:]
            - c * v[1:-1, :-2]
        )
    return np.sum(v * v)


def by_loops(u, a, b, c):
    v = u.copy()
    n, m = u.shape
    for _ in range(3):
        new = v.copy()
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                of_a = a[(i - 1) % a.shape[0], (j - 1) % a.shape[1]]
                of_b = b[(i - 1) % b.shape[0], (j - 1) % b.shape[1]]
                of_c = c[(i - 1) % c.shape[0], (j - 1) % c.shape[1]]
                near = of_a * v[i + 1, j] * v[i - 1, j] + of_b * v[i, j + 1] - of_c * v[i, j - 1]
                new[i, j] = 0.5 * v[i, j] + near
        v = new
    return np.sum(v * v)


def arguments(shape: tuple[int, int]) -> Iterator[tuple[np.ndarray, list[np.ndarray]]]:
    n, m = max(shape[0] - 2, 1), max(shape[1] - 2, 1)
    draw = np.random.default_rng(5)
    u = draw.normal(size=shape)
    for shapes in (
        ((n, m),) * 3,
        ((1, m), (n, 1), (1, 1)),
        ((n, 1), (n, m), (1, m)),
        ((1, 1), (1, m), (n, 1)),
    ):
        yield u, [draw.normal(size=one) * 0.3 for one in shapes]


LENGTHS = [(34, 40), (3, 40), (34, 3), (3, 3), (2, 40), (34, 2), (20, 20)]


@pytest.mark.parametrize("shape", LENGTHS)
def test_slices_of_all_lengths(shape: tuple[int, int]) -> None:
    """One compiled derivative for full arrays, broadcast ones, and slices with nothing in them."""
    for u, given in arguments(shape):
        places = tuple(range(4))
        found = enzyme.grad(smoothed, argnums=places)(u, *given)
        wanted = enzyme.grad(by_loops, argnums=places)(u, *given)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)


@pytest.mark.full
@pytest.mark.parametrize("shape", LENGTHS)
def test_second_orders_of_slices(shape: tuple[int, int]) -> None:
    for u, given in arguments(shape):
        product = enzyme.hvp(smoothed, u, u[::-1], *given)
        np.testing.assert_allclose(
            product, enzyme.hvp(by_loops, u, u[::-1], *given), rtol=1e-10, atol=1e-11
        )


def energy(x):
    """Of pairs in space, by rows of three numbers."""
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            square = 0.5
            for k in range(3):
                square += (x[i, k] - x[j, k]) ** 2
            total += 1.0 / square
    return total


def stepped(x, steps):
    """The places of bodies that pull at each other: what is written over in place."""
    place, speed = x.copy(), np.zeros_like(x)
    for _ in range(steps):
        for i in range(x.shape[0]):
            for j in range(i + 1, x.shape[0]):
                a, b, c = place[i, 0] - place[j, 0], place[i, 1] - place[j, 1], place[i, 2] - place[j, 2]
                pull = 0.01 / (0.5 + a * a + b * b + c * c)
                speed[i, 0] -= pull * a
                speed[i, 1] -= pull * b
                speed[i, 2] -= pull * c
                speed[j, 0] += pull * a
                speed[j, 1] += pull * b
                speed[j, 2] += pull * c
        for i in range(x.shape[0]):
            for k in range(3):
                place[i, k] += 0.7 * speed[i, k]
    return np.sum(place * place)


def slope_of_energy(x):
    """By hand."""
    apart = x[:, None, :3] - x[None, :, :3]
    square = 0.5 + np.sum(apart**2, axis=2)
    found = np.zeros_like(x)
    found[:, :3] = np.sum(-2.0 * apart / square[:, :, None] ** 2, axis=1)
    return found


@pytest.mark.parametrize("width", [3, 4])
@pytest.mark.parametrize("count", [1, 2, 17, 70])
def test_rows_of_three_numbers(count: int, width: int) -> None:
    """Arrays that are as wide as what is used of them, and wider ones, by one compiled derivative."""
    x = np.random.default_rng(1).normal(size=(count, width))
    np.testing.assert_allclose(enzyme.grad(energy)(x), slope_of_energy(x), rtol=1e-12, atol=1e-14)
    for view in (np.asfortranarray(x), x[::-1], np.repeat(x, 2, axis=1)[:, ::2]):
        np.testing.assert_allclose(enzyme.grad(energy)(view), slope_of_energy(view), rtol=1e-12, atol=1e-14)
    # In both directions, whatever is in memory beside it.
    v = np.random.default_rng(2).normal(size=x.shape)
    slope = enzyme.grad(stepped)(x, 4)
    along = enzyme.jvp(stepped, (x, 4), (v, 0))[1]
    assert np.sum(slope * v) == pytest.approx(along, rel=1e-12)
    product = enzyme.hvp(stepped, x, v, 4)
    np.testing.assert_allclose(product, enzyme.hvp(stepped, x, v, 4, outer=enzyme.Reverse), rtol=1e-10, atol=1e-11)


def test_arrays_that_overlap_take_the_loop_as_it_was() -> None:
    """u[i] = d[i] v[i] + v[i], with u moved over d and v."""
    code = Module(TEXT)
    add_usual_loops(code)
    before, after = Machine(TEXT, is_optimised=False), Machine(str(code))
    for distance in (*range(-9, 10), 40, -40, 300, -300):
        given = [np.random.default_rng(7).normal(size=2000) for _ in range(2)]
        for machine, memory in zip((before, after), given, strict=True):
            machine.run(memory[800 + distance :], memory[800:], memory[1200:], 200, 7 + 8 * 8)
        np.testing.assert_array_equal(*given, err_msg=str(distance))


def rows_put_back(count: int = 3) -> str:
    """v[i, k] += c u[i, k], where u is set to zero in between and put back; how wide both are, d says."""
    lines = [
        "define void @f(ptr %u, ptr %d, ptr %v, i64 %n, double %c, ptr %out) {",
        "entry:",
        "  %width = load i64, ptr %d, align 8",
        "  br label %invertBody",
        "",
        "invertBody:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %invertBody ]",
        "  %row = mul i64 %i, %width",
        "  %u.0 = getelementptr double, ptr %u, i64 %row",
        "  %v.0 = getelementptr double, ptr %v, i64 %row",
    ]
    for k in range(count):
        if k:
            lines += [f"  %{name}.{k} = getelementptr i8, ptr %{name}.0, i64 {8 * k}" for name in "uv"]
        lines += [
            f"  %t.{k} = load double, ptr %u.{k}, align 8",
            f"  store double 0.0, ptr %u.{k}, align 8",
            f"  %s.{k} = load double, ptr %v.{k}, align 8",
            f"  %ct.{k} = fmul double %c, %t.{k}",
            f"  %more.{k} = fadd double %s.{k}, %ct.{k}",
            f"  store double %more.{k}, ptr %v.{k}, align 8",
            f"  %again.{k} = load double, ptr %u.{k}, align 8",
            f"  %back.{k} = fadd double %again.{k}, %t.{k}",
            f"  store double %back.{k}, ptr %u.{k}, align 8",
        ]
    lines += [
        "  %next = add nuw nsw i64 %i, 1",
        "  %end = icmp eq i64 %next, %n",
        "  br i1 %end, label %done, label %invertBody",
        "",
        "done:",
        "  ret void",
        "}",
        "",
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("width", [3, 4])
def test_what_an_iteration_has_written_it_reads(width: int) -> None:
    """Told that such a loop is parallel, LLVM reads all of a row in front of what writes it."""
    code = Module(rows_put_back())
    add_usual_loops(code)
    assert "invertBody.usual" in str(code)
    assert "parallel_accesses" not in str(code)
    after = Machine(str(code))
    for count in (1, 16, 100):
        u, v = np.arange(1.0, 1201.0), np.ones(1200)
        expected = v.reshape(-1, width).copy()
        expected[:count, :3] += 2.0 * u.reshape(-1, width)[:count, :3]
        after.run(u, np.array([width]), v, count, 2.0)
        np.testing.assert_array_equal(u, np.arange(1.0, 1201.0))
        np.testing.assert_array_equal(v.reshape(-1, width), expected)
