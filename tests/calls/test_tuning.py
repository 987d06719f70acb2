"""autotune: choices agree or are left out, the fastest is remembered and taken by later compilations."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import native
from enzyme_py.calls import tuning
from enzyme_py.errors import AnnotationError
from enzyme_py.native.stored import tuned


def made():
    """A kernel that is new each time, of the same code: a loop that vectors pay for."""

    def loss(x, repeats):
        total = 0.0
        for _ in range(repeats):
            y = x * 0.5
            for i in range(x.size):
                total += x[i] * x[i] * y[i]
        return total

    return enzyme.jit(loss)


X = np.linspace(-1.0, 1.0, 50)


@pytest.fixture
def cache(tmp_path):
    """A cache folder of the test's own."""
    with enzyme.config(cache_dir=tmp_path):
        yield tmp_path


def test_choices_agree_and_the_fastest_is_remembered(cache, monkeypatch) -> None:
    """d/dx r x^3 / 2 = 1.5 r x^2, whatever is chosen."""

    def timed(runners, given, seconds):
        for runner in runners.values():
            np.testing.assert_allclose(runner(*given), 4.5 * X**2, rtol=1e-14)
        assert {"as usual", "no vectors"} <= set(runners)
        return {name: 1.0 if name == "no vectors" else 2.0 for name in runners}

    monkeypatch.setattr(tuning, "_in_turn", timed)
    found = enzyme.autotune(enzyme.grad(made()), X, 3)
    assert (found.choice, found.gain) == ("no vectors", 2.0)
    assert "2.00 times" in str(found)
    styles = []
    compile_module = native.compile
    monkeypatch.setattr(
        native,
        "compile",
        lambda module, *rest: (styles.append(module.style), compile_module(module, *rest))[1],
    )
    np.testing.assert_allclose(enzyme.grad(made())(X, 3), 4.5 * X**2, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(made(), (X, 3), (X**2, 0))[1], np.sum(4.5 * X**4))
    assert styles == ["scalar", ""]  # another derivative of the kernel has a choice of its own
    for one in (cache / "tuned").iterdir():
        one.write_text('{"choice": "--run-anything"}')
        assert tuned.remembered(one.name) == "as usual"


def test_it_measures(cache) -> None:
    """What is chosen is among what was timed, and no slower than usual."""
    arguments = X.copy(), 3
    found = enzyme.autotune(enzyme.value_and_grad(made()), *arguments, seconds=0.01)
    assert np.array_equal(arguments[0], X)
    assert found.gain >= 1.0
    assert found.seconds["as usual"] > 0


def test_agreement_is_to_rounding() -> None:
    one = (np.array([1.0, -3.0, np.nan, np.inf]), None, 2.0)
    assert tuning.agree(one, (one[0] * (1 + 1e-15), None, 2.0))
    assert not tuning.agree(one, (one[0] * (1 + 1e-9), None, 2.0))
    assert not tuning.agree(one, (np.array([1.0, -3.0, 0.0, np.inf]), None, 2.0))
    assert not tuning.agree(one, (one[0][:3], None, 2.0))


def test_only_transforms_are_tuned() -> None:
    with pytest.raises(AnnotationError, match="transforms of one kernel"):
        enzyme.autotune(made(), X, 3)


def test_choices_are_forgotten_with_the_cache(cache) -> None:
    tuned.remember("some", "no vectors")
    assert tuned.remembered("some") == "no vectors"
    assert tuned.forget() == 1
    assert tuned.remembered("some") == "as usual"
