"""Block copies: strided copies of arrays, their rules, and their bodies.

Slice assignment lowers to one call (frontend/arrays/assignments.py):

    void enzyme_py_copy{rank}_{to}{from}(ptr to, ptr from, i64 shape..., i64 steps of to..., of from...)

with steps in bytes, `d` and `s` for double and float, and complex numbers as one dimension more.
It means what NumPy's assignment means: as if everything were read before anything is written.

There are two ways to differentiate it, and `differentiable` says which one a module gets:

* `RULES`: the copy is csrc/copies.c, and Enzyme is told its derivatives. The adjoint of a copy is a
  move back (`from += to; to = 0`), the adjoint of that is a copy again, and where the source is
  constant both become `clear`, its own adjoint: three functions, closed under differentiation.
  A constant pointer arrives with its shadow equal to itself, so every rule asks before it writes.
  Enzyme's nested reverse cannot take such rules apart (it fails an assertion, measured), and knows
  them for one direction at a time only.
* `LOOPS`: the copy has a body of loops, which Enzyme differentiates itself, in every mode, order
  and width. It may then also recompute a temporary instead of keeping it, as it does elsewhere;
  with the rules it keeps every block that a copy has touched.

docs/copies.md has the figures by which LOOPS is what modules get.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from enzyme_py.symbols import OF_INTEGER

FLOATS = {"d": "double", "s": "float"}
SIZES = {"d": 8, "s": 4}
LARGEST_RANK = 4
RULES, LOOPS = "rules", "loops"

_PREFIX = "enzyme_py_"
_OPERATIONS = ("copy", "move_back", "clear")
_ATTRIBUTES = "nofree nosync willreturn memory(argmem: readwrite) noinline"
# Else an integer that the kernel computes could be a float's bits, and has a shadow of its own.
_INTEGER = f"i64 {OF_INTEGER}"


def name(operation: str, rank: int, letters: str) -> str:
    """Return the symbol of an operation; `letters` are the types of its pointers, in order."""
    return f"{_PREFIX}{operation}{rank}_{letters}"


def is_copy(symbol: str) -> bool:
    """Tell whether a symbol is a block copy as the lowering calls it."""
    found = _read(symbol)
    return found is not None and found[0] in ("copy", "clear")


def is_declared(symbol: str) -> bool:
    """Tell whether a symbol is one of the three operations of csrc/copies.c."""
    return _read(symbol) is not None


def is_rule(symbol: str) -> bool:
    """Tell whether a symbol is the derivative of a copy."""
    operation, _, part = symbol.rpartition(".")
    return part in ("augmented", "reverse", "forward") and is_declared(operation)


def declaration(symbol: str) -> str:
    """Return the declaration of an operation, with what Enzyme must know to use its rules."""
    operation, rank, letters = _parts(symbol)
    kinds = [_typed_pointer(letter) for letter in letters]
    kinds += [_INTEGER] * len(_integers(operation, rank))
    return f"declare void @{symbol}({', '.join(kinds)}) {_ATTRIBUTES}"


def definitions(symbols: Collection[str], way: str) -> str:
    """Return a module that makes the called copies differentiable in the given way."""
    called = sorted(symbol for symbol in symbols if is_copy(symbol))
    if way == LOOPS:
        return "".join(_loops(called))
    return "".join(map(_rule, _closed(called)))


def registered(symbols: Collection[str], way: str) -> tuple[str, ...]:
    """Return the names that must survive up to Enzyme."""
    if way == LOOPS:
        return ()
    called = _closed(sorted(symbol for symbol in symbols if is_copy(symbol)))
    return tuple(global_ for symbol in called for global_ in _registrations(symbol))


# -- rules -----------------------------------------------------------------------------------------


def _closed(called: Sequence[str]) -> list[str]:
    """Return the symbols with all that their derivatives call."""
    found: dict[str, None] = {}
    for symbol in called:
        operation, rank, letters = _parts(symbol)
        if operation == "copy":
            found[symbol] = None
            found[name("move_back", rank, letters)] = None
        found[name("clear", rank, letters[0])] = None
    return list(found)


def _parts(symbol: str) -> tuple[str, int, str]:
    found = _read(symbol)
    assert found is not None, symbol
    return found


def _read(symbol: str) -> tuple[str, int, str] | None:
    """Return what `name` was made of, None for any other name."""
    before, _, letters = symbol.removeprefix(_PREFIX).rpartition("_")
    operation, rank = before[:-1], before[-1:]
    if not (symbol.startswith(_PREFIX) and operation in _OPERATIONS and rank.isdecimal()):
        return None
    is_known = len(letters) in (1, 2) and FLOATS.keys() >= set(letters)
    return (operation, int(rank), letters) if is_known else None


def _registrations(symbol: str) -> tuple[str, str]:
    return f"__enzyme_register_gradient_{symbol}", f"__enzyme_register_derivative_{symbol}"


def _integers(operation: str, rank: int) -> list[str]:
    groups = ("n", "t") if operation == "clear" else ("n", "t", "f")
    return [f"%{group}{i}" for group in groups for i in range(rank)]


def _typed_pointer(letter: str) -> str:
    return f'ptr nocapture "enzyme_type"="{{[-1]:Pointer, [-1,-1]:Float@{FLOATS[letter]}}}"'


def _rule(symbol: str) -> str:
    """Return the declaration of an operation, with its derivatives."""
    operation, rank, letters = _parts(symbol)
    pointers = ["%to", "%from"][: len(letters)]
    integers = _integers(operation, rank)
    # Enzyme hands a shadow with every argument, integers too.
    given = ", ".join(f"ptr {one}, ptr {one}.shadow" for one in pointers)
    given += "".join(f", i64 {one}, i64 {one}.shadow" for one in integers)
    gradient, derivative = _registrations(symbol)
    run = _call(symbol, pointers, integers)
    adjoint = {"copy": "move_back", "move_back": "copy", "clear": "clear"}[operation]
    backward = _on_shadows(adjoint, rank, letters, integers)
    forward = _on_shadows(operation, rank, letters, integers)
    return (
        f"{declaration(symbol)}\n"
        f"@{gradient} = global [3 x ptr] [ptr @{symbol}, ptr @{symbol}.augmented, "
        f"ptr @{symbol}.reverse]\n"
        f"@{derivative} = global [2 x ptr] [ptr @{symbol}, ptr @{symbol}.forward]\n"
        f"define ptr @{symbol}.augmented({given}) {{\n{run}  ret ptr null\n}}\n"
        f"define void @{symbol}.reverse({given}, ptr %tape) {{\n{backward}}}\n"
        f"define void @{symbol}.forward({given}) {{\n{run}{forward}}}\n"
    )


def _call(symbol: str, pointers: Sequence[str], integers: Sequence[str]) -> str:
    given = [f"ptr {one}" for one in pointers] + [f"i64 {one}" for one in integers]
    return f"  call void @{symbol}({', '.join(given)})\n"


def _on_shadows(operation: str, rank: int, letters: str, integers: Sequence[str]) -> str:
    """Return instructions that run an operation on the shadows of what is not constant."""
    leave = "out:\n  ret void\n"
    clear = _call(name("clear", rank, letters[0]), ["%to.shadow"], integers[: 2 * rank])
    start = "  %to.constant = icmp eq ptr %to, %to.shadow\n  br i1 %to.constant, label %out, label %on\n"
    if operation == "clear":
        return f"{start}on:\n{clear}  br label %out\n{leave}"
    both = _call(name(operation, rank, letters), ["%to.shadow", "%from.shadow"], integers)
    return (
        f"{start}on:\n  %from.constant = icmp eq ptr %from, %from.shadow\n"
        f"  br i1 %from.constant, label %alone, label %both\n"
        f"alone:\n{clear}  br label %out\nboth:\n{both}  br label %out\n{leave}"
    )


# -- loops -----------------------------------------------------------------------------------------


def _loops(called: Sequence[str]) -> Iterator[str]:
    if any(_parts(symbol)[0] == "copy" for symbol in called):
        yield 'declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0)\n'
        yield "declare void @free(ptr)\n"
    walks: dict[str, str] = {}
    for symbol in called:
        operation, rank, letters = _parts(symbol)
        if operation == "clear":
            yield walk(symbol, rank, letters)
            continue
        to, source = letters[0], letters[1]
        for pair in (to + source, source + source):
            helper = simple(name("copy", rank, pair))
            walks.setdefault(helper, walk(helper, rank, pair))
        yield _copy(symbol, rank, to, source)
    yield from walks.values()


def is_body(symbol: str) -> bool:
    """Tell whether a symbol copies or clears blocks by loops, which are inlined later."""
    return is_copy(symbol) or symbol.startswith(("enzyme_py_walk", "enzyme_py_into_buffer"))


def simple(symbol: str) -> str:
    """Return the name of a copy's body for blocks that lie apart."""
    _, rank, letters = _parts(symbol)
    return f"enzyme_py_walk{rank}_{letters}"


