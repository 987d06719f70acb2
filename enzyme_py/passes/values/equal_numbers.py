"""Comparisons of floats for equality, from which LLVM must not learn what a number is.

    y = x * x if x == 3.0 else 0.0

Symptom: a slope of zero at 3, without a word; of np.where(x == 1.0, x - 1.0, ...) too, and of a place that is found by
comparing (`t[t.index(3.0)]`).

Cause: where x == 3.0 is true, LLVM writes 3.0 for x, in GVN, SCCP and InstCombine. The value is the same. The
derivative is that of a constant. They do so in front of Enzyme, and Enzyme runs them itself.

Cure: compared is `llvm.canonicalize(x)`, or `-llvm.canonicalize(-x)` on the right, so the number that LLVM knows to be 3.0 is another one than x. LLVM computes it of
constants, but does not look through it; a comparison needs no derivative. The native stage takes it away behind Enzyme
(native/rewrites/leftovers.py). Comparisons with zero are left alone: of them LLVM learns nothing, since x may be -0.0.
With fast-math flags the sign of zero is nobody's, and then it does.

Both sides are hidden. Which of them is a constant, only LLVM finds out: an element of a constant table, a parameter of what is inlined
(`low == x` with the constant on the left: only that was hidden once, and the slope was lost).

Of `3.0 <= x`, and in that `x <= 3.0`, LLVM makes an equality: what is compared with the same number twice is hidden as well. The
same number is a literal, or what a variable is given on all sides (`low <= x <= low`): variables are slots of the stack here, and slots are
followed to what is stored in them. Not seen are two variables that turn out to be one constant, `low <= x <= high`, and elements of arrays
on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import combinations

from enzyme_py.llvm import (
    Alloca,
    Builder,
    Compare,
    Constant,
    Function,
    Instruction,
    Load,
    Store,
    Value,
)
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import CANONICAL

_NAMES = {"double": "f64", "float": "f32"}
_EQUALITIES = ("oeq", "ueq", "one", "une")
_ORDERS = ("oge", "ogt", "ole", "olt", "uge", "ugt", "ule", "ult")
_WITH_EQUAL = ("oge", "ole", "uge", "ule", "ugt", "ult")  # or their opposites have
_NO_SIGN = ("fast", "nsz")
_NO_NAN = ("fast", "nnan")
_ZEROS = ("0.000000e+00", "-0.000000e+00")
_BEGINNINGS = {_ZEROS[0], "0"}  # what Numba stores in a variable before anything else
_CASTS = ("sitofp", "uitofp", "fpext", "fptrunc", "sext", "zext")
_ELEMENT = "an element"


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
    orders, ordered = Counter[str](), 0
    has_signs, has_equal = True, False
    for words in function.words_of("fcmp"):
        has_sign = not any(flag in words for flag in _NO_SIGN)
        has_signs = has_signs and has_sign
        if any(one in words for one in _EQUALITIES) and not (has_sign and words[-1] in _ZEROS):
            return True
        orders.update(one for one in words[-2:] if not one.startswith("%"))
        if any(one in words for one in _ORDERS) and words[-1] not in _ZEROS:
            ordered += 1
            has_equal = has_equal or _makes_equal(words)
    is_twice = any(count > 1 and not (has_signs and one in _ZEROS) for one, count in orders.items())
    return is_twice or (has_equal and ordered > 1)


def _makes_equal(words: Iterable[str]) -> bool:
    """Tell whether a comparison by order may be half of an equality, from its predicate and flags."""
    return any(one in words for one in (*_WITH_EQUAL, *_NO_NAN))


def _hide(function: Function) -> None:
    compared = [
        one
        for one in function.instructions
        if isinstance(one, Compare) and one.opcode == "fcmp" and one.operands[0].type in _NAMES
    ]
    by_order = [one for one in compared if one.predicate in _ORDERS]
    ordered = Counter(each.ref for one in by_order for each in _constants(one))
    pairs = _pairs(by_order)
    for one in compared:
        if one in pairs or _tells(one, ordered):
            for place, value in enumerate(one.operands):
                if not isinstance(value, Constant):
                    one.set_operand(place, _hidden(value, Builder(one, keeps_location=True), is_right=place == 1))


def _hidden(value: Value, at: Builder, *, is_right: bool) -> Value:
    """Return the same number, of which LLVM does not see that it is the same. Two calls of one form would cancel each other."""
    same = at.function.module.declare(CANONICAL + _NAMES[value.type], value.type, [value.type])
    if not is_right:
        return at.call(same, [value], "compared")
    return at.fneg(at.call(same, [at.fneg(value)], "compared"))


def _tells(one: Compare, ordered: Counter[str]) -> bool:
    """Tell whether LLVM may learn from a comparison what a number is; `ordered` counts constants that are compared by order."""
    left, right = one.operands
    constants = _constants(one)
    is_twice = one.predicate in _ORDERS and any(ordered[each.ref] > 1 for each in constants)
    if len(constants) == 2 or _is_with_zero(one) or not (one.predicate in _EQUALITIES or is_twice):
        return False
    return left is not right and not (len(_given(left)) == 1 and _given(left) == _given(right) != {_ELEMENT})


def _is_with_zero(one: Compare) -> bool:
    """Tell whether a number is compared with zero, of which LLVM learns nothing."""
    has_signs = not any(flag in _NO_SIGN for flag in one.flags)
    return has_signs and any(each.number == 0.0 for each in _constants(one))


def _constants(one: Compare) -> list[Constant]:
    return [each for each in one.operands if isinstance(each, Constant)]


def _pairs(compared: Iterable[Compare]) -> set[Compare]:
    """Return the comparisons by order of the same two variables, of which there is another one."""
    asked = [one for one in compared if not _is_with_zero(one)]
    if not any(_makes_equal((one.predicate, *one.flags)) for one in asked):
        return set()
    given = {one: tuple(_given(operand) for operand in one.operands) for one in asked}
    return {
        each
        for pair in combinations(asked, 2)
        if any(_makes_equal((one.predicate, *one.flags)) for one in pair)
        and any(_are_same(given[pair[0]], other) for other in (given[pair[1]], given[pair[1]][::-1]))
        for each in pair
    }


def _are_same(ones: Iterable[AbstractSet[object]], others: Iterable[AbstractSet[object]]) -> bool:
    """Tell whether numbers may be the same in turn, and one of them surely is no element of an array."""
    both = [one & other for one, other in zip(ones, others, strict=True)]
    return all(both) and any(each - {_ELEMENT} for each in both)


def _given(value: Value) -> set[object]:
    """Return what a number is before LLVM looks at variables: constants, arguments, what instructions compute; `_ELEMENT` of memory."""
    found, seen, pending = set[object](), set[Value](), [value]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, Constant):
            found.add(one.ref)
        elif isinstance(one, Load) and isinstance(one.pointer, Alloca):
            pending += [user.value for user in one.pointer.users if isinstance(user, Store)]
        elif isinstance(one, Instruction) and one.opcode in _CASTS:
            pending.append(one.operands[0])
        else:
            found.add(_ELEMENT if isinstance(one, Load) else one)
    return found - _BEGINNINGS or found
