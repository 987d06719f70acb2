"""DESIGN 7, row by row: each mistake is told before anything runs, with its place and a remedy.

Where a kernel is known its name, file and line are in the text, and the argument; where only an annotation was
written, the line on which that stands.
"""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated, Reverse, errors
from enzyme_py.errors import ActivityError as StrictError
from enzyme_py.errors import (
    AnnotationError,
    ConstWrittenWarning,
    EnzymeError,
    LoweringError,
    ShadowError,
    UnsupportedTypeError,
)
from enzyme_py.settings import read_environment

PACKAGE = Path(enzyme.__file__).parent
X = np.array([1.0, 2.0, 3.0])
BUFFER = np.zeros(8)


@enzyme.jit
def total(x, n):
    return np.sum(x) * n


@enzyme.jit
def through(x, work):
    for i in range(x.size):
        work[i] = x[i] ** 2
    return np.sum(work)


@enzyme.jit
def product_into(a, b, out):
    np.dot(a, b, out)
    return out[0, 0]


ANNOTATIONS: tuple[tuple[str, Callable[[], Any], type[EnzymeError], tuple[str, ...]], ...] = (
    ("shape", lambda: Duplicated(X, np.zeros(4)), ShadowError, ("(4,)", "(3,)", "make_zero")),
    (
        "dtype",
        lambda: Duplicated(X, np.zeros(3, "f")),
        ShadowError,
        ("float32", "float64", "make_zero"),
    ),
    (
        "layout",
        lambda: Duplicated(X, np.zeros(6)[::2]),
        ShadowError,
        ("(16,)", "(8,)", "make_zero"),
    ),
    (
        "overlap",
        lambda: Duplicated(BUFFER[:4], BUFFER[2:6]),
        ShadowError,
        ("shares memory", "np.zeros_like"),
    ),
    (
        "Active array",
        lambda: Active(X),
        AnnotationError,
        ("Active", "Duplicated(x, np.zeros_like(x))"),
    ),
    ("integer", lambda: Duplicated(3, 1), AnnotationError, ("integer", "int 3", "Const")),
    (
        "integers",
        lambda: Duplicated(np.arange(3), np.arange(3)),
        AnnotationError,
        ("int64", "Const"),
    ),
    ("unknown", lambda: Duplicated("a", "b"), AnnotationError, ("str 'a'", "Const")),
    (
        "read-only",
        lambda: Duplicated(X, np.broadcast_to(0.0, 3)),
        ShadowError,
        ("strides", "make_zero"),
    ),
)


@pytest.mark.parametrize(("name", "call", "error", "says"), ANNOTATIONS, ids=lambda x: str(x)[:12])
def test_annotation_is_refused_on_its_line(
    name: str, call: Callable[[], Any], error: type[EnzymeError], says: tuple[str, ...]
) -> None:
    with pytest.raises(error) as caught:
        call()
    text = str(caught.value)
    for fragment in (*says, f"{__file__}:{call.__code__.co_firstlineno}"):
        assert fragment in text
    assert caught.value.remedy


def place_of(kernel: Any) -> str:
    return f"`{kernel.__name__}` ({__file__}:{kernel.py_func.__code__.co_firstlineno})"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (
            lambda: enzyme.grad(total)(object(), 1.0),
            UnsupportedTypeError,
            ("`x`", "object", "pass numbers"),
        ),
        (
            lambda: enzyme.grad(total)(np.arange(3), 1.0),
            UnsupportedTypeError,
            ("`x`", "int64", "argnums"),
        ),
        (
            lambda: enzyme.autodiff(Reverse, total, Duplicated(X, BUFFER[:3]), Const(BUFFER[2])),
            None,
            (),
        ),
        (
            lambda: enzyme.autodiff(
                Reverse, through, Duplicated(X, BUFFER[:3]), Const(BUFFER[1:4])
            ),
            ShadowError,
            ("`x`", "`work`", "share memory", "its own memory"),
        ),
        (
            lambda: enzyme.autodiff(Reverse, total, Const(X), Duplicated(1.0, 1.0)),
            AnnotationError,
            ("`n`", "Active"),
        ),
    ],
    ids=["object", "integers", "a number is no view", "overlap", "Duplicated number"],
)
def test_kernel_file_line_and_argument_are_named(
    call: Any, error: Any, says: tuple[str, ...]
) -> None:
    BUFFER[:] = 0.0
    if error is None:
        call()
        return
    with pytest.raises(error) as caught:
        call()
    kernel = through if "`work`" in says else total
    for fragment in (*says, place_of(kernel)):
        assert fragment in str(caught.value)
    assert caught.value.remedy
    assert not BUFFER.any()


def test_output_that_is_not_contiguous() -> None:
    a, out = np.eye(2), np.zeros((4, 2))[::2]
    with pytest.raises(EnzymeError) as caught:
        enzyme.grad(product_into)(a, a, out)
    text = str(caught.value)
    assert isinstance(caught.value, LoweringError)
    for fragment in ("contiguous", place_of(product_into)):
        assert fragment in text
    assert caught.value.remedy


def test_constant_that_is_written() -> None:
    def run() -> None:
        enzyme.autodiff(Reverse, through, Duplicated(X, np.zeros(3)), Const(np.zeros(3)))

    with enzyme.config(strict=True), pytest.raises(StrictError) as caught:
        run()
    with pytest.warns(ConstWrittenWarning) as said:
        run()
    for text in (str(said[0].message), str(caught.value)):
        for fragment in ("`through`", "`work`", "Duplicated", f"{__file__}:"):
            assert fragment in text


def test_verbose_by_environment() -> None:
    assert read_environment({"ENZYME_PY_VERBOSE": "1"}).verbose
    assert not read_environment({"ENZYME_PY_VERBOSE": "0"}).verbose
    code = "from enzyme_py.errors import *; print(EnzymeError('short', detail='the long text'))"
    for value, shown in (("1", True), ("", False)):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "ENZYME_PY_VERBOSE": value},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ("the long text" in done.stdout) == shown


def test_line_that_is_run_is_named_where_no_kernel_is_known() -> None:
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]
    with pytest.raises(AnnotationError) as caught:
        enzyme.gradient()
    assert f"{__file__}:{line}" in str(caught.value)


def family() -> set[str]:
    return {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, EnzymeError)
    }


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_every_error_says_what_to_do(path: Path) -> None:
    names = family()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
            usual = getattr(errors, node.func.id).usual_remedy
            given = {keyword.arg for keyword in node.keywords}
            assert usual or "remedy" in given, f"{path.name}:{node.lineno}"
