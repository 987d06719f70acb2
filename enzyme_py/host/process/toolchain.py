"""The programs that can run Enzyme, behind one small interface: how to call each of them.

A toolchain says which program to start and which arguments turn the module at one path into the
differentiated module at another. Two exist: the `catalyst` executable with Enzyme linked in, and an
`opt` that loads a real Enzyme plugin. What runs them (`forkserver`, `oneshot`) does not care.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from enzyme_py.host.process.protocol import WORKSPACE

# The registrations of custom rules must be seen before O2 could drop or inline what they name.
PLUGIN_PASSES = "preserve-nvvm,default<O2>,enzyme,globaldce"

GATE = "__enzyme_autodiff"


class Toolchain(Protocol):
    """How to run Enzyme with one program."""

    @property
    def executable(self) -> Path:
        """The executable to start."""

    def arguments(
        self, options: Sequence[str], source: str, result: str, workspace: str
    ) -> list[str]:
        """The whole argument vector, argv[0] included."""

    def prepare(self, ir: str) -> str:
        """The module as this program wants it."""


@dataclass(frozen=True)
class Catalyst:
    """The executable of the pennylane-catalyst wheel, used plainly as an LLVM tool.

    It names its result itself: the file in `workspace` whose name ends in RESULT_SUFFIX.
    """

    executable: Path

    def arguments(
        self, options: Sequence[str], source: str, result: str, workspace: str = WORKSPACE
    ) -> list[str]:
        """See `Toolchain`."""
        fixed = ["--tool=llc", "--keep-intermediate", f"--workspace={workspace}", "--module-name=m"]
        return [str(self.executable), *fixed, *options, source]

    def prepare(self, ir: str) -> str:
        """This program runs Enzyme only on a module that names the reverse mode's function."""
        if f"@{GATE}" in ir:
            return ir
        return f"{ir}\ndeclare void @{GATE}_absent()\n"


@dataclass(frozen=True)
class PluginOpt:
    """An `opt` of LLVM 22 with a real Enzyme plugin."""

    executable: Path
    plugin: Path

    def arguments(
        self, options: Sequence[str], source: str, result: str, workspace: str = WORKSPACE
    ) -> list[str]:
        """See `Toolchain`."""
        load = [f"-load-pass-plugin={self.plugin}", f"-passes={PLUGIN_PASSES}"]
        return [str(self.executable), *load, *options, "-S", source, "-o", result]

    def prepare(self, ir: str) -> str:
        """See `Toolchain`."""
        return ir
