"""Reading a dict in a kernel: `p["weights"]` of the named tuple that stands for it (see trees.py)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import overload

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.trees import structure_of
from enzyme_py.transforms.plans.structures import written


def _keys(tree: Any) -> tuple[str, ...] | None:
    """Return the keys of the dict that a type stands for."""
    structure = structure_of(getattr(tree, "instance_class", None))
    is_dict = structure is not None and issubclass(structure.kind, dict)
    return structure.keys if structure is not None and is_dict else None


# Not strict: annotations would count as a difference.
@overload(operator.getitem, strict=False, prefer_literal=True)
def _getitem(tree: Any, key: Any) -> Callable[..., Any] | None:
    keys = _keys(tree)
    if keys is None or not isinstance(key, types.StringLiteral):
        return None
    if key.literal_value not in keys:
        message = f"a kernel reads the key {key.literal_value!r} of a dict that has {', '.join(map(repr, keys))}"
        raise UnsupportedTypeError(message, remedy="pass a dict that has it")
    return written("tree, key", f"tree[{keys.index(key.literal_value)}]", {})
