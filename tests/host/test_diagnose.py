"""What Enzyme says becomes what the user reads: real modules, the real pass, the fragments shown."""

from __future__ import annotations

import signal

import pytest

from enzyme_py import host
from enzyme_py.errors import (
    ActivityError,
    DerivativeError,
    EnzymeError,
    HostCrashed,
    NoDerivativeError,
    TypeAnalysisError,
)
from enzyme_py.host.diagnose import judge
from enzyme_py.host.diagnostics import diagnostics_in, readable_name
from enzyme_py.host.process.outcome import Limits, Outcome
from enzyme_py.symbols import RULED
from tests.host.host_modules import FORWARD, HEAD, REVERSE, a_module

DEBUG = """
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, isOptimized: false, emissionKind: FullDebug)
!1 = !DIFile(filename: "FILE", directory: "/somewhere")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = distinct !DISubprogram(name: "square", scope: !1, file: !1, line: 41, type: !6, spFlags: DISPFlagDefinition, unit: !0)
!6 = !DISubroutineType(types: !7)
!7 = !{null}
!8 = !DILocation(line: 42, column: 3, scope: !5)
"""
MYSTERY = """
define double @square(double %x) PLACE {
  %y = call double @_ZN7mystery4zetaB2v1B3abcEd(double %x) LINE
  ret double %y LINE
}
"""
ENTRY = REVERSE[REVERSE.index("define double @entry") :]
NO_PLACE = HEAD + MYSTERY.replace("PLACE", "").replace("LINE", "") + ENTRY
A_PLACE = HEAD + MYSTERY.replace("PLACE", "!dbg !5").replace("LINE", ", !dbg !8") + ENTRY + DEBUG

FORWARD_NO_RULE = (
    FORWARD[: FORWARD.index("define")]
    + MYSTERY.replace("PLACE", "").replace("LINE", "")
    + FORWARD[FORWARD.index("define double @entry") :]
)

COPY = """
define void @copy(ptr %a, ptr %b, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 %n, i1 false)
  ret void
}
define double @entry(ptr %a, ptr %da, ptr %b, ptr %db, i64 %n) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @copy, ptr @enzyme_dup, ptr %a, ptr %da,
    ptr @enzyme_dup, ptr %b, ptr %db, i64 %n)
  ret double %r
}
"""
MIXED = """
define double @pick(ptr %a, ptr %arg.weights.4, i1 %c) noinline {
  %p = select i1 %c, ptr %a, ptr %arg.weights.4
  %v = load double, ptr %p
  %w = fmul double %v, %v
  store double %w, ptr %p
  ret double %w
}
define double @entry(ptr %a, ptr %da, ptr %b, i1 %c) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @pick, ptr @enzyme_dup, ptr %a, ptr %da,
    ptr @enzyme_const, ptr %b, i1 %c)
  ret double %r
}
"""
IGNORED_RULE = """
@__enzyme_register_derivative_k = global [2 x ptr] [ptr @k, ptr @kf]
define double @k(ptr %p, double %x) noinline {
  %v = load double, ptr %p
  %z = fmul double %v, %x
  ret double %z
}
define double @kf(ptr %p, ptr %dp, double %x, double %dx) noinline {
  %v = load double, ptr %p
  %z = fmul double %v, %dx
  ret double %z
}
define double @f(ptr %a, double %x) noinline {
  %v = call double @k(ptr %a, double %x)
  ret double %v
}
define double @entry(ptr %a, double %x) {
  %r = call double (ptr, ...) @__enzyme_fwddiff(ptr @f, ptr @enzyme_const, ptr %a, double %x,
    double 1.0)
  ret double %r
}
"""
WRONG_RULE = """
@__enzyme_register_gradient_k = global [3 x ptr] [ptr @k, ptr @ka, ptr @kr]
declare double @k(ptr, double)
define ptr @ka(ptr %p, ptr %dp, double %x) { ret ptr null }
define double @kr(ptr %p, ptr %dp, double %g, ptr %t) { ret double %g }
define double @f(ptr %a, double %x) noinline {
  %v = call double @k(ptr %a, double %x)
  ret double %v
}
define double @entry(ptr %a, ptr %da, double %x) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr %a, ptr %da,
    double %x)
  ret double %r
}
"""
NO_BODY = ENTRY.replace("ptr @square", "ptr @_ZN7mystery4zetaB2v1B3abcEd")
TOO_FEW = """
define double @two(double %x, ptr %y) noinline { ret double %x }
define double @entry(ptr %y) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @two, ptr @enzyme_dup, ptr %y)
  ret double %r
}
"""
BITS = """
define double @f(ptr %a) noinline {
  %v = load double, ptr %a
  %i = load i64, ptr %a
  %j = mul i64 %i, 3
  store i64 %j, ptr %a
  %w = load double, ptr %a
  %z = fadd double %v, %w
  ret double %z
}
define double @entry(ptr %a, ptr %da) {
  %r = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr @enzyme_dup, ptr %a, ptr %da)
  ret double %r
}
"""

BITS_CHOSEN = BITS.replace("mul i64 %i, 3", "call i64 @llvm.smax.i64(i64 %i, i64 3)")
BITS_BELOW = BITS_CHOSEN.replace("ptr @f,", "ptr @g,").replace("z = fadd", "z = fmul")
BITS_BELOW += """
define double @g(ptr %a) noinline {
  %one = call double @f(ptr %a)
  %two = call double @f(ptr %a)
  %r = fmul double %one, %two
  ret double %r
}
"""

