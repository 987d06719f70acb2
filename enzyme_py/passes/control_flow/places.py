"""Where new code may stand that needs some values."""

from __future__ import annotations

from enzyme_py.llvm import Builder, Function, Instruction, Value
from enzyme_py.llvm.analyses.dominators import Dominators


class Places:
    """Builders right behind values: what is built at one place stands in the order in which it is made."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._builders: dict[Value, Builder] = {}

    def behind(self, *values: Value | None) -> Builder:
        """Return a builder where all of some values are known, of which one is made behind all the others."""
        made = [one for one in values if isinstance(one, Instruction)]
        if not made:
            key: Value = self._function.entry
        else:
            depth = self._function.analysis(Dominators).depth
            last = max(made, key=lambda one: (depth(one.home), one.home.place_of(one)))
            key = last.home if last.opcode == "phi" else last
        if key not in self._builders:
            is_made = isinstance(key, Instruction)
            self._builders[key] = Builder.after(key) if is_made else Builder.at_start(key)  # type: ignore[arg-type]
        return self._builders[key]
