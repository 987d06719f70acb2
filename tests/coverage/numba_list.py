"""The functions of NumPy and Python that the installed Numba implements, read from its own sources."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numba
import numpy as np
from numba.np import ufunc_db

_FOLDERS = ("np", "cpython")
_NAMED = re.compile(
    r"(?:overload|glue_lowering|lower_builtin|lower|infer_global|unary_math_\w+)\("
    r"((?:np|math|cmath|random)\.[a-zA-Z_0-9.]+)"
)

# What has no row, and why.
LEFT_OUT = {
    "np.asfarray": "gone from NumPy",
    "np.trapz": "gone from NumPy; np.trapezoid has rows",
    "np.round_": "gone from NumPy; np.round has rows",
    "np.row_stack": "gone from NumPy; np.vstack has rows",
    "np.in1d": "gone from NumPy; np.isin has a row",
    "np.dtype": "a type, no number",
    "np.isnat": "dates only",
    "np.frombuffer": "the bytes of a buffer, which is no array",
    "np.random.seed": "in every row of random numbers",
    "random.seed": "in every row of random numbers",
    "random.shuffle": "np.random.shuffle has a row",
    "math.gcd": "integers only",
}


@cache
def sources(*folders: str) -> str:
    """Return the text of Numba's modules for NumPy and Python, or of other folders of it."""
    package = Path(numba.__file__).parent
    files = (
        path for folder in folders or _FOLDERS for path in sorted((package / folder).rglob("*.py"))
    )
    return "\n".join(path.read_text() for path in files)


def functions() -> set[str]:
    """Return the names of all functions, as they are written in a kernel."""
    named = {name for name in _NAMED.findall(sources()) if not name.startswith("np.lib.")}
    ufunc_db.get_ufuncs()
    return named | {
        f"np.{ufunc.__name__}" for ufunc in ufunc_db.get_ufuncs() if isinstance(ufunc, np.ufunc)
    }
