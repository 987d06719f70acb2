"""What is left behind by many calls, and by many derivatives that were dropped.

Calls: a gradient with array results, one that raises, and `autodiff` with a shadow. Derivatives: each of a
function of its own, compiled by the pass, called once through its address, compared, dropped; and
kernels as users write them, each with the dispatcher that Python calls. What plain njit functions
leave behind, of which Numba unloads nothing, is measured beside it.
"""

from __future__ import annotations

import ctypes
import gc
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types

import enzyme_py as enzyme
from enzyme_py.assembly.entry import entry_name
from enzyme_py.compiling import compiled
from enzyme_py.settings import config
from enzyme_py.transforms.derivatives.gradient import Gradient
from tests.storms.watch import holding

WARM_CALLS = 2_000
WARM_DERIVATIVES = 50
MOST_KIB_BY_CALLS = 4096  # in all, however many calls: of a million, four bytes each
MOST_KIB_BY_DERIVATIVE = 10  # two pass builders of LLVM's, a few types of Numba's
SLACK_KIB = 16384  # what the C library's allocator keeps in pieces
ALIVE_AT_ONCE = 40  # garbage that Python has not collected yet

Say = Callable[[str], None]


def square(x):  # type: ignore[no-untyped-def]  # compiled by Numba
    y = x * 2.0
    return np.sum(y * y)


def checked_square(x):  # type: ignore[no-untyped-def]  # compiled by Numba
    if x < 0.0:
        raise ValueError("negative")
    return x * x


def run(calls: int, derivatives: int, kernels: int, say: Say) -> list[str]:
    """Measure all; what is wrong."""
    failures = []
    with tempfile.TemporaryDirectory(prefix="enzyme_py_storm_") as name, config(cache_dir=name):
        if calls:
            failures += run_calls(calls, say)
        if derivatives:
            failures += run_derivatives(derivatives, say)
        if kernels:
            run_kernels(kernels, say)
    return failures


# -- calls


def run_calls(count: int, say: Say) -> list[str]:
    """Call three derivatives, `count` times in all."""
    x = np.arange(1.0, 9.0)
    gradient = enzyme.grad(square)
    checked = enzyme.grad(checked_square)
    shadow = np.zeros(8)

    def plain() -> None:
        gradient(x)

    def raising() -> None:
        try:
            checked(-1.0)  # not an array: Numba leaks a reference to each where one raises
        except ValueError:
            return
        raise AssertionError("the kernel did not raise")

    def annotated() -> None:
        enzyme.autodiff(enzyme.Reverse, square, enzyme.Duplicated(x, shadow))

    shares = ((plain, count * 8 // 10), (raising, count // 10), (annotated, count // 10))
    for call, _ in shares:
        _repeat(call, WARM_CALLS)
    before, begun = holding(), time.monotonic()
    for call, share in shares:
        _repeat(call, share)
        say(f"{share} calls, {call.__name__}: {holding()}")
    after = holding()
    say(f"{count} calls in {time.monotonic() - begun:.1f} s\n  before: {before}\n  after:  {after}")
    failures = []
    if not np.array_equal(gradient(x), 8.0 * x):
        failures.append("a wrong gradient after the calls")
    if after.resident_kib - before.resident_kib > MOST_KIB_BY_CALLS:
        failures.append("memory grew with the calls")
    if after.descriptors != before.descriptors:
        failures.append("descriptors grew with the calls")
    return failures


def _repeat(call: Callable[[], None], count: int) -> None:
    for _ in range(count):
        call()


# -- derivatives


def derivative_of(number: int) -> tuple[float, weakref.ref[Any]]:
    """Compile, call and drop one; its value at 3, which is 24 * (number + 0.5), and its code."""
    factor = number + 0.5

    def loop(x):  # type: ignore[no-untyped-def]  # compiled by Numba
        s = 0.0
        for _ in range(4):
            s += factor * x * x
        return s

    kernel = enzyme.jit(loop)
    bound = Gradient(kernel, (0,), is_single=True).bind([types.float64])
    function = compiled(bound.request, tuple(bound.request_types))
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 2, *[ctypes.c_double] * 2)
    result, excinfo = (ctypes.c_double * 8)(), ctypes.c_void_p()
    entry = kind(function.addresses[entry_name(bound.request)])
    if entry(ctypes.byref(result), ctypes.byref(excinfo), 3.0, 1.0) != 0:
        raise AssertionError("the derivative reported an error")
    return result[0], weakref.ref(function.keep_alive)


def run_derivatives(count: int, say: Say) -> list[str]:
    """Compile, call and drop `count` of them."""
    failures: list[str] = []
    codes: list[weakref.ref[Any]] = []
    for number in range(min(WARM_DERIVATIVES, count)):
        derivative_of(-number - 1)
    before, begun, most = holding(), time.monotonic(), 0
    for number in range(count):
        value, code = derivative_of(number)
        if value != 24.0 * (number + 0.5):
            failures.append(f"a wrong derivative: {value} of {number}")
        codes.append(code)
        if number % 100 == 99 or number == count - 1:
            codes = [code for code in codes if code() is not None]
            most = max(most, len(codes))
        if number % max(1, count // 10) == 0:
            say(f"{number + 1} derivatives: {holding()}, {time.monotonic() - begun:.0f} s")
    after = holding()
    left = sum(code() is not None for code in codes)
    each = (after.resident_kib - before.resident_kib) / count
    say(f"{count} derivatives in {time.monotonic() - begun:.0f} s: {left} loaded now, at most")
    say(f"  {most} at once; {each:.0f} KiB each stay\n  before: {before}\n  after:  {after}")
    if left:
        failures.append(f"{left} derivatives are still loaded")
    if most > 100 + ALIVE_AT_ONCE:
        failures.append(f"{most} derivatives were loaded at once")
    if after.resident_kib - before.resident_kib > MOST_KIB_BY_DERIVATIVE * count + SLACK_KIB:
        failures.append(f"{each:.0f} KiB a derivative stay")
    if after.descriptors != before.descriptors:
        failures.append("descriptors grew with the derivatives")
    return failures


# -- kernels as users write them


def run_kernels(count: int, say: Say) -> None:
    """Say what a gradient leaves behind, and what a plain njit function does."""
    x = np.arange(1.0, 5.0)

    def kernel_of(factor: float) -> Any:
        def kernel(x):  # type: ignore[no-untyped-def]  # compiled by Numba
            s = 0.0
            for i in range(x.size):
                s += factor * x[i] * x[i]
            return s

        return kernel

    def plain(number: int) -> Any:
        function = numba.njit(kernel_of(number + 0.25))
        function(x)
        return function

    def gradient(number: int) -> Any:
        function = enzyme.jit(kernel_of(number + 0.75))
        got = enzyme.grad(function)(x)
        if not np.array_equal(got, 2.0 * (number + 0.75) * x):
            sys.exit(f"a wrong gradient: {got}")
        return function

    for make, what in ((plain, "plain njit functions"), (gradient, "gradients")):
        for number in range(20):
            make(-1 - number)
        before = holding()
        alive = [weakref.ref(make(number)) for number in range(count)]
        after = holding()
        gc.collect()
        left = sum(one() is not None for one in alive)
        each = (after.resident_kib - before.resident_kib) / count
        mappings = (after.mappings - before.mappings) / count
        say(f"{count} {what}: {each:.0f} KiB, {mappings:.1f} mappings each stay; {left} alive")
