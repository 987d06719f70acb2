"""The traps of Enzyme: the bare pass still falls into each of them, in the way that its file says."""

from __future__ import annotations

from pathlib import Path

import pytest

import enzyme_py
from tests.passes.switches import OTHERS, leave_out
from tests.rotation import sweep
from tests.traps.document import DOCUMENT
from tests.traps.trap import SYMPTOMS, Trap, Verdict, judged, read, traps

_SOURCES = sorted(Path(enzyme_py.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("trap", sweep(traps(), 4), ids=lambda trap: trap.name)  # another release of Enzyme needs all of them
def test_the_bare_pass_falls_into_it(trap: Trap) -> None:
    """And differences agree with the answer that is said to be right."""
    assert trap.keys["symptom"] in SYMPTOMS
    verdict = judged(trap)
    assert verdict.kind == trap.keys["symptom"], verdict
    assert not verdict.differences, verdict


@pytest.mark.parametrize("trap", traps(), ids=lambda trap: trap.name)
def test_its_cure_is_there(trap: Trap) -> None:
    """A file is named by the end of its path, an option as it is given."""
    for cure in (one.strip() for one in trap.keys["cure"].split(",")):
        name = cure if cure.endswith(".py") else f"{cure}.py"
        files = [one for one in _SOURCES if str(one).endswith(f"/{name}")]
        given = [one for one in _SOURCES if f'"{cure}"' in one.read_text(encoding="utf-8")]
        assert files or (cure.startswith("--") and given), cure


def test_the_document_names_all_of_them() -> None:
    told = DOCUMENT.read_text(encoding="utf-8")
    assert [one.name for one in traps() if f"| `{one.name}` |" not in told] == []


@pytest.mark.parametrize("name", OTHERS)
def test_a_cure_that_no_table_has_can_be_left_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it is made of is still there."""
    leave_out(name, monkeypatch.setattr)


def test_no_other_cure_can(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="no table has a pass"):
        leave_out("a cure that nobody wrote", monkeypatch.setattr)


def test_what_the_pass_does_right_is_mended(tmp_path: Path) -> None:
    """And a right answer that is none is told by the differences."""
    square = """; what:    a square
; symptom: wrong
; call:    x = [3.0], dx = [0.0]
; right:   dx = [ANSWER]
; of:      f, reverse
define double @f(ptr %x) {
  %v = load double, ptr %x
  %y = fmul double %v, %v
  ret double %y
}
define void @derivative(ptr %x, ptr %dx) {
  call void (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx)
  ret void
}
declare void @__enzyme_autodiff(ptr, ...)
"""

    def verdict(answer: str) -> Verdict:
        path = tmp_path / "square.ll"
        path.write_text(square.replace("ANSWER", answer), encoding="utf-8")
        return judged(read(path))

    assert verdict("6.0") == Verdict("right")
    wrong = verdict("5.0")
    assert wrong.kind == "wrong" and wrong.differences == "dx = [6.0]"
