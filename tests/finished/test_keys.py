"""The name of a finished derivative: what it must notice, and what must make no difference."""

from __future__ import annotations

import textwrap
from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from numba.core import config as numba_config

import enzyme_py as enzyme
from enzyme_py.finished import surroundings
from enzyme_py.finished.keys import key_of
from enzyme_py.foundations.content.function_content import NotHashable
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.native import machine

BASE = """
import numba
import numpy as np
import enzyme_py as enzyme

rate = 2.0
table = np.array([1.0, 2.0, 3.0])
unrelated = 1

@enzyme.jit(fastmath=False)
def deepest(x):
    return x * 3.0

@numba.njit
def callee(x, scale=1.5):
    return deepest(x) * scale

def slope(x):
    return 2.0 * x

def with_rule(x):
    return x * x

ruled = enzyme.rules.partials(with_rule, slope)

def made(captured):
    def f(x, y=2.0):
        total = 0.0
        for i in range(x.shape[0]):
            total += callee(x[i]) * rate * captured + table[i] + ruled(x[i])
        return total * y
    return f

f = made(4)
"""
VECTOR = types.float64[::1]


def name_of(source: str, kinds: Any = (VECTOR,), file: str = "<test>", **options: Any) -> str:
    """Return the name of the gradient of `f` in a module of this source."""
    scope: dict[str, Any] = {"__name__": "a_module_of_the_user"}
    exec(compile(source, file, "exec"), scope)
    return key_of_runner(enzyme.grad(scope["f"], **options), kinds)


def key_of_runner(runner: Any, kinds: Any) -> str:
    dispatcher, _ = opened(runner)  # `f` captures a number
    return key_of(dispatcher.plan, dispatcher.py_func, kinds)


NOTICED = {
    "the body": ("total * y", "total + y"),
    "a callee": ("deepest(x) * scale", "deepest(x) + scale"),
    "a callee's callee": ("x * 3.0", "x * 3.5"),
    "a default": ("y=2.0", "y=2.5"),
    "a callee's default": ("scale=1.5", "scale=1.25"),
    "a global number": ("rate = 2.0", "rate = 2.5"),
    "one element of a global array": ("[1.0, 2.0, 3.0]", "[1.0, 2.0, 3.5]"),
    "a closure cell": ("made(4)", "made(5)"),
    "the type of a closure cell": ("made(4)", "made(True)"),
    "a rule": ("2.0 * x", "3.0 * x"),
    "a function with a rule": ("return x * x", "return x + x"),
    "a rule that goes": ("enzyme.rules.partials(with_rule, slope)", "with_rule"),
    "another rule": ("enzyme.rules.partials(with_rule, slope)", "enzyme.rules.inactive(with_rule)"),
    "an option of jit": ("@numba.njit\n", "@numba.njit(fastmath=True)\n"),
    "an option of enzyme.jit": ("fastmath=False", "fastmath=True"),
    "a parameter's name": ("(x, y=2.0)", "(x, z=2.0)\\\n"),
}


@pytest.mark.parametrize("change", NOTICED.values(), ids=NOTICED)
def test_what_is_noticed(change: tuple[str, str]) -> None:
    old, new = change
    assert old in BASE
    changed = BASE.replace(old, new)
    if "z=2.0" in new:
        changed = changed.replace("(x, z=2.0)\\\n", "(x, z=2.0)").replace("total * y", "total * z")
    assert name_of(changed) != name_of(BASE)


def test_what_makes_no_difference() -> None:
    name = name_of(BASE)
    assert name_of(BASE) == name
    assert name_of("# a comment\n\n" + BASE.replace("unrelated = 1", "unrelated = 2")) == name
    assert name_of(BASE, file="/another/folder/module.py") == name
    assert name_of(BASE.replace("        total = 0.0\n", "        # lines move\n        total = 0.0\n")) == name


