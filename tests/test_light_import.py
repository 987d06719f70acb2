"""What is imported when: nothing of typing, lowering or Enzyme before a derivative has to be compiled.

Each case is a process of its own, since the order of imports is what is asked.
"""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from numba import cloudpickle

import enzyme_py as enzyme

FACADE = Path(enzyme.__file__)
HEAVY = (
    *("scipy.linalg", "cffi", "unittest", "concurrent.futures"),
    *("numba.typed.typedlist", "numba.np.arrayobj", "numba.np.arraymath", "numba.np.linalg", "numba.cpython.unicode"),
    *(f"enzyme_py.{one}" for one in ("assembly", "llvm", "linalg", "compiling", "relaxing")),
    *(f"enzyme_py.passes.{one}" for one in ("pipeline", "attempts", "base", "memory", "values", "types", "control_flow")),
    *(f"enzyme_py.host.{one}" for one in ("process", "enzyme", "module", "installing.provision")),
    *(f"enzyme_py.native.{one}" for one in ("compilation", "optimising", "rewrites", "faults.sites")),
    *(f"enzyme_py.{one}" for one in ("custom", "calls.compiled", "inspect", "sparse", "testing", "transforms.checking")),
    *(f"enzyme_py.frontend.{one}" for one in ("arrays", "codegen", "containers", "external", "leaves")),
    *(f"enzyme_py.frontend.{one}" for one in ("numpy_functions", "target.lower", "target.target")),
    *("enzyme_py.transforms.plans.binding", "enzyme_py.transforms.plans.unloading"),
    *("enzyme_py.transforms.values.shadows", "enzyme_py.transforms.jacobians.jacobian_code"),
)  # fmt: skip

RUNNING = ("enzyme_py.native", "enzyme_py.host", "enzyme_py.transforms")  # takes machine code to run

HEAD = """
import functools
import sys
import numba
import numpy as np
def heavy(ours=False):
    names = [one for one in {HEAVY} if not ours or one.startswith("enzyme_py")]
    return sorted(m for m in sys.modules if any(m == one or m.startswith(one + ".") for one in names))
"""


def run(text: str, *arguments: str, folder: Path | None = None) -> str:
    """Return what a program prints in a process of its own."""
    script = HEAD.replace("{HEAVY}", repr(HEAVY)) + textwrap.dedent(text)
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    if folder is not None:  # Numba caches functions of files
        path = folder / "program.py"
        path.write_text(script)
        command = [sys.executable, str(path), *arguments]
    else:
        command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_import_itself_is_light() -> None:
    text = f"import enzyme_py; print(heavy(), [one for one in sys.modules if one.startswith({RUNNING})])"
    assert run(text) == "[] []"


def test_what_is_heavy_is_there_after_a_derivative() -> None:
    """The list of names would not notice a module that was renamed."""
    text = "import enzyme_py, scipy.linalg; enzyme_py.grad(lambda x: x * x)(2.0); print(heavy())"
    found = ast.literal_eval(run(text))
    assert {"enzyme_py.assembly", "enzyme_py.linalg", "enzyme_py.native.optimising", "scipy.linalg"} <= set(found)
    ours = [FACADE.parent / one.removeprefix("enzyme_py.").replace(".", "/") for one in HEAVY if "enzyme_py" in one]
    assert not [one for one in ours if not one.is_dir() and not one.with_suffix(".py").exists()]


