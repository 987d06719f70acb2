"""What `fastmath` on a kernel allows its derivative: other orders of sums, and functions of vectors.

    @enzyme.jit(fastmath=True)                   # all that is told here
    @enzyme.jit(fastmath={"afn"})                # functions of vectors, and nothing else
    @enzyme.jit(fastmath={"afn", "reassoc"})     # these, and sums in any order

Numba marks the instructions of such a kernel itself; those that Enzyme adds carry no marks, and one
unmarked sum keeps a whole loop from being vectorised. They are marked here, after Enzyme: sums may be
taken in another order and be contracted with products. Nothing more, since strong zero and the edges of
rules/ need NaN, infinity and the order of products: of (0 H) H, H huge, another order makes NaN. So a product with H is not
contracted either: of (0 H) H + y LLVM makes 0 (H H) + y on processors that multiply and add at once. The gradient of
np.sqrt(x * x + y * y) was NaN everywhere.

Mathematical functions may then come from the C library's libmvec, several numbers at once, as gcc takes
them under -ffast-math; they err by up to 4 units in the last place. LLVM's vectoriser learns of them by
an attribute at each call, so nothing is set for the whole process, and Numba's own code stays as it is.

While such a derivative runs, its thread takes denormal numbers for zero, as a program of gcc -ffast-math does.
measured on a mixture of Gaussians with weights of e^-700 and less: 22 ms for 57. That is set where the derivative
is entered and restored where it is left, also by an exception. Only `fastmath=True` does that: a set of words allows what
the words say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from enzyme_py.llvm import Arithmetic, Builder, Call, Constant, Module, Select
from enzyme_py.native.machine import Cpu, host_cpu
from enzyme_py.native.vector_library import PREFIX, vector_address
from enzyme_py.rules.bodies import HUGE

ALL = "fast"
FUNCTIONS = "afn"  # LLVM's word for approximate functions

_CONTRACT = "contract"
_LARGE = min(HUGE.values()) / 2**20
# To instructions without any flag.
_FLAGS = {
    "fadd": ("reassoc", "nsz", _CONTRACT),
    "fsub": ("reassoc", "nsz", _CONTRACT),
    "fmul": ("nsz", _CONTRACT),
}

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
_ENTRY = "enzyme_py_enter"
_CONTROL = ("llvm.x86.sse.stmxcsr", "llvm.x86.sse.ldmxcsr")


def allow_fast_math(code: Module, allowed: Collection[str] = (ALL,)) -> None:
    """Mark arithmetic in a module, after Enzyme, and let its functions have vector forms, as far as that is allowed."""
    is_all = ALL in allowed
    flags = {opcode: [one for one in own if is_all or one in allowed] for opcode, own in _FLAGS.items()}
    if any(flags.values()):
        _mark_arithmetic(code, flags)
    cpu = host_cpu()
    if is_all and cpu.triple.startswith(("x86_64", "i686")):
        _drop_denormals(code)
    if is_all or FUNCTIONS in allowed:
        name_vector_functions(code, cpu, has_vector_function)


def _mark_arithmetic(code: Module, allowed: dict[str, list[str]]) -> None:
    for function in code.functions:
        for one in function.instructions if any(map(function.mentions, _FLAGS)) else ():
            if isinstance(one, Arithmetic) and one.type in ("double", "float"):
                flags = allowed.get(one.opcode)
                if flags and not one.flags:
                    one.set_flags([flag for flag in flags if flag != _CONTRACT or not _is_huge(one)])


def _is_huge(product: Arithmetic) -> bool:
    """Tell whether one of two numbers that are multiplied is the H of rules/, or may be, or was made of it."""
    operands = [*product.operands, *(arm for one in product.operands if isinstance(one, Select) for arm in one.operands)]
    numbers = [one.number for one in operands if isinstance(one, Constant)]
    return any(number is not None and abs(number) >= _LARGE for number in numbers)


def _drop_denormals(code: Module) -> None:
    """Take denormal numbers for zero from where a derivative is entered to where it is left."""
    for entered in list(code.calls_of(_ENTRY)):
        store, load = (code.declare(name, "void", ["ptr"]) for name in _CONTROL)
        before = Builder(entered)
        own = before.alloca("i32", "fast.math")
        found = before.alloca("i32", "fast.math.before")
        before.call(store, [found])
        old = before.load("i32", found, "fast.math.old")
        new = before.arithmetic("or", old, _NO_DENORMALS, "fast.math.new")
        before.store(new, own)
        before.call(load, [own])
        entered.set_tail("")  # it gets addresses of variables
        Builder.after(entered).call(load, [found])


def name_vector_functions(code: Module, cpu: Cpu, has: Callable[[str], bool]) -> None:
    """Let calls name the vector functions, of those that there are, that may be taken for them."""
    registers = _registers(cpu)
    needed: dict[str, None] = {}
    called = [name for name in _SCALARS if code.get(name) is not None]
    for call in list(code.calls_of(*called)):
        scalar = _SCALARS[call.callee]
        variants = []
        for letter, bits in registers:
            width = bits // (64 if scalar.kind == "double" else 32)
            shape = f"N{width}{'v' * scalar.arguments}"
            vector = f"{PREFIX}{letter}{shape}_{scalar.function}"
            if has(vector):
                variants.append(f"{PREFIX}_LLVM_{shape}_{call.callee}({vector})")
                kind = f"<{width} x {scalar.kind}>"
                code.declare(vector, kind, [kind] * scalar.arguments)
                needed[vector] = None
        if variants:
            _say(call, f'"vector-function-abi-variant"="{",".join(variants)}"')
    if needed:
        # What nobody calls yet would be gone before loops are vectorised.
        kept = ", ".join(f"ptr @{name}" for name in needed)
        array = f"[{len(needed)} x ptr] [{kept}]"
        definition = f'appending global {array}, section "llvm.metadata"'
        code.add_variable("llvm.compiler.used", definition)


def _say(call: Call, variants: str) -> None:
    call.set_attributes(["memory(none)", "nounwind", "willreturn", variants, *call.attributes])


def has_vector_function(name: str) -> bool:
    """Tell whether the C library has a vector function of this name."""
    return vector_address(name) is not None


def _registers(cpu: Cpu) -> list[tuple[str, int]]:
    is_arm = cpu.triple.startswith("aarch64")
    features = cpu.features.split(",")
    rows = _ARM if is_arm else _X86
    return [(letter, bits) for needed, letter, bits in rows if not needed or needed in features]
