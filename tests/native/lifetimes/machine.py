"""Random programs over pointers, and a machine that runs them and watches every block of memory.

A program is built with variables in memory, and LLVM makes the values and phis of it; so what comes
out is shaped as real code is, with all that the generator did not think of.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import llvmlite.binding as llvm

from enzyme_py.llvm import (
    Alloca,
    Branch,
    Call,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Select,
    Store,
    Value,
)
from enzyme_py.native.machine import initialise_llvm, target_machine

HEAD = """
@kept = global ptr null
@other = global i64 0
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare void @free(ptr)
declare i1 @coin()
declare void @look(ptr captures(none)) nofree
declare void @take(ptr)
declare void @use(i64)
declare i32 @numba_attempt_nocopy_reshape(ptr)
declare ptr @realloc(ptr, i64)
declare void @enzyme_py_raise(i32, ptr)
"""
VARIABLES = ("a", "b", "c", "d")


class Generator:
    """Writes one random function."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0
        self._lines: list[str] = []

    def program(self) -> str:
        """Return a module with the function `run`, its variables in registers."""
        self._lines = ["define void @run() {", "entry:"]
        self._lines += [f"  %{name} = alloca ptr" for name in (*VARIABLES, "t", "slot")]
        self._lines += ["  store ptr null, ptr %slot"]
        if self._random.random() < 0.7:  # then it stays on the stack
            self._lines += ["  %reshaped = call i32 @numba_attempt_nocopy_reshape(ptr %slot)"]
        for name, start in zip(VARIABLES, ("null", "null", "@other", "@other"), strict=True):
            self._lines.append(f"  store ptr {start}, ptr %{name}")
        self._statements(depth=0)
        self._lines += ["  ret void", "}", ""]
        return simplified(HEAD + "\n".join(self._lines))

    def _new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def _emit(self, *lines: str) -> None:
        self._lines += [line if line.endswith(":") else f"  {line}" for line in lines]

    def _statements(self, depth: int) -> None:
        for _ in range(self._random.randint(1, 5)):
            kinds = [self._allocate, self._allocate, self._move, self._offset, self._read]
            kinds += [self._read, self._swap, self._choose, self._rare, self._copy]
            kinds += [self._through_slot, self._through_slot]
            if depth < 3:
                kinds += [self._loop, self._loop, self._branch, self._branch]
            step = self._random.choice(kinds)
            step(depth)

    def _variable(self) -> str:
        return self._random.choice(VARIABLES)

    def _load(self, name: str) -> str:
        value = self._new("%v")
        self._emit(f"{value} = load ptr, ptr %{name}")
        return value

    def _set(self, name: str, value: str) -> None:
        self._emit(f"store ptr {value}, ptr %{name}")

    def _allocate(self, depth: int) -> None:
        value = self._new("%m")
        call = self._random.choice(("@malloc(i64 64)", "@calloc(i64 8, i64 8)"))
        self._emit(f"{value} = call ptr {call}")
        self._set(self._variable(), value)

    def _move(self, depth: int) -> None:
        self._set(self._variable(), self._load(self._variable()))

    def _swap(self, depth: int) -> None:
        first, second = self._random.sample(VARIABLES, 2)
        values = self._load(first), self._load(second)
        self._set(first, values[1])
        self._set(second, values[0])

    def _offset(self, depth: int) -> None:
        value = self._new("%g")
        self._emit(f"{value} = getelementptr i8, ptr {self._load(self._variable())}, i64 8")
        self._set(self._variable(), value)

    def _choose(self, depth: int) -> None:
        first, second = self._load(self._variable()), self._load(self._variable())
        coin, value = self._new("%c"), self._new("%s")
        self._emit(
            f"{coin} = call i1 @coin()", f"{value} = select i1 {coin}, ptr {first}, ptr {second}"
        )
        self._set(self._variable(), value)

    def _read(self, depth: int) -> None:
        # Not a load: LLVM would conclude that the pointer is not null, and what follows from it.
        self._emit(f"call void @look(ptr {self._load(self._variable())})")

    def _rare(self, depth: int) -> None:
        value = self._load(self._variable())
        chance = self._random.random()
        if chance < 0.15:
            self._emit(f"store ptr {value}, ptr @kept")
        elif chance < 0.3:
            self._emit(f"call void @take(ptr {value})")
        elif chance < 0.5:
            self._set(self._variable(), "null")
        elif chance < 0.6:
            number = self._new("%n")
            self._emit(f"{number} = ptrtoint ptr {value} to i64", f"call void @use(i64 {number})")
        elif chance < 0.7 and depth:
            after = self._new("after")
            leave, coin = self._new("leave"), self._new("%c")
            self._emit(f"{coin} = call i1 @coin()", f"br i1 {coin}, label %{leave}, label %{after}")
            self._emit(f"{leave}:", "ret void", f"{after}:")

    def _through_slot(self, depth: int) -> None:
        """Store into the variable on the stack, load from it, or both."""
        kind = self._random.randrange(5)
        if kind == 4:  # what was stored earlier, if not in an earlier turn, and then a new one
            self._emit(f"call void @look(ptr {self._load('slot')})")
            value = self._new("%m")
            self._emit(f"{value} = call ptr @malloc(i64 64)")
            self._set("slot", value)
            return
        if kind != 0:
            self._set("slot", self._load(self._variable()))
        if kind > 1:
            self._read(depth)
        if kind != 1:
            self._set(self._variable(), self._load("slot"))

    def _copy(self, depth: int) -> None:
        """As Numba assigns a slice: from a copy if the two overlap, which is freed afterwards."""
        coin, yes, end, done, free = (
            self._new(name) for name in ("%c", "yes", "end", "done", "free")
        )
        self._set("t", self._load(self._variable()))
        self._emit(f"{coin} = call i1 @coin()", f"br i1 {coin}, label %{yes}, label %{end}")
        value = self._new("%m")
        self._emit(f"{yes}:", f"{value} = call ptr @malloc(i64 64)")
        self._set("t", value)
        self._emit(f"br label %{end}", f"{end}:")
        self._emit(f"call void @look(ptr {self._load('t')})")
        self._emit(f"br i1 {coin}, label %{free}, label %{done}", f"{free}:")
        self._emit(f"call void @free(ptr {self._load('t')})", f"br label %{done}", f"{done}:")

    def _loop(self, depth: int) -> None:
        head, body, end, coin = (
            self._new("head"),
            self._new("body"),
            self._new("end"),
            self._new("%c"),
        )
        self._emit(f"br label %{head}", f"{head}:")
        if self._random.random() < 0.5:
            self._statements(depth + 1)
        self._emit(f"{coin} = call i1 @coin()", f"br i1 {coin}, label %{body}, label %{end}")
        self._emit(f"{body}:")
        self._statements(depth + 1)
        self._emit(f"br label %{head}", f"{end}:")

    def _branch(self, depth: int) -> None:
        yes, no, end, coin = self._new("yes"), self._new("no"), self._new("end"), self._new("%c")
        self._emit(f"{coin} = call i1 @coin()", f"br i1 {coin}, label %{yes}, label %{no}")
        self._emit(f"{yes}:")
        self._statements(depth + 1)
        self._emit(f"br label %{end}", f"{no}:")
        if self._random.random() < 0.5:
            self._statements(depth + 1)
        self._emit(f"br label %{end}", f"{end}:")


