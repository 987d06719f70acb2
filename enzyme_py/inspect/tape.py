"""What the tape of a gradient holds, line by line: measured by running it once.

    print(enzyme.inspect.tape(f, *arguments))

Between its two sweeps a gradient keeps what the kernel made and still needs, and what Enzyme caches for the adjoints. Each
block of that is noted with the line of the kernel whose code asked for it (csrc/trace.h): an array that a line makes, or
a number of that line which is kept for each iteration. Bytes are as asked for, without headers and rounding, so that their
sum is a little below the `tape` of `enzyme.inspect.memory`.
"""

from __future__ import annotations

import linecache
import types as pytypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from enzyme_py.calls.operators import copied, gradient
from enzyme_py.frontend.functions.bound import differentiable
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.inspect.footprint import readable
from enzyme_py.native.faults.watched import watched_at
from enzyme_py.native.runtime import interface, trace_library
from enzyme_py.native.symbols import is_traced
from enzyme_py.transforms.derivatives.turn import with_turn

_WIDTH = 60  # of a statement that is shown


@dataclass(frozen=True)
class KeptLine:
    """What one line keeps between the sweeps."""

    file: str
    line: int
    bytes: int
    blocks: int

    @property
    def statement(self) -> str:
        """The line of source; of what belongs to none, that."""
        return linecache.getline(self.file, self.line).strip() if self.line else "(no line of the source)"


@dataclass(frozen=True)
class Tape:
    """The lines that keep something, the largest first."""

    kernel: str
    lines: tuple[KeptLine, ...]

    @property
    def bytes(self) -> int:
        """What all of them keep."""
        return sum(one.bytes for one in self.lines)

    def __iter__(self) -> Iterator[KeptLine]:
        return iter(self.lines)

    def __str__(self) -> str:
        total = self.bytes
        shown = [f"the tape of `{self.kernel}`: {readable(total)}"]
        for one in self.lines:
            share = 100 * one.bytes / total if total else 0.0
            statement = one.statement[:_WIDTH]
            shown.append(f"{readable(one.bytes):>10} {share:3.0f} %  {one.blocks:>7} blocks  line {one.line:>4}  {statement}")
        return "\n".join(shown)


def tape(f: Callable[..., Any], *arguments: Any) -> Tape:
    """Return what the gradient of a scalar kernel keeps between its sweeps, by the lines of the kernel.

    Runs the gradient once, on copies of the arguments. It is compiled for that: none of the finished code is used.

    Examples:
        >>> def last(x):
        ...     for i in range(1, x.size):
        ...         x[i] *= x[i - 1]
        ...     return x[-1]
        >>> enzyme.inspect.tape(last, np.ones(1000)).kernel
        'last'
    """
    kernel, held = differentiable(f)
    marked = as_kernel(with_turn(kernel))
    given = [copied(value) for value in (*held, *arguments)]
    library = trace_library()
    token = is_traced.set(True)
    try:
        gradient(marked, *map(copied, given))  # compiles
        library.enzyme_py_trace(1)
        gradient(marked, *given)
        found = _by_line(kernel.py_func.__code__)
    finally:
        is_traced.reset(token)
        library.enzyme_py_trace(0)
    return Tape(kernel.py_func.__name__, found)


def _by_line(code: pytypes.CodeType) -> tuple[KeptLine, ...]:
    """Return what the last turn of this thread noted."""
    ffi = interface()
    caller, size = ffi.new("void *[1]"), ffi.new("size_t *")
    library = trace_library()
    count = library.enzyme_py_traced(0, ffi.cast("const void **", caller), size)
    sums: dict[tuple[str, int], list[int]] = {}
    for number in range(count):
        library.enzyme_py_traced(number, ffi.cast("const void **", caller), size)
        address = int(ffi.cast("uintptr_t", caller[0]))
        watched = watched_at(address)
        place = watched.line_of(address) if watched is not None else None
        line = (place.file or "", place.line or 0) if place is not None else ("", 0)
        if line[0] == code.co_filename and line[1] < code.co_firstlineno:  # what LLVM merged has line 1, or none
            line = "", 0
        total = sums.setdefault(line, [0, 0])
        total[0] += size[0]
        total[1] += 1
    lines = [KeptLine(file, line, total, blocks) for (file, line), (total, blocks) in sums.items()]
    return tuple(sorted(lines, key=lambda one: (-one.bytes, one.file, one.line)))
