"""From a runner that Numba has compiled to an entry, or to the reason why there cannot be one.

Not kept is what another process could not use, or what was made under other conditions than its name says:

* code that returns lists or the like: it holds addresses of Numba's engine (transforms/plans/unloading.py);
* code with an address of this process in it;
* code of Numba's own with a class by value, which would be another class there: an exception of `__main__`, of a `vmap`
  of a kernel;
* a kernel of which a global has changed since Numba compiled it: Numba keeps the value that it found then.
"""

from __future__ import annotations

from typing import Any

from numba.core import serialize

from enzyme_py.finished.behind import NotKept, behind
from enzyme_py.finished.cached_callers import is_ours
from enzyme_py.finished.entries import Entry
from enzyme_py.foundations.content.compiled_content import is_as_compiled
from enzyme_py.foundations.content.function_content import visited
from enzyme_py.foundations.content.named_classes import is_raised_by_value
from enzyme_py.foundations.keeping import made_of
from enzyme_py.frontend.functions.result_kernels import holds_structure

WARNED = "drawn again"  # of kernels, see transforms/plans/drawn_again.py


def entry_of(compiled: Any, plan: Any) -> Entry:
    """Return the entry of what Numba compiled of a plan, or raise `NotKept`."""
    library = compiled.library
    code = getattr(library, "code", None)
    if code is None:
        raise NotKept(f"a result of type {compiled.signature.return_type} is bound to Numba's engine")
    derivatives = list(library.derivatives())
    if library.holds_addresses():
        raise NotKept("an address of this process stands in its code")
    if made_of(plan.kernel, WARNED):
        raise NotKept("its kernel draws random numbers, of which every process is to be warned")
    if not all(map(is_ours, library._reload_init)):
        raise NotKept("its code needs other code of Numba's to be started")
    if is_raised_by_value(code.binary):
        raise NotKept("a class is in its code that another process cannot find by its name")
    _check_unchanged(plan)
    return Entry(
        code=code,
        wrapper=compiled.fndesc.llvm_cpython_wrapper_name,
        environment=compiled.fndesc.env_name,
        environments={
            symbol: serialize.dumps(list(one.consts)) for symbol, one in library.environments.items()
        },
        behind=tuple(map(behind, derivatives)),
        returns_trees=holds_structure(compiled.signature.return_type),
    )


def _check_unchanged(plan: Any) -> None:
    """Raise if a function behind the plan is not what it was when it was compiled."""
    for one in visited(plan):
        if not is_as_compiled(one):
            raise NotKept(f"what `{one.__name__}` names has changed since it was compiled")
