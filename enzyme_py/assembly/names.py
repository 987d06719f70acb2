"""Names in a module that do not change from one process to the next.

Numba numbers its symbols by the order of compilation and puts addresses into some. The disk cache is
addressed by the module's text, so every name that the module defines is replaced by one made of its
position and a readable part, and only the entries stay external.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from enzyme_py.assembly.ir_text import plain_name

_NAME = r'@(?:"[^"]+"|[-a-zA-Z$._0-9]+)'
_DEFINITION = re.compile(rf"^(?:define\b[^@]*|)({_NAME})(?:\(| = )", re.MULTILINE)
# Plain strings are matched to be left alone: constant data may hold an @ and a quote.
_ANY = re.compile(rf'linkageName: "([^"]+)"|(?<!@)"[^"]*"|{_NAME}')
_ADDRESS = re.compile(r"_?0x[0-9a-f]{6,}")
_LINKAGE = re.compile(
    r"^define (?:dso_local )?(?:linkonce_odr |weak_odr |internal )?", re.MULTILINE
)


def readable(symbol: str) -> str:
    """Return the last part of the Python name in a mangled symbol, or the symbol itself."""
    parts = list(_components(symbol.removeprefix("shim.")))
    return re.sub(r"\W", "_", _ADDRESS.sub("", parts[-1] if parts else symbol))


def _components(symbol: str) -> Iterator[str]:
    """Yield the names in `_ZN<length><name>...`, up to the first that is no name."""
    rest = symbol[3:] if symbol.startswith("_ZN") else ""
    while found := re.match(r"(\d+)", rest):
        start = found.end()
        end = start + int(found.group(1))
        yield rest[start:end]
        rest = rest[end:]


def stable_names(ir: str, entries: Sequence[str]) -> str:
    """Return the module's text with stable names and everything but the entries internal."""
    defined: dict[str, str] = {}
    for found in _DEFINITION.finditer(ir):
        name = plain_name(found.group(1))
        if name not in entries and not name.startswith(("enzyme_", "__enzyme", "llvm.")):
            defined.setdefault(name, f"k{len(defined)}.{readable(name)}")

    def rename(found: re.Match[str]) -> str:
        if found.group(1) is not None:
            return f'linkageName: "{defined.get(found.group(1), found.group(1))}"'
        if found.group(0).startswith('"'):
            return found.group(0)
        name = plain_name(found.group(0))
        return f'@"{defined[name]}"' if name in defined else found.group(0)

    return _internal(_without_addresses(_ANY.sub(rename, ir)), entries)


def _without_addresses(ir: str) -> str:
    lines = ir.splitlines()
    for number, line in enumerate(lines):
        if "!DISubprogram(" in line or line.startswith(("source_filename", "; ModuleID")):
            lines[number] = _ADDRESS.sub("", line)
    return "\n".join(lines) + "\n"


def _internal(ir: str, entries: Sequence[str]) -> str:
    ir = _LINKAGE.sub("define internal ", ir)
    for entry in entries:
        ir = re.sub(
            rf"^define internal (.*@{re.escape(entry)}\()", r"define \1", ir, flags=re.MULTILINE
        )
    return ir
