"""Code that stands in a text for people, as LLVM writes it there: `ptr %x`, `%y = load double, ptr %x`, a whole module."""

from __future__ import annotations

import re
from dataclasses import dataclass

from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.reading.forms import READERS

_TYPE = re.compile(patterns.TYPE)
_GROUP = re.compile(r" #\d+")
_NO_CODE = ("!", "    #dbg")  # how lines begin that tell the debugger something


@dataclass(frozen=True)
class Printed:
    """One line of code: an instruction, a value with its type, or the definition of a variable."""

    text: str
    opcode: str  # of an instruction, nothing of anything else
    type: str  # of the value; nothing of an instruction whose form is not known

    @property
    def names(self) -> list[str]:
        """The names in the line, with their signs, as written."""
        found: list[str] = patterns.NAMED.findall(self.text)
        return [name for name in found if name[0] != '"']

    @property
    def code(self) -> str:
        """The line without metadata and groups of attributes, whose numbers are those of one print."""
        return _GROUP.sub("", patterns.ATTACHED.sub("", self.text)).strip()

    @property
    def metadata(self) -> dict[str, str]:
        """What is attached, by kind: `{"dbg": "!5"}`."""
        return dict(patterns.ATTACHED.findall(self.text))

    @property
    def addresses(self) -> list[int]:
        """The numbers in the line that serve as addresses."""
        return [int(number) for number in patterns.ADDRESS.findall(self.text)]


def printed(text: str) -> Printed:
    """Read one line of code that stands for itself: of what it names, nothing is known."""
    text = text.strip()
    line = patterns.LINE.fullmatch(f"  {text}\n")
    if line is not None and line[3] is not None and (line[1] or line[3] in READERS):
        read = READERS.get(line[3])
        result = read(line[2]) if read is not None else None
        return Printed(text, line[3], "" if result is None else result[0])
    found = _TYPE.match(text)
    return Printed(text, "", found[0] if found else "")


def without_debug_information(text: str) -> list[str]:
    """Return the lines of a module, valid or not, but for metadata and notes for the debugger."""
    return [line for line in text.splitlines() if not line.startswith(_NO_CODE)]
