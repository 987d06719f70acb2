"""Adds that are separated add the same: all numbers here are whole, so that no order changes a digit."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme_py.llvm import Module
from enzyme_py.native.rewrites.sums.scattered_adds import separate_adds
from tests.native.sums.loops import Machine, Reverse, rewritten

COUNTS = (1, 2, 15, 16, 17, 63, 64, 65, 100, 127, 128, 129, 130, 191, 192, 200, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 2500)

LOOPS = {
    "three neighbours": Reverse((-1, 1, 0), ("c", "c", "2.0")),
    "upward": Reverse((-1, 1, 0), ("c", "c", "2.0"), is_down=False),
    "end by what is next": Reverse((-1, 0, 1), ("c", "v", "2.0"), tests_moved=True),
    "upward, end by what is next": Reverse((2, 0), ("v", "v"), is_down=False, tests_moved=True),
    "end by a sum": Reverse((-1, 1, 0), ("c", "c", "2.0"), tests_far=True),
    "upward, end by a sum with what is next": Reverse((2, 0), ("v", "v"), is_down=False, tests_moved=True, tests_far=True),
    "float32": Reverse((-1, 1, 0), ("c", "c", "2.0"), kind="float"),
    "far apart": Reverse((-8, 0, 8, 20), ("c", "2.0", "v", "c")),
    "one place twice": Reverse((0, 1, 1), ("c", "2.0", "v")),
    "to one number": Reverse((None,), ("v",)),
    "to one number and others": Reverse((None, 7, 8), ("v", "c", "2.0")),
    "each second": Reverse((4, 2, 0, 1), ("v", "c", "2.0", "c"), stride=2),
    "backward": Reverse((3000, 3001, 2999), ("v", "c", "2.0"), stride=-1),
    "backward, gathered": Reverse((3000, 3003, 2999), ("c", "c", "2.0"), stride=-1),
    "upward and backward, gathered": Reverse((3000, 3003, 2999), ("c", "c", "2.0"), stride=-1, is_down=False),
    "each second, gathered": Reverse((4, 2, 0, 1), ("2.0", "c", "2.0", "c"), stride=2),
    "some gathered": Reverse((4, 2, 0, 1, None), ("2.0", "c", "v", "c", "v"), stride=2, is_down=False),
    "with a sum": Reverse((-1, 1, 0), ("c", "c", "2.0"), sums=True),
    "slices": Reverse((2, 0, 1), ("c", "v", "2.0"), is_slice=True),
    "slices of long steps": Reverse((3, 20, 24), ("c", "v", "2.0"), is_slice=True),
}  # fmt: skip


def numbers(kind: str, seed: int, size: int = 8000) -> np.ndarray:
    found = np.random.default_rng(seed).integers(-3, 4, size)
    return found.astype({"double": np.float64, "float": np.float32}[kind])


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
@pytest.mark.parametrize("is_optimised", [False, True], ids=["plain", "optimised"])
def test_same_sums(loop: Reverse, is_optimised: bool) -> None:
    code, is_separated = loop.rewritten()
    assert is_separated
    before = Machine(loop.text, loop.kind, is_optimised=False)
    after = Machine(str(code), loop.kind, is_optimised=is_optimised)
    for count in COUNTS:
        expected, found = ([numbers(loop.kind, one) for one in (1, 2, 3)] for _ in range(2))
        out = before.run(expected[0][100:], expected[1], expected[2], count, 3.0)
        assert after.run(found[0][100:], found[1], found[2], count, 3.0) == out
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


def test_against_numpy() -> None:
    """The first opinion: u[i - 1] += c d[i], u[i + 1] += c d[i], u[i] += 2 d[i]."""
    loop = LOOPS["three neighbours"]
    machine = Machine(str(loop.rewritten()[0]))
    for count in COUNTS:
        u, d = numbers("double", 1, count + 2), numbers("double", 2, count)
        expected = u.copy()
        expected[:-2] += 3.0 * d
        expected[2:] += 3.0 * d
        expected[1:-1] += 2.0 * d
        machine.run(u[1:], d, d.copy(), count, 3.0)
        np.testing.assert_array_equal(u, expected)
        assert not d.any()


@pytest.mark.parametrize("name", ["three neighbours", "upward", "to one number and others", "with a sum", "slices", "some gathered"])
def test_arrays_that_overlap(name: str) -> None:
    """Where the adds go to what is read later, or set to zero, each iteration must see what those before have done."""
    loop = LOOPS[name]
    before, after = Machine(loop.text, is_optimised=False), Machine(str(loop.rewritten()[0]))
    v = numbers("double", 3)
    for distance in (*range(-12, 13), *range(-210, 211, 30)):
        expected, found = (numbers("double", 1) for _ in range(2))
        start = 1000
        outs = [
            machine.run(memory[start:], memory[start + distance :], v, 200, 3.0)
            for machine, memory in ((before, expected), (after, found))
        ]
        # At some distances the numbers grow beyond whole ones, and LLVM may add what is returned in another order.
        assert outs[1] == pytest.approx(outs[0], rel=1e-14), distance
        np.testing.assert_array_equal(found, expected, err_msg=str(distance))


@pytest.mark.parametrize("is_down", [False, True])
@pytest.mark.parametrize("distance", [None, -9, -1, 1, 3])
def test_what_is_written_where_later_iterations_read(*, distance: int | None, is_down: bool) -> None:
    """d[i] is kept, and zeros go to another place, of the same array by `distance`, or of one that overlaps for all that is known."""
    text = Reverse((-1, 1, 0), ("c", "c", "2.0"), is_down=is_down).text
    base = "%out, i64 %i" if distance is None else f"%d.at, i64 {distance}"
    old = "store double 0.000000e+00, ptr %d.at"
    text = text.replace(old, f"%e.at = getelementptr double, ptr {base}\n  store double 0.000000e+00, ptr %e.at")
    code, is_separated = rewritten(text)
    assert is_separated
    machines = Machine(text, is_optimised=False), Machine(str(code))
    for far in (-2000, -70, -12, -3, -1, 0, 1, 2, 5, 16, 100, 2000):
        found = [(numbers("double", 1), numbers("double", 2)) for _ in machines]
        for machine, (u, d) in zip(machines, found, strict=True):
            out = d[4000 + far :]
            machine.call(u[100:].ctypes.data, d[4000:].ctypes.data, d.ctypes.data, 300, 3.0, out.ctypes.data)
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_factors_that_overlap() -> None:
    """v, which is only read, may be where the adds go as well."""
    loop = LOOPS["end by what is next"]
    before, after = Machine(loop.text, is_optimised=False), Machine(str(loop.rewritten()[0]))
    for distance in (-200, -64, -1, 0, 1, 3, 64, 199, 210):
        expected, found = (np.sign(numbers("double", 1)) for _ in range(2))
        d = np.zeros(200)
        d[::7] = 1.0
        for machine, memory in ((before, expected), (after, found)):
            machine.run(memory[1000:], d.copy(), memory[1000 + distance :], 200, 3.0)
        np.testing.assert_array_equal(found, expected, err_msg=str(distance))


@pytest.mark.parametrize("c", [np.inf, -np.inf, np.nan])
def test_zero_times_infinity_adds_nothing(c: float) -> None:
    """The choice of the strong zero is left out for finite factors only."""
    loop = LOOPS["three neighbours"]
    before, after = Machine(loop.text, is_optimised=False), Machine(str(loop.rewritten()[0]))
    expected, found = np.zeros(300), np.zeros(300)
    d = np.zeros(200)
    d[50] = 1.0
    before.run(expected[1:], d.copy(), np.ones(200), 200, c)
    after.run(found[1:], d.copy(), np.ones(200), 200, c)
    assert np.count_nonzero(~np.isfinite(expected)) == 2
    np.testing.assert_array_equal(found, expected)


def test_zero_times_an_infinite_entry_adds_nothing() -> None:
    loop = LOOPS["end by what is next"]
    after = Machine(str(loop.rewritten()[0]))
    u, d, v = np.zeros(300), np.zeros(200), np.full(200, np.inf)
    d[50], v[50] = 1.0, 2.0
    after.run(u[1:], d, v, 200, 3.0)
    assert (u[50], u[51], u[52]) == (3.0, 2.0, 2.0)
    assert np.count_nonzero(u) == 3


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        (Reverse((0,), ("c",)), "one add: LLVM makes vectors of it"),
        (Reverse((-1, 1), ("c", "c"), name="forBody"), "no reverse sweep"),
    ],
    ids=["one add", "a primal loop"],
)
def test_left_alone(loop: Reverse, why: str) -> None:
    assert not loop.rewritten()[1], why


def test_an_array_that_is_read_otherwise_is_left_alone() -> None:
    """u is added to and read: what is read may be what was added."""
    text = LOOPS["three neighbours"].text.replace("ptr %v, i64 %i", "ptr %u, i64 %i")
    code = Module(text)
    assert not separate_adds(code)
    assert str(code) == str(Module(text))


FORWARDED = """
define void @f(ptr %u, ptr %d, ptr %v, i64 %n, double %c, ptr %out) {
entry:
  %last = sub i64 %n, 1
  %first = getelementptr double, ptr %u, i64 %last
  %load_initial = load double, ptr %first, align 8
  br label %invertBody

invertBody:
  %i = phi i64 [ %last, %entry ], [ %next, %invertBody ]
  %store_forwarded = phi double [ %load_initial, %entry ], [ %below.new, %invertBody ]
  %d.at = getelementptr double, ptr %d, i64 %i
  %x = load double, ptr %d.at, align 8
  %here = getelementptr double, ptr %u, i64 %i
  %below = getelementptr i8, ptr %here, i64 -8
  %below.old = load double, ptr %below, align 8
  %below.new = fadd double %below.old, %x
  store double %below.new, ptr %below, align 8
  %y = fmul double %x, %c
  %here.new = fadd double %store_forwarded, %y
  store double %here.new, ptr %here, align 8
  %next = add nsw i64 %i, -1
  %end = icmp eq i64 %i, 0
  br i1 %end, label %done, label %invertBody

done:
  ret void
}
"""


def test_what_is_handed_on_is_loaded_again() -> None:
    """LoopLoadElimination hands the store to the neighbour on to the next iteration."""
    code = Module(FORWARDED)
    assert separate_adds(code)
    assert "store_forwarded" not in str(code)
    before, after = Machine(FORWARDED, is_optimised=False), Machine(str(code))
    for count in COUNTS:
        d, expected, found = numbers("double", 2), numbers("double", 1), numbers("double", 1)
        before.run(expected[1:], d, d, count, 3.0)
        after.run(found[1:], d, d, count, 3.0)
        np.testing.assert_array_equal(found, expected)
