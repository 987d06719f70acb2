"""One row in a process of its own: what is timed in turn, first calls, memory."""

from __future__ import annotations

import gc
import json
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from user_kernels.by_hand import HAND
from user_kernels.rows import Row, kernel_of
from user_kernels.table import ROWS

Call = Callable[[], Any]
FEWEST_ROUNDS = 5
MOST_ROUNDS = 300


def along(kernel: Any, count: int) -> Any:
    """Return the slope of a kernel along `v` as a kernel of `(x, v, ...)`; a user writes it out like this."""
    import enzyme_py as enzyme

    others = [f"a{number}" for number in range(count)]
    text = (
        f"def along({', '.join(['x', 'v', *others])}):\n    return enzyme.autodiff(enzyme.Forward, kernel, "
        f"{', '.join(['enzyme.Duplicated(x, v)', *(f'enzyme.Const({name})' for name in others)])})[0]\n"
    )
    found = {"enzyme": enzyme, "kernel": kernel}
    exec(text, found)
    return found["along"]


def zero(value: Any) -> Any:
    """Return the tangent of what does not move."""
    return np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0)


def second_orders(row: Row, given: tuple[Any, ...], v: np.ndarray, orders: bool) -> dict[str, Call]:
    """Return the calls of second order: products with the Hessian, and, with `orders`, in all four orders."""
    import enzyme_py as enzyme

    kernel, (x, *others) = row.kernel, given
    still = tuple(map(zero, others))
    gradient = enzyme.grad(kernel)
    calls: dict[str, Call] = {
        "hvp": lambda: enzyme.hvp(kernel, x, v, *others),
        "jvp of grad": lambda: enzyme.jvp(gradient, given, (v, *still))[1],
    }
    if orders:
        slope = along(kernel, len(others))
        of_slope = enzyme.grad(slope)
        calls["RoR"] = lambda: enzyme.hvp(kernel, x, v, *others, outer=enzyme.Reverse)
        calls["RoF"] = lambda: of_slope(x, v, *others)
        calls["FoF"] = lambda: enzyme.jvp(slope, (x, v, *others), (v, zero(v), *still))[1]
    return calls


def timed(call: Call) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def in_turn(calls: dict[str, Call], seconds: float) -> dict[str, dict[str, float]]:
    """Time all calls round by round: the minimum and the median of each."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    gc.disable()
    begun = time.perf_counter()
    for round in range(MOST_ROUNDS):
        if round >= FEWEST_ROUNDS and time.perf_counter() - begun > seconds:
            break
        for name, call in calls.items():
            found[name].append(timed(call))
    return {name: {"least": min(times), "median": median(times)} for name, times in found.items()}


def warmed() -> None:
    """Compile something small each way: what comes once a process is nobody's first call."""
    import numba

    import enzyme_py as enzyme

    numba.njit(lambda t: t * t)(1.5)
    enzyme.value_and_grad(lambda x: np.sum(x * x))(np.ones(3))


def one(name: str, seconds: float, orders: bool, second: bool, keep: str = "") -> None:
    """Measure a row and print what was found as JSON; `keep` names a file for who measures it elsewhere (in_jax.py)."""
    import numba

    import enzyme_py as enzyme

    warmed()
    row = ROWS[name]
    given = row.arguments(row.size)
    primal = kernel_of(row, numba.njit)
    gradient = enzyme.value_and_grad(row.kernel)
    calls: dict[str, Call] = {"primal": lambda: primal(*given), "gradient": lambda: gradient(*given)}
    first = {which: timed(call) for which, call in calls.items()}
    value, slope = gradient(*given)
    failed: dict[str, str] = {}
    if name in HAND:
        calls["hand"] = lambda: HAND[name](*given)
        agree("hand", HAND[name](*given), (value, slope))
    v = np.random.default_rng(5).random(slope.shape).astype(slope.dtype)
    answers: dict[str, Any] = {}
    if second:
        for which, call in second_orders(row, given, v, orders).items():
            try:
                first[which] = timed(call)
                answers[which] = call()
            except enzyme.EnzymeError as error:
                failed[which] = f"{type(error).__name__}: {str(error).splitlines()[0]}"
            else:
                calls[which] = call
        if "hvp" in answers:
            failed |= wrong(answers, v)
    if keep:
        kept = {"name": name, "given": given, "gradient": (value, slope), "v": v, "hvp": answers.get("hvp")}
        Path(keep).write_bytes(pickle.dumps(kept))
    told = {"first": first, "times": in_turn(calls, seconds), "failed": failed}
    print(json.dumps({**told, **memory_of(row)}))


def memory_of(row: Row) -> dict[str, int]:
    """Return the peak and the tape of the gradient that is timed, by the first argument alone.

    `enzyme.inspect.memory` measures the gradient by all arguments, which keeps more.
    """
    import enzyme_py as enzyme
    from enzyme_py.frontend.functions.kernels import as_kernel
    from enzyme_py.inspect import footprint
    from enzyme_py.transforms.derivatives.turn import with_turn

    gradient = enzyme.value_and_grad(as_kernel(with_turn(as_kernel(row.kernel))))
    found = footprint._measured(lambda given: gradient(*given), row.arguments(row.size))
    return {"peak": found.peak, "tape": found.turn}


def wrong(answers: dict[str, Any], v: np.ndarray) -> dict[str, str]:
    """Tell which second orders are far from `hvp`: no wrong number is timed without a word."""
    found = {}
    for which, answer in answers.items():
        want = np.sum(answers["hvp"] * v) if which == "FoF" else answers["hvp"]
        digits = 1e-3 if v.dtype == np.float32 else 1e-7
        if not np.max(np.abs(answer - want)) <= digits * np.max(np.abs(want)):
            found[which] = f"differs from hvp by {np.max(np.abs(answer - want)):.1e}"
    return found


def agree(which: str, found: tuple[Any, Any], wanted: tuple[Any, Any]) -> None:
    """Raise where values or gradients differ by more than rounding."""
    for ours, theirs in zip(map(np.asarray, found), map(np.asarray, wanted), strict=True):
        digits = 1e-3 if theirs.dtype == np.float32 else 1e-8
        scale = np.max(np.abs(theirs))
        np.testing.assert_allclose(ours, theirs, rtol=digits, atol=digits * scale, err_msg=which)
