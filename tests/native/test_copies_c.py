"""Block copies of the C runtime (csrc/copies.h): against NumPy, as adjoints, and without memory.

Values are small integers, so every sum is exact in either precision and equality is of bits.
tests/c/copies_driver.c runs the same kinds of cases under the sanitizers.
"""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from enzyme_py.native import runtime

ROOT = Path(__file__).parent.parent.parent
HEADER = (ROOT / "csrc" / "copies.h").read_text()
DRIVER = (ROOT / "tests" / "c" / "copies_driver.c").read_text()
CASES = re.findall(r'^    \{"(\w+)",', DRIVER, re.MULTILINE)
SOURCES = [
    ROOT / "tests/c/copies_driver.c",
    *(ROOT / "csrc" / name for name in ("copies.c", "region.c", "guard.c", "raise.c", "crash.c", "progress.c")),
]
FLAVOURS = {
    "plain": ["-O3"],
    "sanitized": ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
}
TYPES = {"d": np.dtype(np.float64), "s": np.dtype(np.float32)}
Array = np.ndarray[Any, Any]


def pointer(array: Array) -> Any:
    return runtime.interface().cast("char *", array.__array_interface__["data"][0])


def pair_of(*arrays: Array) -> str:
    letters = {dtype: letter for letter, dtype in TYPES.items()}
    return "".join(letters[array.dtype] for array in arrays)


def call(operation: str, dst: Array, src: Array) -> None:
    src = np.broadcast_to(src, dst.shape)
    function = getattr(
        runtime.copy_library(), f"enzyme_py_{operation}{dst.ndim}_{pair_of(dst, src)}"
    )
    function(pointer(dst), pointer(src), *dst.shape, *dst.strides, *src.strides)


def copy(dst: Array, src: Array) -> None:
    call("copy", dst, src)


def move_back(dst: Array, src: Array) -> None:
    call("move_back", dst, src)


def clear(dst: Array) -> None:
    function = getattr(runtime.copy_library(), f"enzyme_py_clear{dst.ndim}_{pair_of(dst)}")
    function(pointer(dst), *dst.shape, *dst.strides)


def written_out_move_back(dst: Array, src: Array) -> None:
    """The adjoint in its three strokes."""
    src = as_strided(src, dst.shape, np.broadcast_to(src, dst.shape).strides)
    read = dst.copy()
    dst[...] = 0
    for index in np.ndindex(dst.shape):
        src[index] += read[index]


# -- random blocks --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """A view, told as numbers, so that it can be laid on several buffers."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def on(self, buffer: Array, dtype: np.dtype[Any]) -> Array:
        return np.ndarray(self.shape, dtype, buffer.data, self.offset, self.strides)


LONG_SHAPES = ((1100, 2), (3, 700), (530, 2, 2), (2, 520, 3), (67, 75), (2, 3, 19, 33))


def some_shape(rng: np.random.Generator) -> tuple[int, ...]:
    if rng.random() < 0.1:  # past the strips and patches that the loops are cut into
        return LONG_SHAPES[rng.integers(len(LONG_SHAPES))]
    rank = int(rng.integers(1, 5))
    longest = (2000, 40, 12, 7)[rank - 1] if rng.random() < 0.7 else 4
    least = 0 if rng.random() < 0.05 else 1
    return tuple(int(n) for n in rng.integers(least, longest + 1, rank))


def some_block(rng: np.random.Generator, shape: tuple[int, ...], size: int) -> Block:
    """Axes in any order, each with a gap or none, each in either direction."""
    strides = [0] * len(shape)
    step = size
    for axis in rng.permutation(len(shape)):
        strides[axis] = step * int(rng.choice([1, 1, 1, 2, 3]))
        step = strides[axis] * max(shape[axis], 1)
    if rng.random() < 0.5:  # rather not transposed
        strides.sort(reverse=True)
        strides = natural(strides, shape, size)
    return turned(rng, shape, strides)


def natural(strides: list[int], shape: tuple[int, ...], size: int) -> list[int]:
    gap = 1 if strides[-1] == size else 2
    step, found = size * gap, []
    for n in reversed(shape):
        found.append(step)
        step *= max(n, 1)
    return found[::-1]


