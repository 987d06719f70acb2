"""Quotients in forward mode, whose divisors need not be squared.

Symptom: the tangent of x / y was 0, or infinite, without a word, where the square of y leaves the range of floats: from 1e155
on and below 1e-162, in single precision from 2e19 on and below 3e-23.

Cause: Enzyme's rule is (dx y - dy x) / (y y). With strong zero it chooses 0 where the numerator is 0.

    %n = fsub (fmul %dx, %y), (fmul %dy, %x)              %r = fmul %dy, %quotient
    %s = fmul %y, %y                                ->    %n = fsub %dx, %r
    %t = fdiv %n, %s                                      %t = fdiv %n, %y

Cure: behind Enzyme the tangent is written as (dx - q dy) / y, with the quotient q that stands there; where there is none, by
1 / y, so that nothing is divided more often than before. With strong zero both terms must be zero for a zero, whatever y is: that is
what the numerator said. A numerator of another form is multiplied by 1 / y twice.

An infinite divisor makes a quotient zero, and its tangent, also where the divisor's own is infinite: that of 1 / (1 + exp(x)) was NaN.

What the kernel itself divides has a mark, set in front of Enzyme. A constant divisor is a square that LLVM has computed.

In forward mode of forward mode the outer tangent divides by the square of a square, and is rewritten the same way.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Compare, Constant, Function, Instruction, Select, Value
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.rules.bodies import rounded

OWN = "enzyme_py_own_quotient"
INFINITY = "0x7FF0000000000000"  # of both precisions
# Other types are left alone: the squares of 80 bits leave no range that anybody uses.
_ABSOLUTE = {"double": "llvm.fabs.f64", "float": "llvm.fabs.f32"}


class MarkQuotients(Pass):
    """Mark what a kernel itself divides: which divisors are squares, LLVM may find out later."""

    name = "quotients marked"

    def run(self, draft: Draft) -> None:
        """Mark it in all functions."""
        found = [one for function in draft.code.functions for one in _divisions(function)]
        if found:
            node = draft.code.node("!{}")  # which looks through all nodes of the module
            for one in found:
                one.set_metadata(OWN, node)


class ForwardQuotients(Pass):
    """Write the tangents of quotients without squares of divisors."""

    name = "forward quotients"

    def run(self, draft: Draft) -> None:
        """Rewrite what has no mark, and remove the marks."""
        for function in draft.code.functions:
            made = _Tangents(function)
            for one in _divisions(function):
                if OWN in one.metadata:
                    one.remove_metadata(OWN)
                elif (divisor := _root(one)) is not None:
                    made.rewrite(one, divisor)


def _divisions(function: Function) -> list[Instruction]:
    if not function.mentions(" fdiv "):
        return []
    return [one for one in function.instructions if one.opcode == "fdiv" and one.type in _ABSOLUTE]


def _root(quotient: Instruction) -> Value | None:
    """Return what the divisor is the square of; None if it is none."""
    above, square = quotient.operands
    if isinstance(square, Constant):
        factors = [one for term in _terms(above) for one in _factors(term)]
        return next((one for one in factors if _is_square(square, one)), None)
    factors = _factors(square)
    return factors[0] if len(factors) == 2 and factors[0] is factors[1] else None


def _terms(above: Value) -> list[Value]:
    """Return what is subtracted, or the whole."""
    return list(above.operands) if isinstance(above, Instruction) and above.opcode == "fsub" else [above]


def _factors(value: Value) -> list[Value]:
    return list(value.operands) if isinstance(value, Instruction) and value.opcode == "fmul" else []


def _is_square(square: Constant, root: Value) -> bool:
    """Tell whether a constant is the square of another one, as LLVM computed it."""
    if not isinstance(root, Constant) or root.number is None:
        return False
    return square.number == rounded(root.number * root.number, root.type)


class _Tangents:
    """The tangents of the quotients of a function."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._inverses: dict[tuple[Value, object], Value] = {}  # of a divisor, in a block

    def rewrite(self, old: Instruction, divisor: Value) -> None:
        """Write the tangent of one quotient otherwise, which is divided by the square of a divisor."""
        numerator, at = old.operands[0], _Place(old)
        terms = _terms(numerator)
        first = _without(terms[0], divisor)
        if first is None or (len(terms) == 2 and not _factors(terms[1])):
            inverse = self._inverse(at, old, divisor)
            new = at.made("fmul", at.made("fmul", numerator, inverse), inverse)
        elif len(terms) == 1:
            new = at.made("fdiv", first, divisor)
            _choose(old, numerator, [first])
        else:
            new = self._of_both(at, old, first, terms[1], divisor)
            _choose(old, numerator, [first, terms[1]])
        if not isinstance(divisor, Constant):
            new = at.none_if_infinite(divisor, new)
        old.replace_all_uses_with(new)
        old.erase()

    def _of_both(
        self, at: _Place, old: Instruction, first: Value, second: Value, divisor: Value
    ) -> Value:
        """Return (dx - q dy) / y; or with r = 1 / y, (dx - (x r) dy) r."""
        for x, other in (_factors(second), _factors(second)[::-1]):
            quotient = self._quotient(old, x, divisor)
            if quotient is not None:
                difference = at.made("fsub", first, at.made("fmul", quotient, other))
                return at.made("fdiv", difference, divisor)
        inverse = self._inverse(at, old, divisor)
        x, other = _factors(second)
        difference = at.made("fsub", first, at.made("fmul", at.made("fmul", x, inverse), other))
        return at.made("fmul", difference, inverse)

    def _quotient(self, old: Instruction, x: Value, divisor: Value) -> Value | None:
        """Return x by the divisor, if it is computed in front of an instruction anyway."""
        dominators = self._function.analysis(Dominators)
        for one in divisor.users:
            is_it = one.opcode == "fdiv" and one.operands[0] == x and one.operands[1] == divisor
            if is_it and dominators.is_available(one, old):
                return one
        return None

    def _inverse(self, at: _Place, old: Instruction, divisor: Value) -> Value:
        """Return 1 by the divisor, which all tangents of a block share."""
        key = divisor, old.home
        if key not in self._inverses:
            known = self._quotient(old, at.one, divisor)
            self._inverses[key] = known or at.made("fdiv", at.one, divisor)
        return self._inverses[key]


