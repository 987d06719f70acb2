"""Products of vectors and matrices: what Numba calls, in words that Enzyme can differentiate.

Numba lowers `A @ B`, np.dot, np.vdot and np.linalg.norm to `numba_xxdot`, `numba_xxgemv`,
`numba_xxgemm` and `numba_xxnrm2`. The first argument of each, the kind, is a letter: s d for floats,
c z for complex numbers. It is a constant, so one arm of each switch remains after inlining.

Real products become calls of BLAS routines, which Enzyme knows by name and whose derivatives are
again products. It is the C interface, whose numbers come by value: with Fortran's, by address,
derivatives in loops read the sizes of other iterations (measured, without rematerialisation). The names
end in `_64_`, where integers have 64 bits: with narrower ones Enzyme emits code of mixed widths at
second order. Two routines of those derivatives, ger and lascl, Enzyme cannot differentiate; they
get bodies under the very names that it calls (`HELPERS`), so products are closed under
differentiation. Products of two vectors, norms and complex products are loops (blas_loops.py): the
adjoint of dot is an axpy with an active factor, whose own adjoint crashes Enzyme. Loops are exact
in every mode and order; for complex matrices they are slower than BLAS. Complex loops take the
scale factors for 1 and 0, which is what Numba passes.

After Enzyme the native stage turns what is left of the `_64_` names into calls of SciPy's
routines (native/rewrites/fortran.py), whose integers are narrower; a size that does not fit raises
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
    """A routine of the C interface: a letter for each parameter.

    l: the layout; t: whether to transpose; i: an integer; s: a number; v: a vector or matrix.
    """

    name: str
    parameters: str
    returns: bool = False

    def symbol(self, letter: str) -> str:
        """Return the name that Enzyme knows, with 64-bit integers."""
        return f"cblas_{letter}{self.name}{SUFFIX}"

    def types(self, real: str) -> list[str]:
        """Return the LLVM types of the parameters."""
        return [{**_TYPES, "s": real}[kind] for kind in self.parameters]

    def result(self, real: str) -> str:
        """Return the LLVM type that the routine returns."""
        return real if self.returns else "void"


_TYPES = {"l": "i32", "t": "i32", "i": "i64", "v": "ptr"}
# Values of the C interface's enumerations.
COLUMN_MAJOR, NOT_TRANSPOSED, TRANSPOSED = 102, 111, 112

_ROUTINES = (
    Routine("gemv", "ltiisvivisvi"),
    Routine("gemm", "lttiiisvivisvi"),
    # Only Enzyme's derivatives call these:
    Routine("dot", "ivivi", returns=True),
    Routine("axpy", "isvivi"),
    Routine("copy", "ivivi"),
    Routine("scal", "isvi"),
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


def _call(name: str, letter: str, real: str, values: str) -> str:
    """Return a call of a routine."""
    routine = ROUTINES[name]
    given = zip(routine.types(real), values.split(), strict=True)
    arguments = ", ".join(f"{kind} {value}" for kind, value in given)
    return f"  call {routine.result(real)} @{routine.symbol(letter)}({arguments})\n"


def _transposed(letter: str, *names: str) -> str:
    """Return instructions that turn Numba's letters into the C interface's numbers."""
    lines = ""
    for name in names:
        own = f"%{letter}.{name}"
        lines += f"  {own}.no = icmp eq i8 %{name}, {ord('n')}\n"
        lines += f"  {own} = select i1 {own}.no, i32 {NOT_TRANSPOSED}, i32 {TRANSPOSED}\n"
    return lines


def _loaded(letter: str, real: str, *names: str) -> str:
    return "".join(f"  %{letter}.{name} = load {real}, ptr %{name}\n" for name in names)


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
    own, no = f"%{letter}", f"%{letter}.trans.no"
    clear = (
        f"  {own}.outer = select i1 {no}, i64 %m, i64 %n\n"
        f"  {own}.inner = select i1 {no}, i64 %n, i64 %m\n"
        f"  {own}.none = icmp eq i64 {own}.inner, 0\n"
        f"  {own}.count = select i1 {own}.none, i64 {own}.outer, i64 0\n"
        f"  call void @enzyme_py_blas.{letter}clear(i64 {own}.count, ptr %y)\n"
    )
    values = f"{COLUMN_MAJOR} {own}.trans %m %n {own}.alpha %a {own}.lda %x 1 {own}.beta %y 1"
    setup = _transposed(letter, "trans") + _loaded(letter, real, "alpha", "beta")
    return setup + _at_least_one(letter, "lda") + clear + _call("gemv", letter, real, values)


def _gemm(letter: str, real: str) -> str:
    own = f"%{letter}"
    values = (
        f"{COLUMN_MAJOR} {own}.transa {own}.transb %m %n %k "
        f"{own}.alpha %a {own}.lda %b {own}.ldb {own}.beta %c {own}.ldc"
    )
    setup = _transposed(letter, "transa", "transb") + _loaded(letter, real, "alpha", "beta")
    sizes = _at_least_one(letter, "lda", "ldb", "ldc")
    return setup + sizes + _call("gemm", letter, real, values)


_PRODUCTS = (
    Product(
        "numba_xxdot",
        "i8 %conjugate, i64 %n, ptr %a, ptr %b, ptr %out",
        blas_loops.real_dot,
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

# What Enzyme's derivatives call by name: defined, and named so, up to Enzyme.
HELPERS = tuple(f"cblas_{letter}{name}{SUFFIX}" for name in ("ger", "lascl") for letter in FLOATS)


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


def bodies(symbols: Collection[str], order: int) -> str:
    """Return a module that defines Numba's given functions, and the helpers of derivatives, for so many within each other."""
    parts = [_product(row) for row in _PRODUCTS if row.symbol in symbols]
    for letter, real in FLOATS.items():
        parts.append(blas_loops.shared_loops(letter, real, is_nested=order > 1))
        for row in _ROUTINES:
            parameters = ", ".join(row.types(real))
            parts.append(f"declare {row.result(real)} @{row.symbol(letter)}({parameters})\n")
    return "".join(parts)
