"""Mutations of a kernel's syntax tree. What comes of one may be no kernel: plain Python tells (interpreted.py).

A mutation changes the tree in place and says whether it found a place. `splices.py` has those that take from another kernel.
"""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Collection

from tests.fuzz.guided.names import (
    ARGUMENTS,
    LOOPS,
    Block,
    Known,
    blocks,
    fresh,
    function_of,
    is_prange,
    leaves_its_loop,
    size,
    text_of,
    walk,
)
from tests.fuzz.guided.splices import inserted, replaced, spliced, swapped_for_other

MOST = 26  # statements: beyond that they are rather left out
FUNCTIONS = ("np.sin", "np.cos", "np.tanh", "np.arctan", "np.abs", "np.sqrt", "np.exp", "np.log1p")
OPERATORS = (ast.Add, ast.Sub, ast.Mult)
COMPARISONS = (ast.Gt, ast.Lt, ast.GtE, ast.LtE)
HEADS = ("n", "1, n", "n - 1, -1, -1", "0, n, 2", "2", "3", "n - 1", "1", "0", "n // 2", "2, n")
TESTS = ("n % 2 == 0", "n > 3", "s > 0.0123", "s * s > 0.2345", "{i} % 2 == 1", "{i} > 1", "{v} > 0.0213")
TYPES = (None, "float32", "complex128")
SHAPES = ("n", "k", "m", "u", "2", "3", "n", "k", "m")
READS = {
    "number": ("{0}", "np.sin({0})", "{0} * {0}"),
    "array f1": ("np.sum({0} * {0})", "{0}[0] * {0}[-1]", "np.sum(np.sin({0}))"),
    "array f2": ("np.sum({0} * {0})", "np.sum({0}[0])", "np.sum({0}[:, -1] * s)"),
    "array f3": ("np.sum({0} * {0})", "np.sum({0}[0] * s)"),
}
OVERWRITES = ("{0}[:] = 0.5", "{0}[:] = 0.5", "{0}[0] = 0.3", "{0} *= 0.7")
VIEWS = {
    "array f1": ("{0}[::-1]", "{0}[:]", "{0}.reshape((-1, 1))[:, 0]", "{0}.copy()", "{0} * 1.0"),
    "array f2": ("{0}.T", "{0}[::-1]", "{0}[:, ::-1]", "{0}.copy()", "{0} * 1.0"),
    "array f3": ("{0}[::-1]", "{0}[:, ::-1]", "{0}.copy()", "np.transpose({0}, (0, 2, 1))"),
}


class Host:
    """A kernel that is changed, and what the change may take from others."""

    def __init__(self, known: Known, donors: Callable[[], Known], drawn: random.Random) -> None:
        self.known, self.donors, self.drawn = known, donors, drawn
        self.function = function_of(known.source)

    def places(self) -> list[tuple[Block, int]]:
        """Return where each statement stands; without the last one, which returns."""
        last = self.function.body[-1]
        return [
            (block, place)
            for block in blocks(self.function)
            for place, one in enumerate(block)
            if one is not last
        ]

    def place(self) -> tuple[Block, int] | None:
        """Draw a statement."""
        found = self.places()
        return self.drawn.choice(found) if found else None

    def of_kind(self, *kinds: str) -> str | None:
        """Draw a variable that holds something of a kind."""
        found = [name for name, one in sorted(self.known.kinds.items()) if one in kinds]
        return self.drawn.choice(found) if found else None


def mutated(
    known: Known, donors: Callable[[], Known], drawn: random.Random, without: Collection[str] = ()
) -> tuple[str, list[str]]:
    """Return a kernel that came of another by one to three mutations, and their names; some may be left out."""
    host, done = Host(known, donors, drawn), []
    for _ in range(drawn.choice((1, 1, 2, 2, 3))):
        is_long = size(host.function) > MOST
        names = ["deleted"] if is_long and drawn.random() < 0.7 else [one for one in MUTATIONS if one not in without]
        name = drawn.choices(names, [MUTATIONS[one][0] for one in names])[0]
        if MUTATIONS[name][1](host):
            done.append(name)
    return text_of(host.function), done


def deleted(host: Host) -> bool:
    """Leave out a statement, with all that is in it."""
    found = host.place()
    if found is None:
        return False
    block, place = found
    del block[place]
    if not block:
        block.append(ast.Pass())
    return True


