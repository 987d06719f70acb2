"""Types as LLVM writes them: text such as `i64`, `ptr` or `[4 x double]`, and what can be asked of it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "fp128": 16, "x86_fp80": 16, "ptr": 8}
FLOATS = frozenset(("half", "bfloat", "float", "double", "fp128", "x86_fp80", "ppc_fp128"))
_OPEN, _CLOSE = "([{<", ")]}>"


def is_integer(type_: str) -> bool:
    """Tell whether a type is one integer."""
    return type_.startswith("i") and type_[1:].isdecimal()


def is_float(type_: str) -> bool:
    """Tell whether a type is one floating point number."""
    return type_ in FLOATS


def is_pointer(type_: str) -> bool:
    """Tell whether a type is one pointer."""
    return type_ == "ptr" or type_.startswith("ptr addrspace(")


def is_vector(type_: str) -> bool:
    """Tell whether a type is a vector."""
    return type_.startswith("<") and not type_.startswith("<{")


def is_array(type_: str) -> bool:
    """Tell whether a type is an array."""
    return type_.startswith("[")


def is_struct(type_: str) -> bool:
    """Tell whether a type is a structure written out; a named one (`%name`) is known to the module only."""
    return type_.startswith(("{", "<{"))


def bits(type_: str) -> int:
    """Return how many bits an integer has."""
    return int(type_[1:])


def split(text: str) -> list[str]:
    """Split at the commas that stand in no bracket and no string."""
    if "," not in text:
        return [text.strip()] if text.strip() else []
    parts, depth, start, quoted = list[str](), 0, 0, False
    for place, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def closing(text: str, start: int) -> int:
    """Return where the bracket is closed that stands at a place."""
    depth, quoted = 0, False
    for place in range(start, len(text)):
        letter = text[place]
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth -= 1
            if depth == 0:
                return place
    return -1


def fields(type_: str) -> list[str]:
    """Return the types of a structure's fields."""
    return split(type_.strip("<>").strip()[1:-1])


def counted(type_: str) -> tuple[int, str]:
    """Return how many elements of which type an array or a vector has (`vscale` counts as one)."""
    inner = type_[1:-1].strip().removeprefix("vscale x ")
    count, _, element = inner.partition(" x ")
    return int(count), element


def leaves(type_: str, path: tuple[int, ...] = ()) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the types of all scalars and vectors in a type, each with the path that leads to it."""
    if is_struct(type_):
        inner = fields(type_)
    elif is_array(type_):
        count, element = counted(type_)
        inner = [element] * count
    else:
        yield type_, path
        return
    for number, one in enumerate(inner):
        yield from leaves(one, (*path, number))


@functools.lru_cache(maxsize=1024)
def element_at(type_: str, index: int) -> str:
    """Return the type of one element of a structure, an array or a vector."""
    return fields(type_)[index] if is_struct(type_) else counted(type_)[1]


def lanes_like(type_: str, element: str) -> str:
    """Return `element`, or the vector of it that has as many lanes as `type_`."""
    if not is_vector(type_):
        return element
    return f"{type_[: type_.rindex(' x ')]} x {element}>"


def size_of(type_: str) -> int | None:
    """Return how many bytes an element takes in an array of them, as on all 64 bit machines; None if unknown."""
    if type_ in _BYTES:
        return _BYTES[type_]
    if is_pointer(type_):
        return 8
    if is_integer(type_):
        size = 1
        while size * 8 < bits(type_):
            size *= 2
        return size
    if is_array(type_) or is_vector(type_):
        if "vscale" in type_:
            return None
        count, element = counted(type_)
        size_of_one = size_of(element)
        if size_of_one is None or (is_vector(type_) and (element == "i1" or count & (count - 1))):
            return None
        return count * size_of_one
    if is_struct(type_):
        offsets = offsets_of(type_)
        return None if offsets is None else offsets[-1]
    return None


def alignment_of(type_: str) -> int | None:
    """Return to how many bytes a type is aligned by itself."""
    if is_array(type_):
        return alignment_of(counted(type_)[1])
    if is_struct(type_):
        known = [1 if type_.startswith("<") else alignment_of(one) for one in fields(type_)]
        found = [one for one in known if one is not None]
        return max(found, default=1) if len(found) == len(known) else None
    size = size_of(type_)
    return None if size is None else min(size, 16) if not is_vector(type_) else size


def offsets_of(type_: str) -> list[int] | None:
    """Return where each field of a structure begins, and its whole size behind them."""
    offsets, end, largest = list[int](), 0, 1
    for one in fields(type_):
        size, alignment = size_of(one), alignment_of(one)
        if size is None or alignment is None:
            return None
        alignment = 1 if type_.startswith("<") else alignment
        end = -(-end // alignment) * alignment
        offsets.append(end)
        end += size
        largest = max(largest, alignment)
    return [*offsets, -(-end // largest) * largest]


def offset_of(type_: str, path: Sequence[int]) -> int | None:
    """Return how many bytes behind the beginning of a type the place lies that a path leads to."""
    offset = 0
    for index in path:
        element = element_at(type_, index)
        if is_struct(type_):
            known = offsets_of(type_)
            step = None if known is None else known[index]
        else:
            size = size_of(element)
            step = None if size is None else size * index
        if step is None:
            return None
        offset, type_ = offset + step, element
    return offset
