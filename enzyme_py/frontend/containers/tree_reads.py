"""What a kernel may not do with a dict or a dataclass, though it can with the tuple that stands for it (foundations/trees.py).

    for key in p: ...        a, b = p        p[0]        model[0]

In Python a loop over a dict gives its keys, and there is no part 0. The tuple would give parts, and the derivative would be
that of another program. Lists are tuples as far as reading goes, so nothing is refused of them.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import AnalysisPass, register_pass

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.trees import structure_behind
from enzyme_py.foundations.versions import is_library

_BY_PLACE = ("getiter", "exhaust_iter", "static_getitem", "getitem")


@register_pass(mutates_CFG=False, analysis_only=True)
class TreeReads(AnalysisPass):  # type: ignore[misc]
    """Refuses reads by place of what has no places; in functions of the user's, as ours read the tuples."""

    _name = "enzyme_py_tree_reads"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Raise if there is such a read."""
        if is_library(state.func_id.func.__globals__.get("__name__")):
            return False
        for block in state.func_ir.blocks.values():
            for statement in block.find_insts(ir.Assign):
                _check(statement.value, state.typemap)
        return False


def _check(value: Any, kinds: Any) -> None:
    if not isinstance(value, ir.Expr) or value.op not in _BY_PLACE:
        return
    structure = structure_behind(kinds.get(value.value.name))
    if structure is None or issubclass(structure.kind, list):
        return
    is_loop = value.op in ("getiter", "exhaust_iter")
    if not is_loop and isinstance(_index_type(value, kinds), types.UnicodeType | types.StringLiteral | str):
        return
    what = "goes through" if is_loop else "reads a place of"
    remedy = f"read what {structure} holds by name"
    if issubclass(structure.kind, dict):
        remedy = "read it by its keys, p['name'], or take p.values()"
    raise UnsupportedTypeError(f"the kernel {what} {structure}", remedy=remedy)


def _index_type(value: ir.Expr, kinds: Any) -> Any:
    index = value.index
    return kinds.get(index.name) if isinstance(index, ir.Var) else index
