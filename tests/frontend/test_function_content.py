"""Digests of functions: what they must notice, what they must not, and that all processes agree."""

from __future__ import annotations

import collections
import enum
import importlib
import os
import subprocess
import sys
import textwrap
from functools import partial

import numba
import numpy as np
import pytest
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from enzyme_py.foundations.content.function_content import attached, parts_of
from enzyme_py.frontend.functions.content import NotHashable, content_of

BASE = """
import math
import numpy as np
import numba

rate = 2.0
table = np.array([1.0, 2.0, 3.0])
unrelated = 1

def deepest(x):
    return x * 3.0

def callee(x, scale=1.5):
    return deepest(x) * scale

@numba.njit(fastmath=False)
def jitted(x):
    return math.sin(x) + callee(x)

def made(captured):
    def f(x, y=2.0, *, z=3.0):
        total = 0.0
        for i in range(x.shape[0]):
            total += jitted(x[i]) * rate * captured + table[i] + np.linalg.norm(x)
        return total * y + z
    return f

f = made(4.0)
"""


def of(source: str, file: str = "<test>") -> str:
    """Return the digest of `f` in a module of this source."""
    scope: dict[str, object] = {"__name__": "a_module_of_the_user"}
    exec(compile(source, file, "exec"), scope)
    return content_of(scope["f"])


NOTICED = {
    "the body": ("return total * y + z", "return total * y - z"),
    "a callee": ("deepest(x) * scale", "deepest(x) + scale"),
    "a callee's callee": ("x * 3.0", "x * 3.5"),
    "an integer for a float": ("x * 3.0", "x * 3"),
    "a default": ("y=2.0", "y=2.5"),
    "a keyword's default": ("z=3.0", "z=3.5"),
    "a callee's default": ("scale=1.5", "scale=1.25"),
    "a global number": ("rate = 2.0", "rate = 2.5"),
    "a global's type": ("rate = 2.0", "rate = 2"),
    "one element of an array": ("[1.0, 2.0, 3.0]", "[1.0, 2.0, 3.5]"),
    "an array's dtype": ("3.0])", "3.0], np.float32)"),
    "an array's order": ("3.0])", "3.0])[::-1][::-1].copy()[::-1]"),
    "a captured value": ("made(4.0)", "made(4.5)"),
    "an option of jit": ("fastmath=False", "fastmath=True"),
    "a function of a library": ("math.sin", "math.cos"),
    "an attribute of an attribute": ("np.linalg.norm(x)", "np.linalg.det(x)"),
    "a name that becomes known": ("unrelated = 1", "range = np.ndindex"),
}


@pytest.mark.parametrize("change", NOTICED)
def test_what_must_be_noticed(change):
    old, new = NOTICED[change]
    assert old in BASE
    assert of(BASE) != of(BASE.replace(old, new))


UNNOTICED = {
    "line numbers": ("import math", "\n\n\nimport math"),
    "a comment": ("total = 0.0", "total = 0.0  # begins"),
    "an unrelated global": ("unrelated = 1", "unrelated = 2"),
    "another function": ("unrelated = 1", "unrelated = 1\ndef other(x): return x"),
    "an annotation": ("def deepest(x):", "def deepest(x: float):"),
}


@pytest.mark.parametrize("change", UNNOTICED)
def test_what_must_make_no_difference(change):
    old, new = UNNOTICED[change]
    assert of(BASE) == of(BASE.replace(old, new))


def test_the_file_makes_no_difference():
    assert of(BASE) == of(BASE, "/elsewhere/of.py")


