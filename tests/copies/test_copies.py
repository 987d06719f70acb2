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

# What is refused, with a clear error, and in which orders. A row that passes is a failure, so that
# whoever mends it removes it; so is a refusal elsewhere, and a wrong number anywhere.
PENDING: dict[str, tuple[str, ...]] = {}


def is_pending(case: Case) -> bool:
    return case.order in PENDING.get(case.row.name, ())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = chosen(FUNCTIONS, full=metafunc.config.getoption("full"))
        metafunc.parametrize("case", [parameter(case) for case in cases])


def parameter(case: Case) -> object:
    """A test parameter; xdist keeps a function's cases together, since they share compilation."""
    return pytest.param(case, id=case.name, marks=pytest.mark.xdist_group(case.row.name))


def test_derivative(case: Case) -> None:
    if is_pending(case):
        with pytest.raises(EnzymeError):
            check(case)
        pytest.xfail("refused")
    check(case)


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