def test_the_request_counts() -> None:
    name = name_of(BASE)
    assert name_of(BASE, kinds=(types.float64[:],)) != name
    assert name_of(BASE, kinds=(types.float32[::1],)) != name
    assert name_of(BASE, kinds=(types.Array(types.float64, 1, "C", readonly=True),)) != name
    assert name_of(BASE, kinds=(VECTOR, types.float64)) != name
    assert name_of(BASE, kinds=(VECTOR, types.Omitted(2.0))) != name_of(BASE, (VECTOR, types.Omitted(3.0)))
    assert name_of(BASE, argnums=(0,)) != name
    scope: dict[str, Any] = {"__name__": "a_module_of_the_user"}
    exec(BASE, scope)
    assert key_of_runner(enzyme.value_and_grad(scope["f"]), (VECTOR,)) != name


def test_what_a_dict_s_keys_are() -> None:
    """Two dicts are named tuples of one shape to Numba: their keys tell which part is which."""
    from enzyme_py.foundations.trees import as_tuples

    def f(p):
        return p["a"] * 2.0 + p["b"]

    runner = enzyme.grad(f)
    kinds = [numba.typeof(as_tuples(one)) for one in ({"a": 1.0, "b": 2.0}, {"b": 1.0, "a": 2.0})]
    names = {key_of(runner.plan, runner.py_func, (kind,)) for kind in kinds}
    assert len(names) == 2


SURROUNDINGS = {
    "Numba's version": (numba, "__version__", "0.99"),
    "NumPy's version": (np, "__version__", "9.9"),
    "SciPy's version": (surroundings, "version_of", lambda root: "9.9" if root == "scipy" else "1"),
    "this package's files": (surroundings, "version_of", lambda root: "2" if root == "enzyme_py" else "1"),
    "the processor": (machine, "host_cpu", lambda: machine.Cpu("x86_64-unknown", "znver9", "+avx9")),
    "LLVM's version": (machine, "llvm_identity", lambda: "llvmlite 9"),
    "the host": (surroundings, "identity", lambda: "another Enzyme"),
    "NUMBA_OPT": (numba_config, "OPT", 1),
    "NUMBA_CPU_FEATURES": (numba_config, "CPU_FEATURES", "+avx2"),
    "NUMBA_BOUNDSCHECK": (numba_config, "BOUNDSCHECK", 1),
}


@pytest.mark.parametrize("change", SURROUNDINGS.values(), ids=SURROUNDINGS)
def test_surroundings_count(change: tuple[Any, str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, value = change
    if attribute == "version_of":
        monkeypatch.setattr(surroundings, "version_of", lambda root: "1")
    surroundings.of_process.cache_clear()
    before = surroundings.surroundings()
    monkeypatch.setattr(owner, attribute, value)
    if owner is machine:
        monkeypatch.setattr(surroundings, attribute, value)
    surroundings.of_process.cache_clear()
    machine.host_cpu.cache_clear() if hasattr(machine.host_cpu, "cache_clear") else None
    try:
        assert surroundings.surroundings() != before
    finally:
        monkeypatch.undo()
        surroundings.of_process.cache_clear()
        machine.host_cpu.cache_clear()


def test_settings_that_change_code_count() -> None:
    before = surroundings.surroundings()
    with enzyme.config(keep_slopes=False):
        assert surroundings.surroundings() != before
    assert surroundings.surroundings() == before


def test_idle_settings_of_numbas_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = surroundings.surroundings()
    monkeypatch.setattr(numba_config, "CACHE_DIR", "/somewhere/else")
    assert surroundings.surroundings() == before


def test_what_cannot_be_told_says_why() -> None:
    class Model:
        k = 2.0

    source = textwrap.dedent("""
        def f(x):
            return x[0] * models[0].k  # not the object itself: that would be handed over at each call
    """)
    scope: dict[str, Any] = {"__name__": "a_module_of_the_user", "models": (Model(),)}
    exec(source, scope)
    runner = enzyme.grad(scope["f"])
    with pytest.raises(NotHashable, match="Model"):
        key_of(runner.plan, runner.py_func, (VECTOR,))
