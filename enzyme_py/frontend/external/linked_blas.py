"""BLAS of linked code whose derivatives Enzyme has wrong: loops in place of the library's routine.

Symptom: `dcopy_` over memory that was used before, `dgemv_` in forward mode with an active beta, `dsymv_`, `dspmv_`, `dsyrk_` and all
these with a negative increment had wrong derivatives without a word, or ended the process; so had `dscal_`, `dtrmv_` and `dtrmm_` in
reverse over reverse.

Cause: Enzyme knows the routines by their names and has rules for them. In reverse mode that of copy does not clear the adjoint of what is
overwritten; that of symv leaves out the diagonal of the matrix; that of spmv reads outside of memory; that of syrk takes the wrong
size of a matrix that it had to keep; all scale the adjoint of y by a routine that does nothing where increments are negative. In
forward mode that of gemv multiplies the tangent of beta by beta. Rules that keep vectors call copy themselves, and the second
derivative takes the wrong rule for that.

Cure: up to Enzyme such a routine has another name and a body, loops that Numba compiles. A size, an increment or a factor by address is
read before the loops, so that no iteration reads it again. The last bits of the values may differ from the library's. Where a rule
is right it stays, as it calls the library. Numba's own products are not concerned: they have other names, and come later
(rules/blas.py).

A factor of zero clears what is no number, as BLAS promises, and still has a slope: that of beta y by beta is y, for beta = 0 too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.extending import intrinsic, register_jitable

from enzyme_py.errors import RuleError
from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.foundations.scipy_bindings import integer_bits
from enzyme_py.frontend.codegen.library import linked_module
from enzyme_py.frontend.codegen.library_calls import constant
from enzyme_py.frontend.target.lower import compile_kernel

PREFIX = "enzyme_py_linked_blas"
_BY_COLUMNS, _BY_ROWS = 102, 101  # of the C interface
_TRANSPOSED = (ord("t"), ord("T"), ord("c"), ord("C"), 112, 113)  # letters of Fortran, numbers of C
_UPPER = (ord("u"), ord("U"), 121)
_UNIT = (ord("u"), ord("U"), 132)
_LEFT = (ord("l"), ord("L"), 141)


@intrinsic
def _some_number(typing_context, x):  # type: ignore[no-untyped-def]
    """Return x; some number if nobody wrote that memory, where LLVM would take either branch of a comparison."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        made = ir.instructions.Instruction(builder.block, args[0].type, "freeze", args)
        builder._insert(made)
        return made

    return signature(x, x), lower


@register_jitable
def _times(factor, x):  # type: ignore[no-untyped-def]  # compiled by Numba, as all below
    """Return a product, zero if the factor is, although x may be no number."""
    own = _some_number(x)
    if factor == 0.0 and own - own != 0.0:
        return factor
    return factor * own


@register_jitable
def _start(n, step):  # type: ignore[no-untyped-def]
    """Return where a vector begins: at its other end if the increment is negative."""
    return (1 - n) * step if step < 0 else 0


def _copy(n, x, step_x, y, step_y):  # type: ignore[no-untyped-def]
    from_, to = _start(n, step_x), _start(n, step_y)
    for i in range(n):
        y[to + i * step_y] = x[from_ + i * step_x]


def _scal(n, alpha, x, step):  # type: ignore[no-untyped-def]
    if step > 0:  # else BLAS does nothing
        for i in range(n):
            x[i * step] = alpha * x[i * step]


def _axpy(n, alpha, x, step_x, y, step_y):  # type: ignore[no-untyped-def]
    from_, to = _start(n, step_x), _start(n, step_y)
    for i in range(n):
        y[to + i * step_y] += _times(alpha, x[from_ + i * step_x])


def _dot(n, x, step_x, y, step_y):  # type: ignore[no-untyped-def]
    from_x, from_y = _start(n, step_x), _start(n, step_y)
    total = 0.0
    for i in range(n):
        total += x[from_x + i * step_x] * y[from_y + i * step_y]
    return total


