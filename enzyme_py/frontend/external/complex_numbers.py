"""C's functions of complex numbers: what their derivatives are made of.

Symptom: the derivative of `a / b` or `a * b`, of `double complex` in linked C, was wrong without a word; cexp(a) had none.

Cause: clang computes a product by calling __muldc3, a quotient by __divdc3. Enzyme has rules for both. In reverse mode that of the
product is the rule of a function of one complex variable, where the two parts are numbers of their own here, so that signs differ.
That of the quotient takes one part of the dividend for the other, in forward mode too. Of cexp, csqrt and their kind it knows
nothing.

Cure: a row names Python code in place of a function, which Numba compiles into the module. As in
frontend/numpy_functions/special.py the value is the library's own, a constant to derivatives, and the code is there for these. It
computes in double precision.

How complex numbers are handed over is the machine's affair: as two numbers, a vector, a record. So a function keeps the type that
the module declares, and the numbers are taken from it in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import types

from enzyme_py.errors import RuleError
from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.frontend.codegen.library import linked_module
from enzyme_py.frontend.codegen.library_calls import constant
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.rules.complex_symbols import COMPUTES, SINGLE, WIDE
from enzyme_py.rules.inactive import CONSTANT_PREFIX
from enzyme_py.rules.slopes import pick, pick_declaration
from enzyme_py.symbols import BARRIER


@numba.njit(error_model="numpy")  # which does not raise
def _quotient(z, w):  # type: ignore[no-untyped-def]  # compiled by Numba
    # By its size, a constant, no square leaves the range of floats; the quotient is the same by any size.
    size = constant(max(abs(w.real), abs(w.imag)))
    c, d = w.real / size, w.imag / size
    length = (c * c + d * d) * size
    return complex((z.real * c + z.imag * d) / length, (z.imag * c - z.real * d) / length)


def _of(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of Python's that Numba compiles, for one of NumPy's."""

    def code(z):  # type: ignore[no-untyped-def]  # compiled by Numba
        return function(z)

    return code


_CODE: dict[str, Callable[..., Any]] = {
    "product": lambda z, w: z * w,
    "quotient": _quotient,
    "creal": lambda z: z.real,
    "cimag": lambda z: z.imag,
    "cabs": lambda z: math.hypot(z.real, z.imag),
    "carg": lambda z: math.atan2(z.imag, z.real),
    "conj": lambda z: z.conjugate(),
    "cexp": _of(np.exp),
    "clog": _of(np.log),
    "csqrt": _of(np.sqrt),
    "cpow": lambda z, w: np.exp(w * np.log(z)),
    "csin": _of(np.sin),
    "ccos": _of(np.cos),
    "ctan": _of(np.tan),
    "csinh": _of(np.sinh),
    "ccosh": _of(np.cosh),
    "ctanh": _of(np.tanh),
    "casin": _of(np.arcsin),
    "cacos": _of(np.arccos),
    "catan": _of(np.arctan),
    "casinh": _of(np.arcsinh),
    "cacosh": _of(np.arccosh),
    "catanh": _of(np.arctanh),
}
_ARITY = {"product": 2, "quotient": 2, "cpow": 2}


def link_complex_functions(module: llvm.ModuleRef, modules: Modules) -> None:
    """Define the functions of complex numbers that a module calls."""
    declared = [one for one in module.functions if one.is_declaration]
    for name in (one.name for one in declared if one.name in WIDE):  # for them Enzyme has rules that are as wrong
        message = f"`{name}`, a product or quotient of complex `long double`, has no derivative"
        raise RuleError(message, remedy="compute with `double complex` in the linked code")
    called = [(one.name, one.global_value_type) for one in declared if one.name in COMPUTES]
    for name, type_ in called:
        computed = COMPUTES[name]
        compiled = compile_kernel(_CODE[computed], (types.complex128,) * _ARITY.get(computed, 1))
        body = modules.parsed(_Body(name, type_, compiled.symbol).text())
        body.link_in(linked_module(compiled.library, modules))
        module.link_in(body)


