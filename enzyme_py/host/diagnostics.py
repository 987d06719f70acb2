"""Reading what LLVM and Enzyme print: diagnostics with a place, and the names in them.

A diagnostic is a line `severity: file:line:column: text`, and the lines up to the next one. Text in
front of the first diagnostic (a parser's, an option parser's) counts as one without a place.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass

from enzyme_py.symbols import components

_HEADER = re.compile(
    r"^(?P<severity>error|warning|remark|note): (?P<file>.*?):(?P<line>\d+):(?P<column>\d+): ",
    re.MULTILINE,
)
_IN_FUNCTION = re.compile(r"in function (?P<function>\S+) [^\n]*?: (?:Enzyme: )?")
_OURS = re.compile(r"(?:preprocess_|augmented_|diffe|fwddiffe?\d*)*k\d+\.")
_ESCAPE = re.compile(r"_(2e|3c|3e|20|24|5b|5d|2c|28|29)", re.IGNORECASE)


@dataclass(frozen=True)
class Diagnostic:
    """One message of Enzyme. `file` and `line` are None where it does not know them."""

    severity: str
    file: str | None
    line: int | None
    function: str | None
    text: str


def diagnostics_in(log: str) -> list[Diagnostic]:
    """All diagnostics of a log, in order."""
    heads = list(_HEADER.finditer(log))
    ends = [*(head.start() for head in heads[1:]), len(log)][: len(heads)]
    found = [
        _diagnostic(head, log[head.end() : end]) for head, end in zip(heads, ends, strict=True)
    ]
    preface = log[: heads[0].start()] if heads else log
    if preface.strip():
        found.insert(0, Diagnostic("error", None, None, None, preface.strip()))
    return found


def _diagnostic(head: re.Match[str], body: str) -> Diagnostic:
    inside = _IN_FUNCTION.match(body)
    function = readable_name(inside["function"]) if inside else None
    text = body[inside.end() :] if inside else body
    line = int(head["line"])
    is_known = line > 0 and head["file"] != "<unknown>"
    return Diagnostic(
        severity=head["severity"],
        file=head["file"] if is_known else None,
        line=line if is_known else None,
        function=function,
        text=text.strip(),
    )


def readable_name(symbol: str) -> str:
    """The Python name inside a mangled one; any other name comes back unchanged.

    Numba's `_ZN8__main__5scoreB2v1B38c8tJTI...E5ArrayIdLi1E1C7mutable7alignedE` is
    `__main__.score`; our own `k12.score` is `score`; what Enzyme put in front goes.
    """
    ours = _OURS.match(symbol)
    if ours is not None:
        return symbol[ours.end() :]
    if re.fullmatch(r"-?\d{5,}", symbol):
        return _symbol_at(int(symbol)) or "a C function"
    parts = list(components(symbol[symbol.find("_ZN") :])) if "_ZN" in symbol else []
    if not parts:
        return symbol
    plain = _ESCAPE.sub(lambda code: chr(int(code.group(1), 16)), ".".join(parts))
    return re.sub(r"\$\d+$", "", plain)


class _Place(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def _symbol_at(address: int) -> str | None:
    """The C function at an address of this process, if it has a public name."""
    place = _Place()
    find = getattr(ctypes.CDLL(None), "dladdr", None)
    if find is None or not find(ctypes.c_void_p(address), ctypes.byref(place)):
        return None
    return place.symbol.decode() if place.symbol and place.address == address else None
