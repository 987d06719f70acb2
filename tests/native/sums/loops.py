"""Reverse loops as LLVM code, made from a description, and a machine to run them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import llvmlite.binding as llvm
import numpy as np

from enzyme_py.llvm import Module
from enzyme_py.native.machine import initialise_llvm
from enzyme_py.native.rewrites.sums.reverse_sums import allow_any_order
from enzyme_py.native.rewrites.sums.scattered_adds import separate_adds


@dataclass(frozen=True)
class Reverse:
    """A loop that reads d[i], sets it to zero, and adds `factors` times it to u[stride i + offset], and the like.

    `offsets` are in elements of u; None is an add to u[0] in each iteration. `is_down`: the counter goes down.
    `tests_moved`: the end is seen by what the counter has moved to, and not by the counter. `tests_far`: by a sum with either.
    `factor`: constants, or "c" for the loop's argument, with a strong zero; "v" for v[i], with a strong zero.
    `is_slice`: u has n numbers for all that is known; each offset is the lesser of it and n, and for n = 17 all adds of a slice go to
    its first number, as if it were broadcast.
    `sums`: d is summed in a register too, and stored to u[-1] of the array at the end, where `chosen` by a strong zero.
    """

    offsets: Sequence[int | None]
    factors: Sequence[str]
    is_down: bool = True
    tests_moved: bool = False
    tests_far: bool = False
    stride: int = 1
    kind: str = "double"
    sums: bool = False
    is_slice: bool = False
    name: str = "invertBody"

    @property
    def text(self) -> str:
        kind, size = self.kind, {"double": 8, "float": 4}[self.kind]
        zero = "0.000000e+00"
        start, bound, moved = ("%last", "0", "-1") if self.is_down else ("0", "%last", "1")
        if self.tests_moved:
            bound = "-1" if self.is_down else "%n"
        lines = [
            f"define void @f(ptr %u, ptr %d, ptr %v, i64 %n, {kind} %c, ptr %out) {{",
            "entry:",
            "  %last = sub i64 %n, 1",
            *self._ends(bound),
            *self._starts(),
            f"  br label %{self.name}",
            "",
            f"{self.name}:",
            f"  %i = phi i64 [ {start}, %entry ], [ %next, %{self.name} ]",
        ]
        if self.sums:
            lines.append(f"  %sum = phi {kind} [ {zero}, %entry ], [ %more, %{self.name} ]")
        lines += [
            f"  %d.at = getelementptr {kind}, ptr %d, i64 %i",
            f"  %d.i = load {kind}, ptr %d.at, align {size}",
            f"  store {kind} {zero}, ptr %d.at, align {size}",
            f"  %x = fadd {kind} %d.i, {zero}",
            f"  %is.zero = fcmp oeq {kind} %d.i, {zero}",
            f"  %v.at = getelementptr {kind}, ptr %v, i64 %i",
            f"  %v.i = load {kind}, ptr %v.at, align {size}",
            f"  %scaled = {'select i1 %is.long, i64 %i, i64 0' if self.is_slice else f'mul i64 %i, {self.stride}'}",
        ]
        for place, (offset, factor) in enumerate(zip(self.offsets, self.factors, strict=True)):
            term = f"%term.{place}"
            if factor in ("c", "v"):
                by = {"c": "%c", "v": "%v.i"}[factor]
                lines += [
                    f"  %product.{place} = fmul {kind} %x, {by}",
                    f"  {term} = select i1 %is.zero, {kind} {zero}, {kind} %product.{place}",
                ]
            else:
                lines.append(f"  {term} = fmul {kind} %x, {factor}")
            if offset is None:
                lines.append(f"  %u.at.{place} = getelementptr {kind}, ptr %u, i64 0")
            else:
                lines += [
                    f"  %u.base.{place} = getelementptr {kind}, ptr %u, i64 %scaled",
                    f"  %u.at.{place} = getelementptr {kind}, ptr %u.base.{place}, i64 {f'%start.{place}' if self.is_slice else offset}",
                ]
            lines += [
                f"  %old.{place} = load {kind}, ptr %u.at.{place}, align {size}",
                f"  %new.{place} = fadd {kind} %old.{place}, {term}",
                f"  store {kind} %new.{place}, ptr %u.at.{place}, align {size}",
            ]
        if self.sums:
            lines += [
                f"  %by.v = fmul {kind} %x, %v.i",
                f"  %with = fadd {kind} %sum, %by.v",
                f"  %more = select i1 %is.zero, {kind} %sum, {kind} %with",
            ]
        tested = "%next" if self.tests_moved else "%i"
        lines.append(f"  %next = add nsw i64 %i, {moved}")
        if self.tests_far:
            lines.append(f"  %far.sum = add i64 %far, {tested}")
            tested, bound = "%far.bound", "%far.sum"
        lines += [
            f"  %end = icmp eq i64 {tested}, {bound}",
            f"  br i1 %end, label %done, label %{self.name}",
            "",
            "done:",
        ]
        if self.sums:
            lines.append(f"  store {kind} %more, ptr %out, align {size}")
        outside = ["", "declare i64 @llvm.smin.i64(i64, i64)"] if self.is_slice else []
        return "\n".join([*lines, "  ret void", "}", *outside, ""])

    def _starts(self) -> list[str]:
        if not self.is_slice:
            return []
        starts = [
            f"  %start.{place} = call i64 @llvm.smin.i64(i64 %n, i64 {offset})" for place, offset in enumerate(self.offsets)
        ]
        return ["  %is.long = icmp ne i64 %n, 17", *starts]

    def _ends(self, bound: str) -> list[str]:
        if not self.tests_far:
            return []
        return ["  %far = mul i64 %n, 9223372036854775807", f"  %far.bound = add i64 %far, {bound}"]

    def rewritten(self) -> tuple[Module, bool]:
        """The module as the native stage would make it, and whether adds were separated."""
        return rewritten(self.text)


def rewritten(text: str) -> tuple[Module, bool]:
    code = Module(text)
    allow_any_order(code)
    return code, separate_adds(code)


class Machine:
    """Runs the function `f` of a module."""

    def __init__(self, text: str, kind: str = "double", *, is_optimised: bool = True) -> None:
        initialise_llvm()
        target = llvm.Target.from_triple(llvm.get_process_triple())
        machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), opt=3)
        module = llvm.parse_assembly(text)
        module.verify()
        if is_optimised:
            builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
            builder.getModulePassManager().run(module, builder)
        self._engine = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()
        number = {"double": ctypes.c_double, "float": ctypes.c_float}[kind]
        pointer = ctypes.c_void_p
        shape = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, ctypes.c_int64, number, pointer)
        self.call: Callable[..., None] = shape(self._engine.get_function_address("f"))

    def run(self, u: np.ndarray, d: np.ndarray, v: np.ndarray, count: int, c: float) -> float:
        out = np.zeros(1, u.dtype)
        self.call(u.ctypes.data, d.ctypes.data, v.ctypes.data, count, c, out.ctypes.data)
        return float(out[0])
