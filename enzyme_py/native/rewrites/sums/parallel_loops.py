"""Loops of one block whose iterations do not depend on each other, told to LLVM."""

from __future__ import annotations

from enzyme_py.llvm import Block, Load, Store


def tell_parallel(block: Block) -> None:
    """Tell LLVM that no iteration of a loop depends on another one by memory, so that it need not ask.

    What it would ask of a loop within one that counts down is never so (llvm.org, RuntimePointerChecking: `stride.check`).
    """
    assert block.function is not None
    code = block.function.module
    group = code.node("distinct !{}")
    for one in block.instructions:
        if isinstance(one, (Load, Store)):
            one.set_metadata("llvm.access.group", group)
    told = code.node(f'!{{!"llvm.loop.parallel_accesses", {group}}}')
    node = code.node("distinct !{}")
    node.set_content(f"distinct !{{{node}, {told}}}")
    block.terminator.set_metadata("llvm.loop", node)
