"""SciPy's special functions as Enzyme and LLVM see them: outside functions of constants (special/)."""

from __future__ import annotations

from enzyme_py.symbols import SPECIAL_NONE, SPECIAL_OUTSIDE

_INACTIVE = '"enzyme_inactive" "enzyme_nofree" "enzyme_no_escaping_allocation"'


def declaration(head: str, name: str) -> str | None:
    """Return the declaration of such a function; None for another one."""
    if not name.startswith((*SPECIAL_OUTSIDE, SPECIAL_NONE)):
        return None
    # LLVM drops a derivative that has no closed form where Enzyme did not need it.
    memory = " memory(none)" if name.startswith(SPECIAL_NONE) else ""
    return f"{head} nounwind willreturn nofree nosync{memory} {_INACTIVE}"
