"""Accesses that metadata tell apart: all scopes of one domain have to be named."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Module
from enzyme_py.llvm.analyses.alias_scopes import AliasScopes

TEXT = """\
define void @f(ptr %p, ptr %q) {
  %one = load double, ptr %p, !alias.scope !0, !noalias !1
  %two = load double, ptr %p, !alias.scope !2, !noalias !3
  ret void
}
!0 = !{FIRST_HAS}
!1 = !{FIRST_MEETS_NOT}
!2 = !{SECOND_HAS}
!3 = !{SECOND_MEETS_NOT}
!4 = distinct !{!4, !8, !"a of the first domain"}
!5 = distinct !{!5, !8, !"b of the first domain"}
!6 = distinct !{!6, !9, !"a of the second domain"}
!7 = distinct !{!7, !9, !"b of the second domain"}
!8 = distinct !{!8, !"the first domain"}
!9 = distinct !{!9, !"the second domain"}
"""


@pytest.mark.parametrize(
    ("first", "second", "is_apart"),
    [
        (("!4", ""), ("!5", "!4"), True),
        (("!4", "!5"), ("!5", ""), True),  # either way
        (("!4", ""), ("!5", ""), False),  # nobody says it
        (("!4", ""), ("", "!5, !6"), False),
        (("!4, !5", ""), ("", "!4"), False),  # it may be what the other scope is of
        (("!4, !5", ""), ("", "!5, !4"), True),
        (("!4, !6", ""), ("", "!4"), True),  # the second domain is another matter
        (("!4, !5, !6", ""), ("", "!4, !7"), False),
        (("!4, !5, !6", ""), ("", "!4, !6"), True),
        (("", ""), ("", ""), False),
    ],
)
def test_domains(first: tuple[str, str], second: tuple[str, str], is_apart: bool) -> None:
    text = TEXT.replace("FIRST_HAS", first[0]).replace("FIRST_MEETS_NOT", first[1])
    code = Module(text.replace("SECOND_HAS", second[0]).replace("SECOND_MEETS_NOT", second[1]))
    one, other, _ = code.function("f").instructions
    scopes = AliasScopes(code)
    assert scopes.tell_apart(one, other) == is_apart
    assert scopes.tell_apart(other, one) == is_apart
    assert not scopes.tell_apart(one, one)


def test_without_metadata() -> None:
    code = Module("define void @f(ptr %p) {\n  %one = load double, ptr %p\n  ret void\n}\n")
    one, _ = code.function("f").instructions
    assert not AliasScopes(code).tell_apart(one, one)
