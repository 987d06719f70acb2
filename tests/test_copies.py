"""Every function that copies or joins arrays: modes, orders, activities, layouts and dtypes.

`tests/copies/functions.py` is the table, `cases.py` says what of the product runs.
"""

from __future__ import annotations

import numpy as np
import pytest

from enzyme_py.errors import EnzymeError
from tests.copies.cases import Case, chosen
from tests.copies.derivatives import check, exact
from tests.copies.functions import FUNCTIONS
from tests.recurrent import curvature_of, slope_of

# What may be refused today, with a clear error, and in which orders: whoever mends it removes the row.
# A refusal elsewhere is a failure, and so is a wrong number anywhere.
ALL = ("R", "F", "FoR", "RoR", "RoF")
PENDING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("rot90", "rot90_thrice", "swapaxes", "transpose_axes", "moveaxis"), ALL),
    **dict.fromkeys(("split", "split_list", "array_split", "split_at"), ALL),
    **dict.fromkeys(("hsplit", "vsplit", "dsplit", "typed_list_joined"), ALL),
    **dict.fromkeys(("triu", "triu_above", "tril", "tril_below"), ("FoR", "RoR", "RoF")),
    **dict.fromkeys(("kron", "kron_vectors", "array_of_rows"), ("RoR",)),
    "comprehension": ("RoR", "RoF"),
    "grow_in_a_list": ("RoR", "RoF"),
    "narrowing_assign": ("F", "FoR", "RoR", "RoF"),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = chosen(FUNCTIONS, full=metafunc.config.getoption("full"))
        metafunc.parametrize("case", [parameter(case) for case in cases])


def parameter(case: Case) -> object:
    """A test parameter; xdist keeps a function's cases together, since they share compilation."""
    return pytest.param(case, id=case.name, marks=pytest.mark.xdist_group(case.row.name))


def test_derivative(case: Case) -> None:
    try:
        check(case)
    except EnzymeError as refusal:
        if case.order not in PENDING.get(case.row.name, ()):
            raise
        pytest.xfail(refusal.what)


def test_names_are_unique() -> None:
    names = [row.name for row in FUNCTIONS]
    assert len(set(names)) == len(names)


def test_pending_rows_exist() -> None:
    assert set(PENDING) <= {row.name for row in FUNCTIONS}


@pytest.mark.parametrize("row", FUNCTIONS[::10], ids=lambda row: row.name)
def test_oracle_agrees_with_small_differences(row) -> None:
    """The exact answer is right: small steps in extended precision say the same."""
    random = np.random.default_rng(0)
    args, v, w = (
        tuple(random.uniform(0.3, 1.7, shape) for shape in row.sizes[0]) for _ in range(3)
    )
    weights = random.uniform(0.5, 1.5, np.size(row.oracle(*args)))

    def loss(*args: np.ndarray) -> float:
        return np.sum(weights * np.sin(np.asarray(row.oracle(*args)).flatten()))

    case = Case(row, "R")
    assert exact(case, weights, args, v) == pytest.approx(slope_of(loss, args, v), rel=1e-8)
    second = curvature_of(loss, args, v, w)
    assert exact(case, weights, args, v, w) == pytest.approx(second, rel=1e-7, abs=1e-7)
