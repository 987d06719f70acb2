"""What `fastmath=True` on a kernel allows its derivative: other orders of sums, and functions of vectors.

Numba marks the instructions of such a kernel itself; those that the pass adds carry no marks, and one
unmarked sum keeps a whole loop from being vectorised. They are marked here, after the pass: sums may be
taken in another order and be contracted with products. Nothing more, since strong zero and the edges of
rules/ need NaN, infinity and the order of products: of (0 H) H, H huge, another order makes NaN.

Mathematical functions may then come from the C library's libmvec, several numbers at once, as gcc takes
them under -ffast-math; they err by up to 4 units in the last place. LLVM's vectoriser learns of them by
an attribute at each call, so nothing is set for the whole process, and Numba's own code stays as it is.

While such a derivative runs, its thread takes denormal numbers for zero, as a program of gcc -ffast-math does.
MEASURED on a mixture of Gaussians with weights of e^-700 and less: 22 ms for 57. That is set where the derivative
is entered and restored where it is left, also by an exception.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from enzyme_py.native.machine import Cpu, host_cpu

LIBRARY = "libmvec.so.1"
PREFIX = "_ZGV"

_OF_SUMS, _OF_PRODUCTS = "reassoc nsz contract", "nsz contract"
_SUM = re.compile(r"(?<== )(fadd|fsub) (?=double|float)")
_PRODUCT = re.compile(r"(?<== )fmul (?=double|float)")
_CALL = re.compile(r"\bcall [^@\n(]*@([\w.]+)\([^()\n]*\)")

_OF_ONE = (
    "sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "exp exp2 exp10 expm1 log log2 log10 log1p cbrt erf erfc"
).split()
_OF_TWO = "pow atan2 hypot".split()

# Letters of the instruction sets in the vector functions' names, with the bits of their registers.
_X86 = (("", "b", 128), ("+avx2", "d", 256), ("+avx512f", "e", 512))
_ARM = (("", "n", 128),)


@dataclass(frozen=True)
class _Scalar:
    """A function that may be called in IR, under its own name or as an intrinsic."""

    function: str  # the C library's name
    kind: str
    arguments: int


def _scalars() -> dict[str, _Scalar]:
    found: dict[str, _Scalar] = {}
    for count, names in ((1, _OF_ONE), (2, _OF_TWO)):
        for name in names:
            double, single = _Scalar(name, "double", count), _Scalar(f"{name}f", "float", count)
            found |= {name: double, f"llvm.{name}.f64": double}
            found |= {f"{name}f": single, f"llvm.{name}.f32": single}
    return found


_SCALARS = _scalars()

# On x86: flush to zero, denormals are zero.
_NO_DENORMALS = 0x8040
_ENTRY = re.compile(r"^ *%\S+ = (?:tail )?call i32 @enzyme_py_enter\([^\n]*$", re.MULTILINE)
_CONTROL = ("llvm.x86.sse.stmxcsr", "llvm.x86.sse.ldmxcsr")


def with_fast_math(text: str) -> str:
    """Return a module, after the pass, in which arithmetic is marked and functions have vector forms."""
    text = _SUM.sub(rf"\1 {_OF_SUMS} ", text)
    text = _PRODUCT.sub(f"fmul {_OF_PRODUCTS} ", text)
    cpu = host_cpu()
    if cpu.triple.startswith(("x86_64", "i686")):
        text = _without_denormals(text)
    return with_vector_functions(text, cpu, has_vector_function)


def _without_denormals(text: str) -> str:
    store, load = _CONTROL
    count = itertools.count(1)

    def around(entered: re.Match[str]) -> str:
        name = f"%fast.math.{next(count)}"
        return (
            f"  {name} = alloca i32\n  {name}.before = alloca i32\n"
            f"  call void @{store}(ptr {name}.before)\n"
            f"  {name}.old = load i32, ptr {name}.before\n"
            f"  {name}.new = or i32 {name}.old, {_NO_DENORMALS}\n"
            f"  store i32 {name}.new, ptr {name}\n"
            f"  call void @{load}(ptr {name})\n"
            f"{entered[0].replace('tail call', 'call')}\n"
            f"  call void @{load}(ptr {name}.before)"
        )

    text = _ENTRY.sub(around, text)
    declared = (f"declare void @{one}(ptr)\n" for one in _CONTROL if f"@{one}(" in text)
    return f"{text}\n{''.join(declared)}"


def with_vector_functions(text: str, cpu: Cpu, has: Callable[[str], bool]) -> str:
    """Return a module whose calls name the vector functions, of those that there are, to be taken for them."""
    registers = _registers(cpu)
    declared: dict[str, str] = {}

    def marked(call: re.Match[str]) -> str:
        scalar = _SCALARS.get(call[1])
        if scalar is None:
            return call[0]
        variants = []
        for letter, bits in registers:
            width = bits // (64 if scalar.kind == "double" else 32)
            shape = f"N{width}{'v' * scalar.arguments}"
            vector = f"{PREFIX}{letter}{shape}_{scalar.function}"
            if has(vector):
                variants.append(f"{PREFIX}_LLVM_{shape}_{call[1]}({vector})")
                kind = f"<{width} x {scalar.kind}>"
                parameters = ", ".join([kind] * scalar.arguments)
                declared[vector] = f"declare {kind} @{vector}({parameters})"
        if not variants:
            return call[0]
        named = f'"vector-function-abi-variant"="{",".join(variants)}"'
        return f"{call[0]} memory(none) nounwind willreturn {named}"

    text = _CALL.sub(marked, text)
    if not declared:
        return text
    # What nobody calls yet would be gone before loops are vectorised.
    kept = ", ".join(f"ptr @{name}" for name in declared)
    array = f"[{len(declared)} x ptr] [{kept}]"
    keep = f'@llvm.compiler.used = appending global {array}, section "llvm.metadata"'
    return "\n".join([text, *declared.values(), keep, ""])


def has_vector_function(name: str) -> bool:
    """Tell whether the C library has a vector function of this name."""
    return vector_address(name) is not None


@functools.cache
def vector_address(name: str) -> int | None:
    """The address of a vector function, or None if this system's C library lacks it."""
    library = _library()
    if library is None or not name.startswith(PREFIX):
        return None
    try:
        return ctypes.cast(library[name], ctypes.c_void_p).value
    except AttributeError:
        return None


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:  # glibc only
        return None


def _registers(cpu: Cpu) -> list[tuple[str, int]]:
    is_arm = cpu.triple.startswith("aarch64")
    features = cpu.features.split(",")
    rows = _ARM if is_arm else _X86
    return [(letter, bits) for needed, letter, bits in rows if not needed or needed in features]
