"""Saying of every load and store of a float that it is one, in words that derivatives inherit.

What memory holds the pass concludes from what is done with it, and where an index is not known, or a
step (`b[:, 1] = c`: bytes times a run-time stride), it concludes nothing. In a first derivative it takes a
`load double` for a float then. In a derivative of that one it does no more:

* Forward mode fills the tangent of an unknown constant with zero bytes, and bytes are integers: the outer
  reverse mode copied them in the forward sweep, instead of clearing the adjoint in the reverse one. The gradient
  of a jvp through `b[:, 1] = c` was wrong without a word (MEASURED, found by the fuzzer).
* A phi of tangents (`if ...: b[1] = c[i]`, then `b[2] = b[1]`) was refused: "cannot deduce type of phi".

The pass reads tags of type-based alias analysis, and copies them to the accesses of shadows, which it does not do with
its own `enzyme_type`. Only loads and stores of LLVM's float types are tagged: bits that are moved as integers stay as
they are. `double` lies below `float` in the tree of types, and that below `long` (frontend/type_hints.py), so that LLVM
takes none of them for memory of its own: in `x.view(np.float32)` they are the same.
"""

from __future__ import annotations

import re

from enzyme_py.frontend.type_hints import TYPES

_ACCESS = re.compile(
    r"^  (?:\S+ = load (double|float), |store (double|float) )(?:(?! !tbaa )[^\n])*$", re.MULTILINE
)
_LONG = f'!{{!"long", !{{!"{TYPES}"}}, i64 0}}'
_FLOAT = f'!{{!"float", {_LONG}, i64 0}}'
_DOUBLE = f'!{{!"double", {_FLOAT}, i64 0}}'
INTEGER_TAG = f"!{{{_LONG}, {_LONG}, i64 0}}"
_TAGS = {"float": f"!{{{_FLOAT}, {_FLOAT}, i64 0}}", "double": f"!{{{_DOUBLE}, {_DOUBLE}, i64 0}}"}


def with_typed_accesses(ir: str) -> str:
    """Return the text in which accesses to floats have tags, but for those that have one."""
    return _ACCESS.sub(lambda found: f"{found[0]}, !tbaa {_TAGS[found[1] or found[2]]}", ir)
