"""The mark of an allocation that must be kept: a call that seems to keep its pointer.

    declare void @enzyme_py_hint.kept(ptr)

To one reverse mode the mark is an inactive function. In forward mode it must also make the memory
active, which may begin with constants only (`c = np.ones(n)`, then a loop): there it has a rule.

Where reverse mode differentiates what another mode made, the shadows of the inner one are
allocations too, carried around the same loops, and without a mark the outer reverse mode recomputes
them: wrong gradients without a word, or code that never ends (MEASURED). So there the mark has
rules, by which the derivative of a mark is a mark on both the pointer and its shadow.

Rules know one shadow. Modules with requests of several are differentiated without recomputing.
"""

from __future__ import annotations

from dataclasses import replace

from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.requests import Requests
from enzyme_py.frontend.type_hints import HINT, HINT_ATTRIBUTES

KEPT = f"{HINT}.kept"
NO_RECOMPUTING = "--enzyme-rematerialize=0"

_HARMLESS = "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite)"
_INACTIVE = f"declare void @{KEPT}(ptr) {HINT_ATTRIBUTES}\n"


def ruled(mark: str, in_reverse: str = "") -> str:
    """Return the declaration of a mark that the pass takes for a function of active memory, and its rules.

    The derivative of a mark is a mark on both the pointer and its shadow; in the reverse sweep it is what is given.
    """
    name = mark.rpartition(".")[2]
    # The pass reads the rules after its own O2, which would drop what is internal and not used.
    return f"""declare void @{mark}(ptr) {_HARMLESS} "enzyme_nofree"
define void @{mark}_both(ptr %pointer, ptr %shadow) noinline {_HARMLESS} {{
  call void @{mark}(ptr %pointer)
  call void @{mark}(ptr %shadow)
  ret void
}}
define void @{mark}_reverse(ptr %pointer, ptr %shadow) noinline {_HARMLESS} {{
{in_reverse}  ret void
}}
@__enzyme_register_derivative_{name} = global [2 x ptr] [ptr @{mark}, ptr @{mark}_both]
@__enzyme_register_gradient_{name} = global [3 x ptr] \
[ptr @{mark}, ptr @{mark}_both, ptr @{mark}_reverse]
"""


def without_recomputing(module: DiffModule) -> DiffModule:
    """Return the module as one for which the pass makes no memory again; some toolchains take an option once only."""
    rest = (one for one in module.options if one != NO_RECOMPUTING)
    return replace(module, options=(*rest, NO_RECOMPUTING))


def with_mark(module: DiffModule) -> DiffModule:
    """Return the module with the mark declared as its requests need it."""
    if f"@{KEPT}(" not in module.ir:
        return module
    requests = Requests(module.ir)
    declaration = _INACTIVE
    every = requests.all()
    if all(one.width == 1 for one in every):
        # Forward mode of forward mode keeps no memory, and rules would.
        if any(one.is_reverse for one in every) == (len(every) > 1):
            declaration = ruled(KEPT)
    elif not all(one.is_reverse for one in requests.under_reverse()):
        module = without_recomputing(module)
    return replace(module, ir=f"{module.ir}\n{declaration}")
