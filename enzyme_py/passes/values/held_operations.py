"""Quotients, roots and logarithms stay behind the question that they stand behind, where derivatives are nested.

    for i in range(n):
        if b != 0.0:                         a / b was computed in front of the loop
            s[i] += a / b

Symptom: second derivatives were NaN where a branch is not taken whose quotient divides by zero, in a loop: also of NumPy's division of
complex numbers by one whose imaginary part is zero, as by a norm.

Cause: what is the same in all iterations LLVM computes in front of the loop, asked for or not: a quotient does no harm. Its slope is infinite
or NaN, and zero times that is zero in the inner derivative only (strong zero).

Cure: while O2 runs, such an operation is a call of a function that LLVM does not know, and may not call unasked:

    %q = fdiv double %a, %b                     ->    %q = call double @enzyme_py_held.fdiv.double(double %a, double %b)
    %r = call double @llvm.sqrt.f64(double %b)  ->    %r = call double @enzyme_py_held.llvm.sqrt.f64(double %b)

Not with fast-math flags, which say that there is no NaN, and not a quotient by a constant. In Enzyme's own run held_in_loops.py does the same.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Constant, Instruction, Module
from enzyme_py.passes.module.requests import nests_derivatives

_HELD = "enzyme_py_held."
_QUOTIENT = f"{_HELD}fdiv."
_KINDS = {"double": "f64", "float": "f32"}
_STEEP = ("sqrt", "log", "log2", "log10", "pow")
STEEP = 1  # the divisor, or the first argument of a call, which stands behind its callee
_SYMBOLS = {f"llvm.{name}.{letters}" for name in _STEEP for letters in _KINDS.values()}
_ATTRIBUTES = "nounwind willreturn nofree nosync memory(none)"


def hold(code: Module) -> None:
    """Make calls of unknown functions of what has an infinite slope somewhere, in a module that nests derivatives."""
    if not nests_derivatives(code):
        return
    for kind, letters in _KINDS.items():
        quotients = [one for function in code.functions for one in function.instructions if _is_quotient(one, kind)]
        if quotients:
            code.add_text(f"declare {kind} @{_QUOTIENT}{kind}({kind}, {kind}) {_ATTRIBUTES}\n")
        for one in quotients:
            at = Builder(one, keeps_location=True)
            one.replace_under_its_name(at.call(code.function(f"{_QUOTIENT}{kind}"), one.operands))
        for symbol in (f"llvm.{name}.{letters}" for name in _STEEP if code.get(f"llvm.{name}.{letters}")):
            calls = [one for one in code.calls_of(symbol) if not one.flags]
            if calls:
                given = ", ".join(kind for _ in calls[0].arguments)
                code.add_text(f"declare {kind} @{_HELD}{symbol}({given}) {_ATTRIBUTES}\n")
            for call in calls:
                call.set_callee(code.function(f"{_HELD}{symbol}"))


def release(code: Module) -> None:
    """Make of such calls what they were."""
    for function in [one for one in code.declarations if one.name.startswith(_HELD)]:
        symbol, kind = function.name.removeprefix(_HELD), function.return_type
        is_quotient = function.name.startswith(_QUOTIENT)
        for call in list(code.calls_of(function.name)):
            at = Builder(call, keeps_location=True)
            if is_quotient:
                above, below = call.arguments
                call.replace_under_its_name(at.arithmetic("fdiv", above, below))
            elif _is_square(call):
                call.replace_under_its_name(at.arithmetic("fmul", call.arguments[0], call.arguments[0]))
            else:
                call.set_callee(code.declare(symbol, kind, [kind for _ in call.arguments]))
        function.erase()


def _is_square(call: Call) -> bool:
    """Tell whether an exponent is 2, as O2 may have found out: it would have written a product, which others look for (squares_of_roots.py)."""
    exponent = call.arguments[-1]
    return len(call.arguments) > 1 and isinstance(exponent, Constant) and exponent.number == 2.0


def is_steep(one: Instruction) -> bool:
    """Tell whether an operation is one of these: its slope may be infinite by its operand `STEEP`."""
    return any(_is_quotient(one, kind) for kind in _KINDS) or (isinstance(one, Call) and one.callee in _SYMBOLS and not one.flags)


def _is_quotient(one: Instruction, kind: str) -> bool:
    is_steep = one.opcode == "fdiv" and one.type == kind and not one.flags
    return is_steep and not isinstance(one.operands[1], Constant)