CALLS = """
    import enzyme_py as enzyme
    from enzyme_py.transforms.plans.dispatcher import DerivativeDispatcher

    def helper(x):
        return x * x

    def f(x):
        return np.sum(helper(x))

    def fill(x, out):
        out[:] = x * x

    class Reached(BaseException):
        pass

    def reached(self, args, kws):
        raise Reached

    DerivativeDispatcher._compiled_entry = reached
    x, k = np.ones(3), 2.0 * np.ones(3)
    y = enzyme.jit(f)
    captures = lambda x: np.sum(x * k)
    calls = [
        lambda f: enzyme.grad(f)(x),
        lambda f: enzyme.value_and_grad(f, argnums=(0,))(x),
        lambda f: enzyme.gradient(f, x),
        lambda f: enzyme.gradient(enzyme.ForwardWithPrimal, f, x),
        lambda f: enzyme.autodiff(enzyme.Reverse, f, enzyme.Duplicated(x, 0 * x)),
        lambda f: enzyme.autodiff(enzyme.Forward, f, enzyme.BatchDuplicated(x, (x + 1, x + 2))),
        lambda f: enzyme.jvp(f, (x,), (x,)),
        lambda f: enzyme.vjp(f, x),
        lambda f: enzyme.linearize(f, x),
        lambda f: enzyme.hvp(f, x, x),
        lambda f: enzyme.hvp_and_gradient(f, x, x),
        lambda f: enzyme.hessian(f)(x),
        lambda f: enzyme.jacobian(f, x),
        lambda f: enzyme.jacfwd(f)(x),
        lambda f: enzyme.jacrev(f)(x),
        lambda f: enzyme.vmap(enzyme.grad(f))(np.ones((2, 3))),
        lambda f: enzyme.fused(f)(x),
        lambda f: enzyme.grad(functools.partial(f))(x),
    ]
    count = 0
    for call in calls:
        for kernel in (f, y, captures):
            try:
                call(kernel)
            except Reached:
                count += 1
    enzyme.make_zero(x), enzyme.stop_gradient(x), enzyme.output_of(fill, 1)
    print(count == 3 * len(calls), heavy())
"""


def test_transforms_reach_their_compilation_with_light_modules() -> None:
    assert run(CALLS) == "True []"


def test_functions_that_have_nothing_to_do_with_derivatives_load_nothing(tmp_path: Path) -> None:
    text = """
        import enzyme_py

        @numba.njit(cache=True)
        def f(x):
            return np.sum(x) + len([1, 2])

        f(np.ones(3))
        print(heavy(ours=True), sum(f.stats.cache_hits.values()))
    """
    assert run(text, folder=tmp_path) == "[] 0"
    assert run(text, folder=tmp_path) == "[] 1"


# -- compiled code that names something of ours before anything was called from Python ---------------------------------


@pytest.mark.parametrize(
    "text",
    [
        """
        import enzyme_py as enzyme
        @numba.njit
        def f(x): return np.sum(x * x)
        @numba.njit
        def g(x): return enzyme.gradient(f, x)[0][0]
        """,
        """
        from enzyme_py import grad as slope
        @numba.njit
        def f(x): return np.sum(x * x)
        @numba.njit
        def g(x): return slope(f)(x)[0]
        """,
        """
        from enzyme_py import Duplicated, Reverse, autodiff
        @numba.njit
        def f(x): return np.sum(x * x)
        @numba.njit
        def g(x):
            dx = np.zeros_like(x)
            autodiff(Reverse, f, Duplicated(x, dx))
            return dx[0]
        """,
        """
        import enzyme_py as enzyme
        import types
        tools = types.SimpleNamespace(stop=enzyme.stop_gradient)
        stop = tools.stop
        @numba.njit
        def g(x): return np.sum(stop(2.0 * x)) / 3
        """,
        """
        import enzyme_py as enzyme
        @numba.njit
        def g(x):
            k = x * 2.0
            h = lambda t: np.sum(t * k)
            return enzyme.grad(h)(x)[0]
        """,
        """
        import enzyme_py
        @numba.njit
        def f(a, x): return a * x
        @numba.njit
        def g(x):
            return functools.partial(f, 2.0)(x[0])
        """,
        """
        import enzyme_py
        @numba.njit
        def g(x): return np.sum(np.tile(x, 2)) / 3
        """,
        """
        import enzyme_py as enzyme
        h = enzyme.grad(lambda x: np.sum(x * x))
        @numba.njit
        def g(x): return h(x)[0]
        """,
        """
        import enzyme_py as enzyme
        @enzyme.jit
        def apply(f, x): return f(x)
        def g(x):
            k = 2.0 * x
            return apply(lambda t: np.sum(t * k) / 3, x)
        """,
        """
        import enzyme_py as enzyme
        @numba.njit
        def apply(f, x): return f(x)[0]
        def g(x):
            k = 2.0 * x
            return apply(enzyme.grad(lambda t: np.sum(t * k)), x)
        """,
        """
        from enzyme_py import grad, stop_gradient
        from numba.extending import overload
        def taught(x): raise RuntimeError
        @overload(taught)
        def _taught(x): return lambda x: np.sum(x * x)
        def plain(x): return 1.0 * x
        def f(x): return taught(plain(x)) + np.sum(stop_gradient(x) * 0.0)
        def g(x): return grad(f)(x)[0]
        """,
        """
        import enzyme_py as enzyme
        @numba.njit
        def f(x): return np.sum(x * x)
        @numba.njit(inline="always")
        def inner(x): return enzyme.vjp(f, x)[1](1.0)[0][0]
        @numba.njit(parallel=True)
        def g(x):
            total = 0.0
            for _ in numba.prange(1):
                total += 1.0
            return total * inner(x)
        """,
        """
        import threading
        import enzyme_py as enzyme
        @numba.njit
        def f(x): return np.sum(x * x)
        @numba.njit
        def outer(x): return enzyme.gradient(f, x)[0][0]
        def g(x):
            found = []
            calls = [lambda: outer(x), lambda: enzyme.grad(f)(x)[0], lambda: enzyme.jacfwd(f)(x)[0]]
            threads = [threading.Thread(target=lambda c=c: found.append(c())) for c in calls]
            for one in threads: one.start()
            for one in threads: one.join()
            assert len(found) == 3 and len(set(found)) == 1, found
            return found[0]
        """,
        """
        import threading
        import enzyme_py as enzyme
        @numba.njit
        def apply(f, x): return f(x)[0]
        def g(x):
            k, found, begin = 2.0 * x, [], threading.Barrier(4)
            slope = enzyme.grad(lambda t: np.sum(t * k))
            def work():
                begin.wait()
                found.append(apply(slope, x))
            threads = [threading.Thread(target=work) for _ in range(4)]
            for one in threads: one.start()
            for one in threads: one.join()
            assert found == [2.0] * 4, found
            return found[0]
        """,
    ],
    ids=[
        "module",
        "alias",
        "annotations and modes",
        "stopped",
        "closure",
        "partial",
        "tile",
        "dispatcher",
        "function as argument",
        "transform as argument",
        "overloads beside helpers",
        "inlined",
        "threads",
        "threads with a transform each",
    ],
)
def test_compiled_code_may_be_the_first_to_name_us(text: str) -> None:
    """Every program computes 2."""
    assert run(textwrap.dedent(text) + "\nprint(float(g(np.ones(3))))") == "2.0"