def walk(symbol: str, rank: int, letters: str) -> str:
    """Return loops that set each element of `to`: to zero, or to that of `from`."""
    groups = ["t", "f"][: len(letters)]
    integers = _integers("clear" if len(letters) == 1 else "copy", rank)
    pointers = ["%to", "%from"][: len(letters)]
    given = ", ".join([f"ptr {one}" for one in pointers] + [f"i64 {one}" for one in integers])
    text = f"define linkonce_odr void @{symbol}({given}) alwaysinline {{\nentry:\n"
    text += "  br label %head0\n"
    bases = dict(zip(groups, pointers, strict=True))
    for level in range(rank):
        before = "%entry" if level == 0 else f"%body{level - 1}"
        leave = "%out" if level == 0 else f"%latch{level - 1}"
        text += (
            f"head{level}:\n"
            f"  %i{level} = phi i64 [ 0, {before} ], [ %next{level}, %latch{level} ]\n"
            f"  %more{level} = icmp slt i64 %i{level}, %n{level}\n"
            f"  br i1 %more{level}, label %body{level}, label {leave}\nbody{level}:\n"
        )
        for group in groups:
            place = f"%{group}p{level}"
            text += f"  %{group}o{level} = mul i64 %i{level}, %{group}{level}\n"
            text += f"  {place} = getelementptr i8, ptr {bases[group]}, i64 %{group}o{level}\n"
            bases[group] = place
        text += f"  br label %head{level + 1}\n" if level < rank - 1 else ""
    text += _assign(bases, letters) + f"  br label %latch{rank - 1}\n"
    for level in reversed(range(rank)):
        text += (
            f"latch{level}:\n  %next{level} = add nsw i64 %i{level}, 1\n  br label %head{level}\n"
        )
    return text + "out:\n  ret void\n}\n"