class _Body:
    """The function that asks the library for the value, and compiled code for the derivatives."""

    def __init__(self, name: str, type_: llvm.TypeRef, symbol: str) -> None:
        self._name, self._symbol = name, symbol
        self._kind = "float" if name in SINGLE else "double"
        self._given = [str(one) for one in type_.get_function_parameters()]
        self._returned = str(type_.get_function_return())
        self._lines: list[str] = []

    def text(self) -> str:
        """Return a module with the function."""
        kind, constant_name = self._kind, f"{CONSTANT_PREFIX}{self._name}"
        numbers = [self._parts(type_, f"%a{i}") for i, type_ in enumerate(self._given)]
        handed = []
        for type_, parts in zip(self._given, numbers, strict=True):
            own = [self._add(f"call {kind} @{BARRIER}.{kind}({kind} {one})") for one in parts]
            handed.append(f"{type_} {self._joined(type_, own)}")
        value = self._add(f"call {self._returned} @{constant_name}({', '.join(handed)})")
        known = self._parts(self._returned, value)
        smooth = self._smooth([one for parts in numbers for one in parts], len(known))
        picked = [self._add(pick(kind, *both)) for both in zip(smooth, known, strict=True)]
        result = self._joined(self._returned, picked)
        parameters = ", ".join(f"{type_} %a{i}" for i, type_ in enumerate(self._given))
        return "\n".join(
            (
                f"declare {self._returned} @{constant_name}({', '.join(self._given)})",
                f"declare {kind} @{BARRIER}.{kind}({kind})",
                pick_declaration(kind),
                f'declare i32 @"{self._symbol}"(ptr, ptr{", double" * sum(map(len, numbers))})',
                f"define linkonce_odr {self._returned} @{self._name}({parameters}) alwaysinline {{",
                *self._lines,
                f"  ret {self._returned} {result}",
                "}",
            )
        )

    def _smooth(self, numbers: list[str], count: int) -> list[str]:
        """Call the compiled code; return the numbers of its result."""
        type_ = f"[{count} x double]"
        result, information = self._add(f"alloca {type_}"), self._add("alloca ptr")
        self._lines.append(f"  store {type_} zeroinitializer, ptr {result}")
        given = "".join(f", double {self._cast(one, 'double')}" for one in numbers)
        self._add(f'call i32 @"{self._symbol}"(ptr {result}, ptr {information}{given})')
        found = []
        for i in range(count):
            place = self._add(f"getelementptr double, ptr {result}, i64 {i}")
            found.append(self._cast(self._add(f"load double, ptr {place}"), self._kind))
        return found

    def _cast(self, number: str, kind: str) -> str:
        """Return a number in double precision, or one of these in the function's own."""
        if self._kind == "double":
            return number
        how = f"fpext float {number} to" if kind == "double" else f"fptrunc double {number} to"
        return self._add(f"{how} {kind}")

    def _parts(self, type_: str, value: str) -> list[str]:
        """Return the numbers of a value, which is one, a vector of two, or a record of two."""
        if type_ == self._kind:
            return [value]
        if type_.startswith("<"):
            return [self._add(f"extractelement {type_} {value}, i64 {i}") for i in range(2)]
        return [self._add(f"extractvalue {type_} {value}, {i}") for i in range(2)]

    def _joined(self, type_: str, parts: list[str]) -> str:
        """Return the value with these numbers."""
        if type_ == self._kind:
            return parts[0]
        value = "poison"
        for i, part in enumerate(parts):
            given = f"{type_} {value}, {self._kind} {part}"
            if type_.startswith("<"):
                value = self._add(f"insertelement {given}, i64 {i}")
            else:
                value = self._add(f"insertvalue {given}, {i}")
        return value

    def _add(self, operation: str) -> str:
        name = f"%v{len(self._lines)}"
        self._lines.append(f"  {name} = {operation}")
        return name
