"""The gallery in its short form: known optima, recovered parameters, conserved sums, moments; gradients beside differences.

An ordinary run takes some of the programs, `pytest --full` all: each compiles kernels of its own, for one to five seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from examples.gallery import (
    PROGRAMS,
    bundle,
    c_orbit,
    heat,
    hmc,
    lenses,
    mixture,
    molecules,
    ode_fit,
    rnn,
    rocket,
    waves,
)

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "gallery.md"
MOST_BYTES = 60_000


def slope_along(f: Callable[..., Any], x: Any, others: Sequence[Any], direction: Any) -> Any:
    """Return the derivative of `f` by its first argument, by central differences over five points."""
    h = 1e-3
    values = [np.asarray(f(x + k * h * direction, *others)) for k in (-2, -1, 1, 2)]
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)


def compare(f: Callable[..., Any], derivative: Any, x: Any, *others: Any) -> None:
    """Hold a gradient or a Jacobian by the first argument against differences along a direction."""
    direction = np.random.default_rng(11).normal(size=x.shape)
    direction /= np.linalg.norm(direction)
    expected = slope_along(f, x, others, direction)
    found = np.tensordot(derivative, direction, axes=x.ndim)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8 * np.max(np.abs(expected)))


def test_the_rocket_finds_the_linear_tangent_law() -> None:
    found = rocket.main(short=True)
    assert found["height"] == pytest.approx(rocket.HEIGHT, abs=1e-6)
    assert found["climb"] == pytest.approx(0.0, abs=1e-8)
    assert found["bend"] < 1e-5
    angles = np.linspace(1.0, 0.2, 15)
    compare(rocket.flight, enzyme.jacrev(rocket.flight)(angles), angles)


@pytest.mark.full
def test_rates_are_recovered_from_counts() -> None:
    found = ode_fit.main(short=True)
    assert found["clean"] < 1e-8  # without noise they are what the counts were made of
    assert found["pull"] < 4.0  # with it, within their errors
    assert 0.3 < found["chi2"] < 2.0
    years = np.zeros((10, 2))
    compare(lambda p: ode_fit.misfit(p * ode_fit.TRUE, years), enzyme.jacfwd(ode_fit.misfit)(ode_fit.TRUE, years) * ode_fit.TRUE, np.ones(4) * 1.0)


@pytest.mark.full
def test_the_rod_is_recovered_from_its_temperatures() -> None:
    found = heat.main(short=True)
    assert found["misfit"] < 1e-9 * found["first"]
    assert found["error"] < 1e-3
    measured = heat.warming(heat.true_rod(), 200)
    logs = np.linspace(-0.1, 0.1, heat.PIECES)
    compare(heat.misfit, enzyme.grad(heat.misfit)(logs, measured), logs, measured)


@pytest.mark.full
def test_echoes_show_what_is_buried() -> None:
    found = waves.main(short=True)
    assert found["misfit"] < 0.5 * found["first"]
    assert found["likeness"] > 0.3
    assert found["peak"] < 0.5 * found["peak_all"]
    assert found["same"]  # what is computed again is what was kept
    logs = 0.1 * waves.buried()
    heard = waves.echoes(waves.buried(), 20, 100)
    given = heard, 20, 100, waves.BUDGET
    compare(waves.misfit, enzyme.grad(waves.misfit)(logs, *given), logs, *given)


def test_the_mixture_is_at_rest_under_expectation_maximisation() -> None:
    found = mixture.main(short=True)
    assert found["moved"] < 1e-6
    assert found["off"] < 0.3  # 60 points in the smallest part, of deviation 0.4 to 0.9
    data, _ = mixture.sampled(300)
    p = 0.1 * np.arange(18.0)
    compare(mixture.loss, enzyme.value_and_grad(mixture.loss)(p, data)[1], p, data)


@pytest.mark.full
def test_cameras_and_points_find_back() -> None:
    found = bundle.main(short=True)
    assert found["rms"] < 1e-10
    assert found["off"] < 1e-8
    assert found["entries"] == found["expected"]  # five numbers of a camera and three of a point, twice for each photograph
    assert found["products"] < 0.2 * found["columns"]
    true, seen = bundle.scene(4, 20)
    given = 4, seen, np.zeros((len(seen), 2))
    compare(bundle.residuals, enzyme.sparse.jacobian(bundle.residuals)(true, *given).toarray(), true, *given)


def test_the_network_learns_the_wave() -> None:
    found = rnn.main(short=True)
    assert found["last"] < 0.1 * found["first"]
    assert found["alone"] < 0.7 * found["size"]
    random = np.random.default_rng(1)
    rows = [random.normal(size=shape) / 3 for shape in ((16, 16), 16, 16, 16)]
    wave = rnn.wave_of(random, 40)
    _, gradient = enzyme.value_and_grad(rnn.loss)(rnn.Model(*rows), wave)
    for k, part in enumerate(gradient):
        compare(lambda x, k=k: rnn.loss(rnn.Model(*rows[:k], x, *rows[k + 1 :]), wave), part, rows[k])


def test_atoms_fall_into_the_icosahedron_and_keep_their_energy() -> None:
    found = molecules.main(short=True)
    assert found["lowest"] == pytest.approx(molecules.LOWEST, abs=1e-6)
    assert found["free"] == 6  # three to move and three to turn
    assert found["softest"] > 1.0
    assert found["drift"] < 2e-4
    assert found["momentum"] < 1e-12
    x = molecules.icosahedron()
    compare(molecules.energy, enzyme.value_and_grad(molecules.energy)(x)[1], x)


def test_the_lens_is_that_of_descartes() -> None:
    found = lenses.main(short=True)
    assert found["conic"] == pytest.approx(found["descartes"], abs=1e-5)
    assert found["second"] == pytest.approx(found["concentric"], abs=1e-5)
    assert found["blur"] < 1e-10 < 0.1 < found["blur_spheres"]
    heights = np.linspace(2.0, 30.0, 8)
    shape = np.array([2.0, -0.3, 0.4])
    compare(lenses.offsets, enzyme.jacfwd(lenses.offsets)(shape, heights), shape, heights)


def test_moments_of_the_banana() -> None:
    found = hmc.main(short=True)
    assert found["rate"] > 0.9
    assert max(found[name] for name in ("x", "x2", "y", "y2")) < 4.5  # standard errors
    q = np.array([0.7, -0.4])
    compare(hmc.energy, enzyme.gradient(hmc.energy, q)[0], q)
    bend = (q[1] - q[0] ** 2) / hmc.S**2
    np.testing.assert_allclose(enzyme.gradient(hmc.energy, q)[0], [q[0] - 2 * q[0] * bend, bend], rtol=1e-14)


def test_the_orbit_by_code_in_c() -> None:
    found = c_orbit.main(short=True)
    assert found["pull"] < 4.5
    assert 0.6 < found["chi2"] < 1.5
    assert found["wrong"] < 1e-6


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_page_shows_what_is_there(name: str) -> None:
    """Each program has its picture, made by it, and the lines that the page quotes of it are its own."""
    page = PAGE.read_text()
    picture = PAGE.parent / "gallery" / f"{name}.png"
    assert f"](gallery/{name}.png)" in page
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert picture.stat().st_size < MOST_BYTES
    (section,) = [part for part in page.split("\n## ")[1:] if f"gallery/{name}.png" in part]
    quoted = re.findall(r"```py\n(.*?)```", section, re.DOTALL)
    assert quoted
    program = (ROOT / "examples" / "gallery" / f"{name}.py").read_text()
    folder = ROOT / "examples" / "gallery" / "c_code"
    lines = {line.strip() for line in (program + (folder / "orbit.c").read_text()).splitlines()}
    for block in quoted:
        foreign = [line for line in block.splitlines() if line.strip() not in lines | {"", "..."}]
        assert not foreign, foreign


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    lenses._draw(tmp_path / "lens.png", np.array([2.0, 0.0, 0.0]), np.array([2.0, -0.44, 1.25]))
    assert 1000 < (tmp_path / "lens.png").stat().st_size < MOST_BYTES
