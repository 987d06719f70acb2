"""What Numba compiles from the table: the functions of derivatives, and what stands for a call in a kernel.

A *derivative* here is a function of constants: SciPy's functions in plain Python, which Enzyme does not look into. A
*body* is what it does look into:

    f(x) = pick(h * pick(h / 2 * f__00(c), f__0(c)), f(c))        c = constant(x), h = pick(x, 0)

Here `pick(a, b)` is b with the derivative of a (rules/slopes.py), so h is zero and has the derivative one. It is Taylor's
polynomial about x, in Horner's form, whose derivatives are those of f as far as it goes. It goes as far as
derivatives nest in the module, so nothing that Enzyme makes of it needs a rule. The factors are constants: in the reverse
sweep of a gradient one number is kept for each call.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numba
import numpy as np

from enzyme_py.frontend.codegen.library_calls import constant
from enzyme_py.special.calls import (
    constant_complex,
    no_slope,
    outside,
    pick_complex,
    pick_real,
    result_of,
    value_of,
)
from enzyme_py.special.expressions import (
    ELEMENTARY,
    NONE,
    SEPARATOR,
    calls,
    defined,
    derivative,
    split,
    without_division,
)
from enzyme_py.special.row import Row
from enzyme_py.special.table import TABLE
from enzyme_py.special.addresses import OF_COMPLEX
from enzyme_py.symbols import SPECIAL_SLOPE

_OPTIONS = {"error_model": "numpy"}
_NUMPY = {name: getattr(np, name) for name in ("exp", "log", "sqrt", "sin", "cos", "sinh", "cosh", "floor", "sign")}
_CONSTANTS = {"pi": np.pi, "nan": np.nan, "inf": np.inf, "divide": np.divide, "abs": abs, **_NUMPY}
def slope_symbol(row: Row, numbers: str, letters: str) -> str:
    """Return the symbol of a derivative, of the value without numbers: `enzyme_py_special_slope.jv__1.dd`."""
    name = f"{row.name}{SEPARATOR}{numbers}" if numbers else row.name
    return f"{SPECIAL_SLOPE}{name}.{letters}"


@functools.cache
def function_of(name: str, *, is_complex: bool) -> Any:
    """Return the function of a derivative, or of a value: `jv__1`, `jv`."""
    base, numbers = split(name)
    row = TABLE[base]
    given = ", ".join(row.arguments)
    text = text_of(name, is_complex=is_complex)
    if text is None:
        return _made(f"return value(({given},))", row, {"value": value_of(row)})
    if is_complex:
        text = without_division(text)
    scope = {one: _called(one, is_complex=is_complex) for one in calls(text) - _CONSTANTS.keys()}
    return _made(f"return {text}", row, scope)


def text_of(name: str, *, is_complex: bool) -> str | None:
    """Return the expression of a derivative; None for the value of a function of SciPy's."""
    base, numbers = split(name)
    row = TABLE[base]
    if not numbers:
        return row.value or None
    number = int(numbers[-1])
    missing = next((int(one) for one in numbers if row.slope(int(one), is_complex=is_complex) is None), None)
    if missing is not None:
        return f"{NONE}{base}{SEPARATOR}{_missing(row, missing, is_complex=is_complex)}()"
    if len(numbers) == 1:
        return row.slope(number, is_complex=is_complex)
    before = text_of(f"{base}{SEPARATOR}{numbers[:-1]}", is_complex=is_complex)
    assert before is not None
    return derivative(before, row.arguments[number])


def _missing(row: Row, number: int, *, is_complex: bool) -> str:
    """Return the name of an argument by which there is no derivative, marked if there is one for real numbers."""
    name = row.arguments[number]
    return f"{name}{OF_COMPLEX}" if is_complex and row.slopes[name] is not None else name


def _called(name: str, *, is_complex: bool) -> Any:
    if name.startswith(NONE):
        return no_slope(*name.removeprefix(NONE).rsplit(SEPARATOR, 1))
    assert name not in ELEMENTARY
    return function_of(name, is_complex=is_complex)


def _made(statement: str, row: Row, scope: dict[str, Any]) -> Any:
    own = {**_CONSTANTS, **scope}
    name = f"special_{row.name}"  # not that of a function in the scope
    text = f"def {name}({', '.join(row.arguments)}):\n    {statement}\n"
    return numba.njit(**_OPTIONS)(defined(text, name, own))


def body_of(row: Row, letters: str, order: int) -> Any:
    """Return the body that stands for a call, whose derivatives are right up to an order."""
    is_complex = "D" in letters
    active = [number for number, letter in enumerate(letters) if letter != "l"]
    known = [one for one in active if row.slope(one, is_complex=is_complex) is not None]
    scope: dict[str, Any] = {"pick": pick_complex if result_of(letters) == "D" else pick_real}
    kinds = 2 * result_of(letters)
    scope["guard"] = outside(slope_symbol(TABLE["_guarded"], "", kinds), kinds)
    scope.update(constant=constant, constant_complex=constant_complex)
    scope.update(pick_real=pick_real, pick_complex=pick_complex)
    lines = []
    for number, name in enumerate(row.arguments):
        mark = "_complex" if letters[number] == "D" else ""
        freeze = f"constant{mark}" if number in active else ""
        lines.append(f"c{number} = {freeze}({name})")
        if number in active:
            zero = "pick_complex({0}, 0j)" if mark else "pick_real({0}, 0.0)"
            lines.append(f"h{number} = {zero.format(name)}")
    given = "".join(f"c{number}, " for number in range(len(letters)))
    scope["f"] = outside(slope_symbol(row, "", letters), letters)
    lines.append(f"value = f(({given}))")
    for degree in range(order, -1, -1):
        for chosen in itertools.combinations_with_replacement(known, degree):
            numbers = "".join(map(str, chosen))
            if numbers:
                scope[f"f{numbers}"] = outside(slope_symbol(row, numbers, letters), letters)
            value = f"f{numbers}(({given}))"
            if degree == 1:
                value = f"guard(({value}, value))"
            elif degree == 0:
                value = "value"
            if degree < order:
                factor = "" if degree == 0 else f"{1.0 / (degree + 1)!r} * "
                terms = [f"{factor}h{one} * b{''.join(map(str, sorted((*chosen, one))))}" for one in known]
                if degree == 0:
                    for one in sorted(set(active) - set(known)):
                        scope[f"none{one}"] = no_slope(row.name, _missing(row, one, is_complex=is_complex))
                        terms.append(f"h{one} * none{one}()")
                value = f"pick({' + '.join(terms)}, {value})" if terms else value
            lines.append(f"b{numbers} = {value}")
    head = f"def {row.name}({', '.join(row.arguments)}):"
    return defined("\n    ".join([head, *lines, "return b"]), row.name, scope)
