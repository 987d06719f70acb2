"""The start that the README describes, in the environment of the Python that runs this: a gradient, checked and timed.

    python ci/first_gradient.py

It needs the installed package alone. The program is what stands in README.md, each claim of it an assert; it is
written to a folder of its own, so that nothing of the clone is imported. It is run twice: the second process finds on
disk what the first one compiled. The last lines are seconds by the clock, of whole processes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMPILERS = ("cc", "gcc", "clang", "c99", "tcc")
SAYS = """
print(f"enzyme_py {enzyme.__version__} of {enzyme.__file__}")
print("the README's first gradient:", dx.tolist())
"""


def main() -> None:
    """Say what could compile C here, then run the program twice."""
    found = [name for name in COMPILERS if shutil.which(name)]
    print("C compilers on PATH:", ", ".join(found) or "none", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "start.py"
        program.write_text("\n".join(BLOCK.findall(README.read_text())) + SAYS)
        seconds = [_run(program) for _ in range(2)]
    print(f"the README's programs: {seconds[0]:.1f} s the first time, {seconds[1]:.1f} s again")


def _run(program: Path) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, program.name], cwd=program.parent, check=True)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
