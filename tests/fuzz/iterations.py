"""Loops of arrays whose turns know of each other: one fills what an outer one made, or reads what another turn wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzz.grammar import Draw

Lines = list[str]


def row_by_row(draw: Draw) -> Lines:
    """Return a new matrix, filled by a loop with temporaries of its own."""
    draw.features.add("row by row")
    used = draw.count()
    rows, row, counter = f"o{used}", f"r{used}", f"i{used}"
    draw.counters.append(counter)
    made, number = draw.vector(1), draw.number(0)
    draw.counters.pop()
    write = draw.pick(
        [
            [f"    {rows}[{counter}] = {row} * {row}[::-1]"],
            [f"    {rows}[{counter}, :] = {row} * {row}[0] + ({number})"],
            [
                "    for e in range(n):",
                f"        {rows}[{counter}, e] = {row}[e] * {row}[n - 1 - e]",
            ],
        ]
    )
    lines = [f"{rows} = np.empty((n, n))", f"for {counter} in range(n):"]
    lines += [f"    {row} = np.tanh({made}) * ({number} + 0.5)", *write]
    return [*lines, f"total += np.sum({rows} * {rows}) * 0.25"]


def recurrence(draw: Draw) -> Lines:
    """Return a loop that makes elements of elements some turns away, and perhaps what writes over them."""
    draw.features.add("recurrence")
    name, used = draw.target(draw.vectors), draw.count()
    lines = _elements(draw, name, used) if draw.chance(0.7) else _history(draw, name, f"h{used}")
    if draw.chance(0.3):
        return lines
    return [*lines, draw.pick([f"{name} *= {name}", f"{name}[:2] = 0.25", f"{name}[:] = c[::-1]"])]


def _elements(draw: Draw, name: str, used: int) -> Lines:
    away = [draw.random.randint(-2, 2) for _ in range(3)]
    first, last = max(0, -min(away)), max(0, *away)
    counter, inner = f"i{used}", f"j{used}"
    written, one, other = (f"{name}[{counter} + {place}]" for place in away)
    value = draw.pick([f"{one} * {other}", f"{one} * {written}", f"{one} * {one} + 0.25"])
    sign = draw.pick(["=", "=", "*=", "+="])
    steps = [f"range({first}, n - {last})", f"range(n - {last} - 1, {first} - 1, -1)"]
    body = [f"{written} {sign} 0.75 * {value}"]
    if draw.chance(0.3):
        body.append(f"total += {one} * {other} * 0.25")
    if draw.chance(0.3):
        body = [f"for {inner} in range({draw.pick(['2', 'n', 'x.size'])}):", *_indented(body)]
    return [f"for {counter} in {draw.pick(steps)}:", *_indented(body)]


def _history(draw: Draw, name: str, rows: str) -> Lines:
    """Return a matrix of three columns, so that LLVM knows how far a row is from the next one."""
    back = draw.random.randint(1, 2)
    value = draw.pick([f"{rows}[i - {back}, e]", f"{rows}[i - {back}, 2 - e]"])
    return [
        f"{rows} = np.ones((n, 3))",
        f"{rows}[:, 1] = {name}",
        f"for i in range({back}, n):",
        "    for e in range(3):",
        f"        {rows}[i, e] = 0.75 * {value} * {rows}[i, e] + {value} * {value} * 0.25",
        f"{name}[:] = {rows}[:, {draw.random.randrange(3)}]",
        draw.pick([f"{rows} *= {rows}", f"{rows}[:] = 0.5", f"{rows}[0] = {rows}[n - 1]"]),
        f"total += np.sum({rows}) * 0.25",
    ]


def _indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]
