"""Which library a function or a class belongs to, and what version of it is here."""

from __future__ import annotations

import functools
import importlib.metadata
import os
import platform
import sys
import sysconfig
import types as pytypes
from typing import Any

import numpy as np

from enzyme_py.foundations.files.own_files import fingerprint

VERSION = "0.1.0"  # of this package, as in pyproject.toml
_LIBRARIES = {"numpy", "scipy", "numba", "llvmlite", "numba_mpi"}
OWN = __name__.partition(".")[0]


def is_library(module: str | None) -> bool:
    """Tell whether a module of this name is one whose version says what is in it."""
    root = (module or "").partition(".")[0]
    return root in _LIBRARIES or root == OWN or _is_pythons(root)


def _is_pythons(root: str) -> bool:
    """Tell whether a module is Python's own, and not a file of the user's of the same name: `test.py`, `code.py`."""
    if root not in sys.stdlib_module_names or root == "__main__":
        return False
    file = getattr(sys.modules.get(root), "__file__", None)
    if file is None:
        return root in sys.builtin_module_names or root in _frozen()
    return os.path.realpath(file).startswith(_folders()) and "site-packages" not in file


@functools.cache
def _folders() -> tuple[str, ...]:
    """Return where Python's own modules lie."""
    paths = sysconfig.get_paths()
    return tuple(os.path.realpath(paths[name]) + os.sep for name in ("stdlib", "platstdlib"))


@functools.cache
def _frozen() -> frozenset[str]:
    """Return the modules of Python's own that were loaded without a file."""
    kinds = ("built-in", "frozen")
    specs = {name: getattr(one, "__spec__", None) for name, one in list(sys.modules.items())}
    return frozenset(name for name, one in specs.items() if getattr(one, "origin", None) in kinds)


def in_library(value: Any) -> tuple[Any, ...] | None:
    """Return what stands for a function or class of a library, if its name leads to it."""
    module = getattr(value, "__module__", None)
    for name in {getattr(value, one, None): None for one in ("__qualname__", "__name__")}:
        for place in (module, *_PLACES.get(type(value), ())):
            if isinstance(name, str) and is_library(place) and _reached(place, name) is value:
                return ("of a library", place, name, version_of_module(place))
    return None


# Where those are found that know no module.
_PLACES: dict[type, tuple[str, ...]] = {
    np.ufunc: ("numpy", "scipy.special"),
    pytypes.BuiltinMethodType: ("numpy.random",),
}


def _reached(module: str | None, name: str) -> Any:
    found: Any = sys.modules.get(module or "")
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def version_of_module(module: str | None) -> str:
    return version_of((module or "").partition(".")[0])


@functools.cache
def version_of(root: str) -> str:
    """Return the version of a library; of this package, the state of its files."""
    if root == OWN:
        return fingerprint()
    if root in _LIBRARIES:
        loaded = getattr(sys.modules.get(root), "__version__", None)
        return str(loaded or importlib.metadata.version(root))
    return platform.python_version()
