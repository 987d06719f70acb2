"""What is active, by Enzyme's own analysis: it prints, on demand, two bits for each instruction that it looks at.

    %.5 = fmul double %.3, %.4, !dbg !20 cv=0 ci=0       its value is active, and so is what it does

The module is given to Enzyme once more for that, with `--enzyme-print-activity`. The print has the instructions of a copy:
they are found again by their text without metadata, or, where names differ, by what other instructions of the print say of
the same debug location.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme_py import host
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import EnzymeError
from enzyme_py.llvm import Constant, Function, Instruction, Module
from enzyme_py.llvm.reading.printed import Printed, printed
from enzyme_py.native.lined.places import LineReader

OPTION = "--enzyme-print-activity"
_PARAMETER = "in new function "
_NO_NUMBERS = ("i", "void", "label", "metadata", "token")  # how types begin that carry no derivative
# What passes of this package compute beside a value: its slope, a state's record. By themselves these have no derivative.
_BESIDE = ("%cached.slope.", "%record.")
_NO_EFFECT = ("enzyme_py_record.", "enzyme_py_hint", "enzyme_py_inactive", "llvm.", "free", "enzyme_py_raise")


@dataclass
class LineActivity:
    """How many floating point values of a line vary with an active argument, and how many do not."""

    active: int = 0
    constant: int = 0
    sources: set[int] = field(default_factory=set)  # the lines from which it draws what is active
    arguments: set[str] = field(default_factory=set)  # the arguments that reach it

    @property
    def word(self) -> str | None:
        """`active`, `constant` or `mixed`; None of a line without numbers."""
        if self.active:
            return "mixed" if self.constant else "active"
        return "constant" if self.constant else None


@dataclass
class Activity:
    """The analysis of one module, by the numbers of lines; `is_known` is false where Enzyme did not say."""

    lines: dict[int, LineActivity] = field(default_factory=dict)
    is_known: bool = True


def activities(module: DiffModule, read: Module, reader: LineReader, names: Sequence[str]) -> Activity:
    """Return what is active in a module; `read` is how Enzyme reads it, `names` are those of the kernel's arguments."""
    try:
        log = host.differentiate(_asking(module)).remarks
    except EnzymeError:  # of a large module it prints more than is taken
        return Activity(is_known=False)
    table = InstructionTable(read, reader)
    flags = dict[Instruction, bool]()
    constant = _constant_parameters(log, read)
    for line in log.splitlines():
        found = _judged(line)
        if found is not None:
            one = table.find(found[0])
            if one is not None:
                flags[one] = flags.get(one, False) or found[1]
    return Activity(_by_line(table, flags, names, constant))


def _asking(module: DiffModule) -> DiffModule:
    return DiffModule(module.ir, module.entries, (*module.options, OPTION), module.where)


def _constant_parameters(log: str, read: Module) -> set[str]:
    """Return the arguments of the kernel that are constant, in each of their parts: the print begins with all parameters."""
    said: dict[str, list[bool]] = {}
    for line in log.splitlines():
        if line.startswith(_PARAMETER):
            name, _, rest = line.removeprefix(_PARAMETER).partition(" ")
            said.setdefault(name, []).append(rest.startswith("nonconstant"))
    active, every = set[str](), set[str]()
    for function in read.functions:
        for name, flags in said.items():
            if name.endswith(function.name) and len(flags) == len(function.arguments):
                for one, is_active in zip(function.arguments, flags, strict=True):
                    every.add(_argument(one))
                    active |= {_argument(one)} if is_active else set()
    return every - active


def _judged(line: str) -> tuple[Printed, bool] | None:
    """Return the instruction of a line of the print, and whether it is active."""
    code, mark, bits = line.rpartition(" cv=")
    if not mark or not line.startswith("  "):
        return None
    value, _, does = bits.partition(" ci=")
    return printed(code), value == "0" or does.strip() == "0"


class InstructionTable:
    """The instructions of a module by their text, with their lines."""

    def __init__(self, read: Module, reader: LineReader) -> None:
        self.numbers: dict[Instruction, int] = {}
        self._by_code: dict[str, Instruction] = {}
        self.functions: list[Function] = read.functions
        for function in self.functions:
            for one, number in reader.numbers(function):
                self.numbers[one] = number
                self._by_code.setdefault(printed(one.text).code, one)
                if one.ref and not one.ref[1:].isdecimal():  # numbers are those of one print
                    self._by_code.setdefault(f"{one.ref} =", one)

    def find(self, asked: Printed) -> Instruction | None:
        """Return the instruction that a printed one is a copy of."""
        code = asked.code
        name, equals, _ = code.partition(" = ")
        return self._by_code.get(code) or (self._by_code.get(f"{name} =") if equals else None)

    def line_of(self, text: str) -> int:
        """Return the line of a printed instruction; 0 if it is not known."""
        one = self.find(printed(text))
        return 0 if one is None else self.numbers[one]


