"""Roots, norms and sizes, marked with what their squares are.

    %r = call double @enzyme_py_root.double(double %norm, double %sum.of.squares, double %steep)

is %norm. Its square is %sum.of.squares but for rounding, and that has derivatives where a root has none: at zero. %steep is a zero whose second
derivatives are infinite there, as those of the norm are. The mark is for LLVM's O2, which sees nothing in it; behind that,
passes/values/squares_of_roots.py looks for squares, and takes all marks away.
"""

from __future__ import annotations

ROOT = "enzyme_py_root."
# Exponents of the powers of two for the second derivatives of a root that is zero: of both factors of a square, which stays finite, and once
# more behind the sum, which makes it infinite.
AT_ZERO = {"double": (400, 300), "float": (30, 90)}
_BEHAVIOUR = "nounwind willreturn nofree nosync speculatable memory(none)"


def root(kind: str, value: str, square: str, steep: str = "0.0") -> str:
    """Return the call that marks a value."""
    return f"call {kind} @{ROOT}{kind}({kind} {value}, {kind} {square}, {kind} {steep})"


def root_declarations(kind: str) -> str:
    """Return what such a call, and what becomes of it, needs declared."""
    return f"declare {kind} @{ROOT}{kind}({kind}, {kind}, {kind}) {_BEHAVIOUR}\ndeclare {kind} @enzyme_py_inactive.{kind}({kind})\n"
