"""From a differentiated module to machine code: what is optimised, loaded, called and unloaded."""

from __future__ import annotations

import ctypes
import gc
import re
import subprocess
import sys
import threading
from pathlib import Path

import llvmlite.binding as llvm
import numba
import pytest
from numba import types

from enzyme_py import host, native
from enzyme_py.errors import DerivativeError
from enzyme_py.native.machine import host_cpu
from enzyme_py.settings import config
from tests.native.modules import TRIPLE, CountingHost, before_the_pass, call_scalar, differentiated

PLACED = """
define i32 @entry(ptr %ret, ptr %excinfo, double %x) !dbg !2 {
    #dbg_value(double %x, !5, !DIExpression(), !4)
  store double %x, ptr %ret, !dbg !4
  ret i32 0, !dbg !4
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!6}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "model.py", directory: "/somewhere")
!2 = distinct !DISubprogram(name: "entry", scope: !1, file: !1, line: 41, type: !3, unit: !0,
  spFlags: DISPFlagDefinition)
!3 = !DISubroutineType(types: !{null})
!4 = !DILocation(line: 42, column: 3, scope: !2)
!5 = !DILocalVariable(name: "x", scope: !2, file: !1, line: 41)
!6 = !{i32 2, !"Debug Info Version", i32 3}
"""

LOOP = """
define i32 @entry(ptr %ret, ptr %excinfo, ptr noalias %x, ptr noalias %y) {
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %next, %loop ]
  %from = getelementptr double, ptr %x, i64 %i
  %to = getelementptr double, ptr %y, i64 %i
  %a = load double, ptr %from
  %b = fmul double %a, %a
  store double %b, ptr %to
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 4096
  br i1 %done, label %end, label %loop
end:
  ret i32 0
}
"""


def loaded(ir: str, *entries: str) -> native.NativeFunction:
    return native.load(native.optimise(differentiated(ir, *entries)))


def test_an_entry_computes() -> None:
    function = loaded(TRIPLE)
    assert call_scalar(function.addresses["entry"], 2.5) == 7.5


def test_only_the_entries_are_left_outside() -> None:
    text = native.optimised_ir(differentiated(TRIPLE))
    assert "@helper(" not in text  # inlined although the pass was told not to, then dropped
    assert "define" in text


def test_helpers_of_other_linkages_vanish() -> None:
    ir = TRIPLE.replace("define double @helper", "define linkonce_odr double @helper")
    ir += (
        "@env = common global ptr null\n@unused = weak global i64 3\ndeclare void @never_called()\n"
    )
    text = native.optimised_ir(differentiated(ir))
    for name in ("@helper(", "@env", "@unused", "@never_called"):
        assert name not in text


def test_a_common_global_is_null_and_our_own() -> None:
    ir = """
    @env = common global ptr null
    define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
      %before = load volatile ptr, ptr @env
      %is_null = icmp eq ptr %before, null
      %y = uitofp i1 %is_null to double
      store volatile ptr %ret, ptr @env
      store double %y, ptr %ret
      ret i32 0
    }"""
    first, second = loaded(ir), loaded(ir)
    assert call_scalar(first.addresses["entry"], 0.0) == 1.0
    assert call_scalar(first.addresses["entry"], 0.0) == 0.0
    assert call_scalar(second.addresses["entry"], 0.0) == 1.0


def test_loops_are_vectorised_as_wide_as_the_processor() -> None:
    text = native.optimised_ir(differentiated(LOOP))
    widths = [int(width) for width in re.findall(r"<(\d+) x double>", text)]
    lanes = 4 if "+avx2" in host_cpu().features.split(",") else 2
    assert max(widths, default=1) >= lanes


def test_assembly_shows_the_entry() -> None:
    assert "entry" in native.assembly(differentiated(TRIPLE))


def test_several_entries() -> None:
    ir = TRIPLE + TRIPLE.replace("@entry", "@again").split("define double")[0]
    function = loaded(ir, "entry", "again")
    assert set(function.addresses) == set(function.symbols) == {"entry", "again"}
    assert call_scalar(function.addresses["again"], 1.0) == 3.0


def test_functions_far_away_and_constants_nearby() -> None:
    ir = """
    declare double @cbrt(double)
    @table = internal constant [4 x double] [double 1.0, double 8.0, double 27.0, double 64.0]
    define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
      %i = fptosi double %x to i64
      %at = getelementptr double, ptr @table, i64 %i
      %v = load double, ptr %at
      %y = call double @cbrt(double %v)
      store double %y, ptr %ret
      ret i32 0
    }"""
    function = loaded(ir)
    roots = [call_scalar(function.addresses["entry"], float(i)) for i in range(4)]
    assert roots == pytest.approx([1, 2, 3, 4], rel=1e-15)