def test_all_processes_agree(tmp_path):
    program = textwrap.dedent(
        """
        import sys
        from enzyme_py.frontend.functions.content import content_of
        scope = {"__name__": "a_module_of_the_user"}
        exec(open(sys.argv[1]).read(), scope)
        print(content_of(scope["f"], frozenset("abcdef"), {"a": 1}))
        """
    )
    (tmp_path / "base.py").write_text(
        BASE + "f.__defaults__ = (frozenset(['one', 'two', 'three']),)\n"
    )
    found = set()
    for seed in "1234":
        command = [sys.executable, "-c", program, str(tmp_path / "base.py")]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        found.add(
            subprocess.run(
                command, env=environment, capture_output=True, text=True, check=True
            ).stdout
        )
    assert len(found) == 1


DIFFERENT = [
    1, True, 1.0, np.float64(1.0), np.float32(1.0), 1 + 0j, "1", b"1", (1,), [1], {1: 1}, frozenset([1]),
    0.0, -0.0, float("nan"), -float("nan"), None, ..., range(3), range(1, 3), slice(3),
    np.zeros(2), np.zeros((2, 1)), np.zeros((1, 2)), np.zeros((2, 2)), np.zeros((2, 2), order="F"),
    np.zeros(2, "i8"), np.zeros(2, [("a", "f8")]), np.zeros(2, [("b", "f8")]), np.zeros(4)[::2],
    np.dtype("f8"), np.dtype([("a", "f8")]), np.datetime64(1, "s"), np.datetime64(1, "ms"),
    types.float64, types.float32, types.float64[:], types.float64[::1], types.Tuple((types.int64,)),
    types.literal(1), types.literal("a"), types.UniTuple(types.int64, 2),
    np, np.linalg, np.sin, np.cos, np.sum, np.linalg.solve, np.random.normal, np.random.uniform, int, float, ValueError,
    (1, (2,)), (1, 2), ((1,), 2), ("ab",), ("a", "b"), partial(int, 1), partial(int, 2), partial(float, 1),
]  # fmt: skip


def test_values_are_told_apart():
    assert len({content_of(one) for one in DIFFERENT}) == len(DIFFERENT)
    assert content_of(1, 2) != content_of((1, 2))
    assert content_of({1, 2, 3}) == content_of({3, 2, 1})
    assert content_of(float("nan")) == content_of(float("nan"))


def test_recursion_ends():
    mutual = """
def even(n):
    return 1.0 if n == 0 else f(n - 1)

def f(n):
    return 0.0 if n == 0 else even(n - 1) * 2.0
"""
    alone = "def f(n):\n    return 1.0 if n == 0 else n * f(n - 1)\n"
    assert of(mutual) == of(mutual)
    assert of(mutual) != of(mutual.replace("* 2.0", "* 3.0"))
    assert of(alone) == of(alone)
    assert of(alone) != of(mutual)
    circle: list[object] = []
    circle.append(circle)
    assert content_of(circle) == content_of(circle)


def test_inner_functions_count_with_the_globals_that_they_name():
    inner = "rate = 2.0\ndef f(x):\n    g = lambda v: v * rate\n    return g(x)\n"
    assert of(inner) != of(inner.replace("rate = 2.0", "rate = 3.0"))


def made_tuple(fields):
    return collections.namedtuple("Point", fields)  # noqa: PYI024  # made anew, as in another process


def test_named_tuples_and_enums():
    point = made_tuple("x y")
    other = made_tuple("x z")
    assert content_of(point(1, 2)) == content_of(made_tuple("x y")(1, 2))
    assert content_of(point(1, 2)) != content_of(other(1, 2))
    assert content_of(point(1, 2)) != content_of((1, 2))

    def colour(red):
        return enum.IntEnum("Colour", {"RED": red, "BLUE": 7})

    assert content_of(colour(1).BLUE) != content_of(colour(2).BLUE)
    assert content_of(colour(1).BLUE) == content_of(colour(1).BLUE)
    assert content_of(colour(1).BLUE) != content_of(7)


def with_overload(factor, **options):
    def doubled(x):
        raise NotImplementedError

    @overload(doubled, **options)
    def _(x):
        return lambda x: x * factor

    return doubled


