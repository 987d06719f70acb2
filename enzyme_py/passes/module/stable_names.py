"""Names in a module that do not change from one process to the next.

Symptom: the disk cache, which goes by a module's text, never has what was compiled in another process.

Cause: Numba numbers its symbols by the order of compilation, and puts addresses into some.

Cure: every name that the module defines is replaced by one made of its position and a readable part, `k7.product`. Only the
entries stay external, under the names that they have. Addresses in what the debugger is told go as well.
"""

from __future__ import annotations

from enzyme_py.llvm import Function, GlobalValue, GlobalVariable, Module
from enzyme_py.llvm.toplevel import Other
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import readable, without_addresses

_KNOWN = ("enzyme_", "__enzyme", "llvm.")
_HEADINGS = ("source_filename", "; ModuleID")
_LINKED = "linkageName"


class StableNames(Pass):
    """Names by position, for all that a module defines but its entries, which alone stay external."""

    name = "stable names"

    def run(self, draft: Draft) -> None:
        """Rename what the module defines."""
        code = draft.code
        names = _names(code, draft.entries)
        _rename_in_debug_information(code, {one.name: name for one, name in names.items()})
        code.rename_all(names)
        for function in code.functions:
            function.remove_word("dso_local")
            function.set_linkage("external" if function.name in draft.entries else "internal")


def _names(code: Module, entries: tuple[str, ...]) -> dict[GlobalValue, str]:
    names: dict[GlobalValue, str] = {}
    named = (one for one in code.items if isinstance(one, GlobalValue))
    for one in named:
        if not _is_declared(one) and one.name not in entries and not one.name.startswith(_KNOWN):
            names[one] = f"k{len(names)}.{readable(one.name)}"
    return names


def _is_declared(one: GlobalValue) -> bool:
    """Tell whether a library has it: functions, and variables of linked code."""
    if isinstance(one, Function):
        return one.is_declaration
    return isinstance(one, GlobalVariable) and one.kind in ("global", "constant") and one.initializer is None


def _rename_in_debug_information(code: Module, names: dict[str, str]) -> None:
    """Name functions alike in debug information, and take addresses out of it."""
    for node in code.metadata.values():
        content = node.content
        if "!DISubprogram(" not in content:
            continue
        linked = node.fields.get(_LINKED, "")
        if linked[1:-1] in names:
            content = content.replace(f"{_LINKED}: {linked}", f'{_LINKED}: "{names[linked[1:-1]]}"')
        content = without_addresses(content)
        if content != node.content:
            node.set_content(content)
    for item in code.items:
        if isinstance(item, Other) and any(word in item.text for word in _HEADINGS):
            lines = item.text.splitlines(keepends=True)
            item.text = "".join(
                without_addresses(line) if line.startswith(_HEADINGS) else line for line in lines
            )
