"""Every public name has a docstring with an example, and the examples run as doctests: in an ordinary run those that compile little.

In them `np` is NumPy and `enzyme` this package. Modes are values: their example is in the docstring of their class. The
errors have theirs in docs/errors.md, which test_error_catalogue.py runs.
"""

from __future__ import annotations

import doctest
import inspect
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
import enzyme_py.cluster
import enzyme_py.inspect
import enzyme_py.rules
import enzyme_py.sparse
import enzyme_py.testing
from enzyme_py.modes import Mode

# On the worker of the documents, which use the same things for the first time.
pytestmark = pytest.mark.xdist_group("test_documents.py")

# What the rooms offer beside the names of the package itself.
CALLS = {
    enzyme.cluster: "grad hessian hvp jacfwd jacrev jvp value value_and_grad",
    enzyme.inspect: "attempts doubts draw_calls draw_memory draw_pattern finished ir loops memory passes report tape timings trim",
    enzyme.sparse: "SparseDerivative colour hessian hessian_sparsity jacobian jacobian_sparsity",
    enzyme.testing: "check_grads find_nan test_activities test_forward test_reverse test_rule",
    enzyme.rules: "implicit inactive partials python ruled",
}
# Parts of a rule: shown where the rule is made, `help(enzyme_py.rules.ruled)` and docs/rules.md.
PARTS = "augmented_primal forward inactive_type reverse".split()
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def public() -> dict[str, Any]:
    own = {name: getattr(enzyme, name) for name in enzyme.__all__}
    found = {name: one for name, one in own.items() if not isinstance(one, (Mode, ModuleType))}
    found["Reverse"] = Mode
    for module, names in CALLS.items():
        short = module.__name__.removeprefix("enzyme_py.")
        found |= {f"{short}.{name}": getattr(module, name) for name in names.split()}
    return found


PUBLIC = public()


def test_nothing_public_is_left_out() -> None:
    """The facades have no function that is not looked at here."""
    for module, names in CALLS.items():
        known = {*names.split(), *PARTS}
        facade = inspect.getsource(module)
        offered = {
            name
            for name, one in vars(module).items()
            if callable(one)
            and not name.startswith("_")
            and (f"import {name} as {name}" in facade or f"\ndef {name}(" in facade)
            and not (inspect.isclass(one) and name not in known)  # records that calls return
        }
        assert offered <= known, module.__name__


def example_of(name: str) -> doctest.DocTest:
    text = inspect.getdoc(PUBLIC[name]) or ""
    return doctest.DocTestParser().get_doctest(text, {"np": np, "enzyme": enzyme, "os": os}, name, None, None)


def test_every_public_name_has_an_example() -> None:
    assert not [name for name in PUBLIC if not example_of(name).examples]


@pytest.mark.parametrize("name", PUBLIC)
def test_the_example_of_a_public_name_runs(name: str, tmp_path: Any) -> None:
    if name.startswith("cluster."):
        pytest.importorskip("dask", reason="what runs the pieces")
    example = example_of(name)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    failures, _ = runner.run(example, out=told.append)
    assert not failures, "".join(told)


def test_the_reference_has_every_public_name_once() -> None:
    pages = (Path(__file__).resolve().parents[2] / "docs" / "reference").glob("*.md")
    text = "\n".join(page.read_text() for page in pages)
    named = [
        name.removeprefix("enzyme_py.") for name in re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    ]
    wanted = {*PUBLIC, *(f"rules.{name}" for name in PARTS), "modes.Mode"} - {"Reverse"}
    assert sorted(named) == sorted(wanted)
    modes = [name for name in enzyme.__all__ if isinstance(getattr(enzyme, name), Mode)]
    assert all(f"`{name}`" in text for name in modes)
