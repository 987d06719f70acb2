"""The mark of an allocation that Enzyme must cache: a call that seems to keep its pointer.

    declare void @enzyme_py_hint.kept(ptr)

In one reverse mode the mark is an inactive function. In forward mode it must also make the memory active, which may
begin with constants only (`c = np.ones(n)`, then a loop): there it has a rule.

Where reverse mode differentiates what another mode made, the shadows of the inner one are allocations too, carried
around the same loops. Without a mark the outer reverse mode makes them again: wrong gradients without a word, or code
that never ends (measured). So there the mark has rules, by which the derivative of a mark is a mark on both the
pointer and its shadow.

Rules know one shadow. Modules with requests of several, under reverse mode, are differentiated without making any
memory again. The native stage drops the marks.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Function, Value
from enzyme_py.passes.base import Draft
from enzyme_py.passes.module.requests import Requests
from enzyme_py.symbols import CACHED, HINT_ATTRIBUTES, NO_RECOMPUTING

_HARMLESS = "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite)"
_INACTIVE = f"declare void @{CACHED}(ptr) {HINT_ATTRIBUTES}\n"


def ruled(mark: str, in_reverse: str = "") -> str:
    """Return the declaration of a mark that Enzyme takes for a function of active memory, and its rules.

    The derivative of a mark is a mark on both the pointer and its shadow; in the reverse sweep it is what is given.
    """
    name = mark.rpartition(".")[2]
    # Enzyme reads the rules after its own O2, which would drop what is internal and not used.
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


def without_recomputing(draft: Draft) -> None:
    """Let Enzyme make no memory again in the reverse sweep."""
    draft.add_option(NO_RECOMPUTING)


def keep(made: Call, draft: Draft) -> None:
    """Let Enzyme cache an allocation, which holds numbers that matter."""
    made.set_attributes(['"enzyme_active_val"', *made.attributes])
    Builder.after(made).call(declared_mark(draft), [made], type_="void")


def declared_mark(draft: Draft) -> Value:
    """Return the mark, declared as the module's requests need it."""
    known = draft.code.get(CACHED)
    if isinstance(known, Function):
        return known
    requests = Requests(draft.code)
    every, declaration = requests.all(), _INACTIVE
    if all(one.width == 1 for one in every):
        # Forward mode of forward mode caches no memory, and rules would.
        if any(one.is_reverse for one in every) == (len(every) > 1):
            declaration = ruled(CACHED)
    elif not all(one.is_reverse for one in requests.under_reverse()):
        without_recomputing(draft)
    draft.code.add_text(declaration)
    return draft.code.function(CACHED)
