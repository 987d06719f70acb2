"""Copies of blocks and functions."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme_py.llvm import naming
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.editing.builder import Builder
from enzyme_py.llvm.functions import Function
from enzyme_py.llvm.instructions import Phi
from enzyme_py.llvm.module import Module
from enzyme_py.llvm.values import Value


def clone_blocks(blocks: Sequence[Block], suffix: str = "copy") -> dict[Value, Value]:
    """Copy blocks to the end of their function; returns what stands for what: blocks and instructions.

    The copies go to each other where the originals do, else where those go. Phis outside get an edge for each new
    way to them, with the value of the copy. Who leads there from outside is up to the caller: phis of the copies
    keep only the edges that come from copies or that were given by blocks outside, as in the originals.
    """
    function = blocks[0].function
    assert function is not None
    known: dict[Value, Value] = {}
    for block in blocks:
        new = function.add_block(f"{block.name}.{suffix}")
        known[block] = new
        for one in block.instructions:
            copy = one.clone()
            if one.ref:
                copy.ref = f"%{naming.quoted(function.unique_name(f'{one.name}.{suffix}'))}"
            new.append(copy)
            known[one] = copy
    _connect(blocks, known)
    return known


def _connect(blocks: Sequence[Block], known: dict[Value, Value]) -> None:
    """Let the copies use each other, and tell the phis behind them."""
    for block in blocks:
        for copy in known[block].instructions:  # type: ignore[attr-defined]
            for slot, operand in enumerate(copy.operands):
                if operand in known:
                    copy.set_operand(slot, known[operand])
    inside = set(map(id, blocks))
    for block in blocks:
        for target in dict.fromkeys(block.successors):
            if id(target) not in inside:
                for phi in target.phis:
                    _lead_in(phi, block, known)


def _lead_in(phi: Phi, block: Block, known: dict[Value, Value]) -> None:
    incoming = phi.incoming
    new = [(known.get(value, value), known[one]) for value, one in incoming if one is block]
    phi.set_incoming([*incoming, *new])  # type: ignore[list-item]


def own_exit(block: Block, target: Block, name: str) -> Block:
    """Put a block on a way out of a loop of one block, with a phi for each value of the loop that is used behind."""
    leaves = block.split_edge(target, name)
    for one in block.instructions:
        outside = [use for use in one.uses if use.user.block not in (block, leaves)]
        if outside:
            out = Builder.at_start(leaves).phi(one.type, [(one, block)], f"{one.name}.out")
            for use in outside:
                use.user.set_operand(use.slot, out)
    return leaves


def clone_function(function: Function, name: str, *, into: Module | None = None) -> Function:
    """Copy a function under another name, behind the last function.

    The copy has no debug information of its own: LLVM wants each function to have its own description.
    """
    module = into or function.module
    ref = f"@{naming.quoted(module.unique_name(name))}"
    text = function.text
    head, newline, body = text.partition("\n")
    own = function.ref
    head = head.replace(f"{own}(", f"{ref}(", 1)
    if (dbg := function.metadata.get("dbg")) is not None:
        head = head.replace(f" !dbg {dbg}", "", 1)
    new = module.add_function(ref, head + newline + body)
    new.remove_attribute("comdat")  # that of another name
    for one in new.instructions if dbg is not None else ():
        one.notes = [note for note in one.notes or () if isinstance(note, str)] or None
        one.remove_metadata("dbg")
    return new
