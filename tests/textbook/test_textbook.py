"""The short form of the battery (tests/textbook): first derivatives of some of its kernels, and its own honesty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.textbook import TWINS, C, X, kernels
from tests.textbook.orders import answers

NAMES = list(kernels())[::7]


@pytest.mark.parametrize("name", NAMES)
def test_first_derivatives(name: str) -> None:
    kernel, x, c = kernels()[name]
    assert dict(answers(kernel, x, c, second=False)) == {"reverse": "right", "forward": "right"}


@pytest.mark.parametrize("name", ["heat_nl", "neighbours"])
def test_complex_buffers_that_change_places(name: str) -> None:
    kernel, x, c = kernels()[f"exchanged.{name}"]
    twin = TWINS["complex"](kernel)
    assert dict(answers(twin, x, c, second=False)) == {"reverse": "right", "forward": "right"}


@pytest.mark.parametrize("name", ["products.carried_mat", "views.ascontig", "updates.mask_add"])
def test_a_part_of_a_matrix(name: str) -> None:
    kernel, x, c = kernels()[name]
    twin = TWINS["part"](kernel)
    assert dict(answers(twin, x, c, second=False)) == {"reverse": "right", "forward": "right"}


def test_a_wrong_derivative_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import enzyme_py as enzyme

    def kernel(x: Any, c: Any, n: int) -> Any:
        return np.sum(x * x)

    own = enzyme.grad
    monkeypatch.setattr(enzyme, "grad", lambda *a, **k: lambda *g: own(*a, **k)(*g) * 1.001)
    found = dict(answers(kernel, X, C, second=False))
    assert found["reverse"].startswith("wrong")
    assert found["forward"] == "right"