def test_overloads_of_the_user_count():
    assert content_of(with_overload(2.0)) == content_of(with_overload(2.0))
    assert content_of(with_overload(2.0)) != content_of(with_overload(3.0))
    fast = with_overload(2.0, jit_options={"fastmath": True})
    assert content_of(fast) != content_of(with_overload(2.0))

    def late(x):
        return x

    before = content_of(late)
    register_jitable(late)
    assert content_of(late) != before


def test_intrinsics_count_with_what_they_do():
    def made(factor):
        @intrinsic
        def scaled(typing_context, x):
            def lower(context, builder, signature, args):
                return builder.fmul(args[0], args[0].type(factor))

            return types.float64(types.float64), lower

        return scaled

    assert content_of(made(2.0)) == content_of(made(2.0))
    assert content_of(made(2.0)) != content_of(made(3.0))


class Opaque:
    pass


@numba.experimental.jitclass([("x", types.float64)])
class Box:
    def __init__(self, x):
        self.x = x


REFUSED = {
    "an object": Opaque(),
    "a class": Opaque,
    "objects in an array": np.array([object()]),
    "a generator": (i for i in range(3)),
    "a module of the user": sys.modules[__name__],
    "a jitclass": Box.class_type,
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_told_is_refused_with_its_name(kind):
    held = REFUSED[kind]
    with pytest.raises(NotHashable) as refusal:
        content_of(lambda: held)
    assert str(refusal.value)


def test_rooms_may_tell_of_kinds_and_of_what_is_attached(monkeypatch):
    class Plan:
        def __init__(self, number):
            self.number = number

    parts_of.register(Plan)(lambda plan: ("plan", plan.number))
    assert content_of(Plan(1)) == content_of(Plan(1))
    assert content_of(Plan(1)) != content_of(Plan(2))

    def f(x):
        return x

    before = content_of(f)
    monkeypatch.setitem(rules, f, "a rule")
    attached.append(rule_of)
    try:
        assert content_of(f) != before
    finally:
        attached.remove(rule_of)


rules: dict[object, str] = {}


def rule_of(value):
    return (rules[value],) if isinstance(value, type(rule_of)) and value in rules else ()


def test_attributes_of_the_users_modules_count():
    own = type(np)("own_module")
    scope = {"own_module": own}
    exec("def f(x):\n    return own_module.inner(x) * own_module.rate", scope)
    f = scope["f"]
    own.inner, own.rate, own.other = (lambda x: x + 1.0), 2.0, 1
    before = content_of(f)
    own.other = 2
    assert content_of(f) == before
    own.rate = 3.0
    changed = content_of(f)
    own.inner = lambda x: x + 2.0
    assert len({before, changed, content_of(f)}) == 3


def test_a_function_under_a_librarys_name_counts_by_what_it_does():
    def renamed(code):
        code.__module__, code.__qualname__ = "numpy.linalg", "norm"
        return content_of(code)

    assert renamed(lambda x: x) != renamed(lambda x: x + 1)


def test_a_module_of_the_users_with_a_name_of_pythons_own_counts_by_what_it_does(tmp_path, monkeypatch):
    """Python finds `code.py` beside the program before its own."""
    monkeypatch.syspath_prepend(tmp_path)
    digests = []
    for rate in (2.0, 3.0):
        monkeypatch.delitem(sys.modules, "code", raising=False)
        (tmp_path / "code.py").write_text(f"def f(x):\n    return x * {rate}\n# {'#' * int(rate)}\n")
        importlib.invalidate_caches()
        module = importlib.import_module("code")
        scope = {"__name__": "a_module_of_the_user", "code": module}
        exec("def g(x):\n    return code.f(x)", scope)
        digests.append((content_of(module.f), content_of(scope["g"])))
    monkeypatch.delitem(sys.modules, "code")
    assert len({one for pair in digests for one in pair}) == 4
