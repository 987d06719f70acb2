"""What a pass is, and what it works on.

    class LastingVariables(Pass):
        "Symptom, cause and cure: the only place where they are told."

        name = "lasting variables"

        def applies(self, draft: Draft) -> bool:
            return has_reverse(draft.code)

        def run(self, draft: Draft) -> None:
            ...

A pass edits `draft.code` in place, by the methods of the model; it never touches text. That it changed something is
seen in the version of the code. `applies` is cheap and asks for nothing but what the module declares: a pass
that need not look costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from enzyme_py.errors import Where
from enzyme_py.llvm import Module


@dataclass
class Draft:
    """One module on its way to Enzyme: its code as objects, and what is known beside the code."""

    code: Module
    where: Where = field(default_factory=Where)  # the user's kernel, for messages
    options: tuple[str, ...] = ()  # of the pass's command line
    entries: tuple[str, ...] = ()  # the symbols that callers need behind the pass
    keeps_slopes: bool = False  # of functions that would be called again (rules/slopes.py)
    is_simplified: bool = False  # the code is what O2 left, and what passes made of that
    has_memory: bool = False  # it allocates
    nests_reverse: bool = False  # reverse mode differentiates another derivative
    # Linkage and numbers of captured arrays by name, while Enzyme must not see them.
    hidden_numbers: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add_option(self, option: str) -> None:
        """Give Enzyme an option, once: some toolchains take none twice."""
        self.options = (*(one for one in self.options if one != option), option)

    def copied(self) -> Draft:
        """Return a draft that can be changed while this one stays as it is."""
        return replace(self, code=Module(str(self.code)), hidden_numbers=dict(self.hidden_numbers))


class Pass(ABC):
    """One change of a module that keeps its meaning, or one check of it."""

    name: str

    def applies(self, draft: Draft) -> bool:
        """Tell whether the pass has anything to look at in a module: a cheap question."""
        return True

    @abstractmethod
    def run(self, draft: Draft) -> None:
        """Change the module's code, or raise what refuses it."""
