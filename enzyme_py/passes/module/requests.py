"""The requests in a module: who asks for the derivative of whom, and how they nest.

A request is a call of `__enzyme_autodiff` or one of its kin, whose first operand is the function to differentiate.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.llvm import Call, Function, GlobalVariable, Load, Module
from enzyme_py.passes.module.names_in_code import has_rules
from enzyme_py.symbols import INACTIVE, REQUEST

_REVERSE = ("autodiff", "reverse", "augmentfwd")
REVERSE = tuple(f"@{REQUEST}{one}" for one in _REVERSE)  # as the text of a module says it
_WIDTH = "enzyme_width"


@dataclass(frozen=True)
class Requested:
    """One request: its direction, how many shadows it has in a lane, and of which function."""

    is_reverse: bool
    width: int
    target: str


def request_in(call: Call) -> Requested | None:
    """Return the request that a call makes, None if it makes none."""
    if not call.callee.startswith(REQUEST) or not call.arguments:
        return None
    target = call.arguments[0]
    if not isinstance(target, Function):
        return None
    kind = _kind(call.callee)
    return Requested(kind in _REVERSE, _width(call), target.name)


def is_request(call: Call) -> bool:
    """Tell whether a call asks for a derivative: what has a body under such a name is a helper of Enzyme's."""
    target = call.target
    is_defined = isinstance(target, Function) and not target.is_declaration
    return call.callee.startswith(REQUEST) and not is_defined


def is_reverse_request(call: Call) -> bool:
    """Tell whether a call asks for reverse mode, in one piece or in halves."""
    return is_request(call) and _kind(call.callee) in _REVERSE


def _kind(callee: str) -> str:
    """Return which primitive is called: `fwddiff` of `__enzyme_fwddiff.3`."""
    name = callee.removeprefix(REQUEST).partition(".")[0]
    return name.rstrip("0123456789")


def _width(call: Call) -> int:
    """Return the number behind the marker of the width, 1 if there is none."""
    for marker, number in zip(call.arguments, call.arguments[1:], strict=False):
        if (
            isinstance(marker, Load)
            and isinstance(marker.pointer, GlobalVariable)
            and marker.pointer.name == _WIDTH
        ):
            return getattr(number, "integer", None) or 1
    return 1


class Requests:
    """All requests of a module."""

    def __init__(self, code: Module) -> None:
        self._calls = {
            one.name: one.callees() for one in code.functions if not one.has_attribute(INACTIVE)
        }
        self._made: dict[str, set[Requested]] = {}
        for function in code.functions:
            calls = function.calls if function.mentions(REQUEST) else []
            made = (request_in(one) for one in calls)
            self._made[function.name] = {one for one in made if one is not None}

    def all(self) -> set[Requested]:
        """Return every request of the module."""
        return set().union(*self._made.values())

    def inside(self, outer: Requested) -> set[Requested]:
        """Return the requests that another one differentiates."""
        return set().union(*(self._made[name] for name in self.reached(outer.target)))

    def under_reverse(self) -> set[Requested]:
        """Return the requests that any reverse mode differentiates."""
        return set().union(*(self.inside(one) for one in self.all() if one.is_reverse))

    def reached(self, start: str) -> set[str]:
        """Return the functions that a function calls or differentiates, and itself, but for inactive ones: these run as they are."""
        seen, pending = set[str](), [start]
        while pending:
            name = pending.pop()
            if name not in seen and name in self._calls:
                seen.add(name)
                pending.extend(self._calls[name])
                pending.extend(one.target for one in self._made[name])
        return seen


def count_of_requests(code: Module) -> int:
    """Return how many calls in a module ask for a derivative; nothing is read for that."""
    defined = {one.name for one in code.functions}  # by Enzyme: see `is_request`
    asking = (one for one in code.functions if one.mentions(REQUEST))
    called = (name for one in asking for name in one.called())
    return sum(name.startswith(REQUEST) and name not in defined for name in called)


def nesting(code: Module) -> int:
    """Return how many derivatives are taken within each other at most."""
    if has_rules(code):  # what they ask for is not seen from where they are called
        return count_of_requests(code)
    requests = Requests(code)
    depths: dict[Requested, int] = {}

    def depth(one: Requested) -> int:
        if one not in depths:
            depths[one] = 1  # for recursion
            depths[one] += max(map(depth, requests.inside(one) - {one}), default=0)
        return depths[one]

    return max(map(depth, requests.all()), default=0)


def nests_derivatives(code: Module) -> bool:
    """Tell whether a derivative is taken of another one, in a module."""
    return count_of_requests(code) > 1 and nesting(code) > 1


def has_reverse(code: Module) -> bool:
    """Tell whether a module asks for reverse mode of anything, in one piece or in halves."""
    return any(
        one.name.startswith(REQUEST) and _kind(one.name) in _REVERSE for one in code.declarations
    )


def nests_reverse(code: Module) -> bool:
    """Tell whether reverse mode differentiates another derivative."""
    return bool(under_reverse(code))


def reversed_twice(code: Module) -> set[str]:
    """Return the functions under reverse over reverse."""
    return _inside_reverse(code, {True})


def under_reverse(code: Module) -> set[str]:
    """Return the functions under reverse over reverse or over forward."""
    return _inside_reverse(code, {True, False})


def _inside_reverse(code: Module, directions: set[bool]) -> set[str]:
    if not has_reverse(code):
        return set()
    requests = Requests(code)
    inner = set[str]()
    for one in requests.under_reverse():
        inner |= requests.reached(one.target) if one.is_reverse in directions else set()
    return inner
