"""Products of vectors and matrices: what Numba calls, in words that Enzyme can differentiate.

Numba lowers `A @ B`, np.dot, np.vdot and np.linalg.norm to `numba_xxdot`, `numba_xxgemv`,
`numba_xxgemm` and `numba_xxnrm2`. The first argument of each, the kind, is a letter: s d for floats,
c z for complex numbers. It is a constant, so one arm of each switch remains after inlining.

Real products become calls of Fortran routines, which Enzyme knows by name and whose derivatives are
again products. The names end in `_64_`, where integers have 64 bits: with narrower ones Enzyme
emits code of mixed widths at second order. Two routines of those derivatives, ger and lascl, Enzyme
cannot differentiate; they get bodies under the very names that it calls (`HELPERS`), so products are
closed under differentiation. Complex products and norms are loops (blas_loops.py): exact in every
mode, but slower than BLAS. Complex loops take the scale factors for 1 and 0, which is what Numba
passes.

After the pass the native stage turns what is left of the `_64_` names into calls of SciPy's
routines (native/fortran.py), whose integers are narrower; a size that does not fit raises
OverflowError there, as it does in Numba.

Where a derivative is a matter of choice: the norm of zero has the gradient zero; and memory that a
product overwrites has the adjoint zero before, even if the adjoint was NaN or infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from enzyme_py.rules import blas_loops

SUFFIX = "_64_"
FLOATS = {"d": "double", "s": "float"}
COMPLEX = {"z": "double", "c": "float"}


@dataclass(frozen=True)
class Routine:
    """A Fortran routine: a letter for each parameter, all of them passed by reference.

    c: a character; i: an integer; v: a value, vector or matrix of the routine's type.
    The length of each character follows, hidden, at the end. SciPy's routines do without, but
    with another number of arguments than it expects Enzyme does not see that operands are only read,
    and copies them in every turn of a loop.
    """

    name: str
    parameters: str
    returns: bool = False

    def symbol(self, letter: str) -> str:
        """Return the name that Enzyme knows, with 64-bit integers."""
        return f"{letter}{self.name}{SUFFIX}"

    @property
    def lengths(self) -> list[str]:
        """The hidden arguments."""
        return ["i64 1"] * self.parameters.count("c")

    def result(self, real: str) -> str:
        """Return the LLVM type that the routine returns."""
        return real if self.returns else "void"


_ROUTINES = (
    Routine("dot", "ivivi", returns=True),
    Routine("gemv", "ciivvivivvi"),
    Routine("gemm", "cciiivvivivvi"),
    # Only Enzyme's derivatives call these:
    Routine("axpy", "ivvivi"),
    Routine("copy", "ivivi"),
    Routine("scal", "ivvi"),
)
ROUTINES = {row.name: row for row in _ROUTINES}


@dataclass(frozen=True)
class Product:
    """A function of Numba's: its LLVM parameters after the kind, and what computes it.

    `real` and `complex` give the instructions, from a letter and the LLVM type of a real number.
    """

    symbol: str
    parameters: str
    real: Callable[[str, str], str]
    complex: Callable[[str, str], str]


_TYPES = {"c": "i8", "i": "i64"}


def _call(name: str, letter: str, real: str, values: str) -> str:
    """Return a call of a routine; what is no pointer yet is put into memory first."""
    routine = ROUTINES[name]
    lines, given = "", []
    for number, (kind, value) in enumerate(zip(routine.parameters, values.split(), strict=True)):
        if kind == "v":
            given.append(f"ptr {value}")
            continue
        own, slot = _TYPES[kind], f"%{letter}.{number}"
        lines += f"  {slot} = alloca {own}\n  store {own} {value}, ptr {slot}\n"
        given.append(f"ptr {slot}")
    assign = f"%{letter}.result = " if routine.returns else ""
    call = f"call {routine.result(real)} @{routine.symbol(letter)}({', '.join(given + routine.lengths)})"
    return f"{lines}  {assign}{call}\n"


def _dot(letter: str, real: str) -> str:
    call = _call("dot", letter, real, "%n %a 1 %b 1")
    return f"{call}  store {real} %{letter}.result, ptr %out\n"


def _at_least_one(letter: str, *names: str) -> str:
    """Return instructions for leading dimensions that BLAS accepts of empty matrices too."""
    lines = ""
    for name in names:
        own = f"%{letter}.{name}"
        lines += f"  {own}.empty = icmp slt i64 %{name}, 1\n"
        lines += f"  {own} = select i1 {own}.empty, i64 1, i64 %{name}\n"
    return lines


def _gemv(letter: str, real: str) -> str:
    """BLAS leaves y as it is if the matrix is empty, so y is cleared here."""
    values = f"%trans %m %n %alpha %a %{letter}.lda %x 1 %beta %y 1"
    own = f"%{letter}.clear"
    clear = (
        f"  {own}.n = icmp eq i8 %trans, {ord('n')}\n"
        f"  {own}.outer = select i1 {own}.n, i64 %m, i64 %n\n"
        f"  {own}.inner = select i1 {own}.n, i64 %n, i64 %m\n"
        f"  {own}.is = icmp eq i64 {own}.inner, 0\n"
        f"  {own}.count = select i1 {own}.is, i64 {own}.outer, i64 0\n"
        f"  call void @enzyme_py_blas.{letter}clear(i64 {own}.count, ptr %y)\n"
    )
    return _at_least_one(letter, "lda") + clear + _call("gemv", letter, real, values)


def _gemm(letter: str, real: str) -> str:
    lda, ldb, ldc = (f"%{letter}.ld{name}" for name in "abc")
    values = f"%transa %transb %m %n %k %alpha %a {lda} %b {ldb} %beta %c {ldc}"
    return _at_least_one(letter, "lda", "ldb", "ldc") + _call("gemm", letter, real, values)


_PRODUCTS = (
    Product(
        "numba_xxdot",
        "i8 %conjugate, i64 %n, ptr %a, ptr %b, ptr %out",
        _dot,
        blas_loops.complex_dot,
    ),
    Product(
        "numba_xxgemv",
        "i8 %trans, i64 %m, i64 %n, ptr %alpha, ptr %a, i64 %lda, ptr %x, ptr %beta, ptr %y",
        _gemv,
        blas_loops.complex_gemv,
    ),
    Product(
        "numba_xxgemm",
        "i8 %transa, i8 %transb, i64 %m, i64 %n, i64 %k, ptr %alpha, ptr %a, i64 %lda, "
        "ptr %b, i64 %ldb, ptr %beta, ptr %c, i64 %ldc",
        _gemm,
        blas_loops.complex_gemm,
    ),
    Product(
        "numba_xxnrm2",
        "i64 %n, ptr %x, i64 %incx, ptr %out",
        blas_loops.real_norm,
        blas_loops.complex_norm,
    ),
)
PRODUCTS = {row.symbol: row for row in _PRODUCTS}

# What Enzyme's derivatives call by name: defined, and named so, up to the pass.
HELPERS = tuple(f"{letter}{name}{SUFFIX}" for name in ("ger", "lascl") for letter in FLOATS)


def _product(row: Product) -> str:
    """Return the definition of one of Numba's functions: a switch over the kind."""
    arms = cases = ""
    for table, body in ((FLOATS, row.real), (COMPLEX, row.complex)):
        for letter, real in table.items():
            cases += f" i8 {ord(letter)}, label %kind.{letter}"
            arms += f"kind.{letter}:\n{body(letter, real)}  ret i32 0\n"
    return (
        f"define linkonce_odr i32 @{row.symbol}(i8 %kind, {row.parameters}) alwaysinline {{\n"
        f"  switch i8 %kind, label %unknown [{cases} ]\n{arms}unknown:\n  unreachable\n}}\n"
    )


def bodies(symbols: Collection[str]) -> str:
    """Return a module that defines Numba's given functions, and the helpers of derivatives."""
    parts = [_product(row) for row in _PRODUCTS if row.symbol in symbols]
    for letter, real in FLOATS.items():
        parts.append(blas_loops.shared_loops(letter, real))
        for row in _ROUTINES:
            parameters = ", ".join(["ptr"] * len(row.parameters) + ["i64"] * len(row.lengths))
            parts.append(f"declare {row.result(real)} @{row.symbol(letter)}({parameters})\n")
    return "".join(parts)
