"""What a reverse sweep takes and puts back: nothing is added to a zero that was just stored."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme_py.llvm import Module
from enzyme_py.native.rewrites.sums.put_back import put_back
from enzyme_py.native.rewrites.sums.reverse_sums import allow_any_order
from tests.native.sums.running import run

# The reverse sweep of d[i] += 3 b[i], which needs nothing of d: what it adds to b goes there.
TEXT = """
define double @f(ptr %d, ptr %b, i64 %n, double %start) {
entry:
  br label %invertBody

invertBody:
  %i = phi i64 [ 0, %entry ], [ %next, %invertBody ]
  %change = phi double [ %start, %entry ], [ %same, %invertBody ]
  %"p'" = getelementptr double, ptr %d, i64 %i
  %q = getelementptr double, ptr %b, i64 %i
  %taken = load double, ptr %"p'", align 8
  store double 0.000000e+00, ptr %"p'", align 8
  BETWEEN
  %old = load double, ptr %"p'", align 8
  %back = fadd double %old, TERM
  store double %back, ptr %"p'", align 8
  %times = fmul double %taken, 3.0
  %before = load double, ptr %q, align 8
  %behind = fadd double %before, %times
  store double %behind, ptr %q, align 8
  %same = fadd double %change, 0.000000e+00
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %invertBody

done:
  ret double %same
}
"""


def made(between: str = "", term: str = "%taken") -> str:
    return TEXT.replace("BETWEEN", between).replace("TERM", term)


def rewritten(text: str) -> str:
    code = Module(text)
    allow_any_order(code)
    put_back(code)
    return str(code)


@pytest.mark.parametrize("term", ["%taken", "%start"])
@pytest.mark.parametrize(
    "between", ["", "%u_unwrap = load double, ptr %q, align 8", "%u = call double @llvm.fabs.f64(double %taken)"]
)
def test_the_same_numbers(term: str, between: str) -> None:
    declared = "declare double @llvm.fabs.f64(double)\n"
    after = rewritten(made(between, term) + declared)
    assert after.count("store double") == (1 if term == "%taken" else 2)
    assert "store double 0.0" not in after
    for count in (1, 2, 100):
        given = [[np.arange(1.0, count + 1), np.ones(count)] for _ in range(2)]
        for arrays, text in zip(given, (made(between, term) + declared, after), strict=True):
            assert run(text, *arrays, 7.0) == 7.0
        np.testing.assert_array_equal(given[0], given[1])
        np.testing.assert_array_equal(given[1][1], 1.0 + 3.0 * np.arange(1.0, count + 1))


def test_what_never_changes_is_not_carried() -> None:
    assert "phi double" not in rewritten(made())


@pytest.mark.parametrize(
    "between",
    [
        "%u = load double, ptr %q, align 8",  # may be the same place
        "store double 1.0, ptr %q, align 8",
        "call void @g()",
    ],
)
def test_what_may_see_the_zero_keeps_it(between: str) -> None:
    assert "store double 0.0" in rewritten(made(between) + "declare void @g()\n")


def test_a_primal_block_is_left_alone() -> None:
    text = made().replace("invertBody", "body")
    assert rewritten(text) == str(Module(text))


# A second order: the tangents of all that lies beside the adjoints, each in an array of its own; what is read between is the primal's.
SCOPES = """
!0 = distinct !{!0, !1, !"tangents of adjoints"}
!1 = distinct !{!1, !"a domain"}
!2 = distinct !{!2, !1, !"adjoints"}
!3 = !{!0, !4}
!4 = distinct !{!4, !5, !"of another domain"}
!5 = distinct !{!5, !"another domain"}
!6 = !{!2, !4}
!7 = !{!2}
!8 = !{!0}
!9 = !{!10, !10, i64 0}
!10 = !{!"double", !11, i64 0}
!11 = !{!"C"}
"""
SECOND = """
define double @f(ptr %d, ptr %b, i64 %n, double %start) {
entry:
  br label %invertBody

invertBody:
  %i = phi i64 [ 0, %entry ], [ %next, %invertBody ]
  %p.t = getelementptr double, ptr %b, i64 %i
  %"p'ipg_unwrap.i" = getelementptr double, ptr %d, i64 %i
  %"p'ipg_unwrap'ipg.i" = getelementptr double, ptr %p.t, i64 %n
  %taken.t = load double, ptr %"p'ipg_unwrap'ipg.i", align 8, OF_TANGENT
  %taken = load double, ptr %"p'ipg_unwrap.i", align 8, OF_ADJOINT
  store double 0.000000e+00, ptr %"p'ipg_unwrap'ipg.i", align 8, OF_TANGENT
  store double 0.000000e+00, ptr %"p'ipg_unwrap.i", align 8, OF_ADJOINT
  %same = fadd double %taken, 0.000000e+00
  NAME = load double, ptr %p.t, align 8
  %old.t = load double, ptr %"p'ipg_unwrap'ipg.i", align 8, OF_TANGENT
  %old = load double, ptr %"p'ipg_unwrap.i", align 8, OF_ADJOINT
  %back.t = fadd double %old.t, %taken.t
  %back = fadd double %old, %same
  store double %back.t, ptr %"p'ipg_unwrap'ipg.i", align 8, OF_TANGENT
  store double %back, ptr %"p'ipg_unwrap.i", align 8, OF_ADJOINT
  %more = fadd double NAME, %taken
  store double %more, ptr %p.t, align 8
  %next = add nuw nsw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %invertBody

done:
  ret double %taken
}
"""
READ = "%\"x_unwrap'ipl.i\""


def second(name: str = READ, of_adjoint: str = "!alias.scope !6, !noalias !8") -> str:
    text = SECOND.replace("NAME", name).replace("OF_ADJOINT", of_adjoint)
    return text.replace("OF_TANGENT", "!alias.scope !3, !noalias !7") + SCOPES


def test_adjoints_and_their_tangents() -> None:
    after = rewritten(second())
    assert after.count("store double") == 1
    d, b = np.arange(1.0, 8.0), np.arange(2.0, 16.0)
    assert run(after, d, b, 0.0) == 7.0
    np.testing.assert_array_equal(d, np.arange(1.0, 8.0))
    np.testing.assert_array_equal(b, [*(2.0 * np.arange(1.0, 8.0) + 1.0), *np.arange(9.0, 16.0)])


@pytest.mark.parametrize(
    "text",
    [
        second("%\"x'ipl_unwrap.i\""),  # a shadow, read once more
        second("%\"x'ipl.i\""),
        second("%x"),
        second(of_adjoint="!tbaa !9"),  # an array that the tangents may lie in
        second().replace("!7 = !{!2}", "!7 = !{!0}").replace("!8 = !{!0}", "!8 = !{!2}"),
    ],
)
def test_what_may_be_the_same_array_keeps_its_zeros(text: str) -> None:
    assert "store double 0.0" in rewritten(text)
