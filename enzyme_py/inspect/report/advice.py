"""Advice with figures: what was measured of the derivative as it is, and of the same with one thing changed."""

from __future__ import annotations

from typing import Any

from enzyme_py.inspect.report.question import Question


def given(question: Question, data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what could be better, the most worthwhile first."""
    return []