def turned(rng: np.random.Generator, shape: tuple[int, ...], strides: list[int]) -> Block:
    offset = 0
    for axis, n in enumerate(shape):
        if rng.random() < 0.25 and n > 0:
            offset += (n - 1) * strides[axis]
            strides[axis] = -strides[axis]
    return Block(shape, tuple(strides), offset)


def repeated(rng: np.random.Generator, block: Block) -> Block:
    """Some axes of a source stand still; its offset may become larger than need be, which is fine."""
    strides = tuple(0 if rng.random() < 0.3 else step for step in block.strides)
    return Block(block.shape, strides, block.offset)


def end_of(block: Block, size: int) -> int:
    reach = sum(max(s, 0) * (n - 1) for s, n in zip(block.strides, block.shape) if n > 1)
    return block.offset + reach + size


@dataclass(frozen=True)
class Case:
    dst: Block
    src: Block
    pair: str
    size: int  # bytes of the buffer

    def views(self, buffer: Array) -> tuple[Array, Array]:
        first, second = (TYPES[letter] for letter in self.pair)
        return self.dst.on(buffer, first), self.src.on(buffer, second)


def moved(block: Block, by: int) -> Block:
    return Block(block.shape, block.strides, block.offset + by)


def some_case(rng: np.random.Generator, pair: str) -> Case:
    """Two blocks of one buffer: apart, overlapping anyhow, one the other moved, or the same."""
    sizes = [TYPES[letter].itemsize for letter in pair]
    shape = some_shape(rng)
    dst = some_block(rng, shape, sizes[0])
    is_moved = sizes[0] == sizes[1] and rng.random() < 0.4
    src = dst if is_moved else some_block(rng, shape, sizes[1])
    if rng.random() < 0.3:
        src = repeated(rng, src)
    ends = [end_of(dst, sizes[0]), end_of(src, sizes[1])]
    step = max(sizes)
    apart = (ends[0] + step - 1) // step * step
    near = int(rng.integers(0, 12)) * step
    by = int(rng.choice([apart, near, 0, int(rng.integers(0, apart + 1)) // step * step]))
    if rng.random() < 0.5:
        dst, src = moved(dst, 0), moved(src, by)
    else:
        dst, src = moved(dst, by), moved(src, 0)
    return Case(dst, src, pair, (max(end_of(dst, step), end_of(src, step)) + 8) // 8 * 8)


def some_values(rng: np.random.Generator, size: int, dtype: np.dtype[Any]) -> Array:
    return rng.integers(-9, 10, size // dtype.itemsize).astype(dtype)


def cases(pair: str, seeds: range) -> Iterator[tuple[np.random.Generator, Case]]:
    for seed in seeds:
        rng = np.random.default_rng([seed, *pair.encode()])
        yield rng, some_case(rng, pair)


def laid_at(address: int, values: Array) -> Array:
    """The same bytes, `address` bytes from where every type likes to lie."""
    room = np.zeros(values.nbytes + 16, np.uint8)[address:][: values.nbytes]
    room[...] = values.view(np.uint8)
    return room


@dataclass(frozen=True)
class Memory:
    """What an operation sees: one buffer, or one for each block where the types differ, since bytes
    that are now of this and now of that type make no vector.
    """

    buffers: tuple[Array, ...]

    @classmethod
    def filled(cls, rng: np.random.Generator, case: Case) -> Memory:
        letters = sorted(set(case.pair), key=case.pair.index)
        return cls(tuple(some_values(rng, case.size, TYPES[letter]) for letter in letters))

    def views(self, case: Case) -> tuple[Array, Array]:
        return case.views(self.buffers[0])[0], case.views(self.buffers[-1])[1]

    def copy(self) -> Memory:
        return Memory(tuple(buffer.copy() for buffer in self.buffers))

    def dot(self, other: Memory) -> float:
        products = zip(self.buffers, other.buffers)
        return sum(float(np.dot(a.astype(np.float64), b.astype(np.float64))) for a, b in products)

    def same_as(self, other: Memory) -> bool:
        return all(a.tobytes() == b.tobytes() for a, b in zip(self.buffers, other.buffers))


PAIRS = pytest.mark.parametrize("pair", runtime.COPY_PAIRS)


# -- what is claimed ------------------------------------------------------------------------------


def test_python_declares_what_the_header_declares() -> None:
    pairs = re.findall(r"FOR_RANKS\(X, (\w\w)\)", HEADER)
    types = re.findall(r"FOR_RANKS\(X, (\w)\)", HEADER)
    promised = {
        f"enzyme_py_{name}{rank}_{suffix}"
        for names, suffixes in ((("copy", "move_back"), pairs), (("clear",), types))
        for name, rank, suffix in itertools.product(names, range(1, 5), suffixes)
    }
    declared = re.findall(r"(\benzyme_py_\w+)\(", runtime.copy_declarations())
    assert len(declared) == 40
    assert promised == set(declared) <= set(runtime.runtime_addresses())


@PAIRS
@pytest.mark.parametrize("misaligned_by", [0, 3])
def test_copy_does_what_numpy_does(pair: str, misaligned_by: int) -> None:
    for rng, case in cases(pair, range(1200)):
        second = some_values(rng, case.size, TYPES[pair[1]])
        first = laid_at(misaligned_by, second)
        copy(*case.views(first))
        into, source = case.views(second)
        into[...] = source.copy()  # NumPy itself goes wrong where a[:n:2] = a[4 : 4 + n // 2]
        assert first.tobytes() == second.tobytes(), case


@PAIRS
def test_move_back_is_its_formula(pair: str) -> None:
    for rng, case in cases(pair, range(1000, 1500)):
        first = Memory.filled(rng, case)
        second = first.copy()
        move_back(*first.views(case))
        written_out_move_back(*second.views(case))
        assert first.same_as(second), case


@PAIRS
def test_move_back_is_the_adjoint_of_copy(pair: str) -> None:
    for rng, case in cases(pair, range(2000, 2700)):
        at, weights = Memory.filled(rng, case), Memory.filled(rng, case)
        after, back = at.copy(), weights.copy()
        copy(*after.views(case))
        move_back(*back.views(case))
        assert after.dot(weights) == at.dot(back), case


@pytest.mark.parametrize("letter", TYPES)
def test_clear_clears_the_block_alone(letter: str) -> None:
    for rng, case in cases(2 * letter, range(4000, 4500)):
        first = some_values(rng, case.size, TYPES[letter])
        second = first.copy()
        clear(case.views(first)[0])
        case.views(second)[0][...] = 0
        assert first.tobytes() == second.tobytes(), case


def matrix() -> Array:
    return np.arange(1.0, 26 * 30 + 1).reshape(26, 30)


def cube() -> Array:
    return np.arange(1.0, 8 * 9 * 9 + 1).reshape(8, 9, 9)


def numbers() -> Array:
    return np.arange(100) - 1j * np.arange(100)[::-1]


OVERLAPS = {
    "itself": (matrix, lambda a: (a, a), 0),
    "up": (matrix, lambda a: (a[1:], a[:-1]), 0),
    "down": (matrix, lambda a: (a[:-1], a[1:]), 0),
    "right": (matrix, lambda a: (a[:, 3:], a[:, :-3]), 0),
    "left": (matrix, lambda a: (a[:, :-3], a[:, 3:]), 0),
    "to a corner": (matrix, lambda a: (a[2:, 1:], a[:-2, :-1]), 0),
    "thinned": (matrix, lambda a: (a[2:, 2::2], a[:-2, :-2:2]), 0),
    "other columns": (matrix, lambda a: (a[:, ::2], a[:, 1::2]), 0),
    "one column to all others": (matrix, lambda a: (a[:, 1:], a[:, :1]), 0),
    "halves of rows": (matrix, lambda a: (a[:, :15], a[:, :14:-1]), 0),
    "imaginary part": (numbers, lambda a: (a.real, a.imag), 0),
    "imaginary part backwards": (numbers, lambda a: (a.real, a.imag[::-1]), 0),
    "backwards": (matrix, lambda a: (a.ravel(), a.ravel()[::-1]), 780 * 8),
    "transposed": (matrix, lambda a: (a[:, :26], a[:, :26].T), 26 * 26 * 8),
    "transposed in a stack": (cube, lambda a: (a, a.transpose(0, 2, 1)), 81 * 8),
    "one row to all": (matrix, lambda a: (a, a[7]), 26 * 30 * 8),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_overlap_takes_no_more_memory_than_promised(name: str) -> None:
    make, views_of, room = OVERLAPS[name]
    for operation, written_out in ((copy, np.copyto), (move_back, written_out_move_back)):
        first, second = make(), make()
        runtime.library().enzyme_py_reset_stats()
        operation(*views_of(first))
        assert runtime.memory_stats().allocations == (room > 0)
        into, source = views_of(second)
        written_out(into, source)
        assert first.tobytes() == second.tobytes()


def check_against_formulas(dst: Block, src: Block) -> None:
    values = np.arange(1.0, 101.0)
    for operation in (copy, move_back):
        first, second = values.copy(), values.copy()
        operation(dst.on(first, TYPES["d"]), src.on(first, TYPES["d"]))
        into, source = dst.on(second, TYPES["d"]), src.on(second, TYPES["d"])
        if operation is copy:
            into[...] = source.copy()
        else:
            written_out_move_back(into, source)
        assert first.tobytes() == second.tobytes(), (operation, dst, src)


@pytest.mark.parametrize("distance", range(-20, 21))
@pytest.mark.parametrize("step", [8, -8, 16, -16, 12])
def test_elements_that_overlap_by_some_of_their_bytes(distance: int, step: int) -> None:
    start = 400 if step < 0 else 100
    dst, src = Block((20,), (step,), start), Block((20,), (step,), start + distance)
    check_against_formulas(dst, src)
    check_against_formulas(dst, Block((20,), (-step,), src.offset + 19 * step))


@pytest.mark.parametrize("distance", range(-12, 13))
def test_rows_that_lie_between_the_elements_of_others(distance: int) -> None:
    dst = Block((2, 12), (5 * 8, 2 * 8), 200)
    check_against_formulas(dst, moved(dst, 8 * distance))


def test_special_values_are_copied_bit_by_bit() -> None:
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e300] * 5)
    for src in (special, special[::-1], special[:3]):
        dst = np.ones(src.shape)
        copy(dst, src)
        assert dst.tobytes() == src.tobytes()
        narrow, narrow_by_numpy = (np.ones(src.shape, np.float32) for _ in range(2))
        copy(narrow, src)
        with np.errstate(over="ignore"):
            narrow_by_numpy[...] = src
        assert narrow.tobytes() == narrow_by_numpy.tobytes()


def test_sum_over_a_repeated_element_keeps_what_single_precision_would_lose() -> None:
    dst, src = np.full(1 << 20, 0.1, np.float32), np.zeros(1, np.float32)
    move_back(dst, src)
    assert src[0] == np.float32(np.float64(np.float32(0.1)) * (1 << 20))
    assert not dst.any()


# -- the driver in C: no byte too many, and no memory ---------------------------------------------


@pytest.fixture(scope="module", params=FLAVOURS)
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    built = tmp_path_factory.mktemp("copies") / str(request.param)
    flags = ["-std=c11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'csrc'}"]
    subprocess.run(
        [compiler, *flags, *FLAVOURS[request.param], *map(str, SOURCES), "-o", str(built)],
        check=True,
    )
    return built


@pytest.mark.parametrize("case", CASES)
def test_driver_case(driver: Path, case: str) -> None:
    run = subprocess.run([driver, case], capture_output=True, text=True, timeout=120)
    if case.startswith("die_"):
        assert run.returncode != 0
        assert "raised outside of any entry" in run.stderr
    else:
        assert run.returncode == 0, run.stderr


def test_all_cases_are_found() -> None:
    assert len(CASES) == len(re.findall(r"^    \{\"", DRIVER, re.MULTILINE)) >= 6
