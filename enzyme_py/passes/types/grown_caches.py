"""Caches that grow are copied element by element, under the derivative of a derivative.

    %cache = call ptr @realloc(ptr %old, i64 %size)       ; in a loop that ends at a break, or nobody knows when

Symptom: reverse over reverse of a loop that calls a function twice and ends at a break, where the function calls itself, lost
mixed second derivatives without a word (found by the fuzzer). Reverse over reverse of a `while` in a `while` was refused: "could not statically
determine size of realloc".

Cause: a loop whose number of iterations is not known has caches that grow by realloc. Differentiated once more, realloc is memory made
anew and one block copy. The tape of a called function is a record of pointers and numbers, and a block that holds pointers Enzyme takes
for pointers only: the slopes of its numbers stay where they were. And how much there is to copy, it must read off the code: not where
the old address is read from a cache of the loop around.

Cure: the growth is a function of ours until the first run of Enzyme is over (it takes the one that it finds by that name).
Then each cache's elements are known, by the addresses in it, and are copied in a loop, records field by field: as many as
there were iterations. An iteration may have several: those of an inner loop that is as long in each.

Caches of integers are inactive, and say so under forward mode. Of a loop in a loop, Enzyme keeps the inner cache's address in a cache of the outer
one, reads it there, and takes what it reads for constant; the allocation it took for active. So it refused what merges the
two: forward over reverse of a `while` in a loop that carries a count (`x[m - 1] = ...; m += 1`). A cache holds one number of each
iteration: truth values, or integers if one of them is read as a count or was counted. Where the outer cache holds nothing but
such inner ones, it is inactive as well: else what is read from it is active, and the inner one is not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from enzyme_py.llvm import Function, GetElementPtr, Load, Module, Store, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.analyses.call_effects import KNOWN, Known
from enzyme_py.llvm.analyses.points_to import PointsTo
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import Requests
from enzyme_py.passes.types.integers.stores import is_counted
from enzyme_py.passes.types.tags import is_told
from enzyme_py.symbols import INACTIVE_VALUE

UNCOUNTED = "a loop whose number of iterations is not known before it runs"  # words of the refusal (host/refusals.py)
_GROWTH = "__enzyme_exponentialallocation"  # Enzyme's name
_OWN = "enzyme_py_grown_caches"
_OTHERS = ""  # not one type
_CALLS = {**KNOWN, _GROWTH: Known(reads=(0,), writes=(0,), frees=(0,), makes=True)}

# Enzyme's contract: called in each iteration, with its number from 1. Memory for the next power of two where
# the last one is full, so at 1, 3, 5, 9, 17.
_HEAD = """
define {linkage}ptr @{name}(ptr %old, i64 %count, i64 %each) {inlining} nounwind {{
entry:
  %last = and i64 %count, 1
  %is.odd = icmp ne i64 %last, 0
  %ones = call i64 @llvm.ctpop.i64(i64 %count)
  %are.few = icmp ult i64 %ones, 3
  %grows = and i1 %is.odd, %are.few
  br i1 %grows, label %grow, label %done

grow:
  %zeros = call i64 @llvm.ctlz.i64(i64 %count, i1 true)
  %power = sub i64 64, %zeros
  %size = shl i64 %each, %power
"""
_BY_REALLOC = """
  %new = call ptr @realloc(ptr %old, i64 %size)
  br label %done

done:
  %now = phi ptr [ %old, %entry ], [ %new, %grow ]
  ret ptr %now
}}
"""
_BY_ELEMENT = """
  %new = call ptr @calloc(i64 1, i64 %size){activity}
  %before = sub i64 %count, 1
  %records = udiv i64 %each, ptrtoint (ptr getelementptr ({record}, ptr null, i64 1) to i64)
  %filled = mul nuw nsw i64 %before, %records
  %is.first = icmp eq i64 %filled, 0
  br i1 %is.first, label %done, label %copy

copy:
  %index = phi i64 [ 0, %grow ], [ %next, %copy ]
{copies}
  %next = add nuw nsw i64 %index, 1
  %is.over = icmp eq i64 %next, %filled
  br i1 %is.over, label %copied, label %copy

copied:
  call void @free(ptr %old)
  br label %done

done:
  %now = phi ptr [ %old, %entry ], [ %new, %grow ], [ %new, %copied ]
  ret ptr %now
}}
"""
_COPY = """
  %from.{n} = getelementptr inbounds {record}, ptr %old, i64 %index{path}
  %to.{n} = getelementptr inbounds {record}, ptr %new, i64 %index{path}
  %field.{n} = load {field}, ptr %from.{n}
  store {field} %field.{n}, ptr %to.{n}
