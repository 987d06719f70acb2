"""A raise inside a kernel arrives as the very exception of the primal, and leaves nothing broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.checks import assert_close
from tests.scenarios.modes import compiled
from tests.scenarios.raising import RAISING, Raising
from tests.scenarios.scenario import is_active


def annotated(args: tuple[Any, ...], forward: bool) -> list[Any]:
    made = []
    for arg in args:
        if not is_active(arg):
            made.append(enzyme.Const(arg))
        elif isinstance(arg, np.ndarray):
            made.append(enzyme.Duplicated(arg.copy(), np.zeros_like(arg)))
        else:
            made.append(enzyme.Duplicated(arg, 1.0) if forward else enzyme.Active(arg))
    return made


def primal(kernel: Any, args: tuple[Any, ...]) -> Any:
    return kernel(*args)


def reverse(kernel: Any, args: tuple[Any, ...]) -> Any:
    return enzyme.autodiff(enzyme.Reverse, kernel, *annotated(args, forward=False))


def forward(kernel: Any, args: tuple[Any, ...]) -> Any:
    return enzyme.autodiff(enzyme.Forward, kernel, *annotated(args, forward=True))


def gradient(kernel: Any, args: tuple[Any, ...]) -> Any:
    return enzyme.gradient(kernel, *args)


def raised_plainly(case: Raising) -> Exception:
    """What plain Python raises at the bad arguments."""
    try:
        case.kernel(*case.bad)
    except Exception as error:
        return error
    raise AssertionError(f"{case.name} does not raise")


CALLS = (primal, reverse, forward, gradient)


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
@pytest.mark.parametrize(
    "case",
    [pytest.param(c, id=c.name, marks=pytest.mark.xdist_group(c.name)) for c in RAISING],
)
def test_same_exception(case: Raising, call: Callable[..., Any]) -> None:
    kernel = compiled(case.kernel)
    expected = raised_plainly(case)
    for _ in range(3):  # a raise leaves memory regions behind: the next call must not see them
        with pytest.raises(type(expected)) as caught:
            call(kernel, case.bad)
        assert type(caught.value) is type(expected)
        if not isinstance(expected, ZeroDivisionError):  # Numba words this one in its own way
            assert caught.value.args == expected.args
        assert_close(gradient(kernel, case.good), case.grad, 1e-12, "after a raise")