# -- names -------------------------------------------------------------------------------------------------------------


def seen_by_type_checkers() -> dict[str, str]:
    """The modules of the names that the facade imports for type checkers."""
    return {
        alias.asname: node.module or ""
        for node in ast.walk(ast.parse(FACADE.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }


def test_type_checkers_see_the_names_that_there_are() -> None:
    seen = seen_by_type_checkers()
    assert {name: seen.get(name) for name in enzyme._PLACES} == enzyme._PLACES
    assert {name for name, place in seen.items() if place == "enzyme_py"} == set(enzyme._MODULES)
    assert set(seen) == {*enzyme._PLACES, *enzyme._MODULES}


@pytest.mark.parametrize("name", sorted({*enzyme._PLACES, *enzyme._MODULES}))
def test_each_name_is_found_and_listed(name: str) -> None:
    assert getattr(enzyme, name) is not None
    assert name in dir(enzyme)


def test_functions_are_not_hidden_by_modules() -> None:
    """A module of the name of a function takes its place when it is imported."""
    modules = {path.stem for path in FACADE.parent.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not modules & set(enzyme._PLACES)


def test_a_name_that_there_is_not_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'gradd'"):
        enzyme.gradd  # noqa: B018


def test_a_star_takes_everything() -> None:
    text = """
        from enzyme_py import *
        import enzyme_py
        missing = [one for one in enzyme_py._PLACES if one not in globals()]
        print(missing, callable(autodiff), errors.EnzymeError is EnzymeError)
    """
    assert run(text) == "[] True True"


@enzyme.jit
def squares(x):
    return np.sum(x * x)


@pytest.mark.parametrize("how", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_what_transforms_return_can_be_pickled(how) -> None:
    x = np.array([1.0, 2.0])
    for made in (enzyme.grad(squares), enzyme.jacrev(squares)):
        assert np.array_equal(how.loads(how.dumps(made))(x), 2 * x)
    for value in (enzyme.Reverse, enzyme.grad, enzyme.stop_gradient, enzyme.Duplicated):
        assert how.loads(how.dumps(value)) == value
