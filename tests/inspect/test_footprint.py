"""enzyme.inspect.memory and trim, on kernels whose need is known by hand."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import native
from enzyme_py.errors import EnzymeError
from enzyme_py.inspect import Footprint, memory, trim


def block(count: int) -> int:
    """The memory of a small array of float64: a header of 16 bytes, in steps of 16."""
    size = 8 * count + 16
    assert size <= 512
    return -(-size // 16) * 16


def chain(x, n):
    s = x
    for _ in range(n):
        s = np.sin(s) * x
    return s


def chain_again(x, n):  # another function: what is compiled stays as it is
    s = x
    for _ in range(n):
        s = np.sin(s) * x
    return s


def weighted(x):
    return np.sum(np.sin(x) * x)


def of_two_arrays(x):
    y = np.sin(x)
    z = np.cos(x)
    return np.sum(y * z)


def returns_array(x):
    return np.sin(x) * x


@pytest.mark.parametrize("n", [4, 30, 60])
def test_a_loop_of_numbers_keeps_two_numbers_a_turn(n: int) -> None:
    found = memory(chain, 0.5, n)
    # The sine, which x is multiplied by, and its slope (rules/slopes.py).
    assert found == Footprint("chain", "Reverse", 2 * block(n), 2 * block(n), 2, 0, 0, 0)
    assert found.factor is None


@pytest.mark.parametrize("n", [4, 60])
def test_slopes_that_are_not_kept_save_memory(n: int) -> None:
    with enzyme.config(keep_slopes=False):
        found = memory(chain_again, 0.5, n)
    assert found == Footprint("chain_again", "Reverse", block(n), block(n), 1, 0, 0, 0)


@pytest.mark.parametrize("n", [1, 8, 60])
def test_forward_mode_needs_the_arrays_twice(n: int) -> None:
    found = memory(weighted, np.ones(n), mode=enzyme.Forward)
    assert found == Footprint("weighted", "Forward", 2 * block(n), None, 2, 0, block(n), 1)
    assert found.factor == 2


@pytest.mark.parametrize("n", [1, 8, 60])
def test_temporaries_count_while_they_live(n: int) -> None:
    found = memory(of_two_arrays, np.ones(n))
    assert found.primal_peak == 3 * block(n)  # y, z and their product
    assert found.primal_allocations == 3
    # The product, the numbers of y and z that it is made of, which are not made as arrays, and their slopes.
    assert found.peak == found.tape == 5 * block(n)
    assert found.left == 0


def test_the_tape_grows_with_what_must_be_kept() -> None:
    tapes = [memory(chain, 0.5, n).tape for n in (1000, 2000)]
    assert all(tape is not None for tape in tapes)
    assert 16_000 <= tapes[0] <= 20_000
    assert 32_000 <= tapes[1] <= 40_000


def test_a_kernel_that_returns_an_array_is_measured_on_a_tape() -> None:
    found = memory(returns_array, np.ones(8))
    assert found.tape is not None
    assert block(8) <= found.tape <= found.peak
    assert found.primal_peak == block(8)  # the array; nobody needs its header
    assert found.left == 0


def test_arguments_are_not_written_to() -> None:
    def doubles(x):
        x *= 2.0
        return np.sum(x * x)

    x = np.ones(4)
    memory(doubles, x)
    assert np.all(x == 1.0)


def test_numbers_inside_a_tuple() -> None:
    found = memory(lambda t: t[0] * np.sum(np.sin(t[1]) * t[1]), (2.0, np.ones(8)))
    assert found.primal_peak == block(8)
    assert found.tape is not None


def test_it_reads_well() -> None:
    text = str(Footprint("model", "Reverse", 2_400_000, 2_100_000, 312, 0, 800_000, 4))
    assert text == (
        "Reverse of `model`\n"
        "  peak  2.4 MB, 3 times the kernel's, in 312 allocations\n"
        "  tape  2.1 MB between the sweeps\n"
        "  alone 800 kB, in 4 allocations"
    )
    text = str(Footprint("plain", "Forward", 999, None, 1, 64, 0, 0))
    assert "peak  999 bytes, in 1" in text
    assert "tape" not in text
    assert "left  64 bytes" in text


def test_other_modes_are_refused() -> None:
    with pytest.raises(EnzymeError, match="Reverse measures the tape"):
        memory(weighted, np.ones(3), mode=enzyme.ReverseSplitNoPrimal)


def test_without_a_function_it_tells_of_this_thread() -> None:
    assert memory() == native.memory_stats()


def test_trim_gives_back_what_is_kept() -> None:
    enzyme.grad(weighted)(np.ones(1000))
    held = memory().held
    assert held > 0
    assert trim() == held
    assert memory().held == 0
    assert trim() == 0
    assert np.allclose(enzyme.grad(weighted)(np.ones(3)), np.cos(1) + np.sin(1))


def test_what_lies_idle_goes_back_by_itself() -> None:
    gradient = enzyme.grad(of_two_arrays)
    trim()
    gradient(np.ones(1_000_000))
    much = memory().held
    assert much >= 40_000_000
    try:
        native.library().enzyme_py_idle_after(0)  # milliseconds
        for _ in range(300):
            gradient(np.ones(100))
    finally:
        native.library().enzyme_py_idle_after(2000)
    assert memory().held < much / 4