def _nrm2(n, x, step):  # type: ignore[no-untyped-def]
    # By the largest size, a constant, no square leaves the range of floats; the norm is the same by any size.
    start, size = _start(n, step), 0.0
    for i in range(n):
        size = max(size, constant(abs(float(x[start + i * step]))))
    if size in (0.0, math.inf):
        return size
    total = 0.0
    for i in range(n):
        total += (x[start + i * step] / size) ** 2
    return size * math.sqrt(total)


def _gemv(layout, trans, m, n, alpha, a, lda, x, step_x, beta, y, step_y):  # type: ignore[no-untyped-def]
    if m <= 0 or n <= 0:
        return
    rows, columns, down, across = m, n, 1, lda
    if layout == _BY_ROWS:
        down, across = lda, 1
    if trans in _TRANSPOSED:
        rows, columns, down, across = n, m, across, down
    from_, to = _start(columns, step_x), _start(rows, step_y)
    for i in range(rows):
        total = 0.0
        for j in range(columns):
            total += a[i * down + j * across] * x[from_ + j * step_x]
        at = to + i * step_y
        y[at] = _times(beta, y[at]) + _times(alpha, total)


def _symv(layout, uplo, n, alpha, a, lda, x, step_x, beta, y, step_y):  # type: ignore[no-untyped-def]
    is_upper = (uplo in _UPPER) != (layout == _BY_ROWS)
    from_, to = _start(n, step_x), _start(n, step_y)
    for i in range(n):
        total = 0.0
        for j in range(n):
            row, column = (i, j) if (i < j) == is_upper else (j, i)
            total += a[row + column * lda] * x[from_ + j * step_x]
        at = to + i * step_y
        y[at] = _times(beta, y[at]) + _times(alpha, total)


def _spmv(layout, uplo, n, alpha, a, x, step_x, beta, y, step_y):  # type: ignore[no-untyped-def]
    is_upper = (uplo in _UPPER) != (layout == _BY_ROWS)
    from_, to = _start(n, step_x), _start(n, step_y)
    for i in range(n):
        total = 0.0
        for j in range(n):
            low, high = min(i, j), max(i, j)
            place = low + high * (high + 1) // 2 if is_upper else high + low * (2 * n - low - 1) // 2
            total += a[place] * x[from_ + j * step_x]
        at = to + i * step_y
        y[at] = _times(beta, y[at]) + _times(alpha, total)


def _syrk(layout, uplo, trans, n, k, alpha, a, lda, beta, c, ldc):  # type: ignore[no-untyped-def]
    is_upper = (uplo in _UPPER) != (layout == _BY_ROWS)
    down, across = (lda, 1) if (trans in _TRANSPOSED) != (layout == _BY_ROWS) else (1, lda)
    for j in range(n):
        first, end = (0, j + 1) if is_upper else (j, n)
        for i in range(first, end):
            total = 0.0
            for p in range(k):
                total += a[i * down + p * across] * a[j * down + p * across]
            at = i + j * ldc
            c[at] = _times(beta, c[at]) + _times(alpha, total)


@register_jitable
def _triangle(n, is_upper, is_unit, alpha, a, down, across, x, start, step):  # type: ignore[no-untyped-def]
    """Multiply a vector by a triangular matrix, in place: what is needed later is overwritten later."""
    for turn in range(n):
        i = turn if is_upper else n - 1 - turn
        first, end = (i + 1, n) if is_upper else (0, i)
        at = start + i * step
        total = x[at] if is_unit else a[i * (down + across)] * x[at]
        for j in range(first, end):
            total += a[i * down + j * across] * x[start + j * step]
        x[at] = _times(alpha, total)


def _trmv(layout, uplo, trans, diag, n, a, lda, x, step):  # type: ignore[no-untyped-def]
    is_transposed = trans in _TRANSPOSED
    down, across = (lda, 1) if is_transposed != (layout == _BY_ROWS) else (1, lda)
    is_upper = (uplo in _UPPER) != is_transposed
    _triangle(n, is_upper, diag in _UNIT, 1.0, a, down, across, x, _start(n, step), step)