def _by_line(table: InstructionTable, flags: dict[Instruction, bool], names: Sequence[str], constant: set[str]) -> dict[int, LineActivity]:
    found = defaultdict[int, LineActivity](LineActivity)
    for one, is_active in flags.items():
        number = table.numbers[one]
        if number and _counts(one) and (is_active or not one.ref.startswith(_BESIDE)):
            if is_active:
                found[number].active += 1
            else:
                found[number].constant += 1
    active = {one for one, is_active in flags.items() if is_active}
    for function in table.functions:
        own = [one for one in function.instructions if one in active]
        called = _names_of_parameters(function, names)
        for one, source in _flows(own, active):
            number, where = table.numbers[one], source if isinstance(source, str) else table.numbers[source]
            if where in constant:
                continue
            if isinstance(where, str):
                found[number].arguments.add(called.get(where, where))
            elif where and where != number:
                found[number].sources.add(where)
    _spread(found)
    found.pop(0, None)
    return dict(found)


def _counts(one: Instruction) -> bool:
    """Tell whether an instruction makes, moves or stores floating point numbers."""
    if one.opcode in ("getelementptr", "alloca", "br", "ret", "switch", "unreachable", "insertvalue", "sitofp", "uitofp"):
        return False
    callee = getattr(one, "callee", "") or ""
    if callee.startswith(_NO_EFFECT) and not one.type.startswith(("double", "float", "<", "{ d")):
        return callee.startswith(("llvm.memcpy", "llvm.memmove"))
    if one.opcode == "store":
        return _is_number(one.operands[0].type) and not isinstance(one.operands[0], Constant)
    if one.opcode == "select" and all(isinstance(arm, Constant) for arm in one.operands[1:]):
        return False
    if one.opcode.endswith("call"):
        return _is_number(one.type) or (one.type == "void" and bool(callee))
    return _is_number(one.type)


def _is_number(type_: str) -> bool:
    return not type_.startswith(_NO_NUMBERS) and type_ != "ptr"


def _flows(own: list[Instruction], active: set[Instruction]) -> Iterator[tuple[Instruction, Instruction | str]]:
    """Yield where each active instruction has what is active from: an instruction, or the name of an argument."""
    writers = defaultdict[object, list[Instruction]](list)
    for one in own:
        for root in _written(one):
            writers[root].append(one)
    for one in own:
        for operand in one.operands:
            if operand in active or _argument(operand):
                yield one, _argument(operand) or operand  # type: ignore[misc]  # what is active is an instruction
            if operand.type == "ptr":
                yield from _through_memory(one, _root(operand), writers)


def _through_memory(
    one: Instruction, root: object, writers: Mapping[object, list[Instruction]]
) -> Iterator[tuple[Instruction, Instruction | str]]:
    """Yield where what lies in memory that an instruction uses comes from."""
    if _argument(root):
        yield one, _argument(root)
    if root not in _only_written(one):
        yield from ((one, writer) for writer in writers.get(root, ()) if writer is not one)


def _written(one: Instruction) -> list[object]:
    if one.opcode == "store":
        return [_root(one.operands[1])]
    if one.opcode.endswith("call") and one.type == "void":
        return [root for root in (_root(each) for each in one.operands if each.type == "ptr") if root is not None]
    return []


def _only_written(one: Instruction) -> list[object]:
    return [_root(one.operands[1])] if one.opcode == "store" else []


def _root(value: object, depth: int = 24) -> object:
    """Return the allocation or the argument that an address leads to."""
    while isinstance(value, Instruction) and depth:
        depth -= 1
        if value.opcode in ("getelementptr", "bitcast", "freeze"):
            value = value.operands[0]
        elif value.opcode in ("phi", "select"):
            pointers = [one for one in value.operands if one.type == "ptr"]
            if not pointers:
                return value
            value = pointers[0]
        else:
            return value
    return value


def _argument(value: object) -> str:
    """Return the name of the kernel's argument that a parameter is a part of: `%arg.x.2` is of x."""
    if isinstance(value, Instruction):
        return ""
    parts = getattr(value, "ref", "").split(".")
    return parts[1] if parts[0] == "%arg" and len(parts) > 1 else ""


def _names_of_parameters(function: Function, names: Sequence[str]) -> dict[str, str]:
    """Return the names of arguments by those of parameters: a kernel that is called through `*arguments` has numbers there."""
    own = dict.fromkeys(_argument(one) for one in function.arguments if _argument(one))
    return dict(zip(own, names, strict=True)) if len(own) == len(names) else {}


def _spread(found: dict[int, LineActivity]) -> None:
    """Let each line know all arguments that reach it."""
    is_new = True
    while is_new:
        is_new = False
        for one in list(found.values()):
            reached = set[str]().union(*(found[line].arguments for line in one.sources if line in found))
            if not reached <= one.arguments:
                one.arguments |= reached
                is_new = True
