"""The code that is read here: C and C++ as LLVM 22 prints it, and what Numba, O2 and the pass make of kernels.

The files in `code` were made from the sources beside them by clang -O0, -O2 and -O1 -g -ffast-math, and printed by
the LLVM of llvmlite.
"""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest

from enzyme_py.llvm import DebugRecord, Instruction, Module
from enzyme_py.llvm.reading.body import CLASSES
from enzyme_py.llvm.reading.forms import READERS

FOLDER = Path(__file__).parent / "code"
FILES = sorted(FOLDER.glob("*.ll"))


def verified(module: Module) -> str:
    """Return the text of a module, after LLVM has read and verified it, and it has been read again."""
    text = str(module)
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    again = Module(text)
    for function in again.functions:
        _ = function.blocks
        check_uses(function)
    assert str(again) == text
    for function in module.functions:
        check_uses(function)
    return text


def check_uses(function) -> None:
    """Check the lists of users against the operands."""
    held = {}
    for one in function.instructions:
        assert one.block in function.blocks
        if one.ref:
            assert function.locals[one.ref] is one, one
        for operand in one.operands:
            held.setdefault(id(operand), []).append(one)
    for value in (*function.arguments, *function.blocks, *function.instructions):
        assert sorted(map(id, value._users)) == sorted(map(id, held.get(id(value), ()))), value


def rebuilt(module: Module) -> str:
    """Return the text with each instruction and each head made anew from its parts."""
    for function in module.functions:
        function.touch_head()
        for one in function.instructions:
            one._line = None
            for note in one.notes or ():
                if isinstance(note, DebugRecord):
                    note._line = None
    for function in module.declarations:
        function.touch_head()
    return str(module)


def in_known_form(one: Instruction) -> bool:
    """Tell whether an instruction of an opcode that is known was understood."""
    read = READERS.get(one.opcode)
    is_read = read is None or read(one.text.removeprefix(f"{one.ref} = ")) is not None
    return is_read and type(one) is CLASSES.get(one.opcode, Instruction)


def check_reading(text: str, *, whole: bool = True, is_llvms: bool = True) -> None:
    """Check that a module is printed as it was read: as a whole, looked into, and made anew from its parts.

    Text that LLVM cannot read either, which a test made up, is left alone.
    """
    try:
        module = Module(text)
    except ValueError:
        with pytest.raises(RuntimeError):
            llvm.parse_assembly(text, llvm.create_context())
        return
    assert str(module) == text
    if not whole:
        return
    for function in module.functions:
        assert all(block.is_complete for block in function.blocks)
        check_uses(function)
        odd = [one for one in function.instructions if not in_known_form(one)]
        assert not odd, odd
    assert str(module) == text
    if not is_llvms:  # what we write ourselves may have other spaces and quotes
        return
    again = rebuilt(module)
    other = [
        pair
        for pair in zip(text.split("\n"), again.split("\n"), strict=False)
        if len(set(pair)) > 1
    ]
    assert again == text, other[:5]
