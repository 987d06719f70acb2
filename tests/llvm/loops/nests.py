"""Nests of loops at random: as LLVM code, and run by Python."""

from __future__ import annotations

import operator
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Affine = dict[str, int]  # so many times each counter, parameter, and "1"


@dataclass
class Access:
    """A load or a store of one element of the array `a`: of a[offset], or a[row * m + offset]."""

    name: str
    is_store: bool
    offset: Affine
    row: Affine | None = None


@dataclass
class If:
    """`if left predicate right`."""

    predicate: str
    left: Affine
    right: Affine
    body: list[For | If | Access] = field(default_factory=list)


@dataclass
class For:
    """`for counter in range(start, stop)`, or in it reversed; `form` is how LLVM code tells its end."""

    counter: str
    start: Affine
    stop: Affine
    form: str
    body: list[For | If | Access] = field(default_factory=list)
    most: Affine | None = None  # the end is at most this
    choice: str = "select"  # how LLVM code finds the smaller one


COMPARISONS = {"eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le, "sgt": operator.gt}


def value(one: Affine, numbers: Mapping[str, int]) -> int:
    return sum(count * (1 if name == "1" else numbers[name]) for name, count in one.items())


class Nest:
    """Loops with loads and stores of one array."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._count = 0
        self.is_matrix = self._random.random() < 0.4
        self.body = self._statements([], 0)

    def _statements(self, counters: list[str], depth: int) -> list[For | If | Access]:
        found: list[For | If | Access] = []
        for _ in range(self._random.randint(1, 3)):
            if depth < 3 and self._random.random() < (0.8 if depth < 2 else 0.4):
                found.append(self._loop(counters, depth))
            elif counters and self._random.random() < 0.2:
                left, right = self._random.choice(counters), self._random.choice([*counters, "n", "1"])
                found.append(If(self._random.choice(list(COMPARISONS)), {left: 1}, {right: 1}, [self._access(counters)]))
            else:
                found.append(self._access(counters))
        return found

    def _loop(self, counters: list[str], depth: int) -> For:
        self._count += 1
        name = f"i{self._count}"
        start = self._random.choice([{}, {}, {"1": 1}, *({one: 1, "1": self._random.randint(0, 1)} for one in counters)])
        ends = [{"n": 1}, {"n": 1}, {"n": 1, "1": -1}, *({one: 1, "1": self._random.randint(0, 1)} for one in counters)]
        form = self._random.choice(["equal", "counted", "first", "down", "unsigned down"])
        loop = For(name, start, self._random.choice(ends), form)
        if self._random.random() < 0.25:
            loop.most = self._random.choice(ends)
            loop.choice = self._random.choice(["select", "smin", "phi"])
        if form == "counted" and loop.stop == {"n": 1} and not loop.most and set(start) <= {"1"}:
            loop.form = "saturated"
        loop.body = self._statements([*counters, name], depth + 1)
        return loop

    def _index(self, counters: list[str]) -> Affine:
        picked = self._random.sample(counters, min(len(counters), self._random.randint(0, 2)))
        found = {one: self._random.choice([1, 1, 1, 2, -1]) for one in picked}
        return {**found, "1": self._random.randint(-1, 1)}

    def _access(self, counters: list[str]) -> Access:
        self._count += 1
        if self.is_matrix:
            row, column = ({self._random.choice(counters): 1} if counters else {"1": 1} for _ in range(2))
            return Access(f"x{self._count}", self._random.random() < 0.5, column, row)
        return Access(f"x{self._count}", self._random.random() < 0.5, self._index(counters))

    # -- run -----------------------------------------------------------------------------------------

    def run(self, n: int) -> Iterator[tuple[Access, int]]:
        """Yield the accesses in their order, and where they go."""
        yield from self._run(self.body, {"n": n})

    def _run(self, body: list[For | If | Access], numbers: dict[str, int]) -> Iterator[tuple[Access, int]]:
        for one in body:
            if isinstance(one, For):
                stop = value(one.stop, numbers)
                stop = stop if one.most is None else min(stop, value(one.most, numbers))
                turns = range(value(one.start, numbers), stop)
                for number in reversed(turns) if one.form.endswith("down") else turns:
                    yield from self._run(one.body, {**numbers, one.counter: number})
            elif isinstance(one, If):
                if COMPARISONS[one.predicate](value(one.left, numbers), value(one.right, numbers)):
                    yield from self._run(one.body, numbers)
            else:
                row = 0 if one.row is None else value(one.row, numbers) * numbers["n"]
                yield one, row + value(one.offset, numbers)

    # -- LLVM code -----------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        self._lines = ["define void @f(i64 %n) {", "entry:", "  %a = call noalias ptr @malloc(i64 4096)"]
        self._made = 0
        self._block = "entry"
        self._write(self.body)
        return "\n".join([*self._lines, "  ret void", "}", "declare noalias ptr @malloc(i64)", ""])

    def _name(self) -> str:
        self._made += 1
        return f"%v{self._made}"

    def _affine(self, one: Affine) -> str:
        total = "0"
        for name, count in one.items():
            if not count:
                continue
            term = str(count) if name == "1" else f"%{name}"
            if name != "1" and count != 1:
                term = self._name()
                self._lines.append(f"  {term} = mul i64 %{name}, {count}")
            new = self._name()
            self._lines.append(f"  {new} = add i64 {total}, {term}")
            total = new
        return total

    def _write(self, body: list[For | If | Access]) -> None:
        for one in body:
            if isinstance(one, For):
                self._write_loop(one)
            elif isinstance(one, If):
                self._write_if(one)
            else:
                self._write_access(one)

    def _write_if(self, one: If) -> None:
        left, right, holds = self._affine(one.left), self._affine(one.right), self._name()
        name = holds[1:]
        self._lines += [
            f"  {holds} = icmp {one.predicate} i64 {left}, {right}",
            f"  br i1 {holds}, label %{name}.then, label %{name}.join",
            f"{name}.then:",
        ]
        self._block = f"{name}.then"
        self._write(one.body)
        self._lines += [f"  br label %{name}.join", f"{name}.join:"]
        self._block = f"{name}.join"

    def _smaller(self, one: str, other: str, choice: str) -> str:
        found, is_less = self._name(), self._name()
        if choice == "smin":
            self._lines.append(f"  {found} = call i64 @llvm.smin.i64(i64 {one}, i64 {other})")
            return found
        self._lines.append(f"  {is_less} = icmp slt i64 {one}, {other}")
        if choice == "select":
            self._lines.append(f"  {found} = select i1 {is_less}, i64 {one}, i64 {other}")
            return found
        name, before = is_less[1:], self._block
        self._lines += [
            f"  br i1 {is_less}, label %{name}.join, label %{name}.other",
            f"{name}.other:",
            f"  br label %{name}.join",
            f"{name}.join:",
            f"  {found} = phi i64 [ {one}, %{before} ], [ {other}, %{name}.other ]",
        ]
        self._block = f"{name}.join"
        return found

    def _write_access(self, one: Access) -> None:
        index = self._affine(one.offset)
        if one.row is not None:
            row, scaled, total = self._affine(one.row), self._name(), self._name()
            self._lines += [f"  {scaled} = mul i64 {row}, %n", f"  {total} = add i64 {scaled}, {index}"]
            index = total
        self._lines.append(f"  %{one.name}.at = getelementptr double, ptr %a, i64 {index}")
        if one.is_store:
            self._lines.append(f"  store double 1.0, ptr %{one.name}.at")
        else:
            self._lines.append(f"  %{one.name} = load double, ptr %{one.name}.at")

    def _write_loop(self, loop: For) -> None:
        start, stop = self._affine(loop.start), self._affine(loop.stop)
        if loop.most is not None:
            stop = self._smaller(stop, self._affine(loop.most), loop.choice)
        name = loop.counter
        if loop.form == "first":
            self._lines += [f"  br label %{name}.head", f"{name}.head:"]
            place = len(self._lines)
            before = self._block
            self._lines += [
                f"  %{name}.on = icmp slt i64 %{name}, {stop}",
                f"  br i1 %{name}.on, label %{name}.body, label %{name}.exit",
                f"{name}.body:",
            ]
            self._block = f"{name}.body"
            self._write(loop.body)
            self._lines += [
                f"  %{name}.next = add nsw i64 %{name}, 1",
                f"  br label %{name}.head",
                f"{name}.exit:",
            ]
            self._lines.insert(
                place, f"  %{name} = phi i64 [ {start}, %{before} ], [ %{name}.next, %{self._block} ]"
            )
            self._block = f"{name}.exit"
            return
        if loop.form.endswith("down"):
            self._write_loop_down(loop, start, stop)
            return
        count, some, before = self._name(), self._name(), self._block
        if loop.form == "saturated":  # both are known not to be negative
            self._lines += [
                f"  {count} = call i64 @llvm.usub.sat.i64(i64 {stop}, i64 {start})",
                f"  {some} = icmp samesign ule i64 {stop}, {start}",
            ]
            most = count
        else:
            self._lines += [f"  {count} = sub nsw i64 {stop}, {start}", f"  {some} = icmp slt i64 {count}, 1"]
        if loop.form == "counted":
            most = self._name()
            self._lines.append(f"  {most} = call i64 @llvm.smax.i64(i64 {count}, i64 0)")
        self._lines += [f"  br i1 {some}, label %{name}.exit, label %{name}.body", f"{name}.body:"]
        place = len(self._lines)
        self._block = f"{name}.body"
        self._write(loop.body)
        self._lines.append(f"  %{name}.next = add nsw i64 %{name}, 1")
        phis = [f"  %{name} = phi i64 [ {start}, %{before} ], [ %{name}.next, %{self._block} ]"]
        if loop.form in ("counted", "saturated"):
            phis.append(f"  %{name}.left = phi i64 [ {most}, %{before} ], [ %{name}.less, %{self._block} ]")
            self._lines += [
                f"  %{name}.less = add nsw i64 %{name}.left, -1",
                f"  %{name}.on = icmp sgt i64 %{name}.left, 1",
                f"  br i1 %{name}.on, label %{name}.body, label %{name}.exit",
            ]
        else:
            self._lines += [
                f"  %{name}.end = icmp eq i64 %{name}.next, {stop}",
                f"  br i1 %{name}.end, label %{name}.exit, label %{name}.body",
            ]
        self._lines[place:place] = phis
        self._lines.append(f"{name}.exit:")
        self._block = f"{name}.exit"

    def _write_loop_down(self, loop: For, start: str, stop: str) -> None:
        """Counts down from `stop - 1` to `start`: the counter is what has just been moved."""
        name, some, before = loop.counter, self._name(), self._block
        self._lines += [
            f"  {some} = icmp sgt i64 {stop}, {start}",
            f"  br i1 {some}, label %{name}.body, label %{name}.exit",
            f"{name}.body:",
        ]
        place = len(self._lines)
        self._block = f"{name}.body"
        self._write(loop.body)
        test = f"icmp ne i64 %{name}, {start}"
        if loop.form == "unsigned down":
            test = f"icmp samesign ugt i64 %{name}, {start}"
        self._lines += [
            f"  %{name}.on = {test}",
            f"  br i1 %{name}.on, label %{name}.body, label %{name}.exit",
            f"{name}.exit:",
        ]
        self._lines[place:place] = [
            f"  %{name}.in = phi i64 [ {stop}, %{before} ], [ %{name}, %{self._block} ]",
            f"  %{name} = add nsw i64 %{name}.in, -1",
        ]
        self._block = f"{name}.exit"
