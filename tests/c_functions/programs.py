"""One function in C: the kernels that are differentiated, and the answers."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

import enzyme_py as enzyme
from tests.c_functions.functions import Function

KINDS = {"double": "", "float": "f", "long double": "l"}
WAYS = {
    "called": ("-O1", "-fno-builtin"),
    "known": ("-O1", "-fno-math-errno"),  # by clang, which makes instructions and intrinsics
    "unoptimised": ("-O1", "-Xclang", "-disable-llvm-passes"),
}
_HEAD = "#define _GNU_SOURCE\n#include <math.h>\n#include <stdlib.h>\n"
_KERNEL = """typedef {kind} number;
double {name}(const double *x) {{
  number {numbers}, r;
  {statements}
  return (double) r;
}}
"""
# Central differences, with Richardson's extrapolation.
_ANSWERS = """typedef long double number;
enum {{ SIZE = {size}, LEVELS = 5 }};
static number at(const double *from, int i, number along_i, int j, number along_j) {{
  number x[SIZE], r;
  for (int k = 0; k < SIZE; k++) x[k] = from[k] + (k == i) * along_i + (k == j) * along_j;
  number {numbers};
  {statements}
  return r;
}}
static number limit(number *rows) {{
  for (int level = 1; level < LEVELS; level++) {{
    number ratio = 1 << 2 * level;
    for (int k = LEVELS - 1; k >= level; k--) rows[k] = (ratio * rows[k] - rows[k - 1]) / (ratio - 1);
  }}
  return rows[LEVELS - 1];
}}
void answers(const double *x, double *value, double *slopes, double *second) {{
  number rows[LEVELS];
  *value = at(x, 0, 0, 0, 0);
  for (int i = 0; i < SIZE; i++) {{
    for (int k = 0; k < LEVELS; k++) {{
      number h = 0.03125L / (1 << k);
      rows[k] = (at(x, i, h, i, 0) - at(x, i, -h, i, 0)) / (2 * h);
    }}
    slopes[i] = limit(rows);
    for (int j = 0; j < SIZE; j++) {{
      for (int k = 0; k < LEVELS; k++) {{
        number h = 0.03125L / (1 << k);
        rows[k] = (at(x, i, h, j, h) - at(x, i, h, j, -h) - at(x, i, -h, j, h) + at(x, i, -h, j, -h)) / (4 * h * h);
      }}
      second[SIZE * i + j] = limit(rows);
    }}
  }}
}}
"""


def _numbers(function: Function) -> str:
    return ", ".join(f"{name} = x[{place}]" for place, name in zip(range(function.arity), "abc", strict=False))


def linked(function: Function, kind: str, way: str, folder: Path, compiler: str) -> Any:
    """Return a function as `link_ir` gives it: of an array of its numbers."""
    name = f"{function.name}_{kind.split(maxsplit=1)[0]}_{way}"
    text = _KERNEL.format(kind=kind, name=name, numbers=_numbers(function), statements=function.text(KINDS[kind]))
    source, ir = folder / f"{name}.c", folder / f"{name}.ll"
    source.write_text(_HEAD + text)
    _compile(compiler, *WAYS[way], "-ffp-contract=off", "-fno-vectorize", "-fno-slp-vectorize", "-S", "-emit-llvm", "-o", ir, source)
    return enzyme.link_ir(ir, name, "float64(float64[::1])")


def answers(function: Function, folder: Path, compiler: str) -> list[tuple[float, Any, Any]]:
    """Return the value, the slopes and the second derivatives at each point."""
    source, library = folder / "answers.c", folder / "answers.so"
    source.write_text(_HEAD + _ANSWERS.format(size=function.arity, numbers=_numbers(function), statements=function.text("l")))
    # Unoptimised: by -O1 clang 19 makes NaN of these loops over `long double`.
    _compile(compiler, "-O0", "-fno-builtin", "-fPIC", "-shared", "-o", library, source, "-lm")
    ask, found = ctypes.CDLL(str(library)).answers, []
    for point in function.points:
        arrays = [np.array(point), np.zeros(1), np.zeros(function.arity), np.zeros((function.arity, function.arity))]
        ask(*(one.ctypes.data_as(ctypes.c_void_p) for one in arrays))
        found.append((float(arrays[1][0]), *arrays[2:]))
    return found


def _compile(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)
