"""Caches of records that grow are copied field by field, under the derivative of a derivative.

    %cache = call ptr @realloc(ptr %old, i64 %size)       ; of { ptr, double }, in a loop that ends at a break

Symptom: reverse over reverse of a loop that calls a function twice and ends at a break, where the function calls itself, lost
mixed second derivatives without a word (found by the fuzzer).

Cause: a loop whose number of iterations is not known has caches that grow by realloc, and the tape of a called function
is a record of pointers and numbers. Differentiated once more, realloc is memory made anew and one block copy. Enzyme takes
a block that holds pointers for pointers only: the slopes of its numbers stay where they were.

Cure: the growth is a function of ours until the first run of Enzyme is over (it takes the one that it finds by that name).
Then each cache's elements are known. Records with a pointer and a float are copied in a loop, each field with its type;
whatever else grows by realloc as before. An iteration may have several records: those of an inner loop that is as long in each.
"""

from __future__ import annotations

from enzyme_py.llvm import Call, GetElementPtr, Instruction, Module, Phi, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.passes.base import Draft, Pass

_GROWTH = "__enzyme_exponentialallocation"  # Enzyme's name
_OWN = "enzyme_py_grown_records"

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
_BY_FIELD = """
  %new = call ptr @calloc(i64 1, i64 %size)
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
  %from.{n} = getelementptr inbounds {record}, ptr %old, i64 %index, {path}
  %to.{n} = getelementptr inbounds {record}, ptr %new, i64 %index, {path}
  %field.{n} = load {field}, ptr %from.{n}
  store {field} %field.{n}, ptr %to.{n}
"""


def define_growth(code: Module) -> None:
    """Define the function by which Enzyme's caches grow, so that its calls are there behind the run."""
    if code.get(_GROWTH) is None:
        _declare(code)
        body = (_HEAD + _BY_REALLOC).format(linkage="", name=_GROWTH, inlining="noinline")
        code.add_text(body)


class GrownRecords(Pass):
    """Caches that grow do so by realloc, but for those of records with pointers and floats."""

    name = "grown records"

    def applies(self, draft: Draft) -> bool:
        """Tell whether caches grow by the function that `define_growth` made."""
        return draft.code.get(_GROWTH) is not None

    def run(self, draft: Draft) -> None:
        """Give each call the growth that its elements ask for."""
        code = draft.code
        own = dict[str, Value]()
        for call in list(code.calls_of(_GROWTH)):
            record = _mixed_record(call)
            if record is not None:
                if record not in own:
                    own[record] = _by_field(code, record, len(own))
                call.set_callee(own[record])
        growth = code.function(_GROWTH)
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


def _by_field(code: Module, record: str, number: int) -> Value:
    """Define the growth of a cache of such records."""
    code.declare("calloc", "ptr", ["i64", "i64"])
    code.declare("free", "void", ["ptr"])
    copies = ""
    for n, (field, path) in enumerate(kinds.leaves(record)):
        steps = ", ".join(f"i32 {one}" for one in path)
        copies += _COPY.format(n=n, record=record, field=field, path=steps)
    name = code.unique_name(f"{_OWN}.{number}")
    body = (_HEAD + _BY_FIELD).format(
        linkage="internal ", name=name, inlining="alwaysinline", copies=copies, record=record
    )
    code.add_text(body)
    return code.function(name)


def _mixed_record(call: Call) -> str | None:
    """Return the type of the elements of a cache, if it is a record with a pointer and a float."""
    seen, pending = set[Instruction](), list[Instruction]([call])
    while pending:
        one = pending.pop()
        for user in one.users:
            if isinstance(user, GetElementPtr) and user.pointer is one and _is_mixed(user.source_type):
                return user.source_type
            if isinstance(user, Phi) and user not in seen:
                seen.add(user)
                pending.append(user)
    return None


def _is_mixed(type_: str) -> bool:
    kept = [one for one, _ in kinds.leaves(type_)]
    return any(map(kinds.is_pointer, kept)) and any(map(kinds.is_float, kept))
