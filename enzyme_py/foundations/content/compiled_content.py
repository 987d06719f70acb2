"""What functions did when they were compiled: Numba keeps the globals that it found then, and functions may name others now."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from enzyme_py.foundations.content.function_content import content_of
from enzyme_py.foundations.content.names import NotHashable
from enzyme_py.foundations.keeping import made_of

_TABLE = "contents"


def note_content(function: Any, compilation: Hashable) -> None:
    """Take note of what a function does that is being compiled."""
    try:
        content = content_of(function)
    except NotHashable:
        content = None
    made_of(function, _TABLE).setdefault(compilation, content)


def is_as_compiled(function: Any) -> bool:
    """Tell whether a function does what it did each time that it was compiled."""
    if not hasattr(function, "__dict__"):
        return True
    noted = set(made_of(function, _TABLE).values())
    return not noted or noted == {content_of(function)}
