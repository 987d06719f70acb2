"""The report on a derivative: figures that can be counted by hand, and its page in a browser."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.__main__ import main
from enzyme_py.errors import EnzymeError
from enzyme_py.inspect import Report, report
from enzyme_py.inspect.report.advice import _checkpoints, states_for
from tests.inspect.browser import opened
from tests.inspect.report_kernels import heat, kinked, mixed, uneven, with_dict, with_wrong_rule

ROOT = Path(__file__).parent.parent.parent
SIZE, STEPS = 446, 30  # 8 * 446 bytes and their header fill a block of the heap


def line_of(function, text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(number for number, line in enumerate(lines) if text in line)


@pytest.fixture(scope="module")
def heated() -> Report:
    return report(heat, np.linspace(0.0, 1.0, SIZE), STEPS, advice=False)


def row(found: Report, function, text: str) -> dict:
    wanted = line_of(function, text)
    return next(one for one in found.data["lines"] if one["line"] == wanted)


def test_the_tape_adds_up_to_what_memory_measures(heated: Report) -> None:
    kept = sum(one["tape"]["bytes"] for one in heated.data["lines"])
    whole = enzyme.inspect.memory(heat, np.linspace(0.0, 1.0, SIZE), STEPS)
    assert 0.9 * whole.tape <= kept <= whole.tape
    assert heated.data["memory"]["tape_by_line"] == kept
    assert heated.data["memory"]["tape"] == whole.tape
    assert max(size for _, size in heated.data["memory"]["past"]) >= kept


def test_a_line_is_iterations_times_bytes(heated: Report) -> None:
    """A copy in each step and a pointer to it, which the inner loop reads again; the array that is summed, at the end."""
    copies, update = row(heated, heat, "v = u.copy()"), row(heated, heat, "u[i] = v[i]")
    assert copies["tape"]["bytes"] == STEPS * (8 * SIZE + 8)
    assert copies["tape"]["each"] == {"iterations": STEPS, "bytes": 8 * SIZE + 8}
    assert copies["runs"] == STEPS
    assert update["runs"] == STEPS * (SIZE - 2)
    assert update["tape"]["bytes"] == 0
    assert row(heated, heat, "np.sum")["tape"]["each"] == {"iterations": SIZE, "bytes": 8}
    assert row(heated, heat, "for _ in range")["runs"] == STEPS


def test_why_a_value_is_kept_names_the_line_that_writes_it(heated: Report) -> None:
    """What is copied is written again by the update."""
    said = row(heated, heat, "v = u.copy()")["why"]
    assert {one["kind"] for one in said} == {"overwritten", "kept"}
    assert {one["by_line"] for one in said if one["kind"] == "overwritten"} == {line_of(heat, "u[i] = v[i]")}


def test_code_lies_beside_its_lines(heated: Report) -> None:
    data = heated.data
    update = next(n for n, one in enumerate(data["lines"]) if "u[i] = v[i]" in one["text"])
    for name in ("primal", "derivative", "assembly"):
        own = [text for index, _, text in data["listings"][name] if index == update]
        assert any("fmul" in text or "mulpd" in text or "fmadd" in text for text in own), name
    assert any(is_reverse for _, is_reverse, _ in data["listings"]["derivative"])


def test_the_derivative_agrees_with_differences(heated: Report) -> None:
    (one,) = heated.data["health"]["arguments"]
    assert one["argument"] == "start" and one["verdict"] == "agrees"
    assert heated.data["health"]["nan"] is None


def test_json_comes_back_as_it_went(heated: Report, tmp_path: Path) -> None:
    path = heated.save(tmp_path / "heat.json")
    assert json.loads(path.read_text()) == heated.data
    assert heated.against(path).changes() == []
    with pytest.raises(EnzymeError, match="make it anew"):
        heated.against({"schema": "enzyme_py.report/0"})
    path.write_text("{")
    with pytest.raises(EnzymeError, match="is no report"):
        heated.against(path)


def test_a_change_is_told_by_line(heated: Report) -> None:
    earlier = json.loads(heated.json())
    copies = next(one for one in earlier["lines"] if one["text"].strip() == "v = u.copy()")
    copies["tape"]["bytes"] *= 2
    copies["line"] += 7  # the function stood elsewhere
    (change,) = heated.against(earlier).changes()
    now = row(heated, heat, "v = u.copy()")
    assert change[:3] == (now["line"], "v = u.copy()", "tape")
    assert change.before == 2 * change.after == 2 * now["tape"]["bytes"]
    assert "changed" in str(heated.against(earlier))


def test_the_page_needs_nothing_else(heated: Report) -> None:
    page = heated.html().replace('xmlns="http://www.w3.org/2000/svg"', "")
    for word in ("http:", "https:", " src=", "href=", "@import", "url("):
        assert word not in page, word
    assert "srcdoc" in heated._repr_html_()


def test_colour_is_for_those_who_want_it(heated: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in heated.text(colour=True)
    assert "\x1b[" not in str(heated)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in heated.text()


def test_hovering_a_line_shows_its_code_and_back(heated: Report, tmp_path: Path) -> None:
    path = heated.save(tmp_path / "heat.html")
    update = next(n for n, one in enumerate(heated.data["lines"]) if "u[i] = v[i]" in one["text"])
    copies = next(n for n, one in enumerate(heated.data["lines"]) if "v = u.copy()" in one["text"])
    with opened(path, tmp_path / "profile") as page:
        page.hover(f'tr.line[data-l="{update}"] td.code')
        for name in ("primal", "derivative", "assembly"):
            lit = page.value(f"Array.from(document.querySelectorAll('#pane-{name} .lit')).map(e => e.textContent)")
            assert lit == [text for index, _, text in heated.data["listings"][name] if index == update], name
        assert "two" not in page.value("document.getElementById('detail').innerText")
        page.hover(f'#pane-derivative div[data-l="{copies}"]')
        assert page.value("document.querySelector('tr.line.lit').dataset.l") == str(copies)
        writer = f"line {line_of(heat, 'u[i] = v[i]')} writes it"
        assert writer in page.value("document.getElementById('detail').innerText")
        # The column of the tape, as a reader adds it up.
        shown = page.value("Array.from(document.querySelectorAll('td.bar.tape')).map(e => e.textContent)")
        units = {"bytes": 1, "kB": 1e3, "MB": 1e6}
        total = sum(float(one.split()[0]) * units[one.split()[1]] for one in shown if one)
        assert 0.9 * heated.data["memory"]["tape"] <= total <= 1.01 * heated.data["memory"]["tape"]


def test_what_is_active_constant_and_mixed_and_a_planted_mistake() -> None:
    """`y` is Const, and the result moves with it: by (exp(y) tan(x) - 2 sin(y)) along each direction."""
    found = report(mixed, 0.7, enzyme.Const(0.4), times=False, advice=False)
    assert row(found, mixed, "np.cos(y)")["activity"] == "constant"
    assert row(found, mixed, "np.sin(x)")["activity"] == "mixed"
    assert row(found, mixed, "np.tan(x)")["activity"] in ("active", "mixed")
    assert row(found, mixed, "np.tan(x)")["since"]["arguments"] == ["x"]
    x, y = found.data["health"]["arguments"]
    assert (x["verdict"], y["verdict"]) == ("agrees", "ignored")
    slope = np.exp(0.4) * np.tan(0.7) - 2 * np.sin(0.4)
    assert 0.5 * 0.4 * abs(slope) <= abs(y["differences"]) <= 0.4 * abs(slope)
    assert "The result moves with `y`" in found.html().replace("Const: the", "The")
    assert "give it without Const" in str(found)
    assert {call["name"] for call in row(found, mixed, "np.sin(x)")["calls"]} >= {"exp"}


def test_time_goes_to_the_line_that_takes_it() -> None:
    found = report(uneven, np.linspace(0.1, 1.0, 2000), checks=False, advice=False)
    if found.data["notes"]:
        pytest.skip(found.data["notes"][0])
    # Shares of one run: that of the primal is measured by itself, and a busy machine may have slowed it down.
    light, heavy = (one["forward"] + one["reverse"] for one in (row(found, uneven, f"{name} += ")["seconds"] for name in ("light", "heavy")))
    assert heavy > 4 * light > 0
    assert light + heavy <= found.data["time"]["sampled"]["derivative"] * (1 + 1e-12)


def test_a_wrong_rule_is_seen_and_a_kink_is_not_called_wrong() -> None:
    """A rule that says 3 for the slope of x^2, which is 3 at 1.5 only."""
    found = report(with_wrong_rule, 2.0, 1.0, times=False, advice=False)
    x, y = found.data["health"]["arguments"]
    assert (x["verdict"], y["verdict"]) == ("differs", "agrees")
    assert x["derivative"] / x["differences"] == pytest.approx(0.75)
    assert "wrong: the slope by `x`" in str(found)
    plain = report(kinked, 0.0, times=False, advice=False)
    assert plain.data["health"]["arguments"][0]["verdict"] == "undecided"


PAIR = {"a": np.linspace(0.1, 1.0, 5), "b": np.ones(5)}


@pytest.mark.parametrize(
    ("kernel", "given", "mode", "order"),
    [
        (with_dict, (PAIR,), enzyme.Reverse, 1),
        pytest.param(mixed, (0.7, 0.4), enzyme.Forward, 2, marks=pytest.mark.full),
        pytest.param(mixed, (0.7, 0.4), enzyme.Reverse, 2, marks=pytest.mark.full),
        pytest.param(heat, (np.linspace(0.0, 1.0, 20), 3), enzyme.Forward, 1, marks=pytest.mark.full),
    ],
)
def test_other_modes_orders_and_arguments(kernel, given, mode, order) -> None:
    found = report(kernel, *given, mode=mode, order=order, times=False, advice=False)
    assert {one["verdict"] for one in found.data["health"]["arguments"]} == {"agrees"}
    assert (found.data["memory"]["tape"] is None) == (mode is enzyme.Forward)
    found.html()


def test_without_code_with_lines_there_is_still_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("enzyme_py.native.lined.emitting._PROGRAM", "import os; os.abort()")
    found = report(kinked, 1.0, checks=False, advice=False)
    assert any("no code with lines" in one for one in found.data["notes"])
    assert found.data["listings"]["assembly"] == [] and found.data["listings"]["derivative"]
    assert row(found, kinked, "abs(x)")["activity"] == "active"
    found.html()


def test_advice_counts_states_by_the_formula() -> None:
    """Steps that s states reach when none is run more than twice again: (s + 1)(s + 2) / 2."""
    for steps in (3, 4, 10, 11, 2000, 10**6):
        states = states_for(steps)
        assert (states + 1) * (states + 2) // 2 >= steps
        assert states == 1 or states * (states + 1) // 2 < steps


def test_advice_to_checkpoint_says_what_would_be_held() -> None:
    """A loop that keeps 8 MB in 1000 iterations: 44 states, steps of two iterations, and six times the arguments."""
    line = {"file": "f.py", "line": 4, "text": "    for _ in range(n):", "runs": 1000, "tape": {"bytes": 0}}
    kept = {**line, "line": 5, "text": "        u = v", "tape": {"bytes": 8_000_000}}
    data = {"functions": [{"file": "f.py", "loops": [[4, 5]]}], "lines": [line, kept], "arguments": [{"bytes": 8000}]}
    (one,) = _checkpoints(data)
    states = states_for(500)
    assert one["after"]["tape"] == states * 8000 + 2 * 8000 + 6 * 8000
    assert "in steps of 2 iterations" in one["text"] and not one["is_measured"]
    data["arguments"][0]["bytes"] = 1_000_000  # whose copies are most of what is kept
    assert not list(_checkpoints(data))


def test_the_command_writes_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, file = tmp_path / "f.html", tmp_path / "f.json"
    where = f"{inspect.getsourcefile(kinked)}:kinked"
    assert main(["inspect", where, "1.5", "--html", str(page), "--json", str(file)]) == 0
    said = capsys.readouterr().out
    assert "Reverse of `kinked`" in said and str(page) in said
    assert json.loads(file.read_text())["kernel"] == "kinked"
    assert page.read_text().startswith("<!doctype html>")
    assert main(["inspect", where, "1.5", "--compare", str(page)]) == 1


@pytest.mark.full
def test_the_figures_can_be_made() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.inspecting", "--short"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| checkpoint the loop at") >= 1 and done.stdout.count("## ") == 3


def test_what_cannot_be_asked() -> None:
    with pytest.raises(EnzymeError, match="needs arguments"):
        report(heat)
    with pytest.raises(EnzymeError, match="that is not Const"):
        report(mixed, enzyme.Const(1.0), enzyme.Const(2.0))
    with pytest.raises(EnzymeError, match="from 1 to 4"):
        report(mixed, 1.0, 2.0, order=0)
    with pytest.raises(EnzymeError, match="Forward or Reverse"):
        report(mixed, 1.0, 2.0, mode=enzyme.ReverseSplitNoPrimal)