def doubled(host: Host) -> bool:
    """Write a statement a second time, there or elsewhere."""
    source, target = host.place(), host.place()
    if source is None or target is None:
        return False
    block, place = source
    made = copy.deepcopy(block[place])
    into, at = (block, place) if host.drawn.random() < 0.4 else target
    if leaves_its_loop(made) and into is not block:
        return False
    into.insert(at, made)
    return True


def moved(host: Host) -> bool:
    """Put a statement elsewhere."""
    found = host.place()
    if found is None or leaves_its_loop(found[0][found[1]]):
        return False
    block, place = found
    taken = block.pop(place)
    into, at = host.place() or (block, place)
    into.insert(at, taken)
    if not block:
        block.append(ast.Pass())
    return True


def looped(host: Host) -> bool:
    """Put one to three statements into a loop."""
    counter = fresh(host.function, "q")
    size = host.drawn.choice(HEADS) if host.known.kinds.get("n") == "integer" else "2"
    return _wrapped(host, f"for {counter} in range({size}):\n    pass")


def branched(host: Host) -> bool:
    """Put one to three statements under a condition."""
    return _wrapped(host, f"if {_test(host)}:\n    pass")


def _test(host: Host) -> str:
    texts = {"i": host.of_kind("integer") or "1", "v": host.of_kind("number") or "s"}
    return host.drawn.choice(TESTS).format(**texts)


def _wrapped(host: Host, text: str) -> bool:
    found = host.place()
    if found is None:
        return False
    block, place = found
    count = host.drawn.randint(1, 3)
    taken = [one for one in block[place : place + count] if not isinstance(one, ast.Return)]
    (made,) = ast.parse(text).body
    assert isinstance(made, (ast.For, ast.If))
    if not taken or (isinstance(made, ast.For) and any(map(leaves_its_loop, taken))):
        return False
    made.body = taken
    block[place : place + len(taken)] = [made]
    return True


def unwrapped(host: Host) -> bool:
    """Put the body of a statement in its place."""
    found = [
        (block, place)
        for block, place in host.places()
        if getattr(block[place], "body", None)
        and not is_prange(block[place])
        and not any(map(leaves_its_loop, block[place].body))  # type: ignore[attr-defined]
    ]
    if not found:
        return False
    block, place = host.drawn.choice(found)
    block[place : place + 1] = block[place].body  # type: ignore[attr-defined]
    return True


def counted_otherwise(host: Host) -> bool:
    """Let a loop over a range run otherwise."""
    found = [
        block[place].iter  # type: ignore[attr-defined]
        for block, place in host.places()
        if isinstance(block[place], ast.For) and not is_prange(block[place])
    ]
    found = [one for one in found if isinstance(one, ast.Call) and ast.unparse(one.func) == "range"]
    if not found or host.known.kinds.get("n") != "integer":
        return False
    host.drawn.choice(found).args = _expression(f"f({host.drawn.choice(HEADS)})").args  # type: ignore[attr-defined]
    return True


def left_early(host: Host) -> bool:
    """Leave a loop, or an iteration of it, under a condition."""
    found = [
        block[place].body  # type: ignore[attr-defined]
        for block, place in host.places()
        if isinstance(block[place], LOOPS) and not is_prange(block[place])
    ]
    if not found:
        return False
    body = host.drawn.choice(found)
    ways = ["break", "break", "continue", "return s * 0.5"]
    (made,) = ast.parse(f"if {_test(host)}:\n    {host.drawn.choice(ways)}").body
    body.insert(host.drawn.randint(0, len(body)), made)
    return True


