"""The switch that believes no short name: it lets right ones pass, and finds a planted wrong one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.finished import search
from enzyme_py.finished.comparing import KeyMismatchError
from enzyme_py.settings import config

SOURCE = """
import numpy as np
def f(x):
    return np.sum(x**2) * {rate}
"""


def gradient(rate: float, lines: int = 0) -> Any:
    """Return what the gradient of a kernel of this rate computes, by a kernel that is new to the process."""
    scope: dict[str, Any] = {"__name__": "a_module_of_the_user"}
    exec("\n" * lines + SOURCE.format(rate=rate), scope)
    return enzyme.grad(scope["f"])(np.array([1.0, 2.0])).tolist()


def outcome() -> str:
    return search.looks()[-1].outcome


def test_right_names_pass(tmp_path) -> None:
    with config(cache_dir=tmp_path, compare_keys=True):
        for lines in (0, 7):  # where the kernel stands makes no difference
            assert gradient(3.0, lines) == [6.0, 12.0]
            assert outcome() == "kept"
    with config(cache_dir=tmp_path):
        assert gradient(3.0) == [6.0, 12.0]
        assert outcome() == "found"


def test_a_name_that_misses_something_is_told(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "key_of", lambda *given: "0" * 64)  # every kernel is the same
    with config(cache_dir=tmp_path, compare_keys=True):
        assert gradient(3.0) == [6.0, 12.0]
        with pytest.raises(KeyMismatchError, match="compiled from other code"):
            gradient(4.0)
    with config(cache_dir=tmp_path):
        assert gradient(4.0) == [6.0, 12.0]  # and without the switch it would be wrong without a word
