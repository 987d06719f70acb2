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
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np

from enzyme_py.frontend.codegen.library_calls import constant
from enzyme_py.special.addresses import OF_COMPLEX
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
from enzyme_py.symbols import SPECIAL_SLOPE

_OPTIONS = {"error_model": "numpy"}
_NUMPY = {
    name: getattr(np, name)
    for name in ("exp", "log", "sqrt", "sin", "cos", "sinh", "cosh", "floor", "sign")
}
_CONSTANTS = {"pi": np.pi, "nan": np.nan, "inf": np.inf, "divide": np.divide, "abs": abs, **_NUMPY}


def slope_symbol(row: Row, numbers: str, letters: str) -> str:
    """Return the symbol of a derivative, of the value without numbers: `enzyme_py_special_slope.jv__1.dd`."""
    name = f"{row.name}{SEPARATOR}{numbers}" if numbers else row.name
    return f"{SPECIAL_SLOPE}{name}.{letters}"


@functools.cache
def function_of(name: str, *, is_complex: bool) -> Any:
    """Return the function of a derivative, or of a value: `jv__1`, `jv`."""
    row = TABLE[split(name)[0]]
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
    missing = next(
        (int(one) for one in numbers if row.slope(int(one), is_complex=is_complex) is None), None
    )
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
    return _Body(row, letters, order).function()


class _Body:
    """The lines of a body, and what they name."""

    def __init__(self, row: Row, letters: str, order: int) -> None:
        self.row = row
        self.letters = letters
        self.order = order
        self.is_complex = "D" in letters
        self.active = [number for number, letter in enumerate(letters) if letter != "l"]
        self.known = [
            one for one in self.active if row.slope(one, is_complex=self.is_complex) is not None
        ]
        pick = pick_complex if self.is_complex else pick_real
        self.scope: dict[str, Any] = {"pick": pick, "pick_real": pick_real}
        self.scope.update(pick_complex=pick_complex)
        self.scope.update(constant=constant, constant_complex=constant_complex)

    def function(self) -> Any:
        """Return the function."""
        arguments = ", ".join(self.row.arguments)
        lines = [f"def {self.row.name}({arguments}):", *self._constants()]
        lines.append(f"value = {self._constant('')}")
        for degree in range(self.order, -1, -1):
            lines += [
                f"sum{_digits(chosen)} = {self._sum(chosen)}"
                for chosen in itertools.combinations_with_replacement(self.known, degree)
            ]
        return defined("\n    ".join([*lines, "return sum"]), self.row.name, self.scope)

    def _constants(self) -> Iterator[str]:
        """Yield the lines of c and h of each argument; a whole number is constant as it is."""
        for number, name in enumerate(self.row.arguments):
            kind = "complex" if self.letters[number] == "D" else "real"
            if number not in self.active:
                yield f"c{number} = {name}"
                continue
            yield f"c{number} = constant{'_complex' if kind == 'complex' else ''}({name})"
            yield f"h{number} = pick_{kind}({name}, {'0j' if kind == 'complex' else '0.0'})"

    def _sum(self, chosen: tuple[int, ...]) -> str:
        """Return what has the value of a derivative, and its derivatives."""
        degree = len(chosen)
        value = self._constant(_digits(chosen)) if degree else "value"
        if degree == 1:
            kinds = 2 * result_of(self.letters)
            self.scope["guard"] = outside(slope_symbol(TABLE["_guarded"], "", kinds), kinds)
            value = f"guard(({value}, value))"
        if degree == self.order:
            return value
        factor = f"{1.0 / (degree + 1)!r} * " if degree else ""
        terms = [f"{factor}h{one} * sum{_digits((*chosen, one))}" for one in self.known]
        terms += self._without_slope() if degree == 0 else []
        return f"pick({' + '.join(terms)}, {value})" if terms else value

    def _constant(self, numbers: str) -> str:
        """Return the call of a derivative, of constants."""
        symbol = slope_symbol(self.row, numbers, self.letters)
        self.scope[f"of{numbers}"] = outside(symbol, self.letters)
        given = "".join(f"c{number}, " for number in range(len(self.letters)))
        return f"of{numbers}(({given}))"

    def _without_slope(self) -> Iterator[str]:
        for one in self.active:
            if one not in self.known:
                name = _missing(self.row, one, is_complex=self.is_complex)
                self.scope[f"none{one}"] = no_slope(self.row.name, name)
                yield f"h{one} * none{one}()"


def _digits(numbers: tuple[int, ...]) -> str:
    return "".join(map(str, sorted(numbers)))
