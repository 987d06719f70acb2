"""Kernels that are written as text."""

from __future__ import annotations

import linecache
from typing import Any


def executed(source: str, name: str, scope: dict[str, Any]) -> dict[str, Any]:
    """Run a text under a name, so that error messages can show its lines; return the names that are defined then."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), scope)
    return scope
