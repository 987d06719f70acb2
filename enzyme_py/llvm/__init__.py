"""LLVM code as objects: read once, asked and edited as objects, printed as text.

    module = Module(text)
    for function in module.functions:
        for load in function.instructions:
            if isinstance(load, Load) and load.type == "double":
                Builder(load).call(watch, [load.pointer])
    text = str(module)

Promised: what is not edited is printed as it was read, byte for byte, and what is edited in LLVM's own
format. Values are compared by identity, constants by type and text. An instruction that is not
known here has the values that it names as operands, so that renaming, copying and replacing work for it too.
This package knows LLVM only: nothing of the rest of `enzyme_py`.
"""

from __future__ import annotations

from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.editing.builder import Builder
from enzyme_py.llvm.editing.cloning import clone_blocks, clone_function, own_exit
from enzyme_py.llvm.functions import Function
from enzyme_py.llvm.instructions import (
    Alloca,
    Arithmetic,
    Branch,
    Call,
    Cast,
    Compare,
    DebugRecord,
    GetElementPtr,
    Instruction,
    Invoke,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Switch,
)
from enzyme_py.llvm.module import Module
from enzyme_py.llvm.reading.body import LLVMSyntaxError
from enzyme_py.llvm.toplevel import (
    AttributeGroup,
    GlobalValue,
    GlobalVariable,
    MetadataNode,
    NamedMetadata,
)
from enzyme_py.llvm.values import Argument, Constant, Use, Value, constant

__all__ = [
    "Alloca", "Analysis", "Argument", "Arithmetic", "AttributeGroup", "Block", "Branch", "Builder", "Call",
    "Cast", "Compare", "Constant", "DebugRecord", "Function", "GetElementPtr", "GlobalValue",
    "GlobalVariable", "Instruction", "Invoke", "LLVMSyntaxError", "Load", "MetadataNode", "Module",
    "NamedMetadata", "Phi", "Return", "Select", "Store", "Switch", "Use", "Value", "clone_blocks",
    "clone_function", "constant", "own_exit",
]  # fmt: skip
