"""All of them in four combinations of modes; a part of them without `--full`."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.fuzz.subject import central
from tests.metamorphic.forms import executed, statements
from tests.reported import kernels, other_tools

Kernel = Callable[..., Any]
MODULES = (kernels, other_tools)
KERNELS = {
    name: one for module in MODULES for name, one in vars(module).items() if inspect.isfunction(one) and not name.startswith("_")
}
SINGLE = ("single",)  # what computes in float32
# Reverse over reverse: what memory holds is not known where a derivative fills it, a loop that several lines end, and branches of complex
# functions, again and again: minutes of Enzyme's.
NOT_TWICE = ("dets", "both_ends", "line")
_RANDOM = np.random.default_rng(3)
X, C = _RANDOM.random(12) * 0.8 + 0.15, _RANDOM.random(12) * 0.8 + 0.15
WAY = _RANDOM.normal(size=12), _RANDOM.normal(size=12)


def cleared(kernel: Kernel) -> Kernel:
    """Return a kernel that writes over its arguments before it returns."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(kernel))).body
    assert isinstance(function, ast.FunctionDef)

    class Clear(ast.NodeTransformer):
        def visit_Return(self, node: ast.Return) -> Any:
            assert node.value is not None
            return statements(f"result = 1.0 * ({ast.unparse(node.value)})\nx[:] = 0.0\nc[:] = 1.0\nreturn result\n")

    Clear().visit(function)
    text = ast.unparse(ast.fix_missing_locations(function))
    made: Kernel = executed(text + "\n", dict(kernel.__globals__))[kernel.__name__]
    return made


ALL = {**KERNELS, **{f"cleared {name}": cleared(one) for name, one in KERNELS.items()}}
PART = list(ALL)[11::22]  # among them the one of float32


def along(slopes: Any) -> float:
    return float(sum(one @ way for one, way in zip(slopes, WAY, strict=True)))


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one in PART else pytest.mark.full) for one in ALL])
def test_four_modes(name: str) -> None:
    kernel, is_single = ALL[name], name.removeprefix("cleared ") in SINGLE
    step, rough, close = (1e-3, 3e-2, 1e-3) if is_single else (1e-6, 1e-5, 1e-9)
    plain, slopes = numba.njit(kernel), enzyme.grad(kernel, argnums=(0, 1))

    def moved(size: float) -> tuple[np.ndarray, np.ndarray]:
        return X + size * WAY[0], C + size * WAY[1]

    def copies() -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
        return (X.copy(), C.copy()), tuple(one.copy() for one in WAY)

    reverse = along(slopes(X.copy(), C.copy()))
    assert reverse == pytest.approx(central(lambda size: plain(*moved(size)), step), rel=rough, abs=rough * 1e-2)
    assert enzyme.jvp(kernel, *copies())[1] == pytest.approx(reverse, rel=close, abs=1e-12)

    product = along(enzyme.jvp(slopes, *copies())[1])
    assert product == pytest.approx(central(lambda size: along(slopes(*moved(size))), step), rel=10 * rough, abs=rough * 0.1)
    if name.removeprefix("cleared ") not in NOT_TWICE:
        twice = enzyme.grad(_times_way(slopes), argnums=(0, 1))(X.copy(), C.copy(), *copies()[1])
        assert along(twice) == pytest.approx(product, rel=1e3 * close, abs=1e-9)


def _times_way(slopes: Any) -> Any:
    def number(x, c, v, w):  # type: ignore[no-untyped-def]
        by_x, by_c = slopes(x, c)
        return by_x @ v + by_c @ w

    return number
