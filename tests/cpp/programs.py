"""C++ kernels compiled twice: to IR, which goes through the package's own passes and Enzyme, and to the answers by hand.

Numba has no part in it. What a request of a Numba kernel becomes (assembly/entry.py) is written in entries.hpp, and from
there on a module goes the usual way: the passes, Enzyme, the native stage, memory in regions.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from enzyme_py import native
from enzyme_py.assembly.entry import _OPTIONS, ENTRY
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import Where
from enzyme_py.foundations.llvm_modules import Modules, run_once
from enzyme_py.host.enzyme import differentiate
from enzyme_py.llvm import Module
from enzyme_py.native.machine import target_machine
from enzyme_py.passes import pipeline
from enzyme_py.passes.base import Draft
from enzyme_py.symbols import HINT, HINT_ATTRIBUTES

FOLDER = Path(__file__).parent
# fr: forward over reverse; 2: of two directions, or seeds, at once
WAYS = ("value", "reverse", "forward", "fr", "rr", "rf", "reverse2", "forward2", "fr2")
TOGETHER = 20  # kernels that clang compiles at once
_LEVELS = ("", "", "O1", "O3")  # as Numba hands its code on, and as users compile theirs, vectorised
_ALWAYS, _IN_TURN = ("reverse", "rr"), ("forward", "fr", "rf", "reverse2", "forward2", "fr2")
_NESTED = ("fr", "rr", "rf", "fr2")
_FLAGS = ("-std=c++17", "-fno-exceptions", "-fno-math-errno", "-ffp-contract=off", "-w")
_HINT = f"{HINT}.Float.double"  # as type_hints.py declares it
_FLOATS = f'declare void @{_HINT}(ptr "enzyme_type"="{{[-1]:Pointer, [-1,-1]:Float@double}}") {HINT_ATTRIBUTES}'
_MALLOC = 'declare noalias ptr @malloc(i64) allockind("alloc,uninitialized") allocsize(0)'  # as assembly/runtime_ir.py has it


def ways(seed: int) -> tuple[str, ...]:
    """Return what is asked of a kernel in a run: what has been wrong most often, and one more."""
    return (*_ALWAYS, _IN_TURN[seed % len(_IN_TURN)])


def level(seed: int) -> str:
    """Return how a kernel is compiled in a run."""
    return _LEVELS[seed // TOGETHER % len(_LEVELS)]


class Asked(ctypes.Structure):
    """The struct of entries.hpp."""

    _fields_ = [(name, ctypes.POINTER(ctypes.c_double)) for name in "r dr x dx c dc tr tx tdx tc tdc ur ux udx uc udc".split()] + [
        ("n", ctypes.c_long)
    ]


@dataclass
class Batch:
    """Some kernels, compiled."""

    ir: str
    answers: ctypes.CDLL

    def differentiated(self, name: str, way: str) -> Any:
        """Return the callable of one kernel in one way; raises what the package raises."""
        symbol = f"{name}_{way}"
        with Modules() as modules:
            text = _alone(modules.parsed(self.ir), symbol)
        text = text.replace(f"@{symbol}(", f"@{ENTRY}(")
        where = Where(name, "", 1)
        draft = pipeline.run(pipeline.ASSEMBLE, Draft(Module(text), where, entries=(ENTRY,)))
        if way in _NESTED:
            draft = pipeline.run(pipeline.ASSEMBLE_NESTED, draft)
        module = DiffModule(str(draft.code), (ENTRY,), _OPTIONS, where, is_nested=way in _NESTED)
        return native.compile(module, differentiate)


def compiled(kernels: dict[str, str], folder: Path, compiler: str, level: str) -> Batch:
    """Compile kernels by their names, in a folder of their own; `level` is clang's, as `O3`: without one it optimises nothing."""
    include, names = f'#include "{FOLDER / "entries.hpp"}"\n', list(kernels)
    text = include + "".join(kernels.values())
    (folder / "code.cpp").write_text("#define ENTRIES_FOR_ENZYME\n" + text + "".join(f"ENTRIES({one})\n" for one in names))
    (folder / "answers.cpp").write_text(text + "".join(f"ANSWER({one})\n" for one in names))
    ask = [compiler, *_FLAGS]
    ir = ["-S", "-emit-llvm", *([f"-{level}"] if level else ["-O1", "-Xclang", "-disable-llvm-passes"])]
    subprocess.run([*ask, *ir, "-o", folder / "code.ll", folder / "code.cpp"], check=True)
    shared = ("-O1", "-fPIC", "-shared")
    subprocess.run([*ask, *shared, "-o", folder / "answers.so", folder / "answers.cpp"], check=True)
    return Batch((folder / "code.ll").read_text(), ctypes.CDLL(str(folder / "answers.so")))


def _alone(module: llvm.ModuleRef, symbol: str) -> str:
    for one in module.functions:
        if not one.is_declaration and one.name != symbol:
            one.linkage = "internal"
            one.add_function_attribute("alwaysinline")
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    run_once(manager, module, llvm.create_pass_builder(target_machine(), llvm.create_pipeline_tuning_options(0)))
    text = str(module)
    text = re.sub(rf"(?m)^declare void @{_HINT}\(.*$", _FLOATS, text)
    text = re.sub(r"(?m)^declare .* @malloc\(.*$", _MALLOC, text)
    return re.sub(r"(?m)^attributes (#\d+) = \{.*\}$", _attributes, text)


def _attributes(found: re.Match[str]) -> str:
    kept = ["mustprogress", *re.findall(r"alwaysinline|nounwind|memory\([^)]*\)", found[0])]
    return f"attributes {found[1]} = {{ {' '.join(dict.fromkeys(kept))} }}"
