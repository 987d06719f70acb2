"""Asking mypy and pyright, and programs that both must refuse: their types say too little, or too much.

A checker that finds nothing anywhere would be content with uses.py as well; these tell that it looks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
USES = ROOT / "tests" / "typed" / "uses.py"
MYPY = (sys.executable, "-m", "mypy")
PYRIGHT = (sys.executable, "-m", "pyright", "--pythonpath", sys.executable)

HEAD = """
import numpy as np
import enzyme_py as enzyme

@enzyme.jit
def power(x: float, n: int) -> float:
    return x**n
"""
REFUSED = {
    "a kernel with too few arguments": "power(2.0)",
    "a gradient with too few arguments": "enzyme.grad(power)(2.0)",
    "a gradient with an argument of another type": "enzyme.value_and_grad(power)('2.0', 3)",
    "a value that is taken for text": "text: str = enzyme.value_and_grad(power)(2.0, 3)[0]",
    "a mode that is none": "enzyme.set_strong_zero('reverse')",
    "a name that does not exist": "enzyme.gradients(power, 2.0)",
    "argnums that are text": "enzyme.grad(power, argnums='x')",
    "a folder that is a number": "enzyme.add_precompiled(3)",
    "a function that is none": "enzyme.jacfwd(3.0)",
}


def complaint(checker: tuple[str, ...], *files: Path) -> str:
    """Return what a checker has to say against files; "" if nothing."""
    done = subprocess.run([*checker, *map(str, files)], cwd=ROOT, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip() if done.returncode else ""


def unseen(checker: tuple[str, ...], folder: Path) -> list[str]:
    """Return the wrong programs that a checker does not complain of, all looked at in one run."""
    files = {}
    for number, (name, line) in enumerate(REFUSED.items()):
        files[name] = folder / f"refused_{number}.py"
        files[name].write_text(f"{HEAD}\n\n{line}\n")
    said = complaint(checker, *files.values())
    last = HEAD.count("\n") + 3
    return [name for name, path in files.items() if f"{path.name}:{last}:" not in said]
