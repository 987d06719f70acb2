"""Shadows of a batch's lanes lie side by side: which, and that the numbers stay what they are."""

from __future__ import annotations

import ctypes
import importlib
import random
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import BatchDuplicated, Const, Forward
from enzyme_py.llvm import Module
from enzyme_py.native.machine import initialise_llvm
from enzyme_py.native.rewrites.lanes import put_lanes_together

optimise: Any = importlib.import_module("enzyme_py.native.optimising")

HEAD = """
declare noalias ptr @malloc(i64)
declare noalias ptr @calloc(i64, i64)
declare void @look(ptr)
!0 = !{i32 7}
"""
FUNCTION = """
define double @run(i64 %size, i64 %n, ptr %other) {{
  %primal = call noalias ptr @{make}
  %1 = call noalias ptr @{make}
  %2 = call noalias ptr @{make}
  %a = getelementptr inbounds i8, ptr %1, i64 8
  %b = getelementptr inbounds i8, ptr %2, i64 8
  store double 1.5, ptr %a, align 8
  store double 2.5, ptr %b, align 8
  {more}
  %c = getelementptr double, ptr %2, i64 %n
  %found = load double, ptr %c, align 8
  ret double %found
}}
"""


def with_lanes_together(text: str) -> str:
    """Return the text of a module with its lanes together, where that is possible."""
    code = Module(text)
    is_changed = put_lanes_together(code)
    assert is_changed == (str(code) != text)
    return str(code)


def joined(more: str = "", make: str = "calloc(i64 1, i64 %size)") -> str:
    """The function with the lanes together, checked by LLVM."""
    text = with_lanes_together(HEAD + FUNCTION.format(make=make, more=more))
    llvm.parse_assembly(text, llvm.create_context()).verify()
    return text


@pytest.mark.parametrize("mark", ["", ", !enzyme_py.line !0"])
@pytest.mark.parametrize("make", ["calloc(i64 1, i64 %size)", "malloc(i64 %size)"])
def test_lanes_become_one_block(make: str, mark: str) -> None:
    text = joined(make=make + mark)
    assert text.count(f"@{make[:6]}(") == 3  # declared, the primal's, that of both lanes
    assert "%lane = getelementptr inbounds i8, ptr %1, i64 8\n" in text
    assert "%a = getelementptr inbounds [2 x i8], ptr %1, i64 8\n" in text
    assert "%c = getelementptr [2 x double], ptr %lane, i64 %n\n" in text
    assert "add i64 %size, 8\n" in text


@pytest.mark.parametrize(
    "use",
    [
        "call void @look(ptr %a)",
        "store ptr %2, ptr %other",
        "%same = icmp eq ptr %1, %primal",
        "%part = load float, ptr %a, align 4",
        "%vector = load <2 x double>, ptr %a, align 8",
        "%askew = load double, ptr %a, align 4",
        "%number = ptrtoint ptr %b to i64",
        "%either = select i1 true, ptr %1, ptr %other",
    ],
)
def test_what_else_is_done_with_them_keeps_them_apart(use: str) -> None:
    assert joined(use) == HEAD + FUNCTION.format(make="calloc(i64 1, i64 %size)", more=use)


def test_without_three_allocations_nothing_is_read() -> None:
    code = Module(HEAD + FUNCTION.format(make="malloc(i64 %size)", more=""))
    code = Module(
        str(code).replace("%2 = call noalias ptr @malloc(i64 %size)", "%2 = freeze ptr %1")
    )
    assert not put_lanes_together(code)
    assert not code.function("run").is_read


