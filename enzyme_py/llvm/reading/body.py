"""Reading the body of a function: text to blocks and instructions, in two goes over the lines.

The first makes an object of each line, so that the second can look up every name, also of what comes
later. A line of a form that is not known here becomes a plain Instruction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.instructions import (
    Alloca,
    Arithmetic,
    Branch,
    Call,
    Cast,
    Compare,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Invoke,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Switch,
)
from enzyme_py.llvm.instructions.base import link
from enzyme_py.llvm.instructions.numbers import BINARY, CASTS
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.reading.forms import CALLS, READERS
from enzyme_py.llvm.values import Value

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function


class LLVMSyntaxError(ValueError):
    """Text that is no LLVM code as far as this package can tell."""


def read_body(function: Function, text: str) -> tuple[list[Block], str]:
    """Return the blocks of a function, and what stands behind the last one."""
    names, made = function.locals, list[tuple[Instruction, str]]()
    blocks, block = list[Block](), None
    notes, lead = list[str](), list[str]()
    for found in patterns.LINE.finditer(text):
        ref, code, opcode, label, other = found.groups()
        if opcode is not None:
            if block is None:
                block = _opened(function, blocks, function.entry_ref(), None, [])
            one = CLASSES.get(opcode, Instruction)(opcode, "void", (), ())
            one._line = found[0][:-1]
            one.block = block
            if ref is not None:
                one.ref = ref
                names[ref] = one
            if notes:
                one.notes = [_note(function, line, made) for line in notes]
                for note in one.notes:
                    if isinstance(note, Instruction):
                        note.block = block
                notes = []
            block.instructions.append(one)
            made.append((one, code))
        elif label is not None:
            lead, notes = notes, []
            block = _opened(function, blocks, f"%{label}", found[0][:-1], lead)
        else:
            notes.append(_checked(other))
    for one, code in made:
        _fill(one, code, function)
    return blocks, "".join(f"{line}\n" for line in notes)


def _checked(line: str) -> str:
    """Return a line that is no instruction; refuse one that LLVM would read as one."""
    if line.lstrip()[:1] not in _NOTES:
        raise LLVMSyntaxError(f"no line as LLVM prints it: {line}")
    return line


def _opened(
    function: Function, blocks: list[Block], ref: str, line: str | None, lead: list[str]
) -> Block:
    block = Block(ref, function)
    block.line, block.lead = line, lead
    blocks.append(block)
    function.locals[ref] = block
    return block


def _note(function: Function, line: str, made: list[tuple[Instruction, str]]) -> str | Instruction:
    code = line.lstrip()
    if not code.startswith("#dbg"):
        return line
    record = DebugRecord(code[: code.index("(")], "void", (), ())
    record._line = line
    made.append((record, code))
    return record


def read_instruction(text: str, function: Function) -> Instruction:
    """Return the instruction that a text writes, which names values of a function; it stands nowhere."""
    found = patterns.LINE.fullmatch(f"  {text.strip()}\n")
    if found is None or found[3] is None:
        raise LLVMSyntaxError(text)
    one = CLASSES.get(found[3], Instruction)(found[3], "void", (), ())
    _fill(one, found[2], function)
    if found[1]:
        one.ref = found[1]
    return one


def _fill(one: Instruction, code: str, function: Function) -> None:
    """Read type and operands of an instruction from its text."""
    read = READERS.get(one.opcode)
    result = read(code) if read is not None else None
    if result is None:
        if one.__class__ is not DebugRecord:
            one.__class__ = Instruction
        result = "" if one.ref else "void", []
    one.type, spans = result
    if one.opcode in CALLS:
        one._count = len(spans) - 1
    pieces, operands, end = list[str](), list[Value](), 0
    known, constant = function.locals.get, function.module.constant
    for type_, start, stop in spans:
        pieces.append(code[end:start])
        text, end = code[start:stop], stop
        if text[0] in "%@":
            value = known(text) or function.value(type_, text)
            value._users.append(one)
        else:
            value = constant(type_, text)
        operands.append(value)
    rest = code[end:]
    if ("%" in rest or "@" in rest) and (not spans or one.opcode in CALLS):
        count = len(operands)
        rest = rest[_named(rest, function, pieces, operands) :]
        for value in operands[count:]:
            link(value, one)
    pieces.append(rest)
    one.pieces, one.operands = pieces, tuple(operands)


def _named(text: str, function: Function, pieces: list[str], operands: list[Value]) -> int:
    """Take every value as an operand that a text names; return where the last one ends."""
    end = 0
    for found in patterns.NAMED.finditer(text):
        name = found[0]
        if name[0] == '"':
            continue
        value = function.find(name) if name[0] == "%" else function.module.find(name)
        if value is not None:
            pieces.append(text[end : found.start()])
            operands.append(value)
            end = found.end()
    return end


_NOTES = ("", ";", "#")  # how lines begin that are no instructions: for the debugger, comments
CLASSES: dict[str, type[Instruction]] = {
    **dict.fromkeys(BINARY, Arithmetic),
    **dict.fromkeys(("icmp", "fcmp"), Compare),
    **dict.fromkeys(CASTS, Cast),
    "load": Load,
    "store": Store,
    "getelementptr": GetElementPtr,
    "select": Select,
    "phi": Phi,
    "br": Branch,
    "switch": Switch,
    "ret": Return,
    "alloca": Alloca,
    "fneg": Arithmetic,
    "call": Call,
    "invoke": Invoke,
    "callbr": Call,
}