REFUSALS = [
    ("no rule", NO_PLACE, NoDerivativeError, ["`mystery.zeta` has no derivative rule", "model.py:3"]),
    ("no rule, placed", A_PLACE.replace("FILE", "model.py"), NoDerivativeError, ["model.py:42"]),
    ("no rule, elsewhere", A_PLACE.replace("FILE", "other.py"), NoDerivativeError, ["other.py:42"]),
    ("of Python", NO_PLACE.replace("_ZN7mystery4zetaB2v1B3abcEd", "enzyme_py_python.the_vjp_of_f.9"), NoDerivativeError, ["`the_vjp_of_f` is run by Python", "numba.njit", "order=2"]),
    ("typed list", NO_PLACE.replace("_ZN7mystery4zetaB2v1B3abcEd", "numba_list_new"), NoDerivativeError, ["typed list", "plain list"]),
    ("forward", FORWARD_NO_RULE, NoDerivativeError, ["`mystery.zeta`", "Const argument"]),
    ("type", HEAD + COPY, TypeAnalysisError, ["memory of a copy", "as a float"]),
    ("activity", HEAD + MIXED, ActivityError, ["argument `weights`", "set_runtime_activity(mode)", "Duplicated"]),
    ("ignored rule", HEAD + IGNORED_RULE, ActivityError, ["custom rule would be ignored"]),
    ("wrong rule", HEAD + WRONG_RULE, DerivativeError, ["rule of `k`", "wrong type"]),
    ("no body", HEAD + NO_BODY, DerivativeError, ["has no body"]),
    ("arguments", HEAD + TOO_FEW, DerivativeError, ["wrong arguments", "report"]),
    ("bits", HEAD + BITS, NoDerivativeError, ["binary operator"]),
    ("bits chosen", HEAD + BITS_CHOSEN, NoDerivativeError, ["llvm.smax on what may be a float's bits", "stop_gradient", "grad of jvp"]),
    ("bits chosen below", HEAD + BITS_BELOW, NoDerivativeError, ["llvm.smax on what may be a float's bits"]),
    ("bits chosen, forward", HEAD + BITS_CHOSEN.replace("autodiff", "fwddiff"), NoDerivativeError, ["llvm.smax"]),
    ("not IR", "define double @entry(", DerivativeError, ["not valid LLVM IR"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("ir", "kind", "fragments"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS]
)
def test_a_refusal(ir: str, kind: type[EnzymeError], fragments: list[str]) -> None:
    with pytest.raises(kind) as caught:
        host.differentiate(a_module(ir))
    assert type(caught.value) is kind
    for fragment in fragments:
        assert fragment in str(caught.value)
    assert caught.value.detail
    assert caught.value.where is not None
    assert caught.value.where.kernel == "square"


def test_an_option_that_the_pass_does_not_know() -> None:
    with pytest.raises(DerivativeError, match="does not know the option --no-such-option"):
        host.differentiate(a_module(REVERSE, "--no-such-option"))


ASSERTED = Outcome("", "Assertion `found == gutils->invertedPointers.end()' failed.\n", signal.SIGABRT, False, 0.1, 1, Limits())


def test_an_assertion_in_forward_mode() -> None:
    """Rules of linear algebra are in every module of it: only where reverse mode is inside, they are at fault."""
    ruled = f"declare void @{RULED}.cholesky.float64(ptr)\n"
    with pytest.raises(HostCrashed, match="take reverse mode: grad, vjp, jacrev"):
        judge(a_module(ruled + FORWARD), ASSERTED)
    with pytest.raises(DerivativeError, match="forward over reverse of a function with a rule"):
        judge(a_module(ruled + REVERSE), ASSERTED)


def test_runtime_activity_is_the_remedy_it_is_said_to_be() -> None:
    declared = "@enzyme_runtime_activity = external global i32\n" + HEAD + MIXED
    ir = declared.replace("ptr @pick,", "ptr @pick, ptr @enzyme_runtime_activity,")
    assert "@entry" in host.differentiate(a_module(ir)).ir


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN8__main__5scoreB2v1B38c8tJTI_2fE5ArrayIdLi1E1C7mutable7alignedE", "__main__.score"),
        ("preprocess__ZN5model5innerE", "model.inner"),
        ("_ZN8__main__5outer12_3clocals_3e5innerE", "__main__.outer.<locals>.inner"),
        ("preprocess_k12.score", "score"),
        ("diffek3.f", "f"),
        ("numba_xxdot", "numba_xxdot"),
        ("cblas_k1.x", "cblas_k1.x"),
        ("_ZN", "_ZN"),
    ],
)
def test_readable_names(symbol: str, name: str) -> None:
    assert readable_name(symbol) == name


def test_diagnostics_are_taken_apart() -> None:
    log = (
        "LLVM says something first\n"
        "remark: a.py:3:1: Load may need caching   %1 = load\n"
        "error: C:/b.py:7:2: in function preprocess_k1.f double (double): Enzyme: No x\n more\n"
        "warning: <unknown>:0:0: careful\n"
    )
    first, remark, error, warning = diagnostics_in(log)
    assert first.text == "LLVM says something first"
    assert (remark.severity, remark.file, remark.line) == ("remark", "a.py", 3)
    assert (error.file, error.line, error.function) == ("C:/b.py", 7, "f")
    assert error.text == "No x\n more"
    assert (warning.file, warning.line, warning.text) == (None, None, "careful")
