"""What the lines of a derivative call, in the words of users: BLAS, rules, functions of mathematics, Python."""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.native.lined.places import LineReader, PlaceBook, is_users_line
from enzyme_py.passes.hunting.source_places import SourcePlaces
from enzyme_py.symbols import PYTHON, RULE_CODE, RULED, SPECIAL, SPECIAL_OUTSIDE

_MATH = frozenset(
    "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow cbrt erf erfc lgamma tgamma "
    "hypot fmod sqrt".split()
)
_KEPT_SLOPE = "enzyme_py_slope.kept."  # a function whose value serves its slope (rules/slopes.py)
_RECORD = "enzyme_py_record."  # states that are kept in an array of their own (passes/memory/states/)


def kind_of(callee: str) -> tuple[str, str] | None:
    """Return what kind of function a name is of, and what users call it; None of what is nobody's business."""
    for start, kind in (
        (RULE_CODE, "rule"),
        (RULED, "rule"),
        (PYTHON, "Python"),
        (SPECIAL, "special function"),
        *((one, "special function") for one in SPECIAL_OUTSIDE),
    ):
        if callee.startswith(start):
            return kind, callee.removeprefix(start).partition(".")[0]
    if callee.startswith(_RECORD) and "gemv" in callee:
        return "BLAS", "dgemv" if ".d" in callee else "sgemv"
    if callee.startswith("cblas_"):
        return "BLAS", callee.removeprefix("cblas_").removesuffix("_64_").rstrip("_")
    if callee.startswith("numba_xx"):
        return "BLAS", callee.removeprefix("numba_xx")
    if callee.startswith("numba_ez_"):
        return "LAPACK", callee.removeprefix("numba_ez_")
    if callee.endswith("_") and callee[:-1].isalnum() and 4 <= len(callee) <= 9:  # a Fortran name
        return "BLAS", callee.rstrip("_")
    plain = callee.removeprefix(_KEPT_SLOPE).removeprefix("llvm.").partition(".")[0]
    return ("function", plain) if plain in _MATH else None


def nested_calls(code: Module, book: PlaceBook) -> set[tuple[int, int]]:
    """Return pairs of lines of the user's: one that calls a function, and one of that function, which was inlined there."""
    places, found, seen = SourcePlaces(code), set[tuple[int, int]](), set[str]()
    for function in code.functions:
        for one in function.instructions:
            location = one.location
            if location is not None and location not in seen:
                seen.add(location)
                chain = [book.number(place) for place in places.of([location]) if is_users_line(place)]
                found.update(zip(chain[1:], chain[:-1], strict=True))
    return found


def calls_of(code: Module, reader: LineReader) -> dict[int, dict[tuple[str, str], int]]:
    """Return what each line's code calls: kind and name, and in how many places."""
    found: dict[int, dict[tuple[str, str], int]] = {}
    for function in code.functions:
        for one, number in reader.numbers(function):
            callee = getattr(one, "callee", None)
            kind = kind_of(callee) if callee and number else None
            if kind is not None:
                own = found.setdefault(number, {})
                own[kind] = own.get(kind, 0) + 1
    return found
