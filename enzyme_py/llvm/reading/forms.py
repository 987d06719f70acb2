"""The forms of instructions: for each opcode, the type of its result and where its operands stand."""

from __future__ import annotations

from collections.abc import Callable

from enzyme_py.llvm import types
from enzyme_py.llvm.instructions.numbers import BINARY, CASTS
from enzyme_py.llvm.reading import patterns

# The type of the result, and of each operand its type, where it begins and where it ends.
Found = tuple[str, list[tuple[str, int, int]]]
CALLS = frozenset(("call", "invoke", "callbr"))


def _binary(code: str) -> Found | None:
    found = patterns.BINARY.match(code)
    if found is None:
        return None
    type_, span, other = found[1], found.span(2), found.span(3)
    return type_, [(type_, *span), (type_, *other)]


def _compare(code: str) -> Found | None:
    found = patterns.COMPARE.match(code)
    if found is None:
        return None
    type_ = found[1]
    return types.lanes_like(type_, "i1"), [(type_, *found.span(2)), (type_, *found.span(3))]


def _cast(code: str) -> Found | None:
    found = patterns.CAST.match(code)
    return None if found is None else (found[3], [(found[1], *found.span(2))])


def _load(code: str) -> Found | None:
    found = patterns.LOAD.match(code)
    return None if found is None else (found[1], [("ptr", *found.span(2))])


def _store(code: str) -> Found | None:
    found = patterns.STORE.match(code)
    if found is None:
        return None
    return "void", [(found[1], *found.span(2)), (found[3], *found.span(4))]


def _element(code: str) -> Found | None:
    found = patterns.ELEMENT.match(code)
    if found is None:
        return None
    result, spans, at = found[2], [(found[2], *found.span(3))], found.end()
    while index := patterns.INDEX.match(code, at):
        spans.append((index[1], *index.span(2)))
        at = index.end()
        if types.is_vector(index[1]) and not types.is_vector(result):
            result = types.lanes_like(index[1], result)
    return result, spans


def _select(code: str) -> Found | None:
    found = patterns.SELECT.match(code)
    if found is None:
        return None
    type_ = found[3]
    return type_, [(found[1], *found.span(2)), (type_, *found.span(4)), (type_, *found.span(5))]


def _phi(code: str) -> Found | None:
    found = patterns.PHI.match(code)
    if found is None:
        return None
    type_, spans, at = found[1], list[tuple[str, int, int]](), found.end() - 1
    while edge := patterns.INCOMING.match(code, at):
        spans.append((type_, *edge.span(1)))
        spans.append(("label", *edge.span(2)))
        at = edge.end()
        if not code.startswith(", [", at):
            break
        at += 2
    return (type_, spans) if spans else None


def _branch(code: str) -> Found | None:
    found = patterns.BRANCH.match(code)
    if found is None:
        return None
    if found[1] is None:
        return "void", [("label", *found.span(3))]
    if found[4] is None:
        return None
    ways = [("label", *found.span(3)), ("label", *found.span(4))]
    return "void", [(found[1], *found.span(2)), *ways]


def _switch(code: str) -> Found | None:
    found = patterns.SWITCH.match(code)
    if found is None:
        return None
    spans, at = [(found[1], *found.span(2)), ("label", *found.span(3))], found.end()
    while case := patterns.CASE.match(code, at):
        spans += [(case[1], *case.span(2)), ("label", *case.span(3))]
        at = case.end()
    return "void", spans


def _return(code: str) -> Found | None:
    found = patterns.RETURN.match(code)
    if found is None:
        return ("void", []) if code.startswith("ret void") else None
    return "void", [(found[1], *found.span(2))]


def _alloca(code: str) -> Found | None:
    found = patterns.ALLOCA.match(code)
    if found is None:
        return None
    place = code.find(", addrspace(")
    type_ = "ptr" if place < 0 else f"ptr {code[place + 2 : code.index(')', place) + 1]}"
    return type_, [] if found[2] is None else [(found[2], *found.span(3))]


def _call(code: str) -> Found | None:
    found = patterns.CALL.match(code)
    if found is None:
        return None
    type_ = found[2]
    if type_.endswith(")") and " (" in type_:
        type_ = type_[: type_.rindex(" (")] if type_.count(" (") == 1 else _result_of(type_)
    spans, at = [("ptr", *found.span(3))], found.end()
    while argument := patterns.OPERAND.match(code, at):
        spans.append((argument[1], *argument.span(3)))
        at = argument.end()
        if code.startswith(", ", at):
            at += 2
        elif code.startswith(")", at):
            break
        else:
            return None
    return (type_, spans) if code.startswith(")", at) else None


def _result_of(function_type: str) -> str:
    """Return the type of the result in the type of a function."""
    depth, place = 0, len(function_type)
    while place:
        place -= 1
        depth += (function_type[place] == ")") - (function_type[place] == "(")
        if depth == 0:
            return function_type[:place].rstrip()
    return function_type


def _listed(code: str) -> list[tuple[str, int, int]] | None:
    """Read operands behind the opcode and its flags, each with its type."""
    head = patterns.LISTED.match(code)
    spans, at = list[tuple[str, int, int]](), head.end() if head else len(code)
    while one := patterns.OPERAND.match(code, at):
        spans.append((one[1], *one.span(3)))
        at = one.end()
        if not code.startswith(", ", at):
            break
        at += 2
    return spans or None


def _of_list(
    result: Callable[[str, list[tuple[str, int, int]]], str],
) -> Callable[[str], Found | None]:
    def read(code: str) -> Found | None:
        spans = _listed(code)
        return None if spans is None else (result(code, spans), spans)

    return read


def _first(code: str, spans: list[tuple[str, int, int]]) -> str:
    return spans[0][0]


def _extracted(code: str, spans: list[tuple[str, int, int]]) -> str:
    type_ = spans[0][0]
    for word in code[spans[-1][2] :].split(", ")[1:]:
        if not word.isdecimal() or type_.startswith("%"):
            return "" if type_.startswith("%") else type_
        type_ = types.element_at(type_, int(word))
    return type_


def _shuffled(code: str, spans: list[tuple[str, int, int]]) -> str:
    mask, vector = spans[2][0], spans[0][0]
    return types.lanes_like(mask, types.counted(vector)[1])


def _landing(code: str) -> Found | None:
    found = patterns.LANDINGPAD.match(code)
    return (found[1], []) if found else None


def _variadic(code: str) -> Found | None:
    found, spans = patterns.VA_ARG.match(code), _listed(code)
    return (found[1], spans[:1]) if found and spans else None


READERS: dict[str, Callable[[str], Found | None]] = {
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(("icmp", "fcmp"), _compare),
    **dict.fromkeys(CASTS, _cast),
    **dict.fromkeys(CALLS, _call),
    "load": _load,
    "store": _store,
    "getelementptr": _element,
    "select": _select,
    "phi": _phi,
    "br": _branch,
    "switch": _switch,
    "ret": _return,
    "alloca": _alloca,
    "fneg": _of_list(_first),
    "freeze": _of_list(_first),
    "extractvalue": _of_list(_extracted),
    "insertvalue": _of_list(_first),
    "extractelement": _of_list(lambda _, spans: types.counted(spans[0][0])[1]),
    "insertelement": _of_list(_first),
    "shufflevector": _of_list(_shuffled),
    "atomicrmw": _of_list(lambda _, spans: spans[1][0]),
    "cmpxchg": _of_list(lambda _, spans: f"{{ {spans[1][0]}, i1 }}"),
    "resume": _of_list(lambda *_: "void"),
    "landingpad": _landing,
    "va_arg": _variadic,
}
