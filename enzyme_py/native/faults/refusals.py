"""What is said where a derivative asked for memory in vain, or found arguments to share what it writes.

The C runtime has noted what happened; here it becomes the parts of a message.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from enzyme_py.errors import Where
from enzyme_py.host.crash_files import save_module
from enzyme_py.native.faults.watched import Watched, watched_at
from enzyme_py.native.runtime import interface, library, sharing_library

_WORD = 64
_UNITS = ("kB", "MB", "GB", "TB", "PB", "EB", "ZB")
_LESS = (
    "take smaller arguments, or let the derivative keep less: docs/memory.md shows checkpoints, and "
    "enzyme_py.inspect.memory what a derivative needs"
)
_REPORT = "no memory was taken: look at what sizes this line computes; if they are right, report it"


@dataclass(frozen=True)
class Refusal:
    """The parts of the message."""

    what: str
    where: Where | None
    remedy: str
    detail: str = ""


def out_of_memory() -> Refusal:
    """Describe the last request of this thread that the system refused."""
    count, size, caller, watched = _last()
    asked = f"for {_bytes(count * size)}" if count else "for the memory of one call"
    what = f"out of memory: {_name(watched)} asked {asked}"
    return Refusal(what, _where(watched, caller), _LESS)


def impossible_size() -> Refusal:
    """Describe the last request of this thread for a size that cannot be meant, and keep the module."""
    count, size, caller, watched = _last()
    asked = _wanted(count, size)
    what = f"{_name(watched)} asked for {asked}: no size that can be meant"
    path = save_module(watched.ir, what) if watched is not None else None
    kept = f"; the module was saved as {path}" if path else ""
    return Refusal(what, _where(watched, caller), _REPORT + kept)


def written_together(names: tuple[str, ...], where: Where | None) -> Refusal:
    """Describe the two arrays that share memory to which the last call of this thread wrote."""
    places = [interface().new("int64_t *") for _ in range(2)]
    sharing_library().enzyme_py_shared_pair(*places)
    first, second = (names[place[0]] for place in places)
    remedy = f"a derivative takes them for two arrays: pass a copy of one, {second}.copy()"
    where = None if where is None else replace(where, argument=first)
    return Refusal(f"`{first}` and `{second}` share memory to which the kernel writes", where, remedy)


def _last() -> tuple[int, int, int, Watched | None]:
    noted = interface().new("enzyme_py_failure *")
    library().enzyme_py_last_failure(noted)
    addresses = [int(interface().cast("uintptr_t", one)) for one in (noted.caller, noted.body)]
    return noted.count, noted.size, addresses[0], watched_at(addresses[1])


def _name(watched: Watched | None) -> str:
    return f"the derivative `{watched.name}`" if watched else "a derivative"


def _where(watched: Watched | None, caller: int) -> Where | None:
    return watched.place_of(caller) if watched else None


def _wanted(count: int, size: int) -> str:
    if count == 1:
        return _bytes(_signed(size))
    return f"{_signed(count)} times {_bytes(_signed(size))}"


def _signed(size: int) -> int:
    return size - 2**_WORD if size >= 2 ** (_WORD - 1) else size


def _bytes(size: int) -> str:
    text, rest = f"{size} bytes", float(size)
    for unit in _UNITS:
        rest /= 1000
        if abs(rest) < 1000:
            return f"{text} ({rest:.3g} {unit})" if abs(rest) >= 1 else text
    return text