def _trmm(layout, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb):  # type: ignore[no-untyped-def]
    # On the left each column of b is multiplied, on the right each row, by the transposed matrix.
    is_left, is_by_rows = side in _LEFT, layout == _BY_ROWS
    is_transposed = (trans in _TRANSPOSED) == is_left
    down, across = (lda, 1) if is_transposed != is_by_rows else (1, lda)
    size, count = (m, n) if is_left else (n, m)
    step, next_ = (1, ldb) if is_left != is_by_rows else (ldb, 1)
    is_upper = (uplo in _UPPER) != is_transposed
    for i in range(count):
        _triangle(size, is_upper, diag in _UNIT, alpha, a, down, across, b, i * next_, step)


# Where Enzyme's rule is wrong, or there is none. In reverse mode a rule keeps vectors by calling copy itself, and of that the second
# derivative has the wrong rule.
_ALWAYS, _FORWARD, _REVERSE = "always", "forward", "reverse"


@dataclass(frozen=True)
class _Routine:
    """A routine's code, and a letter for each parameter of the C interface.

    l: the layout, which Fortran has not; t: a letter there, a number in C; i: an integer; s: a number; v: numbers in memory.
    """

    code: Callable[..., Any]
    parameters: str
    wrong: str = _ALWAYS  # where Enzyme's rule is; elsewhere it stays, and its derivatives call the library's routines
    returns: bool = False


_ROUTINES = {
    "copy": _Routine(_copy, "ivivi"),
    "scal": _Routine(_scal, "isvi"),
    "axpy": _Routine(_axpy, "isvivi"),  # in reverse mode the factor was that of another iteration, and the increments were
    "dot": _Routine(_dot, "ivivi", returns=True),
    "nrm2": _Routine(_nrm2, "ivi", returns=True),  # of no numbers the tangent was 0 / 0
    "gemv": _Routine(_gemv, "ltiisvivisvi"),
    "symv": _Routine(_symv, "ltisvivisvi"),
    "spmv": _Routine(_spmv, "ltisvvisvi"),
    "syrk": _Routine(_syrk, "lttiisvisvi"),
    "trmv": _Routine(_trmv, "ltttivivi"),  # in forward mode Enzyme has none
    "trmm": _Routine(_trmm, "lttttiisvivi", wrong=_FORWARD),  # likewise
}
_NUMBERS = {"d": types.float64, "s": types.float32, "z": types.complex128, "c": types.complex64}
_REALS = {"d": "double", "s": "float"}
# What has no body here. Of other routines Enzyme says itself, by name, that it has no rule.
_REFUSED = {
    **dict.fromkeys(("z" + name for name in ("gemm", "gemv", "symv", "spmv", "syrk", "potrf")), _ALWAYS),
    "zscal": _REVERSE,
    "zaxpy": _REVERSE,
    "dsyr2k": _ALWAYS,
    "dtrtrs": _FORWARD,
    "dpotrs": _FORWARD,
}
_IN_DOUBLE = {"s": "d", "d": "d", "c": "z", "z": "z"}
# The names by which Enzyme knows a routine; 64 says how many bits an integer has.
_NAME = re.compile(rf"(cblas_)?([sdcz])({'|'.join({*_ROUTINES, *(name[1:] for name in _REFUSED)})})(|_|64_|_64_)")


def link_linked_blas(module: llvm.ModuleRef, modules: Modules, *, order: int, is_forward: bool) -> None:
    """Define, under names of their own, the BLAS routines that a module calls and that Enzyme has wrong."""
    modes = {_FORWARD, _REVERSE} if order > 1 else {_FORWARD if is_forward else _REVERSE}
    declared = [one for one in module.functions if one.is_declaration]
    for function, found in [(one, _NAME.fullmatch(one.name)) for one in declared]:
        if not found:
            continue
        _check_it_has_a_derivative(found, modes)
        if _is_wrong(found, modes):
            own = f"{PREFIX}.{function.name}"
            module_of_it = _definition(found, own, function.global_value_type, modules)
            function.name = own
            module.link_in(module_of_it)


def _check_it_has_a_derivative(found: re.Match[str], modes: set[str]) -> None:
    _, letter, name, _ = found.groups()
    where = _REFUSED.get(_IN_DOUBLE[letter] + name)
    if where is None or not {_ALWAYS, *modes} & {where}:
        return
    others, what = "", f"`{found[0]}` of linked code has no derivative"
    if where != _ALWAYS:
        others = f"take {_REVERSE if where == _FORWARD else _FORWARD} mode, one order, or "
        what += f" in {where} mode"
    remedy = f"{others}write it as a loop in the linked code, or link the routine's source, compiled to LLVM IR, by llvm-link"
    raise RuleError(what, remedy=remedy)


