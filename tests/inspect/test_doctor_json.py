"""`doctor --json`: the keys that docs/installing.md names, and that nobody's home folder is in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from enzyme_py.__main__ import main
from enzyme_py.settings import config

ROOT = Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r"^\| `([\w.\[\]]+)` \| (number|text|flag|object|list) \|", re.MULTILINE)
KINDS = {"number": int, "text": str, "flag": bool, "object": dict, "list": list}


def told(capsys: pytest.CaptureFixture[str], status: int) -> dict[str, Any]:
    assert main(["doctor", "--json"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def at(found: Any, path: str) -> Any:
    for part in path.split("."):
        name, is_list, _ = part.partition("[]")
        found = found[name][0] if is_list else found[name]
    return found


def test_the_keys_are_those_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, 0)
    rows = ROW.findall((ROOT / "docs" / "installing.md").read_text())
    for path, kind in rows:
        assert type(at(found, path)) is KINDS[kind], path
    assert {path for path, _ in rows if "." not in path} == set(found)
    assert found["schema"] == 1
    assert found["ok"] is True
    assert "numba" in found["packages"]
    assert {one["name"] for one in found["checks"]} >= {"host", "derivative", "cache"}


def test_what_is_broken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with config(host="/bin/true"):
        found = told(capsys, 1)
    assert found["ok"] is False
    assert found["settings"]["host"] == "/bin/true"
    broken = {one["name"]: one["text"] for one in found["checks"] if not one["ok"]}
    assert "/bin/true has no Enzyme in it" in broken["server"]


def test_the_home_folder_is_not_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with config(cache_dir=tmp_path / "cache"):
        found = told(capsys, 0)
    assert found["settings"]["cache_dir"] == "~/cache"
    assert str(tmp_path) not in json.dumps(found)
