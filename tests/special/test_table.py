"""Every row of the table, by each argument that has a derivative, beside mpmath to thirty digits.

The errors are those of SciPy's functions: a few units in the last place for most, some hundred for others. What
is lost of digits near points where a formula cancels would be seen here: such points are among them.
"""

from __future__ import annotations

import pytest

from enzyme_py.special.table import ALIASES, TABLE, TUPLES
from tests.special.__main__ import DOCUMENT, orders_of
from tests.special.cases import FAMILIES
from tests.special.measure import ORDERS, measure

ALLOWED = {1: 1e-12, 2: 1e-10}
# In the ordinary tests; `pytest --full` takes all.
USUAL = {
    "gamma": ("forward over reverse",),
    "errors": ("reverse",),
    "integrals": ("forward",),
    "bessel": ("reverse",),
}
MADE_OF_OTHERS = {"_zeta": "zeta", "_lambertw": "lambertw"}
WITHOUT_SLOPES = {"_riemann_zeta", "zetac"}  # which is told: test_special_functions.py


def _tests():
    for name in FAMILIES:
        for order in orders_of(name):
            marks = () if order in USUAL.get(name, ()) else pytest.mark.full
            yield pytest.param(name, order, marks=marks)


@pytest.mark.parametrize(("name", "order"), list(_tests()))
def test_derivatives(name, order):
    wrong = [
        f"{one.case.call} at {one.point}: {one.found}, right {one.right}"
        for one in measure(FAMILIES[name], (order,))
        if not one.error < ALLOWED[ORDERS[order]]
    ]
    assert wrong == []


def test_the_document_has_every_case():
    text = DOCUMENT.read_text(encoding="utf-8")
    missing = [
        case.call
        for cases in FAMILIES.values()
        for case in cases
        if f"| `{case.call}` |" not in text
    ]
    assert missing == []


def test_every_function_has_a_case():
    calls = [case.call for cases in FAMILIES.values() for case in cases]
    asked = {call.partition("(")[0] for call in calls}
    names = {MADE_OF_OTHERS.get(name, name) for name in TABLE if name not in WITHOUT_SLOPES}
    names = {name for name in names if not name.startswith("_")} | set(TUPLES) | set(ALIASES)
    assert names - asked == set()


def test_formulas_name_rows_only():
    from enzyme_py.special.expressions import ELEMENTARY, calls, split

    for row in TABLE.values():
        for text in (*row.slopes.values(), *row.of_complex.values(), row.value):
            for name in calls(text) if text else ():
                assert name in ELEMENTARY or split(name)[0] in TABLE, (row.name, name)


def test_scipy_has_every_function():
    from enzyme_py.special.addresses import LOOP, C, special_address

    for row in TABLE.values():
        for letters in () if row.value else row.signatures:
            symbol = f"{LOOP if row.is_loop else C}{row.c_name}.{letters}"
            assert special_address(symbol), symbol
