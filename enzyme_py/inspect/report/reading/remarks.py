"""Why a value is kept: Enzyme's remarks (`--pass-remarks=enzyme`), told by lines.

Three of its sentences are read. Of a load it says that the memory may be written before the reverse sweep comes back, and
by what: that value may need keeping. Of a value that it keeps, whether making it again would be allowed (legalRecompute)
and cheap (shouldRecompute). Of one that it makes again in the reverse sweep, that it does.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.host.diagnostics import diagnostics_in
from enzyme_py.inspect.report.reading.activity import InstructionTable
from enzyme_py.llvm.reading.printed import printed

_OVERWRITTEN, _CACHED, _AGAIN = "Load may need caching", "Caching instruction", "Load must be recomputed"
_BY, _LEGAL, _CHEAP = " due to ", " legalRecompute: ", " shouldRecompute: "


@dataclass(frozen=True)
class Remark:
    """One sentence about one value of a line. `by` is the line whose write makes it necessary, 0 if none is known."""

    line: int
    kind: str  # "overwritten", "kept" or "made again"
    code: str
    by: int = 0
    reason: str = ""


def remarks_in(log: str, table: InstructionTable) -> list[Remark]:
    """Return what a log of Enzyme's says of lines of the user's, each once."""
    found = list[Remark]()
    for one in diagnostics_in(log):
        read = _remark(one.text.strip(), table)
        if read is not None and read.line:
            found.append(read)
    return list(dict.fromkeys(found))


def _remark(text: str, table: InstructionTable) -> Remark | None:
    for start, kind in ((_OVERWRITTEN, "overwritten"), (_AGAIN, "made again")):
        if text.startswith(start):
            value, _, writer = text.removeprefix(start).strip().partition(_BY)
            value = value.partition(" in reverse_")[0]
            by = table.line_of(writer)
            reason = "the memory that it reads is written again before the reverse sweep comes back"
            return Remark(table.line_of(value), kind, printed(value).code, by, reason)
    if text.startswith(_CACHED):
        value, _, facts = text.removeprefix(_CACHED).strip().partition(_LEGAL)
        read = printed(value)
        is_own = "'" in value.partition(" = ")[0] or read.type.startswith("i")  # a shadow, or the count of a loop
        if is_own:
            return None
        if any(name.endswith("alloc") for name in read.names):
            return Remark(table.line_of(value), "kept", read.code, 0, "the array that is made here is needed in the reverse sweep")
        legal, _, cheap = facts.partition(_CHEAP)
        return Remark(table.line_of(value), "kept", printed(value).code, 0, _why_kept(legal, cheap))
    return None


def _why_kept(legal: str, cheap: str) -> str:
    if legal.strip().startswith("0"):
        return "it cannot be made again: what it is made from is gone then"
    if cheap.strip().startswith("0"):
        return "to make it again would cost more than to keep it"
    return "the pass chose to keep it"
