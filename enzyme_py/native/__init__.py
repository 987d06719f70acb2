"""The last stage: from the module after Enzyme to machine code that can be called.

With `frontend`, the only folder that touches `llvmlite.binding`; and the door to the C runtime.
"""

from enzyme_py.native.code import ObjectCode
from enzyme_py.native.compilation import compile
from enzyme_py.native.function import NativeFunction, Profile
from enzyme_py.native.load import load
from enzyme_py.native.optimise import assembly, optimise, optimised_ir
from enzyme_py.native.runtime import MemoryStats, library, memory_stats, register, runtime_addresses

__all__ = [
    "MemoryStats",
    "NativeFunction",
    "ObjectCode",
    "Profile",
    "assembly",
    "compile",
    "library",
    "load",
    "memory_stats",
    "optimise",
    "optimised_ir",
    "register",
    "runtime_addresses",
]