class _Place:
    """Makes numbers in front of an instruction, with its flags."""

    def __init__(self, old: Instruction) -> None:
        self._builder = Builder(old, keeps_location=True)
        self._flags = " ".join(old.flags)
        self.one = self._builder.constant(old.type, "1.000000e+00")

    def made(self, opcode: str, left: Value, right: Value) -> Value:
        return self._builder.arithmetic(opcode, left, right, "tangent", flags=self._flags)


    def none_if_infinite(self, divisor: Value, tangent: Value) -> Value:
        at = self._builder
        is_infinite = at.compare("oeq", _size(at, divisor), at.constant(divisor.type, INFINITY), "is.infinite")
        return at.select(is_infinite, at.constant(tangent.type, "0.000000e+00"), tangent, "tangent")


def _without(product: Value, factor: Value) -> Value | None:
    """Return the other factor of a product; None if there is none."""
    left, right = _factors(product) or (None, None)
    return left if right == factor else right if left == factor else None


def _choose(old: Instruction, numerator: Value, terms: list[Value]) -> None:
    """With strong zero, take zero where all terms are zero: the numerator may be a zero that is rounded."""
    for one in old.users:
        is_zero = one.condition if isinstance(one, Select) else None
        if isinstance(is_zero, Compare) and is_zero.predicate == "oeq" and is_zero.operands[0] is numerator:
            at = Builder(one, keeps_location=True)  # one comparison: two make a chain of machine code
            zero = is_zero.operands[1]
            size, *others = terms
            for other in others:
                size = at.arithmetic("fadd", _size(at, size), _size(at, other), "size")
            one.set_operand(0, at.compare("oeq", size, zero, "is.zero"))


def _size(at: Builder, number: Value) -> Value:
    absolute = at.function.module.declare(_ABSOLUTE[number.type], number.type, [number.type])
    return at.call(absolute, [number], "size")