"""


class _Cache:
    """What is known of a cache: of which types its elements are, whether one of them is a count, and which addresses it holds."""

    def __init__(self) -> None:
        self.elements = set[str]()
        self.counts = False
        self.held = set[Value]()

    @property
    def element(self) -> str:
        """Return the type of its elements, `_OTHERS` if it has several."""
        return next(iter(self.elements)) if len(self.elements) == 1 else _OTHERS


def define_growth(code: Module) -> None:
    """Define the function by which Enzyme's caches grow, so that its calls are there behind the run."""
    if code.get(_GROWTH) is None:
        _declare(code)
        body = (_HEAD + _BY_REALLOC).format(linkage="", name=_GROWTH, inlining="noinline")
        code.add_text(body)


class GrownCaches(Pass):
    """Caches that grow copy their elements one by one; by realloc those of which nobody knows the elements."""

    name = "grown caches"

    def applies(self, draft: Draft) -> bool:
        """Tell whether caches grow by the function that `define_growth` made."""
        return draft.code.get(_GROWTH) is not None

    def run(self, draft: Draft) -> None:
        """Give each call the growth that its elements ask for."""
        code = draft.code
        growth = code.function(_GROWTH)
        own = dict[tuple[str, bool], Value]()
        is_forward = not any(one.is_reverse for one in Requests(code).all())
        for function in code.functions:
            caches = _caches(function) if function.mentions(_GROWTH) else {}
            for call in [one for one in function.calls if one.target is growth]:
                record = caches[call].element if call in caches else _OTHERS
                if record != _OTHERS:
                    form = (record, is_forward and _is_of_integers(call, caches))
                    if form not in own:
                        own[form] = _by_element(code, *form, len(own))
                    call.set_callee(own[form])
        if growth.is_used:
            growth.set_linkage("internal")
            growth.remove_attribute("noinline")
            growth.add_attribute("alwaysinline")
        else:
            growth.erase()


def _declare(code: Module) -> None:
    code.declare("realloc", "ptr", ["ptr", "i64"])
    code.declare("llvm.ctpop.i64", "i64", ["i64"])
    code.declare("llvm.ctlz.i64", "i64", ["i64", "i1"])


def _by_element(code: Module, record: str, is_inactive: bool, number: int) -> Value:
    """Define the growth of a cache of such elements."""
    code.declare("calloc", "ptr", ["i64", "i64"])
    code.declare("free", "void", ["ptr"])
    copies = ""
    for n, (field, path) in enumerate(kinds.leaves(record)):
        steps = "".join(f", i32 {one}" for one in path)
        copies += _COPY.format(n=n, record=record, field=field, path=steps)
    name = code.unique_name(f"{_OWN}.{number}")
    body = (_HEAD + _BY_ELEMENT).format(
        linkage="internal ",
        name=name,
        inlining="alwaysinline",
        activity=f' "{INACTIVE_VALUE}"' if is_inactive else "",
        copies=copies,
        record=record,
    )
    code.add_text(body)
    return code.function(name)


def _caches(function: Function) -> dict[Value, _Cache]:
    """Return what is known of a function's memory, by what made it."""
    memory, found = PointsTo(function, _CALLS), defaultdict[Value, _Cache](_Cache)
    for one in function.instructions:
        if isinstance(one, GetElementPtr) and not isinstance(one.pointer, GetElementPtr):
            element, counts = _element(one), any(_is_count(user) for user in one.users)
            for made in memory.targets(one.pointer):
                found[made].elements.add(element)
                found[made].counts |= counts
    for made, kept in found.items():
        kept.held = memory.held_by(made)
    return found


def _is_of_integers(made: Value, caches: Mapping[Value, _Cache], outer: Collection[Value] = ()) -> bool:
    """Tell whether a cache holds truth values, counts, or caches that do."""
    kept = caches.get(made)
    if kept is None or made in outer:
        return False
    if kept.element == "ptr":
        return bool(kept.held) and all(_is_of_integers(one, caches, (*outer, made)) for one in kept.held)
    holds_integers = all(kinds.is_integer(one) for one, _ in kinds.leaves(kept.element))
    return holds_integers and (kept.element == "i1" or kept.counts)


def _is_count(user: Value) -> bool:
    """Tell whether an integer is read that comes to be a count or an index, as its tag says, or one written that was counted."""
    if isinstance(user, Store):
        return is_counted(user.value)
    return isinstance(user, Load) and kinds.is_integer(user.type) and is_told(user)


def _element(place: GetElementPtr) -> str:
    """Return of which type the element at an address is, `_OTHERS` if something else is kept there."""
    element = place.source_type
    parts = {element, *(one for one, _ in kinds.leaves(element))}
    for user in place.users:
        kept = user.value if isinstance(user, Store) and user.pointer is place else user
        is_access = kept is not user or isinstance(user, Load)
        if is_access and kept.type not in parts:
            return _OTHERS
    return element
