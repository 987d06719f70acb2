"""The evaluations of benchmarks/gradbench/, and the tool that speaks the suite's protocol.

Derivatives by hand where they are short, central differences elsewhere. What is timed is tested by
nobody: see benchmarks/README.md.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"
TOOL = BENCHMARKS / "gradbench_tool.py"
RANDOM = np.random.default_rng(42)
STEP = 1e-5


@pytest.fixture(autouse=True)
def benchmarks_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def answer(module: str, function: str, given: Any) -> Any:
    evaluation = importlib.import_module(f"gradbench.{module}").FUNCTIONS[function](given)
    found = evaluation.answer(evaluation.run())
    return json.loads(json.dumps(found))


def drawn(*shape: int) -> Any:
    return RANDOM.uniform(-1.0, 1.0, shape).tolist()


def slope(module: str, function: str, given: Any, names: tuple[str, ...], way: Any) -> Any:
    """Return the derivative of an objective along a direction, by central differences."""

    def at(step: float) -> Any:
        moved = {name: (np.array(given[name]) + step * way[name]).tolist() for name in names}
        return np.array(answer(module, function, {**given, **moved}))

    return (at(STEP) - at(-STEP)) / (2 * STEP)


def test_log_sum_exp() -> None:
    x = np.array(drawn(7))
    given = {"x": x.tolist()}
    total = np.sum(np.exp(x))
    assert answer("lse", "primal", given) == pytest.approx(np.log(total), rel=1e-14)
    np.testing.assert_allclose(answer("lse", "gradient", given), np.exp(x) / total, rtol=1e-13)


def test_least_squares() -> None:
    x, n = np.array(drawn(4)), 9
    t = np.linspace(-1.0, 1.0, n)
    powers = np.vander(t, 4, increasing=True)
    residual = np.sign(t) - powers @ x
    given = {"x": x.tolist(), "n": n}
    assert answer("llsq", "primal", given) == pytest.approx(residual @ residual / 2, rel=1e-13)
    np.testing.assert_allclose(answer("llsq", "gradient", given), -powers.T @ residual, rtol=1e-12)


def test_differential_equation() -> None:
    """Four components are polynomials of degree four at most, which the method meets exactly."""
    x = np.array([0.5, -1.5, 0.75, 2.0])
    given = {"x": x.tolist(), "s": 3}
    solution = np.cumprod(x * 2.0 / np.arange(1, 5))
    np.testing.assert_allclose(answer("ode", "primal", given), solution, rtol=1e-13)
    np.testing.assert_allclose(answer("ode", "gradient", given), solution[-1] / x, rtol=1e-12)


def test_gaussian_mixture() -> None:
    d, k, n = 3, 2, 5
    given = {"d": d, "k": k, "n": n, "gamma": 1.25, "m": 2, "alpha": drawn(k), "x": drawn(n, d)}
    given |= {"mu": drawn(k, d), "q": drawn(k, d), "l": drawn(k, d * (d - 1) // 2)}
    assert answer("gmm", "objective", given) == pytest.approx(mixture(given), rel=1e-12)
    found = answer("gmm", "jacobian", given)
    names = ("alpha", "mu", "q", "l")
    assert tuple(found) == names
    way = {name: np.array(RANDOM.uniform(-1, 1, np.shape(given[name]))) for name in names}
    along = sum(np.sum(np.array(found[name]) * way[name]) for name in names)
    assert along == pytest.approx(slope("gmm", "objective", given, names, way), rel=1e-8)


def mixture(given: dict[str, Any]) -> float:
    """The log-posterior from densities, with matrices."""
    from scipy.stats import multivariate_normal, wishart

    d, k, gamma, m = (given[name] for name in ("d", "k", "gamma", "m"))
    shares = np.exp(given["alpha"]) / np.sum(np.exp(given["alpha"]))
    likelihood, prior = np.zeros(given["n"]), 0.0
    for component in range(k):
        root = np.diag(np.exp(given["q"][component]))
        root[np.tril_indices(d, -1)] = 0.0
        at = 0
        for i in range(d):
            for j in range(i + 1, d):
                root[j, i] = given["l"][component][at]
                at += 1
        inverse = root.T @ root
        density = multivariate_normal(given["mu"][component], np.linalg.inv(inverse))
        likelihood += shares[component] * density.pdf(np.array(given["x"]))
        prior += wishart(d + m + 1, np.eye(d) / gamma**2).logpdf(inverse)
    return float(np.sum(np.log(likelihood)) + prior)


def test_recurrent_network() -> None:
    layers, b, c = 2, 3, 5
    given = {"main_params": drawn(2 * layers, 4 * b), "extra_params": drawn(3, b)}
    given |= {"state": drawn(2 * layers, b), "sequence": RANDOM.integers(0, 2, (c, b)).tolist()}
    found = np.array(answer("lstm", "jacobian", given))
    names = ("main_params", "extra_params")
    way = {name: np.array(RANDOM.uniform(-1, 1, np.shape(given[name]))) for name in names}
    along = found @ np.concatenate([way[name].ravel() for name in names])
    assert along == pytest.approx(slope("lstm", "objective", given, names, way), rel=1e-8)


def test_bundle_adjustment() -> None:
    camera = [0.1, -0.2, 0.3, 1.0, 2.0, -3.0, 4.0, 0.5, 0.25, 0.01, 0.001]
    given = {"n": 2, "m": 3, "p": 12, "cam": camera, "x": [0.1, 0.7, 0.3], "w": 0.5}
    given["feat"] = [1.0, 2.0]
    found = answer("ba", "jacobian", given)
    error = answer("ba", "objective", given)
    assert error["reproj_error"]["repeated"] == error["w_err"]["repeated"] == 12
    assert error["w_err"]["element"] == pytest.approx(0.75)
    assert found["rows"] == [15 * i for i in range(25)] + [360 + i for i in range(1, 6)] + [372]
    first = [*range(11), 22, 23, 24, 31]
    assert found["cols"] == [*first, *first, 22 + 9 + 11]
    assert found["vals"][-1] == pytest.approx(-1.0)
    block = np.array(found["vals"][:30]).reshape(2, 15)

    def errors(numbers: Any) -> Any:
        moved = {"cam": numbers[:11].tolist(), "x": numbers[11:14].tolist(), "w": numbers[14]}
        return np.array(answer("ba", "objective", {**given, **moved})["reproj_error"]["elements"])

    place = np.array([*camera, *given["x"], given["w"]])
    steps = STEP * np.eye(15)
    differences = [(errors(place + one) - errors(place - one)) / (2 * STEP) for one in steps]
    np.testing.assert_allclose(block, np.array(differences).T, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("is_complicated", [False, True], ids=["simple", "complicated"])
def test_hand_tracking(is_complicated: bool) -> None:
    given = importlib.import_module("gradbench.ht").example(is_complicated=is_complicated)
    found = np.array(answer("ht", "jacobian", given))
    points = len(given["data"]["correspondences"])
    assert found.shape == (3 * points, 26 + 2 * is_complicated)
    way = {"theta": RANDOM.uniform(-1, 1, 26)}
    by_theta = slope("ht", "objective", given, ("theta",), way)
    np.testing.assert_allclose(found[:, -26:] @ way["theta"], by_theta, rtol=1e-7, atol=1e-8)
    if is_complicated:
        for column in range(2):
            side = np.zeros((points, 2))
            side[:, column] = 1.0
            by_us = slope("ht", "objective", given, ("us",), {"us": side})
            np.testing.assert_allclose(found[:, column], by_us, rtol=1e-7, atol=1e-8)


def test_the_protocol() -> None:
    messages = [
        {"kind": "start", "eval": "hello"},
        {"kind": "define", "module": "hello"},
        {"kind": "evaluate", "module": "hello", "function": "square", "input": 3.0},
        {"kind": "evaluate", "module": "hello", "function": "double", "input": 3},
        {"kind": "analysis", "of": 3, "valid": True},
        {"kind": "define", "module": "nothing"},
        {"kind": "evaluate", "module": "hello", "function": "cube", "input": 3.0},
    ]
    lines = "".join(json.dumps({"id": number, **one}) + "\n" for number, one in enumerate(messages))
    command = [sys.executable, str(TOOL)]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert [reply["id"] for reply in replies] == list(range(7))
    assert replies[0]["tool"] == "enzyme_py"
    assert replies[1]["success"]
    assert replies[2]["output"] == 9.0
    assert replies[3]["output"] == 6.0
    assert [one["name"] for one in replies[3]["timings"]] == ["evaluate"]
    assert replies[4] == {"id": 4}
    assert not replies[5]["success"]
    assert "there are hello, lse" in replies[5]["error"]
    assert not replies[6]["success"]
    assert "KeyError: 'cube'" in replies[6]["error"]


def test_runs_until_both_minima_are_met() -> None:
    message = {"id": 0, "kind": "evaluate", "module": "llsq", "function": "primal"}
    message["input"] = {"x": [1.0], "n": 2, "min_runs": 5, "min_seconds": 0.01}
    command = [sys.executable, str(TOOL)]
    lines = json.dumps(message) + "\n"
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    times = [one["nanoseconds"] for one in json.loads(done.stdout)["timings"]]
    assert len(times) >= 5
    assert sum(times) >= 0.01e9
