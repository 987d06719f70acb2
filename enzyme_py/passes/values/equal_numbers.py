"""Comparisons of floats for equality, from which LLVM must not learn what a number is.

    y = x * x if x == 3.0 else 0.0

Symptom: a slope of zero at 3, without a word; of np.where(x == 1.0, x - 1.0, ...) too, and of a place that is found by
comparing (`t[t.index(3.0)]`).

Cause: where x == 3.0 is true, LLVM writes 3.0 for x, in GVN, SCCP and InstCombine. The value is the same. The
derivative is that of a constant. They do so in front of Enzyme, and Enzyme runs them itself.

Cure: compared is `llvm.canonicalize(x)`, so the number that LLVM knows to be 3.0 is another one than x. LLVM computes it of
constants, but does not look through it; a comparison needs no derivative. The native stage takes it away behind Enzyme
(native/rewrites/leftovers.py). Comparisons with zero are left alone: of them LLVM learns nothing, since x may be -0.0.
With fast-math flags the sign of zero is nobody's, and then it does. Of `3.0 <= x`, and in that `x <= 3.0`, LLVM makes an equality: what
is compared with the same number twice is hidden as well.
"""

from __future__ import annotations

from collections import Counter

from enzyme_py.llvm import Builder, Compare, Constant, Function
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import CANONICAL

_NAMES = {"double": "f64", "float": "f32"}
_EQUALITIES = ("oeq", "ueq", "one", "une")
_ORDERS = ("oge", "ogt", "ole", "olt", "uge", "ugt", "ule", "ult")
_NO_SIGN = ("fast", "nsz")
_ZEROS = ("0.000000e+00", "-0.000000e+00")


class EqualNumbers(Pass):
    """Hide from LLVM what is compared for equality."""

    name = "equal numbers"

    def run(self, draft: Draft) -> None:
        """Hide it in every function."""
        for function in draft.code.functions:
            if _may_tell(function):
                _hide(function)


def _may_tell(function: Function) -> bool:
    """Tell whether a function may compare floats like this, from its text alone: of most, no more is read."""
    orders = Counter[str]()
    has_signs = True
    for words in function.words_of("fcmp"):
        has_sign = not any(flag in words for flag in _NO_SIGN)
        has_signs = has_signs and has_sign
        if any(one in words for one in _EQUALITIES) and not (has_sign and words[-1] in _ZEROS):
            return True
        orders.update(one for one in words[-2:] if not one.startswith("%"))
    return any(count > 1 and not (has_signs and one in _ZEROS) for one, count in orders.items())


def _hide(function: Function) -> None:
    compared = [
        one
        for one in function.instructions
        if isinstance(one, Compare) and one.opcode == "fcmp" and one.operands[0].type in _NAMES
    ]
    ordered = Counter(each.ref for one in compared if one.predicate in _ORDERS for each in _constants(one))
    for one in compared:
        if _tells(one, ordered):
            value = next(each for each in one.operands if not isinstance(each, Constant))
            at = Builder(one, keeps_location=True)
            same = function.module.declare(CANONICAL + _NAMES[value.type], value.type, [value.type])
            one.replace_operand(value, at.call(same, [value], "compared"))


def _tells(one: Compare, ordered: Counter[str]) -> bool:
    """Tell whether LLVM may learn from a comparison what a number is; `ordered` counts constants that are compared by order."""
    left, right = one.operands
    constants = _constants(one)
    is_twice = one.predicate in _ORDERS and any(ordered[each.ref] > 1 for each in constants)
    if left is right or len(constants) == 2 or not (one.predicate in _EQUALITIES or is_twice):
        return False
    has_signs = not any(flag in _NO_SIGN for flag in one.flags)
    return not (has_signs and any(each.number == 0.0 for each in constants))


def _constants(one: Compare) -> list[Constant]:
    return [each for each in one.operands if isinstance(each, Constant)]
