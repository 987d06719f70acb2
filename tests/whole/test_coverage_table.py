"""The table of what differentiates: it is complete, its document is true, and a part of it runs here.

`python -m tests.coverage` runs all of it.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numba.core import types

import enzyme_py as enzyme
from enzyme_py.frontend.numpy_functions.special import SPECIAL
from enzyme_py.rules.inactive import _ROWS, INACTIVE
from enzyme_py.rules.numbers import c_library
from enzyme_py.rules.numbers.elementary import BODIES
from tests.coverage import in_loops
from tests.coverage.measure import ORDERS, measure, measure_edge
from tests.coverage.numba_list import LEFT_OUT, functions, sources
from tests.coverage.oracle import differences
from tests.coverage.tables import EDGES, ROWS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"
# In a loop the first was wrong once, the others were refused, or the pass crashed.
IN_LOOPS = ["np.outer", "np.argpartition", "np.extract", "np.vsplit"]
EACH_ROW = 71  # of so many, one runs here; edges all: two of them had been mended away unnoticed
# Of C, of Python, and our own.
OTHER_SYMBOLS = {"puts", "printf", "PyGILState_Ensure", "PyGILState_Release", "PyObject_Print"}
OTHER_SYMBOLS |= {"PyUnicode_FromStringAndSize", "modff"}
OTHER_SYMBOLS |= {"tgamma", "tgammaf", "nextafter"}  # of linked C, as "modff"
OTHER_SYMBOLS |= {row.symbol for row in c_library.ROWS} | {"frexp", "frexpf", "nan", "nanf", "nanl"}


def documented() -> dict[str, list[str]]:
    """What the document says of each row: a word for each order."""
    found = {}
    for line in DOCUMENT.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 1 + len(ORDERS) and cells[0].startswith("`"):
            found[cells[0].replace("`", "").strip()] = cells[1:]
    return found


def test_every_function_of_numba_has_a_row():
    known = {row.function for row in ROWS.values()} | set(LEFT_OUT)
    aliases = {
        "np.absolute": "np.abs",
        "np.true_divide": "np.divide",
        "np.bitwise_invert": "np.invert",
    }
    missing = {name for name in functions() if name not in known and aliases.get(name) not in known}
    assert not missing


def test_the_document_has_every_row():
    assert set(documented()) == set(ROWS)


def test_nothing_is_wrong_or_crashes():
    """The document itself: no row of it may say that a number is wrong, or that something died."""
    bad = {
        name: cells for name, cells in documented().items() if any("**" in cell for cell in cells)
    }
    assert not bad


@pytest.mark.parametrize("name", list(ROWS)[::EACH_ROW])
def test_rows(name):
    words = {"works": "yes", "refused": "refused", "uncompiled": "Numba: no"}
    found = [words.get(finding.status, str(finding)) for finding in measure(ROWS[name])]
    assert found == documented()[name]


@pytest.mark.parametrize("name", IN_LOOPS)
def test_rows_in_a_loop(name):
    found = list(in_loops.measure_in_a_loop(f"{name}{in_loops.SUFFIX}"))
    assert [str(finding) for finding in found if finding.status != "works"] == []
    assert len(found) == len(in_loops.ORDERS)


@pytest.mark.parametrize("name", list(EDGES))
def test_edges(name):
    assert [
        str(finding) for finding in measure_edge(EDGES[name]) if finding.status != "works"
    ] == []


def test_rule_tables_have_one_row_for_a_symbol():
    assert len(_ROWS) == len(INACTIVE)
    assert not set(BODIES) & set(SPECIAL)
    assert not (set(BODIES) | set(SPECIAL)) & set(INACTIVE)


def test_rules_are_for_what_numba_emits():
    text = sources("np", "cpython", "core")
    names = {re.sub(r"\.f\d\d$", "", symbol) for symbol in (*BODIES, *SPECIAL, *INACTIVE)}
    ours = {name for name in names if name.startswith("enzyme_py_")}
    assert not {name for name in names - ours - OTHER_SYMBOLS if not _is_emitted(name, text)}


def _is_emitted(name: str, text: str) -> bool:
    """A name stands in Numba's sources; those of generators' states are put together there."""
    return (
        f'"{name}"' in text
        or f"'{name}'" in text
        or name.startswith(("numba_get_", "numba_poisson_"))
    )


SAMPLES = [
    (row.symbol, point)
    for row in (*BODIES.values(), *SPECIAL.values())
    for point in row.at
    if not getattr(row, "by_address", False)
]


@pytest.mark.parametrize(("symbol", "point"), SAMPLES[::4])
def test_rules_at_their_points(symbol, point):
    if symbol in SPECIAL:
        is_single = SPECIAL[symbol].type is types.float32
    else:
        is_single = symbol.endswith((".f32", "f"))
    kind = types.float32 if is_single else types.float64
    own = types.ExternalFunction(symbol, kind(*[kind] * len(point)))
    names = ", ".join(f"x{i}" for i in range(len(point)))
    scope = {"own": own}
    exec(f"def kernel({names}):\n    return own({names})", scope)
    kernel = enzyme.jit(scope["kernel"])
    number = np.float32 if is_single else float
    places = tuple(range(len(point)))
    gradient = enzyme.grad(kernel, argnums=places)(*map(number, point))
    tolerance = 1e-2 if is_single else 1e-7
    step = 0.05 if is_single else 1e-3
    for place in places:

        def along(t, place=place):
            moved = [x + t * (i == place) for i, x in enumerate(point)]
            return float(kernel(*map(number, moved)))

        want = differences(along, step)
        assert gradient[place] == pytest.approx(want.value, rel=tolerance, abs=tolerance)


def test_no_edge_has_the_name_of_a_row():
    assert not set(EDGES) & set(ROWS)
