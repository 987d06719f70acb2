"""Rewrites that keep the meaning, in a short form, and that they can fail.

`python -m tests.metamorphic --count 2000 --folder FOLDER` is the long one.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from enzyme_py.settings import settings
from tests.metamorphic.forms import Form, origins
from tests.metamorphic.questions import REWRITES, outcomes, rewritten
from tests.numba_suite.recording import copied
from tests.numba_suite.runs import run
from tests.numba_suite.trees import floats_of
from tests.passes.switches import leave_out

WORKER = "tests.metamorphic.worker"


PLAIN = ("jitcls", "records")  # which Python itself does not run


@pytest.mark.parametrize("name", REWRITES)
def test_each_rewrite_keeps_the_value(name: str) -> None:
    """Asked of Python, without Numba: of four kernels for each rewrite."""
    order = random.Random(name).sample(origins(), len(origins()))
    count = 0
    for origin in order:
        form = Form(origin)
        if origin.name.endswith(PLAIN) or not REWRITES[name](form, random.Random(origin.name)):
            continue
        want = origin.kernel(*map(copied, origin.arguments))
        got = form.plain()(*form.arguments(tuple(map(copied, origin.arguments))))
        close = 1e-3 if form.is_single else 1e-12
        for one, other in zip(floats_of((got,)), floats_of((want,)), strict=True):
            np.testing.assert_allclose(one, other, rtol=close, atol=close, err_msg=origin.name)
        # What goes there and comes back is what it was: so are gradients.
        back = form.gradients(form.arguments(origin.arguments))
        for one, other in zip(back, origin.arguments, strict=True):
            for pair in zip(floats_of((one,)), floats_of((other,)), strict=True):
                np.testing.assert_allclose(*pair, rtol=close)
        count += 1
        if count == 4:
            return
    pytest.fail(f"{count} kernels have a place for it")


@pytest.mark.parametrize("seed", [3, 8])
def test_rewritten_kernels(seed: int) -> None:
    _, done = rewritten(seed)
    assert done
    found = {one.question: one.verdict for one in outcomes(seed)}
    assert found["reverse"] == found["forward"] == "right", found


def test_seeds_give_the_same_kernel_again() -> None:
    found = [rewritten(seed) for seed in range(100)]
    assert all(rewritten(seed)[0].source() == found[seed][0].source() for seed in range(20))
    drawn = {name for _, names in found for name in names}
    assert drawn == set(REWRITES)


def test_it_finds_what_a_cure_left_out_makes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """An array of a size that the compiler knows, filled by block copies: tests/traps/promoted_elements.ll."""
    monkeypatch.setattr(settings, "cache", False)
    leave_out("copies in pieces", monkeypatch.setattr)
    found = [one for one in outcomes(2, ["tuple"], "textbook.products.temp_slice4") if one.verdict != "right"]
    assert {one.verdict for one in found} == {"wrong"}
    assert "gradients" in found[0].reason


@pytest.mark.full
def test_it_finds_it_in_a_process_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("METAMORPHIC_REWRITES", "tuple")
    asked = ["2 textbook.products.temp_slice4"]
    left_out = "copies in pieces"
    summary = run(
        tmp_path, (), lambda line: None, most=1, only=asked, without=left_out, worker=WORKER
    )
    assert {one["verdict"] for one in summary.bad} == {"wrong"}
    assert "gradients" in summary.bad[0]["reason"]
