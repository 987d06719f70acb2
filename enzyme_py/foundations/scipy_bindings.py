"""SciPy's pointers to BLAS and LAPACK, without the rest of `scipy.linalg`.

Symptom: a finished derivative with a product of matrices took 0.14 s to its first number, 0.1 of it for importing
`scipy.linalg` (docs/starts.md). So does Numba's own code at its first product, and whatever imports `numba.np.arraymath`.

Cause: the pointers are in the modules `scipy.linalg.cython_blas` and `cython_lapack`. Python imports a package before its modules.

Cure: the two modules, which need nothing of the package, are loaded under their own names by themselves. Whoever imports
them finds them. When the package is imported later, it gets them as attributes, as it would have them.
Where anything is unusual, they are imported in the usual way.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import threading
from collections.abc import Mapping
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGE = "scipy.linalg"
_NAMES = ("cython_lapack", "cython_blas")
_lock = threading.Lock()


def capsules() -> Mapping[str, object]:
    """Return the pointers by the names of routines; of those that both modules have, BLAS's."""
    found: dict[str, object] = {}
    for module in bindings():
        found |= module.__pyx_capi__
    return found


@functools.cache
def integer_bits() -> int:
    """The width of the integers that SciPy's routines take."""
    from scipy import __config__ as build

    found = getattr(build, "CONFIG", {}).get("Build Dependencies", {}).get("blas", {})
    return 64 if found.get("cython blas ilp64") else 32


def bindings() -> list[ModuleType]:
    """Return the two modules; whoever imports them after this finds them, Numba's C code too."""
    with _lock:
        return [_module(name) for name in _NAMES]


def _module(name: str) -> ModuleType:
    full = f"{_PACKAGE}.{name}"
    if full in sys.modules or _PACKAGE in sys.modules:
        return importlib.import_module(full)
    try:
        return _alone(full)
    except (ImportError, OSError, AttributeError):  # another kind of installation
        sys.modules.pop(full, None)
        return importlib.import_module(full)


def _alone(full: str) -> ModuleType:
    package = importlib.util.find_spec("scipy")
    folders = [] if package is None else list(package.submodule_search_locations or ())
    spec = PathFinder.find_spec(full, [str(Path(one) / "linalg") for one in folders])
    if spec is None or not isinstance(spec.loader, ExtensionFileLoader):
        message = f"{full} is no file of machine code"
        raise ImportError(message)
    if not any(isinstance(one, _Completion) for one in sys.meta_path):
        sys.meta_path.insert(0, _Completion())
    module = importlib.util.module_from_spec(spec)
    sys.modules[full] = module
    spec.loader.exec_module(module)
    return module


class _Completion:
    """Watches for the import of the package, and gives it the modules that were loaded before."""

    def find_spec(
        self, name: str, path: Any = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _PACKAGE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def complete(module: ModuleType) -> None:
                execute(module)
                for one in _NAMES:
                    known = sys.modules.get(f"{_PACKAGE}.{one}")
                    if known is not None and not hasattr(module, one):
                        setattr(module, one, known)

            spec.loader.exec_module = complete  # type: ignore[method-assign]
        return spec
