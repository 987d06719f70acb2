"""The numbers of captured arrays are hidden from Enzyme, which takes their bytes for values of any type.

Symptom: the derivative of a gradient of `b[i] = X[i]` had X as the tangent of b, without a word (measured).

Cause: a captured array is a constant of bytes, and so may a table be that LLVM made. From the bytes Enzyme concludes that what
is loaded there is "anything", also where the load says that it is a float, and one zero among doubles suffices. Forward
mode gives a constant that is no float its own value as tangent, so that it has one if it is a pointer.

Cure: Enzyme sees declarations, of which the uses tell the types, and that nothing there is active. The numbers come back
behind it; what can be computed from them at compile time is, when the machine code is made.
"""

from __future__ import annotations

from enzyme_py.llvm import GlobalVariable, types
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import INACTIVE

_OWN = ("internal", "private")
_FLOATS = ("double", "float")


class HideCapturedNumbers(Pass):
    """Make declarations of constants that hold floats; the draft remembers (linkage, numbers) of each by name."""

    name = "hide captured numbers"

    def run(self, draft: Draft) -> None:
        """Take the numbers of all such constants away."""
        for one in draft.code.variables:
            if not _is_data(one):
                continue
            is_marked = INACTIVE in one.metadata
            numbers, words = one.initializer, one.words
            if numbers is None or words[:1] not in ([each] for each in _OWN):
                continue
            if not is_marked and types.counted(one.value_type)[1] not in _FLOATS:
                continue
            draft.hidden_numbers[one.name] = words[0], numbers
            one.set_words(["external", *words[1:]])
            one.set_initializer(None)
            if not is_marked:
                one.set_metadata(INACTIVE, "!{}")


class RestoreCapturedNumbers(Pass):
    """Put the hidden numbers back where they are declared."""

    name = "restore captured numbers"

    def applies(self, draft: Draft) -> bool:
        """Tell whether any numbers are hidden."""
        return bool(draft.hidden_numbers)

    def run(self, draft: Draft) -> None:
        """Define the constants again that Enzyme has left."""
        for one in draft.code.variables:
            known = draft.hidden_numbers.get(one.name)
            if known is not None and _is_data(one) and one.words[:1] == ["external"]:
                linkage, numbers = known
                one.set_words([linkage, *one.words[1:]])
                one.set_initializer(numbers)


def _is_data(one: GlobalVariable) -> bool:
    """Tell whether a variable is a constant array of numbers."""
    if one.kind != "constant" or not types.is_array(one.value_type):
        return False
    return types.counted(one.value_type)[1].isalnum()
