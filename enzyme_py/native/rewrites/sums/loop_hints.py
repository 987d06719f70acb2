"""What LLVM is told of loops of one block: metadata of their last branch.

LLVM makes up to five loops of one: vectors, several at once, vectors of what is left, numbers, several at once. Of a gradient there
are dozens, and each costs code and time of a first call: reducing the strength of addresses (LoopStrengthReduce) took a fifth of it. So loops
that are seldom taken stay as they are (`tell_seldom`), and parts of a block have no vectors for the few numbers that are left.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme_py.llvm import Block, Load, Store

# LLVM makes vectors of what is left where a round has 16 numbers or more: four vectors of doubles.
_AT_ONCE = '!{!"llvm.loop.interleave.count", i32 2}'
_AS_IT_IS = ('!{!"llvm.loop.vectorize.enable", i1 false}', '!{!"llvm.loop.unroll.disable"}')


def tell_parallel(block: Block, *, is_short: bool = False) -> None:
    """Tell LLVM that no iteration of a loop depends on another one by memory, so that it need not ask; of a short one, to make few versions.

    What it would ask of a loop within one that counts down is never so (llvm.org, RuntimePointerChecking: `stride.check`).
    """
    assert block.function is not None
    code = block.function.module
    group = code.node("distinct !{}")
    for one in block.instructions:
        if isinstance(one, (Load, Store)):
            one.set_metadata("llvm.access.group", group)
    told = [f'!{{!"llvm.loop.parallel_accesses", {group}}}']
    _tell(block, [*told, _AT_ONCE] if is_short else told)


def tell_seldom(block: Block) -> None:
    """Tell LLVM that a loop is the seldom one of two: it is not worth vectors, nor several iterations at once."""
    _tell(block, _AS_IT_IS)


def _tell(block: Block, told: Sequence[str]) -> None:
    assert block.function is not None
    code = block.function.module
    nodes = [str(code.node(one)) for one in told]
    node = code.node("distinct !{}")
    node.set_content(f"distinct !{{{', '.join([str(node), *nodes])}}}")
    block.terminator.set_metadata("llvm.loop", node)
