"""From what stands in the place of data to pieces: a list, each item of which is one piece, or gives one when it is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from enzyme_py.errors import AnnotationError

REMEDY = (
    "give a Dask array cut along its first axis, a Dask bag, a list with one item for each piece, "
    "or a tuple of such"
)


@dataclass(frozen=True)
class Pieces:
    """The pieces of one argument; `holds_many` if each is a partition with several of the kernel's."""

    items: Sequence[Any]
    holds_many: bool = False


def pieces_of(value: Any, name: str) -> Pieces:
    """Return the pieces of what was given for a parameter."""
    if isinstance(value, list):
        return Pieces(value)
    if isinstance(value, tuple):
        parts = [_alone(one, name) for one in value]
        items = [_like(value, one) for one in zip(*same_count(parts, name), strict=True)]
        return Pieces(items)
    if isinstance(value, dict):
        parts = [_alone(one, name) for one in value.values()]
        return Pieces([dict(zip(value, one, strict=True)) for one in zip(*same_count(parts, name), strict=True)])
    kind = dask_kind(value)
    if kind == "Array":
        return Pieces(_chunks(value, name))
    if kind == "Bag":
        return Pieces(value.to_delayed(), holds_many=True)
    if kind in ("Delayed", "Future"):
        return Pieces([value])
    if kind in ("DataFrame", "Series"):
        message = f"`{name}` is a Dask {kind}, whose pieces are tables"
        raise AnnotationError(message, remedy="pass its numbers: table.to_dask_array(), or a column's")
    raise AnnotationError(f"`{name}` is {_shown(value)}, which is not cut into pieces", remedy=_remedy(value, name))


def same_count(parts: Sequence[Pieces], name: str) -> list[Sequence[Any]]:
    """Return the items of collections that belong together, or raise where their numbers differ."""
    counts = [len(one.items) for one in parts]
    if len(set(counts)) > 1:
        said = " and ".join(map(str, counts))
        message = f"what belongs together is cut into {said} pieces, in `{name}`"
        raise AnnotationError(message, remedy="cut all of them alike: y.rechunk(X.chunks[0])")
    return [one.items for one in parts]


def _alone(value: Any, name: str) -> Pieces:
    found = pieces_of(value, name)
    if found.holds_many:
        message = f"`{name}` has a Dask bag beside others: the items of its partitions cannot be told to belong to them"
        raise AnnotationError(message, remedy="make a bag of tuples, dask.bag.zip(a, b), or pass lists of delayed values")
    return found


def _like(value: tuple[Any, ...], parts: tuple[Any, ...]) -> Any:
    return type(value)(*parts) if hasattr(value, "_fields") else parts


def dask_kind(value: Any) -> str:
    """Return the name of the class if it is one of Dask's, which need not be imported for that."""
    for one in type(value).__mro__:
        if one.__module__.partition(".")[0] in ("dask", "distributed", "dask_expr"):
            return one.__name__
    return ""


def _chunks(array: Any, name: str) -> list[Any]:
    if array.ndim == 0:
        raise AnnotationError(f"`{name}` is a Dask array without an axis to cut", remedy="pass it as a number: x.compute()")
    if any(count != 1 for count in array.numblocks[1:]):
        message = f"`{name}` is a Dask array cut along more than its first axis: {'x'.join(map(str, array.numblocks))} chunks"
        whole = ", ".join(f"{axis}: -1" for axis in range(1, array.ndim))
        raise AnnotationError(message, remedy=f"rechunk it: {name}.rechunk({{{whole}}}), or read it in such chunks")
    found: list[Any] = array.to_delayed().ravel().tolist()
    return found


def _shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"one array of shape {value.shape}"
    return f"of type {type(value).__name__}"


def _remedy(value: Any, name: str) -> str:
    if isinstance(value, np.ndarray):
        return f"cut it: list(np.array_split({name}, 8)), or dask.array.from_array({name}, chunks=(1000, -1))"
    return REMEDY


def check_rows(names: Sequence[str], values: Sequence[Any]) -> None:
    """Raise where Dask arrays that belong together are cut at different rows; rows that Dask does not know are not looked at."""
    first: tuple[str, Any] | None = None
    for name, value in zip(names, values, strict=True):
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
        for part in inside:
            if dask_kind(part) != "Array" or any(np.isnan(part.chunks[0])):
                continue
            if first is None:
                first = name, part.chunks[0]
            elif first[1] != part.chunks[0]:
                message = f"`{first[0]}` and `{name}` are cut at different rows: {_sizes(first[1])} and {_sizes(part.chunks[0])}"
                remedy = "cut both alike: y.rechunk(X.chunks[0]); what has no rows of its own, pass as a list with an item for each piece"
                raise AnnotationError(message, remedy=remedy)


def _sizes(chunks: Sequence[int]) -> str:
    said = ", ".join(map(str, chunks[:4]))
    return f"{said}, ..." if len(chunks) > 4 else said
