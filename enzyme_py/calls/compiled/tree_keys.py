"""Reading a dict in a kernel: `p["weights"]`, `"bias" in p`, `p.values()` of the named tuple that stands for it (trees.py)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import overload

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.trees import structure_behind
from enzyme_py.transforms.plans.structures import listed, written


def _keys(tree: Any) -> tuple[str, ...] | None:
    """Return the keys of the dict that a type stands for."""
    structure = structure_behind(tree)
    is_dict = structure is not None and issubclass(structure.kind, dict)
    return structure.keys if structure is not None and is_dict else None


# Not strict: annotations would count as a difference.
@overload(operator.getitem, strict=False, prefer_literal=True)
def _getitem(tree: Any, key: Any) -> Callable[..., Any] | None:
    keys = _keys(tree)
    if keys is None or isinstance(key, types.Integer):  # a number: of code of this package (containers/tree_reads.py)
        return None
    if not isinstance(key, types.StringLiteral):
        message = "a kernel reads a dict by a key that is not written there"
        raise UnsupportedTypeError(message, remedy="write the key, p['name'], or go through p.values()")
    if key.literal_value not in keys:
        message = f"a kernel reads the key {key.literal_value!r} of a dict that has {', '.join(map(repr, keys))}"
        raise UnsupportedTypeError(message, remedy="pass a dict that has it")
    return written("tree, key", f"tree[{keys.index(key.literal_value)}]", {})


def _contains(tree: Any, key: Any) -> Callable[..., Any] | None:
    keys = _keys(tree)
    if keys is None:
        return None
    if not isinstance(key, types.StringLiteral):
        message = "a kernel asks a dict for a key that is not written there"
        raise UnsupportedTypeError(message, remedy='write the key: `"name" in p`')
    return written("tree, key", str(key.literal_value in keys), {})


for _target in ("cpu", "enzyme"):  # before Numba's own, which compares the key with the values
    overload(operator.contains, strict=False, prefer_literal=True, target=_target)(_contains)


def values(tree: Any) -> Any:
    """Return the values of a dict; in compiled code."""
    return parts_of_tree(tree)


def parts_of_tree(tree: Any) -> Any:
    """Stand for the plain tuple of a named tuple's parts."""


@overload(parts_of_tree, strict=False)
def _parts(tree: Any) -> Callable[..., Any]:
    return written("tree", listed([f"tree[{i}]" for i in range(len(tree))]), {})


def member_of_dict(name: str) -> Callable[..., Any]:
    """Return the function that stands for a method of dicts."""
    if name == "values":
        return values
    message = f"a kernel calls `{name}` of a dict"
    raise UnsupportedTypeError(message, remedy="read it by the keys that are written there, p['name'], or take p.values()")
