"""What machine code is made with, and that nobody else's code is made otherwise for it."""

from __future__ import annotations

import ctypes
import threading

import llvmlite.binding as llvm
import numba
import pytest

from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.native.lined.emitting import emitted
from enzyme_py.native.machine import emit_assembly, emit_object, leaves_addresses, target_machine

# Three arrays and one index: LoopStrengthReduce makes other addresses of it.
LOOP = """
target triple = "{triple}"

define void @f(ptr %a, ptr %b, ptr %c, i64 %n, i64 %m) {{
entry:
  br label %body

body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %far = mul i64 %i, %m
  %a.at = getelementptr double, ptr %a, i64 %far
  %b.at = getelementptr double, ptr %b, i64 %i
  %c.at = getelementptr double, ptr %c, i64 %far
  %x = load double, ptr %a.at
  %y = load double, ptr %b.at
  %z = fmul double %x, %y
  store double %z, ptr %c.at
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %body

done:
  ret void
}}
"""

pytestmark = pytest.mark.skipif(not leaves_addresses(), reason="LLVM reduces strength here")


def loop() -> str:
    return LOOP.format(triple=llvm.get_process_triple())


def usual_assembly() -> str:
    with Modules() as modules:
        return str(target_machine().emit_assembly(modules.parsed(loop())))


def test_addresses_are_left_in_our_code_and_nowhere_else() -> None:
    before = usual_assembly()
    with Modules() as modules:
        ours = emit_assembly(modules.parsed(loop()))
    assert ours != before
    assert usual_assembly() == before


def test_numbas_code_is_as_before() -> None:
    def scaled(a, b, m):
        for i in range(b.size):
            a[i * m] = a[i * m] * b[i]

    kind = (numba.float64[::1], numba.float64[::1], numba.int64)

    def body() -> list[str]:
        (text,) = numba.njit(kind)(scaled).inspect_asm().values()
        # Names differ from compilation to compilation.
        lines = (line.split("#")[0].split() for line in text.splitlines() if line.startswith("\t"))
        return [line[0] for line in lines if line]

    before = body()
    with Modules() as modules:
        emit_object(modules.parsed(loop()))
    assert body() == before


def test_code_that_several_threads_make_is_the_same() -> None:
    with Modules() as modules:
        alone = emit_object(modules.parsed(loop()))
    found: list[bytes] = []

    def make() -> None:
        for _ in range(20):
            with Modules() as modules:
                found.append(emit_object(modules.parsed(loop())))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert set(found) == {alone}
    assert len(found) == 80


def test_code_with_lines_is_the_code_that_runs() -> None:
    with Modules() as modules:
        ours = emit_assembly(modules.parsed(loop()))
    assert emitted(loop())[1] == ours


def test_the_option_is_switched_back_after_a_failure() -> None:
    before = usual_assembly()
    with pytest.raises(ctypes.ArgumentError):
        emit_object("no module")  # type: ignore[arg-type]
    assert usual_assembly() == before
