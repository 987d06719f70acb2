"""Names of their own for floats that leave an inner loop, in reverse mode.

    for i in range(n):
        t += q * s
        for j in range(i, n):
            q = c[j] * s

The adjoint of a turn needs q as the turn before left it. The pass computes that number again, from the last j of the inner
loop; but how often that runs it asks of the turn it is at, not of the one before. So it read c[j] elsewhere, or out
of bounds: a wrong gradient without a word (MEASURED, the fuzzer found it; only where the read of c[j] sinks out of the loop,
so something else must keep the loop alive). Integers have names already (left_values.py). A float behind its loop becomes

    %kept = call double @enzyme_py_inactive.left_double(double %q)
    %q.left = call double @enzyme_py_slope.pick.double(double %q, double %kept)

The first the pass cannot run twice, so it keeps that number; the second is it, and has the derivative of %q
(rules/slopes.py). What an inner loop sums up or carries is never computed again, and goes without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme_py.assembly.control_flow import NAME, Body, rewritten, with_inserted
from enzyme_py.assembly.ir_text import name_behind, values_in
from enzyme_py.assembly.left_values import LEFT, declared, exits_between, left
from enzyme_py.assembly.natural_loops import Flow
from enzyme_py.assembly.requests import has_reverse
from enzyme_py.rules.slopes import PICK, pick, pick_declared

_MADE = re.compile(
    rf"^  ({NAME}) = (?:tail )?(?:load|fadd|fsub|fmul|fdiv|frem|fneg|select|call|[us]itofp|fpext|fptrunc)\b"
    r"(?: (?:[a-z_]+(?:\([^()]*\))?|i1 [^,]+,|\S+ \S+ to))*? (double|float)\b"
)


def with_left_numbers(ir: str) -> str:
    """Return the text in which floats that leave a loop within another one do so by calls."""
    if not has_reverse(ir):
        return ir
    text = rewritten(ir, _renamed)
    return ir if text == ir else pick_declared(declared(text))


def _renamed(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    turns = Flow([head, *lines]).turns()
    made = dict[int, list[str]]()
    for value, place in body.definitions.items():
        found, turn = _MADE.match(lines[place]), turns.get(body.block_at[place].label)
        if (
            found is None
            or not turn
            or PICK in lines[place]
            or not _is_recomputed(body, place, turn)
        ):
            continue
        kind = found[2]
        for number in body.uses.get(value, ()):
            for own in _needed_in(body, number, value):
                behind = next(iter(exits_between(body, turn, place, own)), None)
                if behind is None or not turns.get(behind):
                    continue
                start = body.blocks[behind].body
                name = name_behind(value, f"left.{start}")
                kept = f'{name[:-1]}.kept"'
                lines[number] = _with_name(body, lines[number], number, value, own, name)
                call = f"  {kept} = {left(kind, value)}"
                calls = made.setdefault(start, [])
                if call not in calls:
                    calls += [call, f"  {name} = {pick(kind, value, kept)}"]
    return with_inserted(lines, made) if made else text


def _needed_in(body: Body, number: int, value: str) -> Iterator[str]:
    """Yield the blocks at whose end, or in which, a line needs a value that has no name of its own yet."""
    if any(f"@{one}" in body.lines[number] for one in (LEFT, PICK)):
        return
    if body.opcodes.get(number) == "phi":
        yield from (way for given, way in body.incoming(number) if given == value)
    elif number in body.opcodes:
        yield body.block_at[number].label


def _with_name(body: Body, line: str, number: int, value: str, own: str, name: str) -> str:
    if body.opcodes[number] == "phi":
        return line.replace(f"[ {value}, {own} ]", f"[ {name}, {own} ]")
    return re.sub(rf"{re.escape(value)}(?![-\w$.])", name, line)


def _is_recomputed(body: Body, place: int, turn: frozenset[str]) -> bool:
    """Tell whether a float is made anew in each turn, from reads and integers."""
    seen, pending = set[int](), [place]
    while pending:
        number = pending.pop()
        if number in seen:
            continue
        seen.add(number)
        if body.opcodes[number] == "phi" and re.search(
            r" phi (?:[a-z]+ )*(?:double|float) ", body.lines[number]
        ):
            return False
        for one in values_in(body.lines[number]):
            made = body.definitions.get(one)
            if made is not None and body.block_at[made].label in turn:
                pending.append(made)
    return True
