"""Temporaries whose sizes are asked for: no array expression takes their place.

Symptom: `p, q = q, np.sin(p)`, and behind it `for i in prange(len(p))` or `p * q`: a loop of no iterations and a gradient of zero, without a
word, or AssertionError, "Sizes of p, q do not match".

Cause: for its loops Numba reads the shape of temporaries of array expressions (`$q.shape`), and asserts that sizes are equal. Then array
expressions are made, as they come behind its loops here (loops.py): the one for `np.cos(x) * 0.3` takes the place of the temporary
`np.cos(x)`, and what is read of that are zeros.

Cure: the shape is read from the array that a temporary is made of, where that is one. Any other temporary that is used by more than
array expressions of its block gets a name that Numba does not take for a temporary's.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import mk_unique_var, replace_var_names

_OPERATIONS = ("unary", "binop", "call")


@register_pass(mutates_CFG=False, analysis_only=False)
class LastingTemporaries(FunctionPass):  # type: ignore[misc]
    """Stands between Numba's loops and its array expressions."""

    _name = "enzyme_py_lasting_temporaries"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at all uses of all temporaries; tells whether something was changed."""
        blocks, kinds = state.func_ir.blocks, state.typemap
        for block in blocks.values():
            _read_elsewhere(block, kinds)
        kept = {name: mk_unique_var("kept") for name in sorted(set(_used_otherwise(blocks, kinds)))}
        for old, new in kept.items():
            kinds[new] = kinds[old]
        if kept:
            replace_var_names(blocks, kept)
            state.func_ir._definitions = _renamed(state.func_ir._definitions, kept)
        return True


def _read_elsewhere(block: Any, kinds: Any) -> None:
    """Read shapes from what temporaries are made of."""
    made = _made_in(block, kinds)
    for one in block.find_insts(ir.Assign):
        value = one.value
        if isinstance(value, ir.Expr) and value.op == "getattr" and value.attr == "shape":
            value.value = _of_same_shape(value.value, made, kinds)


def _of_same_shape(array: Any, made: Any, kinds: Any) -> Any:
    """Return the one array of which an expression is made, element by element, if there is one."""
    found = array
    while found.name in made:
        value = made[found.name]
        parts = {one.name: one for one in value.list_vars() if isinstance(kinds.get(one.name), types.Array)}
        if len(parts) != 1 or not _is_by_element(value, kinds):
            return array
        (found,) = parts.values()
        if kinds[found.name].ndim != kinds[array.name].ndim:
            return array
    return found


def _is_by_element(value: Any, kinds: Any) -> bool:
    if value.op == "call":
        return isinstance(getattr(kinds.get(value.func.name), "typing_key", None), np.ufunc) and len(value.args) == 1
    return value.op == "unary" or value.fn is not operator.matmul


def _used_otherwise(blocks: Any, kinds: Any) -> Iterator[str]:
    """Yield the temporaries that other things use than array operations of their block."""
    made = {label: _made_in(block, kinds) for label, block in blocks.items()}
    everywhere = {name for found in made.values() for name in found}
    for label, block in blocks.items():
        for one in block.body:
            is_operation = isinstance(one, ir.Assign) and one.target.name in kinds and _is_operation(one.value, kinds[one.target.name])
            for used in one.list_vars():
                is_own = used.name in made[label] and (is_operation or (isinstance(one, ir.Assign) and one.target is used))
                if used.name in everywhere and not is_own and not isinstance(one, ir.Del):
                    yield used.name


def _made_in(block: Any, kinds: Any) -> dict[str, Any]:
    """Return the temporaries of a block that array expressions may take the place of, and what makes them."""
    return {
        one.target.name: one.value
        for one in block.find_insts(ir.Assign)
        if one.target.is_temp and _is_operation(one.value, kinds.get(one.target.name))
    }


def _is_operation(value: Any, kind: Any) -> bool:
    return isinstance(kind, types.Array) and isinstance(value, ir.Expr) and value.op in _OPERATIONS


def _renamed(definitions: Any, names: dict[str, str]) -> Any:
    for old, new in names.items():
        if old in definitions:
            definitions[new] = definitions.pop(old)
    return definitions