ALONG = """
define void @run(i64 %size, i64 %n) {{
start:
  %primal = call noalias ptr @calloc(i64 1, i64 %size)
  %0 = call noalias ptr @calloc(i64 1, i64 %size)
  %1 = call noalias ptr @calloc(i64 1, i64 %size)
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %at = shl i64 %i, {shift}
  %a = getelementptr i8, ptr %0, i64 %at
  %b = getelementptr i8, ptr %a, i64 16
  store double 1.5, ptr %b, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def test_a_loop_along_them_keeps_them_apart() -> None:
    near, far = HEAD + ALONG.format(shift=3), HEAD + ALONG.format(shift=5)
    back = near.replace("add i64 %i, 1", "sub i64 %i, 1")
    assert with_lanes_together(near) == near
    assert with_lanes_together(back) == back
    assert with_lanes_together(far) != far


def program(seed: int, lanes: int) -> str:
    """Loads and stores at random places of all lanes, by addresses from addresses; `n` is 3."""
    drawn = random.Random(seed)
    lines = [
        f"%{name} = call noalias ptr @calloc(i64 1, i64 1024)" for name in ("p", *range(lanes))
    ]
    places = {f"%{lane}": 0 for lane in range(lanes)}  # of each address, the element it is at
    lines.append("%total0 = fadd double 0.0, 0.0")
    for step in range(60):
        base, at = drawn.choice(list(places.items()))
        kind, length = drawn.choice([("i8", 0), ("double", 1), ("[4 x double]", 4)])
        index, many = drawn.choice([("%n", 3), ("-2", -2), ("5", 5)])
        if kind == "i8":
            index, length = str(8 * many) if index != "%n" else "%bytes", 1
        if 0 <= at + many * length < 128:
            places[f"%a{step}"] = at + many * length
            flags = drawn.choice(["", "inbounds "])
            lines.append(f"%a{step} = getelementptr {flags}{kind}, ptr {base}, i64 {index}")
        where = drawn.choice(list(places))
        if drawn.random() < 0.5:
            lines.append(f"store double %total{step}, ptr {where}, align 8")
        lines.append(f"%v{step} = load double, ptr {drawn.choice(list(places))}, align 8")
        lines.append(f"%w{step} = fadd double %v{step}, {step}.25")
        lines.append(f"%total{step + 1} = fsub double %w{step}, %total{step}")
    text = "\n  ".join(["%bytes = shl i64 %n, 3", *lines, "ret double %total60"])
    return f"{HEAD}\ndefine double @run(i64 %n) {{\nstart:\n  {text}\n}}\n"


def value(text: str) -> float:
    """What the program returns, computed by machine code."""
    initialise_llvm()
    module = llvm.parse_assembly(text, llvm.create_context())
    module.verify()
    engine = llvm.create_mcjit_compiler(
        module, llvm.Target.from_default_triple().create_target_machine()
    )
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64)(engine.get_function_address("run"))
    return run(3)


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_compute_the_same(seed: int) -> None:
    text = program(seed, lanes=2 + seed % 5)
    joined_text = with_lanes_together(text)
    assert joined_text != text
    assert value(joined_text) == value(text)


def walked(x, out):
    """Temporaries that are read where the numbers say; a row at a time."""
    first, second = np.empty((x.size, 3)), np.zeros((4, 3))
    for i in range(x.size):
        first[i, 0], first[i, 1], first[i, 2] = x[i] * x[i], np.sin(x[i]), 3.0 * x[i]
    for i in range(x.size):
        at = (7 * i) % 4
        if x[i] > 0.5:
            for j in range(3):
                second[at, j] += first[i, j] * first[(3 * i) % x.size, 2 - j]
    for i in range(4):
        out[i] = second[i, 0] * second[i, 1] + second[3 - i, 2]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_batches_agree_with_single_runs(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = []

    def watched(code: Module) -> bool:
        changed.append(put_lanes_together(code))
        return changed[-1]

    monkeypatch.setattr(optimise, "put_lanes_together", watched)
    x = np.random.default_rng(5).random(11).astype(kind)
    tangents = np.random.default_rng(6).random((3, 11)).astype(kind)
    kernel = enzyme.jit(walked)

    @numba.njit
    def batch(x, tangents, found):
        out = np.empty(4, x.dtype)
        enzyme.autodiff(
            Forward,
            kernel,
            Const,
            BatchDuplicated(x, (tangents[0], tangents[1], tangents[2])),
            BatchDuplicated(out, (found[0], found[1], found[2])),
        )

    found = np.zeros((3, 4), kind)
    batch(x, tangents, found)
    assert True in changed  # else nothing was tested
    exact, precision = x.astype(float), np.finfo(kind).eps
    for lane in range(3):
        step = 1e-20 * tangents[lane].astype(float)
        out = np.empty(4, complex)
        _complex_walk(exact + 1j * step, out)
        np.testing.assert_allclose(found[lane], out.imag / 1e-20, rtol=100 * precision)


def _complex_walk(x: Any, out: Any) -> None:
    """The kernel on complex numbers: what it compares are their real parts."""
    first, second = np.empty((x.size, 3), complex), np.zeros((4, 3), complex)
    first[:, 0], first[:, 1], first[:, 2] = x * x, np.sin(x), 3.0 * x
    for i in range(x.size):
        if x[i].real > 0.5:
            second[(7 * i) % 4] += first[i] * first[(3 * i) % x.size, ::-1]
    out[:] = second[:, 0] * second[:, 1] + second[::-1, 2]
