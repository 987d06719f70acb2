"""What is asked of a function: the value, both modes, and second derivatives in two orders."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError
from tests.c_functions.functions import Function
from tests.c_functions.programs import answers, linked

# Of the largest number of an answer: the differences keep eleven digits, single precision has seven.
TOLERANCES = {"double": 1e-9, "long double": 1e-9, "float": 1e-5}

Verdict = dict[str, str]


def verdicts(function: Function, kind: str, way: str, folder: Path, compiler: str) -> Iterator[Verdict]:
    """Yield the questions and what came of each: right, wrong, refused or not asked."""
    try:
        right = answers(function, folder, compiler)
        kernel = linked(function, kind, way, folder, compiler)
    except subprocess.CalledProcessError as error:
        yield {"question": "all", "verdict": "not asked", "reason": (error.stderr.splitlines() or [""])[0]}
        return
    except EnzymeError as refusal:
        yield {"question": "all", "verdict": "refused", "reason": str(refusal).splitlines()[0]}
        return
    for question, (ask, part) in _QUESTIONS.items():
        yield {"question": question, **_asked(lambda x, ask=ask: ask(kernel, x), function, [one[part] for one in right], TOLERANCES[kind])}


def _asked(ask: Callable[[Any], Any], function: Function, right: list[Any], tolerance: float) -> Verdict:
    for point, expected in zip(function.points, right, strict=True):
        if not np.isfinite(expected).all():
            return {"verdict": "inconclusive", "reason": "no number to compare with"}
        try:
            found = ask(np.array(point))
        except EnzymeError as refusal:
            return {"verdict": "refused", "reason": str(refusal).splitlines()[0]}
        if not np.abs(found - expected).max() <= tolerance * max(1.0, np.abs(expected).max()):
            return {"verdict": "wrong", "reason": f"{np.ravel(found).tolist()} at {point}, not {np.ravel(expected).tolist()}"}
    return {"verdict": "right", "reason": ""}


def _forward(kernel: Any, x: Any) -> Any:
    return np.array([enzyme.jvp(kernel, (x,), (one,))[1] for one in np.eye(x.size)])


def _forward_over_reverse(kernel: Any, x: Any) -> Any:
    gradient = enzyme.grad(kernel)
    return np.array([enzyme.jvp(gradient, (x,), (one,))[1] for one in np.eye(x.size)])


def _reverse_over_reverse(kernel: Any, x: Any) -> Any:
    gradient = enzyme.grad(kernel)

    def along(x: Any, direction: Any) -> Any:
        return (gradient(x) * direction).sum()

    return np.array([enzyme.grad(along)(x, one) for one in np.eye(x.size)])


# How each is asked, and which part of the answer it is.
_QUESTIONS: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
    "value": (lambda kernel, x: kernel(x), 0),
    "reverse": (lambda kernel, x: enzyme.grad(kernel)(x), 1),
    "forward": (_forward, 1),
    "forward over reverse": (_forward_over_reverse, 2),
    "reverse over reverse": (_reverse_over_reverse, 2),
}
