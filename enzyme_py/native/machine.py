"""The machine that code is generated for: this one, with all its features.

Position-independent code of the small model: the loader places each function's sections together,
and reaches whatever is far away through tables of its own.

Addresses are left as O3 has them: LLVM's LoopStrengthReduce, which makes pointers that are moved on out of indices, is off while our code
is made. It takes two milliseconds for each of the dozens of loops that a gradient has, most of the time that machine code
takes, and on x86-64 what it makes is not faster (docs/native.md, docs/levers.md). Elsewhere nobody has measured.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass

import llvmlite
import llvmlite.binding as llvm
from numba import config

from enzyme_py.foundations.locks import LockOfProcess

_ON, OFF = "-disable-lsr=false", "-disable-lsr=true"
_KNOWN = 22  # the version of LLVM that was asked: one that does not know an option, ends the process

_lock = LockOfProcess()


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


def emit_object(module: llvm.ModuleRef) -> bytes:
    """Return the object code of a module that LLVM has optimised."""
    with _addresses_left():
        return bytes(target_machine().emit_object(module))


def emit_assembly(module: llvm.ModuleRef) -> str:
    """Return the same as text."""
    with _addresses_left():
        return str(target_machine().emit_assembly(module))


def leaves_addresses() -> bool:
    """Tell whether strength is not reduced."""
    return host_cpu().triple.startswith("x86_64") and llvm.llvm_version_info[0] == _KNOWN


@contextlib.contextmanager
def _addresses_left() -> Iterator[None]:
    """Switch it off meanwhile. LLVM has one switch for all: what another thread compiles by Numba meanwhile, does without it as well."""
    if not leaves_addresses():
        yield
        return
    with _lock:
        llvm.set_option("", OFF)
        try:
            yield
        finally:
            llvm.set_option("", _ON)


def llvm_identity() -> str:
    """The versions that generated code depends on."""
    version = ".".join(str(part) for part in llvm.llvm_version_info)
    return f"llvmlite {llvmlite.__version__}, LLVM {version}"
