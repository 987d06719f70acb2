"""SciPy's special functions as Enzyme and LLVM see them: outside functions of constants (special/)."""

from __future__ import annotations

from enzyme_py.symbols import SPECIAL_NONE, SPECIAL_OUTSIDE

OUTSIDE = (*SPECIAL_OUTSIDE, SPECIAL_NONE)
# They write to addresses that they are given, at most. So LLVM drops those whose value nobody uses: with them goes what
# is asked of a derivative that has no closed form, where Enzyme did not need it.
OUTSIDE_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(argmem: readwrite) "
    '"enzyme_inactive" "enzyme_nofree" "enzyme_no_escaping_allocation"'
)
