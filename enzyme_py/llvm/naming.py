"""Names as LLVM writes them: quoted where they must be, numbered where there is none."""

from __future__ import annotations

import re
import string

from enzyme_py.llvm.reading import patterns

_LETTERS = frozenset(string.ascii_letters + "-$._")
_PLAIN = _LETTERS | frozenset(string.digits)


def quoted(name: str) -> str:
    """Return a name as it is printed behind `%` or `@`."""
    if name and name[0] in _LETTERS and _PLAIN.issuperset(name):
        return name
    return f'"{name}"'


def bare(ref: str) -> str:
    """Return a name without its sign and quotes."""
    return ref[2:-1] if ref[1:2] == '"' else ref[1:]


def global_names(text: str) -> set[str]:
    """Return the global names that stand in a text, without sign."""
    return {bare(ref) for ref in patterns.GLOBAL_NAME.findall(text)}


def canonical(ref: str) -> str:
    """Return a reference with quotes only if it needs them: text may write one name in both ways."""
    return ref[0] + quoted(bare(ref)) if ref[1:2] == '"' else ref


def is_number(ref: str) -> bool:
    """Tell whether a value has a number (`%5`) in place of a name."""
    return ref[1:].isdecimal()


def otherwise_written(ref: str) -> str:
    """Return a reference with quotes if it has none, else without."""
    return f"{ref[0]}{ref[2:-1]}" if ref[1:2] == '"' else f'{ref[0]}"{ref[1:]}"'


def unescaped(text: str) -> str:
    """Return the text of a string in metadata, where a code of two digits stands for what is not printable."""

    def meant(found: re.Match[bytes]) -> bytes:
        return b"\\" if found[1] is None else bytes.fromhex(found[1].decode())

    return patterns.ESCAPED.sub(meant, text.encode()).decode(errors="replace")