def _is_wrong(found: re.Match[str], modes: set[str]) -> bool:
    _, letter, name, _ = found.groups()
    if letter not in _REALS:
        return name == "copy"
    return name in _ROUTINES and _ROUTINES[name].wrong in {_ALWAYS, *modes}


def _definition(found: re.Match[str], own: str, type_: llvm.TypeRef, modules: Modules) -> llvm.ModuleRef:
    """Return a module that defines a routine with the type that it was declared with."""
    interface, letter, name, suffix = found.groups()
    routine, number, real = _ROUTINES[name], _NUMBERS[letter], _REALS.get(letter, "")
    width = 64 if "64" in suffix else 32 if interface else integer_bits()
    in_c = {"l": "i32", "t": "i32", "i": f"i{width}", "s": real, "v": "ptr"}
    kinds = routine.parameters if interface else routine.parameters.replace("l", "")
    wanted = [in_c[kind] if interface else "ptr" for kind in kinds]
    given = [str(one) for one in type_.get_function_parameters()]
    if given[: len(wanted)] != wanted:  # behind them a Fortran compiler hands over the lengths of strings
        message = f"`{found[0]}` is declared as {type_}"
        raise RuleError(message, remedy=f"declare its arguments in the linked code: ({', '.join(wanted)})")
    handed: list[str] = []
    lines: list[str] = []
    if "l" in routine.parameters and not interface:
        handed.append(f"i64 {_BY_COLUMNS}")
    for i, kind in enumerate(kinds):
        handed.append(_handed(kind, in_c, f"%p{i}", lines, by_address=not interface))
    python = {"s": number, "v": types.CPointer(number)}
    compiled = compile_kernel(routine.code, tuple(python.get(kind, types.int64) for kind in routine.parameters))
    returned = str(type_.get_function_return())
    if routine.returns and returned != real:
        message = f"`{found[0]}` is declared as {type_}"
        raise RuleError(message, remedy=f"declare in the linked code that it returns {real}")
    space = "double" if routine.returns else "ptr"
    taken = ", ".join(f"{one} %p{i}" for i, one in enumerate(given))
    of_code = ", ".join(["ptr", "ptr", *(one.split()[0] for one in handed)])
    text = (
        f'declare i32 @"{compiled.symbol}"({of_code})\n'
        f'define linkonce_odr {returned} @"{own}"({taken}) alwaysinline {{\n'
        f"  %result = alloca {space}\n  %info = alloca ptr\n{''.join(lines)}"
        f'  %status = call i32 @"{compiled.symbol}"(ptr %result, ptr %info, {", ".join(handed)})\n'
        f"{_ending(returned, is_number=routine.returns)}}}\n"
    )
    definition = modules.parsed(text)
    definition.link_in(linked_module(compiled.library, modules))
    return definition


def _ending(returned: str, *, is_number: bool) -> str:
    """Return the instructions that return the code's number, or nothing."""
    if not is_number:  # an integer without a meaning where Fortran was translated to C
        return f"  ret {returned}{'' if returned == 'void' else ' zeroinitializer'}\n"
    if returned == "double":
        return "  %value = load double, ptr %result\n  ret double %value\n"
    return f"  %wide = load double, ptr %result\n  %value = fptrunc double %wide to {returned}\n  ret {returned} %value\n"


def _handed(kind: str, in_c: dict[str, str], name: str, lines: list[str], *, by_address: bool) -> str:
    """Return an argument of the compiled code; the lines get what reads it."""
    if kind == "v":
        return f"ptr {name}"
    type_ = "i8" if kind == "t" and by_address else in_c[kind]
    if by_address:
        lines.append(f"  {name}.read = load {type_}, ptr {name}\n")
        name = f"{name}.read"
    if kind == "s":
        return f"{type_} {name}"
    if type_ != "i64":
        lines.append(f"  {name}.wide = sext {type_} {name} to i64\n")
        name = f"{name}.wide"
    return f"i64 {name}"
