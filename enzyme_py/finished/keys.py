"""The name of a finished derivative: a digest of all that its compilation can depend on, told without compiling.

    key_of(plan, function, kinds)

* the plan: which transform, with which options, of which kernel; the kernel by content (foundations/content/function_content.py);
* the types of the arguments;
* the runner: its parameters and defaults, and what it captured;
* versions, processor, settings, what Numba was taught (surroundings.py).

What cannot be told raises `NotHashable` with the reason; such a call takes the long way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme_py.finished.surroundings import surroundings
from enzyme_py.frontend.functions.content import content_of


def key_of(plan: Any, function: Any, kinds: Sequence[Any]) -> str:
    """Return the name of a plan's code for arguments of these types; `function` is what runs the plan."""
    return content_of(surroundings(), plan, function, tuple(kinds))
