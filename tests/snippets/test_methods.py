"""Methods and properties of dataclasses in kernels, and derivatives by the object itself; answers by hand."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError

X = np.array([1.0, 2.0, 3.0])


@dataclasses.dataclass
class Model:
    w: Any
    k: float

    def energy(self, x):
        return self.k * np.sum(self.w * self.square(x))

    def doubled(self, x):
        return self.energy(x) * self.twice

    @property
    def twice(self):
        return 2.0 * self.k

    @staticmethod
    def square(x):
        return x * x

    def scaled(self, factor):
        return Model(self.w * factor, self.k)

    def by_another(self, x):
        return self.scaled(2.0).energy(x)

    def written(self, x):
        self.k = 1.0
        return self.k * np.sum(x)


@dataclasses.dataclass
class Child(Model):
    def energy(self, x):
        return 3.0 * self.k * np.sum(self.w * self.square(x))


def model(kind: type[Model] = Model) -> Model:
    return kind(np.array([3.0, 1.0, 1.0]), 2.0)


@pytest.mark.parametrize(("kind", "factor"), [(Model, 1.0), (Child, 3.0)])
def test_by_the_object_and_by_the_argument(kind: Any, factor: float) -> None:
    """doubled = 2 k^2 s with s = sum(w x^2) = 16; of the child three times that."""
    m = model(kind)
    by_model, by_x = enzyme.grad(kind.doubled, argnums=(0, 1))(m, X)
    assert type(by_model) is kind
    np.testing.assert_allclose(by_model.w, factor * 8.0 * X**2, rtol=1e-15)
    assert by_model.k == pytest.approx(factor * 8.0 * 16.0)
    np.testing.assert_allclose(by_x, factor * 16.0 * m.w * X, rtol=1e-15)
    np.testing.assert_allclose(enzyme.grad(m.doubled)(X), by_x, rtol=1e-15)


def test_second_orders_by_the_object() -> None:
    """Along the model itself: by w 4 k x^2 k, by k 4 s k + 4 k s."""
    m = model()
    for turned in (enzyme.hvp(Model.doubled, m, m, X), enzyme.vhp(Model.doubled, m, m, X)):
        np.testing.assert_allclose(turned.w, 16.0 * X**2, rtol=1e-14)
        assert turned.k == pytest.approx(256.0)


def test_a_method_that_makes_another_object() -> None:
    by_model = enzyme.grad(Model.by_another)(model(), X)
    np.testing.assert_allclose(by_model.w, 4.0 * X**2, rtol=1e-15)
    assert by_model.k == pytest.approx(32.0)


def test_objects_made_in_the_kernel() -> None:
    def loss(x):
        return Model(x, 2.0 * x[0]).doubled(x)

    # 8 x0^2 (x0^3 + x1^3 + x2^3)
    total = np.sum(X**3)
    expected = 8 * X[0] ** 2 * 3 * X**2 + np.array([16 * X[0] * total, 0.0, 0.0])
    np.testing.assert_allclose(enzyme.grad(loss)(X), expected, rtol=1e-14)


def test_writing_to_a_field_is_refused() -> None:
    with pytest.raises(EnzymeError):
        enzyme.grad(Model.written)(model(), X)


SOURCE = """
import dataclasses, numpy as np, enzyme_py as enzyme

@dataclasses.dataclass
class Model:
    k: float
    def factor(self):
        return FACTOR * self.k
    def energy(self, x):
        return self.factor() * x

print(enzyme.grad(Model.energy, argnums=1)(Model(2.0), 1.0))
"""


def test_another_method_is_another_derivative(tmp_path, monkeypatch) -> None:
    """The disk cache knows what `energy` calls of its class, though nothing of it is a global."""
    monkeypatch.setenv("ENZYME_PY_CACHE_DIR", str(tmp_path / "cache"))
    found = []
    for factor in ("3.0", "5.0"):
        path = tmp_path / "program.py"
        path.write_text(SOURCE.replace("FACTOR", factor))
        run = subprocess.run([sys.executable, path], check=True, capture_output=True, text=True, timeout=120)
        found.append(float(run.stdout))
    assert found == [6.0, 10.0]