def simplified(ir: str) -> str:
    """Return a module with its variables in registers."""
    initialise_llvm()
    module = llvm.parse_assembly(ir, llvm.create_context())
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(target_machine(), llvm.create_pipeline_tuning_options())
    passes.run(module, builder)
    return str(module)


class LifetimeError(AssertionError):
    """A block was looked at, or freed, after it had been freed."""


Pointer = tuple[int, int] | None  # block and offset
_CONSTANTS = {"null": None, "@other": None, "true": True, "false": False}


@dataclass
class Machine:
    """Runs `run` of a module for a sequence of coins; `reads` is what a user would see."""

    seed: int
    limit: int = 300
    reads: list[Pointer] = field(default_factory=list)
    freed: set[int] = field(default_factory=set)
    made: int = 0
    peak: int = 0
    kept: Pointer = None
    _values: dict[Value, Any] = field(default_factory=dict)
    _memory: dict[Value, Any] = field(default_factory=dict)

    def run(self, ir: str) -> Machine:
        coins = random.Random(self.seed)
        block, before = Module(ir).function("run").entry, None
        for _ in range(self.limit):
            given = {phi: self._value(phi.value_from(before)) for phi in block.phis}
            self._values.update(given)
            for one in block.body:
                self._step(one, coins)
            end = block.terminator
            if not isinstance(end, Branch):
                return self
            taken = 0 if end.condition is None or self._value(end.condition) else 1
            block, before = block.successors[taken], block
        return self

    def _value(self, value: Value) -> Any:
        return self._values[value] if value in self._values else _CONSTANTS[value.ref]

    def _step(self, one: Instruction, coins: random.Random) -> None:
        if isinstance(one, Call):
            self._values[one] = self._call(one, coins)
        elif isinstance(one, Store):
            self._store(one)
        elif isinstance(one, Load):
            self._values[one] = self._memory[one.pointer]
        elif not isinstance(one, Alloca):
            self._values[one] = self._computed(one)
        self._check_kept()

    def _call(self, call: Call, coins: random.Random) -> object:
        if call.callee == "coin":
            return coins.random() < 0.5
        if call.callee in ("malloc", "calloc"):
            self.made += 1
            self.peak = max(self.peak, self.made - len(self.freed))
            return (self.made, 0)
        if call.callee == "free":
            self._free(self._value(call.arguments[0]))
        elif call.callee in ("look", "take"):
            self.look(self._value(call.arguments[0]))
        return None

    def _store(self, store: Store) -> None:
        value = self._value(store.value)
        if store.pointer.ref == "@kept":
            self.kept = value
        else:
            self._memory[store.pointer] = value

    def _computed(self, one: Instruction) -> object:
        given = [self._value(each) for each in one.operands if each.type != "i64"]
        if isinstance(one, GetElementPtr):
            assert (one.source_type, one.indices[0].ref) == ("i8", "8"), one.text
            return None if given[0] is None else (given[0][0], given[0][1] + 8)
        if one.opcode in ("freeze", "ptrtoint"):
            return given[0]
        if one.opcode == "xor":
            return given[0] != given[1]
        if isinstance(one, Select):
            return given[1] if given[0] else given[2]
        raise AssertionError(one.text)

    def look(self, pointer: Pointer) -> None:
        self.reads.append(pointer)
        if pointer is not None and pointer[0] in self.freed:
            raise LifetimeError(f"block {pointer[0]} was looked at after its end")

    def _free(self, pointer: Pointer) -> None:
        if pointer is None:
            return
        if pointer[1] != 0 or pointer[0] in self.freed:
            raise LifetimeError(f"block {pointer} was freed twice, or in its midst")
        self.freed.add(pointer[0])

    def _check_kept(self) -> None:
        if self.kept is not None and self.kept[0] in self.freed:
            raise LifetimeError(f"block {self.kept[0]} was freed although it was kept")
