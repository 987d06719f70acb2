"""A race detector for the parts of parallel loops: every pair of parts, whatever threads would have done.

Each load and store of the code that parts run is written down, with the part that it belongs to. The parts run one after the
other. Two parts of one fork race if one of them writes to a byte that the other one reads or writes. What a part
allocates is its own, and so is the stack.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba.core.compiler_lock import global_compiler_lock

import enzyme_py as enzyme
from enzyme_py.frontend.parallel import drivers, sharing
from enzyme_py.llvm import Builder, Call, Function, Load, Module, Store
from enzyme_py.llvm.instructions.base import Instruction
from enzyme_py.llvm.types import size_of
from enzyme_py.llvm.values import Value
from enzyme_py.native import optimising

_SEEN, _BEGINS, _TAKES = "tests_seen", "tests_begins", "tests_takes"
_ALLOCATORS = {"malloc": (0,), "calloc": (0, 1), "realloc": (1,)}
_STACK = 1 << 20


class Watch:
    """What the parts of the forks that ran have touched."""

    def __init__(self) -> None:
        self.accesses = 0
        self.parts = 0
        self.races: list[str] = []
        self._part = -1
        self._written: dict[int, int] = {}
        self._read: dict[int, set[int]] = {}
        self._calls = (
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(self._see),
            ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(self._begin),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(self._take),
        )
        for name, call in zip((_SEEN, _BEGINS, _TAKES), self._calls, strict=True):
            llvm.add_symbol(name, ctypes.cast(call, ctypes.c_void_p).value)
        self._top = 0

    def _begin(self, part: int, stack: int) -> None:
        # Parts are counted up, in each fork from the lowest.
        if part <= self._part:
            self._written, self._read = {}, {}
        self._part, self._top = part, stack
        self.parts += 1

    def _take(self, start: int | None, size: int) -> None:
        for byte in range(start or 0, (start or 0) + size):
            self._written.pop(byte, None)
            self._read.pop(byte, None)

    def _see(self, start: int | None, size: int, is_write: int) -> None:
        assert start is not None
        self.accesses += 1
        if abs(start - self._top) < _STACK:
            return
        own = self._part
        for byte in range(start, start + size):
            writer = self._written.get(byte, own)
            if writer != own:
                self.races.append(f"part {own} touches what part {writer} has written")
            if is_write:
                if self._read.get(byte, set()) - {own}:
                    self.races.append(f"part {own} writes what another has read")
                self._written[byte] = own
            else:
                self._read.setdefault(byte, set()).add(own)


@contextmanager
def watched(parts: int) -> Iterator[Watch]:
    """Within the block, derivatives that are compiled are watched; they run on one thread, in parts."""
    watch = Watch()
    usual = optimising.finish

    def finish(code: Module, *, fast_math: tuple[str, ...]) -> None:
        usual(code, fast_math=fast_math)
        _instrument(code)

    settings = enzyme.config(cache=False, threads=1, parts=parts)
    with settings, global_compiler_lock:
        optimising.finish = finish
        try:
            yield watch
        finally:
            optimising.finish = usual


@contextmanager
def small_parts(elements: int = 4, steps: int = 3) -> Iterator[None]:
    """Within the block, parts of array expressions may have so few elements, and views be less steps apart: those of the table have sixty."""
    usual = drivers.LIGHT, sharing.VIEWS
    drivers.LIGHT, sharing.VIEWS = elements, steps
    try:
        yield
    finally:
        drivers.LIGHT, sharing.VIEWS = usual


@contextmanager
def planted_race() -> Iterator[None]:
    """Within the block, what is compiled has no copies of what parts share: they add to one shadow."""
    usual = sharing.look_at

    def careless(parfor: Any, kinds: Any, **given: Any) -> Any:
        found = usual(parfor, kinds, **given)
        found.disjoint |= found.copied
        found.copied.clear()
        return found

    sharing.look_at = careless
    try:
        yield
    finally:
        sharing.look_at = usual


def _instrument(code: Module) -> None:
    tasks = [one for one in code.functions if one.name.startswith("threads_task")]
    if not tasks:
        return
    names = {_SEEN: ["ptr", "i64", "i64"], _BEGINS: ["i64", "ptr"], _TAKES: ["ptr", "i64"]}
    for name, kinds in names.items():
        code.declare(name, "void", kinds)
    reached, pending = set[str](), [one.name for one in tasks]
    while pending:
        name = pending.pop()
        found = code.get(name)
        if name in reached or not isinstance(found, Function) or found.is_declaration:
            continue
        reached.add(name)
        pending += found.callees()
        _instrument_function(found)
        found.remove_attribute("willreturn")
    forget_effects(code)
    for task in tasks:
        build = Builder(task.entry.instructions[0])
        place = build.alloca("i8", "stack")
        build.parse(f"call void @{_BEGINS}(i64 %own.part, ptr {place.ref})")


def forget_effects(code: Module) -> None:
    """Forget what LLVM has found out of functions: with calls of a detector in them it is no longer true."""
    for function in code.functions:
        for attribute in ("memory", "nosync", "nofree", "norecurse"):
            function.remove_attribute(attribute)


def accesses(one: Instruction) -> Iterator[tuple[Value, str, bool]]:
    """Give each place in memory that an instruction reads or writes: its address, how many bytes, whether it writes."""
    if isinstance(one, Load):
        yield one.pointer, _bytes(one.type), False
    elif isinstance(one, Store):
        yield one.pointer, _bytes(one.value.type), True
    elif isinstance(one, Call) and one.callee.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
        target, source, size = one.arguments[:3]
        yield target, size.ref, True
        if source.type == "ptr":
            yield source, size.ref, False


def _bytes(kind: str) -> str:
    size = size_of(kind)
    assert size is not None, kind
    return str(size)


def _instrument_function(function: Function) -> None:
    for one in list(function.instructions):
        for pointer, size, is_write in accesses(one):
            Builder(one).parse(f"call void @{_SEEN}(ptr {pointer.ref}, i64 {size}, i64 {int(is_write)})")
        if isinstance(one, Call) and one.callee in _ALLOCATORS:
            build = Builder.after(one)
            given = [one.arguments[place].ref for place in _ALLOCATORS[one.callee]]
            size = given[0]
            if len(given) > 1:
                size = build.parse(f"%taken = mul i64 {given[0]}, {given[1]}").ref
            build.parse(f"call void @{_TAKES}(ptr {one.ref}, i64 {size})")