def _assign(places: dict[str, str], letters: str) -> str:
    to = FLOATS[letters[0]]
    align = f"align {SIZES[letters[0]]}"
    if len(letters) == 1:
        return f"  store {to} 0.0, ptr {places['t']}, {align}\n"
    source = FLOATS[letters[1]]
    text = f"  %v = load {source}, ptr {places['f']}, align {SIZES[letters[1]]}\n"
    value = "%v"
    if letters[0] != letters[1]:
        change = "fpext" if to == "double" else "fptrunc"
        text += f"  %w = {change} {source} %v to {to}\n"
        value = "%w"
    return text + f"  store {to} {value}, ptr {places['t']}, {align}\n"


def _copy(symbol: str, rank: int, to: str, source: str) -> str:
    """Return the copy: straight where the blocks lie apart, else through memory of its own."""
    integers = _integers("copy", rank)
    given = ", ".join(["ptr %to", "ptr %from"] + [f"i64 {one}" for one in integers])
    lines = [f"define linkonce_odr void @{symbol}({given}) alwaysinline {{", "entry:"]
    for group, pointer, size in (("t", "%to", SIZES[to]), ("f", "%from", SIZES[source])):
        lines += _extent(rank, group, pointer, size)
    lines += [
        "  %one = icmp ult i64 %t.low, %f.high",
        "  %other = icmp ult i64 %f.low, %t.high",
        "  %overlap = and i1 %one, %other",
        "  br i1 %overlap, label %aside, label %straight",
        "straight:",
        _call(f"enzyme_py_walk{rank}_{to}{source}", ["%to", "%from"], integers).rstrip(),
        "  ret void",
        "aside:",
    ]
    shape, to_steps, from_steps = (integers[k * rank : (k + 1) * rank] for k in range(3))
    own: list[str] = [str(SIZES[source])]
    for level in reversed(range(1, rank)):
        lines.append(f"  %own{level} = mul i64 {own[0]}, %n{level}")
        own.insert(0, f"%own{level}")
    lines += [
        f"  %bytes = mul i64 {own[0]}, %n0",
        "  %aside.block = call noalias ptr @malloc(i64 %bytes)",
        _call(
            f"enzyme_py_walk{rank}_{source}{source}",
            ["%aside.block", "%from"],
            [*shape, *own, *from_steps],
        ).rstrip(),
        _call(
            f"enzyme_py_walk{rank}_{to}{source}",
            ["%to", "%aside.block"],
            [*shape, *to_steps, *own],
        ).rstrip(),
        "  call void @free(ptr %aside.block)",
        "  ret void",
        "}\n",
    ]
    return "\n".join(lines)


def _extent(rank: int, group: str, pointer: str, size: int) -> list[str]:
    """Return instructions for the lowest address of a block and the first one behind it."""
    low = high = f"%{group}.start"
    lines = [f"  %{group}.start = ptrtoint ptr {pointer} to i64"]
    for level in range(rank):
        own = f"%{group}.{level}"
        lines += [
            f"  {own}.last = sub i64 %n{level}, 1",
            f"  {own}.way = mul i64 {own}.last, %{group}{level}",
            f"  {own}.down = icmp slt i64 {own}.way, 0",
            f"  {own}.minus = select i1 {own}.down, i64 {own}.way, i64 0",
            f"  {own}.plus = select i1 {own}.down, i64 0, i64 {own}.way",
            f"  {own}.low = add i64 {low}, {own}.minus",
            f"  {own}.high = add i64 {high}, {own}.plus",
        ]
        low, high = f"{own}.low", f"{own}.high"
    return [
        *lines,
        f"  %{group}.low = add i64 {low}, 0",
        f"  %{group}.high = add i64 {high}, {size}",
    ]
