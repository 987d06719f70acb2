"""A row of the table: one function of numbers, and its derivative by each of its arguments.

A derivative is the text of an expression: of the arguments, of other rows, and of the elementary functions of
expressions.py. `f__0` in it is the derivative of row f by its first argument. None says that there is no closed form. The
derivatives of derivatives follow from the rows that an expression names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)  # a row is known by itself
class Row:
    """One function.

    `signatures` has a letter for each argument, as NumPy writes them: d, D, l (an integer). The first that takes the
    given types is chosen. A function without C code of its own has a `value`, an expression.
    """

    name: str
    arguments: tuple[str, ...]
    signatures: tuple[str, ...]
    slopes: Mapping[str, str | None]
    of_complex: Mapping[str, str | None] = field(
        default_factory=dict
    )  # slopes that are others for complex numbers
    value: str = ""
    c: str = ""  # the name of the C function, if it is another one
    output: int | None = None  # the number of the result, if the C function has several
    outputs: int = 0
    is_loop: bool = False  # there is only the inner loop of a ufunc of SciPy's

    @property
    def c_name(self) -> str:
        """The name of what computes the value."""
        return self.c or self.name

    def slope(self, number: int, *, is_complex: bool) -> str | None:
        """Return the derivative by an argument; None if there is no closed form."""
        name = self.arguments[number]
        if is_complex and name in self.of_complex:
            return self.of_complex[name]
        return self.slopes[name]


def row(name: str, arguments: str, signatures: str, *slopes: str | None, **options: object) -> Row:
    """Return a row; the slopes in the order of the arguments."""
    names = tuple(arguments.split())
    given = dict(zip(names, slopes, strict=True))
    return Row(name, names, tuple(signatures.split()), given, **options)  # type: ignore[arg-type]


def computed(name: str, arguments: str, signatures: str, value: str, *slopes: str | None) -> Row:
    """Return a row whose value is an expression; without slopes they are those of the expression."""
    from enzyme_py.special.expressions import derivative

    names = tuple(arguments.split())
    own = slopes or tuple(derivative(value, one) for one in names)
    return Row(
        name, names, tuple(signatures.split()), dict(zip(names, own, strict=True)), value=value
    )