def stored_elsewhere(host: Host) -> bool:
    """Assign to another variable of the same kind, which a loop may then carry."""
    found = [
        node
        for block, place in host.places()
        for node in walk(block[place])
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    if not found:
        return False
    node = host.drawn.choice(found)
    kind = host.known.kinds.get(node.id, "")
    others = [name for name, one in sorted(host.known.kinds.items()) if one == kind]
    others = [one for one in others if one not in (node.id, *ARGUMENTS[2:])]
    if not others:
        return False
    node.id = host.drawn.choice(others)
    return True


def viewed(host: Host) -> bool:
    """Make a view or a copy of an array, for its own name or another one."""
    found, name = host.place(), host.of_kind(*VIEWS)
    if found is None or name is None:
        return False
    kind = host.known.kinds[name]
    target = host.drawn.choice([name, host.of_kind(kind) or name])
    text = host.drawn.choice(VIEWS[kind]).format(name)
    block, place = found
    block[place : place + 0] = ast.parse(f"{target} = {text}").body
    return True


def read_at_the_end(host: Host) -> bool:
    """Let the result depend on one more variable."""
    name, last = host.of_kind(*READS), host.function.body[-1]
    if name is None or not isinstance(last, ast.Return) or last.value is None:
        return False
    if isinstance(last.value, ast.Tuple):
        return False
    text = host.drawn.choice(READS[host.known.kinds[name]]).format(name)
    last.value = ast.BinOp(last.value, ast.Add(), _expression(f"0.25 * ({text})"))
    return True


def overwritten(host: Host) -> bool:
    """Write over an array, mostly behind the last statement: what was read from it has to be kept until then."""
    name, last = host.of_kind(*VIEWS), host.function.body[-1]
    if name is None or name == "c":
        return False
    written = ast.parse(host.drawn.choice(OVERWRITES).format(name)).body
    is_last = isinstance(last, ast.Return) and isinstance(last.value, (ast.BinOp, ast.Call))
    if is_last and host.drawn.random() < 0.7:
        result = fresh(host.function, "r")
        named = ast.parse(f"{result} = {ast.unparse(last.value)}").body
        host.function.body[-1:] = [*named, *written, ast.Return(_expression(result))]
        return True
    found = host.place()
    if found is None:
        return False
    block, place = found
    block[place:place] = written
    return True


def swapped(host: Host) -> bool:
    """Change a name, a number, an operator or a function of an expression."""
    found = [
        node
        for block, place in host.places()
        for node in walk(block[place])
        if isinstance(node, (ast.Name, ast.Constant, ast.BinOp, ast.Compare, ast.Call))
    ]
    host.drawn.shuffle(found)
    return any(_is_swapped(host, node) for node in found[:6])


def _is_swapped(host: Host, node: ast.AST) -> bool:
    drawn = host.drawn
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        kind = host.known.kinds.get(node.id)
        others = [name for name, one in sorted(host.known.kinds.items()) if one == kind]
        others = [one for one in others if one != node.id]
        if not others:
            return False
        node.id = drawn.choice(others)
        return True
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        whole = type(node.value) is int
        node.value = drawn.choice([0, 1, 2, 3]) if whole else drawn.choice([0.25, 0.5, 0.75, 1.25, 0.0, 1.0])
        return True
    if isinstance(node, ast.BinOp) and isinstance(node.op, OPERATORS):
        node.op = drawn.choice(OPERATORS)()
        return True
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], COMPARISONS):
        node.ops = [drawn.choice(COMPARISONS)()]
        return True
    if isinstance(node, ast.Call) and ast.unparse(node.func) in FUNCTIONS:
        node.func = _expression(drawn.choice(FUNCTIONS))
        return True
    return False


def typed_otherwise(host: Host) -> bool:
    """Give x another type, or an argument another shape."""
    first = host.function.args.args[0]
    if len(host.function.args.args) < 5 or host.function.args.args[-1].arg == "n":
        if isinstance(first.annotation, ast.Constant) and first.annotation.value == "complex128":
            return False
        chosen = host.drawn.choice(TYPES[:2])
        first.annotation = ast.Constant(chosen) if chosen else None
        return True
    one = host.drawn.choice([one for one in host.function.args.args if one.annotation is not None])
    assert isinstance(one.annotation, ast.Constant)
    sizes = str(one.annotation.value).split(", ")
    sizes[host.drawn.randrange(len(sizes))] = host.drawn.choice(SHAPES)
    one.annotation.value = ", ".join(sizes)
    return True


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


MUTATIONS: dict[str, tuple[float, Callable[[Host], bool]]] = {
    "deleted": (2, deleted),
    "doubled": (2, doubled),
    "moved": (2, moved),
    "inserted": (5, inserted),
    "replaced": (3, replaced),
    "spliced": (1.5, spliced),
    "swapped": (5, swapped),
    "swapped for another's": (3, swapped_for_other),
    "looped": (3, looped),
    "branched": (2, branched),
    "unwrapped": (1, unwrapped),
    "counted otherwise": (2, counted_otherwise),
    "left early": (2, left_early),
    "stored elsewhere": (3, stored_elsewhere),
    "viewed": (2, viewed),
    "overwritten": (3, overwritten),
    "read at the end": (2, read_at_the_end),
    "typed otherwise": (1, typed_otherwise),
}