def test_allocations_go_to_the_region() -> None:
    ir = """
    declare noalias ptr @malloc(i64)
    define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
      %block = call ptr @malloc(i64 100)
      store volatile double %x, ptr %block
      %low = ptrtoint ptr %block to i64
      %bits = and i64 %low, 15
      %y = uitofp i64 %bits to double
      store double %y, ptr %ret
      ret i32 0
    }"""
    function = loaded(ir)
    native.library().enzyme_py_reset_stats()
    assert call_scalar(function.addresses["entry"], 1.0) == 0.0
    assert native.memory_stats().allocations == 1


RAISING = """
declare i32 @enzyme_py_enter(ptr, ptr, ptr, i32)
declare void @enzyme_py_raise(i32, ptr) noreturn
define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
  %status = call i32 @enzyme_py_enter(ptr @body, ptr %ret, ptr %excinfo, i32 0)
  ret i32 %status
}
define internal void @body(ptr %ret) {
  store double 5.0, ptr %ret
  call void @enzyme_py_raise(i32 1, ptr %ret)
  unreachable
}
"""


def test_a_raise_comes_back_as_a_status() -> None:
    function = loaded(RAISING)
    address = function.addresses["entry"]
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double)
    result, excinfo = ctypes.c_double(), ctypes.c_void_p()
    for _ in range(1000):
        assert kind(address)(ctypes.byref(result), ctypes.byref(excinfo), 0.0) == 1
    assert excinfo.value == ctypes.addressof(result)
    assert result.value == 5.0
    assert native.memory_stats().regions_open == 0


def test_njit_code_calls_an_entry_by_its_symbol() -> None:
    ir = "define double @entry(double %x) {\n %y = fmul double %x, 7.0\n ret double %y\n}"
    function = loaded(ir)
    outside = types.ExternalFunction(function.symbols["entry"], types.float64(types.float64))

    @numba.njit
    def twice(x):  # type: ignore[no-untyped-def]
        return outside(x) + outside(x)

    assert twice(2.0) == 28.0


def test_njit_code_finds_the_runtime_by_name() -> None:
    native.register()
    for name, address in native.runtime_addresses().items():
        assert llvm.address_of_symbol(name) == address


def test_symbols_are_unique() -> None:
    functions = [loaded(TRIPLE) for _ in range(3)]
    assert len({function.symbols["entry"] for function in functions}) == 3


def test_a_missing_entry_is_named() -> None:
    with pytest.raises(DerivativeError, match="lost the entry `gone`"):
        native.optimise(differentiated(TRIPLE, "entry", "gone"))


def test_unreadable_ir_is_an_exception() -> None:
    with pytest.raises(DerivativeError, match="cannot read") as caught:
        native.optimise(differentiated("define i32 @entry( {"))
    assert "model.py:41" in str(caught.value)
    assert "expected" in caught.value.detail


def resident_kilobytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_unloading_gives_everything_back() -> None:
    code = native.optimise(differentiated(TRIPLE))
    for _ in range(300):
        native.load(code)
    gc.collect()
    before = resident_kilobytes()
    for _ in range(3000):
        native.load(code)
    assert resident_kilobytes() - before < 3000  # less than a kilobyte each: the symbol's name


def test_the_code_lives_as_long_as_what_keeps_it() -> None:
    function = loaded(TRIPLE)
    address, kept = function.addresses["entry"], function.keep_alive
    del function
    gc.collect()
    assert call_scalar(address, 1.0) == 3.0
    del kept


def test_shutting_down_with_loaded_code_is_silent() -> None:
    program = (
        "from enzyme_py import native\n"
        "from tests.native.modules import TRIPLE, differentiated\n"
        "kept = native.load(native.optimise(differentiated(TRIPLE)))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")


def test_many_threads_compile_at_once() -> None:
    answers: dict[int, float] = {}

    def work(number: int) -> None:
        ir = TRIPLE.replace("3.0", f"{number}.0")
        for _ in range(5):
            function = loaded(ir)
            answers[number] = call_scalar(function.addresses["entry"], 2.0)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: 2.0 * number for number in range(1, 9)}


SQUARE = """
@enzyme_const = external global i32
declare double @__enzyme_autodiff(ptr, ...)
define internal double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
  %g = call double (ptr, ...) @__enzyme_autodiff(ptr @square, double %x)
  store double %g, ptr %ret
  ret i32 0
}
"""


def test_the_real_pass_end_to_end(tmp_path: Path) -> None:
    module = before_the_pass(SQUARE, options=("--enzyme-fast-math=0",))
    with config(cache_dir=tmp_path):
        function = native.compile(module, host.differentiate, "the host of this test")
        assert call_scalar(function.addresses["entry"], 3.0) == 6.0
        again = native.compile(module, CountingHost(), "the host of this test")
    assert call_scalar(again.addresses["entry"], 4.0) == 8.0
    assert (function.profile.is_from_cache, again.profile.is_from_cache) == (False, True)
    assert function.profile.host > 0 < function.profile.native
    assert function.profile.object_bytes == again.profile.object_bytes > 0


def test_code_is_made_without_debug_information() -> None:
    """LLVM fails an assertion on it now and then, and the interpreter goes with it."""
    module = differentiated(PLACED)
    assert "dbg" not in native.optimised_ir(module)
    assert b".debug" not in native.optimise(module).binary
