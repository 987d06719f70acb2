"""How Numba's options are read for kernels, and what stands for a kernel that is not executable."""

from __future__ import annotations

from typing import Any

from numba.core import cpu


class KernelOptions(cpu.CPUTargetOptions):  # type: ignore[misc]
    """Numba's options, with wrappers off and Python lines on."""

    def finalize(self, flags: Any, options: Any) -> None:
        if not flags.is_set("boundscheck"):
            flags.boundscheck = False  # Numba ties it to debuginfo, which is always on here
        flags.enable_pyobject = False
        flags.enable_looplift = False
        super().finalize(flags, options)
        flags.enable_pyobject = False
        flags.enable_looplift = False
        flags.enable_pyobject_looplift = False
        flags.no_cpython_wrapper = True
        flags.no_cfunc_wrapper = True
        flags.debuginfo = True
        flags.dbg_directives_only = True
        flags.dbg_extend_lifetimes = False


class Token:
    """Identity of one compiled overload, where Numba's CPU target has a C function."""

    def __init__(self, name: str) -> None:
        self.__name__ = name
