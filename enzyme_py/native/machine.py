"""The machine that code is generated for: this one, with all its features.

Position-independent code of the small model: the loader places each function's sections together,
and reaches whatever is far away through tables of its own.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import llvmlite
import llvmlite.binding as llvm
from numba import config


@dataclass(frozen=True)
class Cpu:
    """What decides which instructions may be used."""

    triple: str
    name: str
    features: str


@functools.cache
def initialise_llvm() -> None:
    """Once for the process; Numba's own initialisation may come before or after."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@functools.cache
def host_cpu() -> Cpu:
    """This processor, unless NUMBA_CPU_NAME or NUMBA_CPU_FEATURES say otherwise."""
    name = config.CPU_NAME or llvm.get_host_cpu_name()
    features = config.CPU_FEATURES
    if features is None:
        features = llvm.get_host_cpu_features().flatten()
    return Cpu(llvm.get_process_triple(), name, features)


@functools.cache
def target_machine() -> llvm.TargetMachine:
    """The one that all code is generated with; llvmlite locks every call."""
    initialise_llvm()
    cpu = host_cpu()
    return llvm.Target.from_triple(cpu.triple).create_target_machine(
        cpu=cpu.name, features=cpu.features, opt=3, reloc="pic", codemodel="small", jit=True
    )


def llvm_identity() -> str:
    """The versions that generated code depends on."""
    version = ".".join(str(part) for part in llvm.llvm_version_info)
    return f"llvmlite {llvmlite.__version__}, LLVM {version}"
