"""Rewrites of loops over `range`: unrolled, split, peeled, written with `while`, put into a function."""

from __future__ import annotations

import ast
import copy
import random

from tests.metamorphic.forms import Form, chosen, leaves_its_loop, loaded, statements, stored

Place = tuple[list[ast.stmt], int]
HELD = (ast.Break, ast.Continue)


def unrolled(form: Form, drawn: random.Random) -> bool:
    """Do two iterations at once, and what is left behind them."""
    found = _counted(form, drawn, HELD)
    if found is None:
        return False
    (block, place), loop, low, high = found
    step, mid = form.fresh("step"), form.fresh("mid")
    made = statements(
        f"{mid} = {low.id} + max({high.id} - {low.id}, 0) // 2 * 2\n"
        f"for {step} in range({low.id}, {mid}, 2):\n    pass\n"
        f"for {_name(loop)} in range({mid}, {high.id}):\n    pass\n"
    )
    made[1].body = [
        *statements(f"{_name(loop)} = {step}"),
        *copy.deepcopy(loop.body),
        *statements(f"{_name(loop)} = {step} + 1"),
        *copy.deepcopy(loop.body),
    ]
    made[2].body = loop.body
    block[place : place + 1] = [*_bounds(loop, low, high), *made]
    return True


def split(form: Form, drawn: random.Random) -> bool:
    """Make two loops of one: its first half, and its second."""
    found = _counted(form, drawn, (ast.Break,))
    if found is None:
        return False
    (block, place), loop, low, high = found
    mid = form.fresh("mid")
    made = statements(
        f"{mid} = {low.id} + max({high.id} - {low.id}, 0) // 2\n"
        f"for {_name(loop)} in range({low.id}, {mid}):\n    pass\n"
        f"for {_name(loop)} in range({mid}, {high.id}):\n    pass\n"
    )
    made[1].body, made[2].body = copy.deepcopy(loop.body), loop.body
    block[place : place + 1] = [*_bounds(loop, low, high), *made]
    return True


def peeled(form: Form, drawn: random.Random) -> bool:
    """Do the first iteration before the loop."""
    found = _counted(form, drawn, HELD)
    if found is None:
        return False
    (block, place), loop, low, high = found
    made = statements(
        f"if {low.id} < {high.id}:\n    {_name(loop)} = {low.id}\n"
        f"for {_name(loop)} in range({low.id} + 1, {high.id}):\n    pass\n"
    )
    made[0].body += copy.deepcopy(loop.body)
    made[1].body = loop.body
    block[place : place + 1] = [*_bounds(loop, low, high), *made]
    return True


def by_while(form: Form, drawn: random.Random) -> bool:
    """Count by hand."""
    found = _counted(form, drawn, ())
    if found is None:
        return False
    (block, place), loop, low, high = found
    made = statements(
        f"while {low.id} < {high.id}:\n    {_name(loop)} = {low.id}\n    {low.id} += 1\n"
    )
    made[0].body += loop.body
    block[place : place + 1] = [*_bounds(loop, low, high), *made]
    return True


def nested(form: Form, drawn: random.Random) -> bool:
    """Put an iteration into a loop of one iteration of its own."""
    found = _counted(form, drawn, HELD)
    if found is None:
        return False
    _, loop, _, _ = found
    once = statements(f"for {form.fresh('once')} in range(1):\n    pass\n")
    once[0].body, loop.body = loop.body, once
    return True


def in_a_function(form: Form, drawn: random.Random) -> bool:
    """Put a loop of the kernel's own level into a compiled function, which returns what it leaves behind."""
    body = form.function.body
    inside = form.functions_inside()
    places = []
    for place, one in enumerate(body):
        if not isinstance(one, (ast.For, ast.While)) or leaves_its_loop([one], (ast.Return,)):
            continue
        before = set(form.parameters) | {
            name
            for known in body[:place]
            if isinstance(known, ast.Assign)
            for name in stored(known)
        }
        used = {name for later in body[place + 1 :] for name in loaded(later)}
        left = sorted(set(stored(one)) & used)
        if set(left) <= before and not loaded(one) & inside:
            places.append((place, left, sorted(loaded(one) & form.locals() & before | set(left))))
    found = chosen(drawn, places)
    if found is None:
        return False
    place, left, wanted = found
    name = form.fresh("loop")
    (helper,) = statements(f"def {name}({', '.join(wanted)}):\n    pass\n")
    helper.body = [body[place], *statements(f"return {', '.join(left)}")]
    form.helpers.append(helper)
    call = f"{name}({', '.join(wanted)})"
    body[place : place + 1] = statements(f"{', '.join(left)} = {call}" if left else call)
    return True


def _counted(
    form: Form, drawn: random.Random, without: tuple[type[ast.stmt], ...]
) -> tuple[Place, ast.For, ast.Name, ast.Name] | None:
    """Return a loop over `range` of one or two numbers, and names for its bounds; none with such statements in it."""
    places = [
        (block, place)
        for block in form.blocks()
        for place, one in enumerate(block)
        if isinstance(one, ast.For)
        and not one.orelse
        and isinstance(one.target, ast.Name)
        and isinstance(one.iter, ast.Call)
        and isinstance(one.iter.func, ast.Name)
        and one.iter.func.id == "range"
        and len(one.iter.args) in (1, 2)
        and not leaves_its_loop(one.body, without)
    ]
    found = chosen(drawn, places)
    if found is None:
        return None
    loop = found[0][found[1]]
    return found, loop, ast.Name(form.fresh("low")), ast.Name(form.fresh("high"))


def _name(loop: ast.For) -> str:
    assert isinstance(loop.target, ast.Name)
    return loop.target.id


def _bounds(loop: ast.For, low: ast.Name, high: ast.Name) -> list[ast.stmt]:
    assert isinstance(loop.iter, ast.Call)
    ends = [ast.unparse(one) for one in loop.iter.args]
    first = ends[0] if len(ends) == 2 else "0"
    return statements(f"{low.id} = {first}\n{high.id} = {ends[-1]}\n")


LOOP_REWRITES = {
    "unrolled": unrolled,
    "split": split,
    "peeled": peeled,
    "by while": by_while,
    "nested": nested,
    "loop in a function": in_a_function,
}
