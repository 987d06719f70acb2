"""Loads and stores of floats say that they are ones.

Symptom: second derivatives that are wrong without a word, of `b[:, 1] = c` in reverse over forward mode, or refused with
"cannot deduce type of phi", of `if ...: b[1] = c[i]` in front of `b[2] = b[1]`. Both measured.

Cause: Enzyme concludes what memory holds from what is done with it, and where an index or a step is not known it
concludes nothing. In a first derivative it takes a `load double` for a float then. In a derivative of that one it does no
more. Forward mode fills the tangent of an unknown constant with zero bytes, and bytes are integers: the outer
reverse mode copied them in the forward sweep, in place of clearing the adjoint in the reverse one. Nor does a phi
of tangents have a type.

Cure: each load and store of one of LLVM's float types gets a tag, if it has none. Enzyme copies tags to the accesses of
shadows, which it does not do with its own `enzyme_type`. Bits that are moved as integers stay as they are.
"""

from __future__ import annotations

from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.types.tags import KIND, Tags, accessed_type

_FLOATS = ("double", "float")


class TypedAccesses(Pass):
    """A tag for each load and store of a float."""

    name = "typed accesses"

    def run(self, draft: Draft) -> None:
        """Tag the accesses of all functions."""
        tags = Tags(draft.code)
        for function in draft.code.functions:
            for one in function.instructions:
                type_ = accessed_type(one)
                if type_ in _FLOATS and not one.has_metadata(KIND):
                    tags.put(one, type_)
