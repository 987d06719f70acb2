"""`config(check="doubtful")`: what carries a doubt is compared at its first call, and nothing else is.

Expected derivatives are by hand. What is wrong here is made so by leaving a cure out (tests/passes/switches.py).
"""

from __future__ import annotations

import itertools
import threading
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Duplicated, Reverse
from enzyme_py.errors import CheckError, NoDerivativeError, UncheckedWarning
from enzyme_py.finished.search import FOUND
from enzyme_py.passes.checks import doubts
from enzyme_py.passes.journal import Journal
from enzyme_py.settings import DOUBTFUL, read_environment, settings
from enzyme_py.transforms.checking import asking, doubtful
from enzyme_py.transforms.plans.dispatcher import DerivativeDispatcher
from tests.passes.switches import leave_out

_numbers = itertools.count(1000)
X, START = np.array([0.3, 0.7, -0.2]), np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def _only_doubtful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(doubts, "_known", {})
    with enzyme.config(check=DOUBTFUL, cache=False), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def fresh(kernel: Any) -> Any:
    """The same function once more, as another one: with a constant that nothing reads."""
    code = kernel.__code__.replace(co_consts=(*kernel.__code__.co_consts, next(_numbers)))
    return types.FunctionType(code, kernel.__globals__, kernel.__name__)


def said_of(name: str) -> list[str]:
    """What the list says of a kernel."""
    return [one.outcome for one in enzyme.inspect.doubts() if one.kernel == name]


def chosen(x, start, n):
    v = x if n > 1 else start
    return np.sum(v * v * x)


def plain(x, n):
    v = x * 1.0
    for _ in range(n):
        v = np.sin(v) * x
    return np.sum(v)


# -- settings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "want"),
    [
        ({}, False),
        ({"ENZYME_PY_DEV": "1"}, DOUBTFUL),
        ({"ENZYME_PY_DEV": "0"}, False),
        ({"ENZYME_PY_DEV": "1", "ENZYME_PY_CHECK": "0"}, False),
        ({"ENZYME_PY_DEV": "1", "ENZYME_PY_CHECK": "1"}, True),
        ({"ENZYME_PY_CHECK": "Doubtful"}, DOUBTFUL),
        ({"ENZYME_PY_CHECK": "yes"}, True),
    ],
)
def test_development_mode_compares_what_is_doubtful(environment: dict[str, str], want: Any) -> None:
    assert read_environment(environment).check == want


def test_another_word_is_refused() -> None:
    with pytest.raises(TypeError, match="check is True, False or 'doubtful'; not 'dubious'"):
        enzyme.config(check="dubious")
    assert settings.check == DOUBTFUL


# -- what is told -----------------------------------------------------------------------------------


def test_a_right_answer_passes_without_a_word_and_arguments_stay() -> None:
    x, start = X.copy(), START.copy()
    gradient = enzyme.grad(fresh(chosen))
    np.testing.assert_allclose(gradient(x, start, 3), 3 * X**2, rtol=1e-14)
    assert (x.tobytes(), start.tobytes()) == (X.tobytes(), START.tobytes())
    (one,) = [one for one in enzyme.inspect.doubts() if one.kernel == "chosen"]
    assert one.outcome.startswith("agrees with differences: ")
    assert one.reasons[0].startswith("run-time activity: constant and active memory are mixed")
    np.testing.assert_allclose(gradient(x, start, 1), START**2, rtol=1e-14)  # the other branch: asked once only


def test_what_carries_no_doubt_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*given: Any) -> Any:
        raise AssertionError("it was compared")

    monkeypatch.setattr(asking, "compared", never)
    leave_out("cached allocations", monkeypatch.setattr)  # so it is even wrong, and nobody looks
    got = enzyme.grad(fresh(plain))(X, 4)
    slope = sum(got * X)
    h = 1e-6
    differences = (plain(X * (1 + h), 4) - plain(X * (1 - h), 4)) / (2 * h)
    assert abs(slope - differences) > 1e-4
    assert said_of("plain") == []


def test_what_carries_no_doubt_goes_straight_to_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, usual = [], DerivativeDispatcher._compile_for_args

    def counted(self: Any, *args: Any, **named: Any) -> Any:
        asked.append(args)
        return usual(self, *args, **named)

    monkeypatch.setattr(DerivativeDispatcher, "_compile_for_args", counted)
    gradient = enzyme.grad(fresh(cubes))
    for _ in range(3):  # two signatures in turn
        assert gradient(2.0) == gradient(np.float32(2.0)) == 12.0
    assert len(asked) == 2


def cubes(x):
    return x**3


def planted(x, start, n):
    a, v = start, x * 1.0
    for _ in range(n):
        a = a * x + start
        v = np.sin(v) * x
    return np.sum(a) + np.sum(v)


def test_a_planted_mistake_is_told_at_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out("cached allocations", monkeypatch.setattr)
    gradient = enzyme.grad(planted)
    for _ in range(2):
        with pytest.raises(CheckError) as told:
            gradient(X, START, 4)
    assert "the answer carries a doubt: run-time activity" in told.value.what
    assert told.value.remedy.startswith("do not use it: ask in the other mode")
    assert told.value.where.kernel == "planted"
    (said,) = said_of("planted")
    assert said.startswith("wrong: the derivative of `planted` is ")
    with enzyme.config(check=False):
        wrong = gradient(X, START, 4)
    h = 1e-6
    differences = (planted(X * (1 + h), START, 4) - planted(X * (1 - h), START, 4)) / (2 * h)
    assert abs(np.sum(wrong * X) - differences) > 1e-4


def writing(x, start, out, item, n):
    v = x if n > 1 else start
    for i in range(v.size):
        out[i] = v[i] * v[i] * item.factor + out[i]
    return np.sum(v) * n


def test_written_arguments_integers_and_records() -> None:
    item = np.array([(3.0, 7)], dtype=[("factor", "f8"), ("count", "i8")])[0]
    dx, out, dout = np.zeros(3), np.ones(3), np.full(3, 2.0)
    enzyme.autodiff(Reverse, writing, Duplicated(X, dx), START, Duplicated(out, dout), item, 3)
    np.testing.assert_allclose(out, 3 * X * X + 1, rtol=1e-14)  # written once, though compared
    np.testing.assert_allclose(dx, 2 * 2 * X * 3 + 3, rtol=1e-14)
    np.testing.assert_array_equal(dout, 2.0)
    assert said_of("writing")[0].startswith("agrees with differences")


@pytest.mark.full
def test_each_transform() -> None:
    direction = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(enzyme.hvp(fresh(chosen), X, direction, START, 3), 6 * X * direction, rtol=1e-13)
    forward = enzyme.gradient(enzyme.Forward, fresh(chosen), X, enzyme.Const(START), 3)[0]
    np.testing.assert_allclose(forward, 3 * X**2, rtol=1e-14)
    rows = enzyme.jacrev(lambda x, start, n: (x if n > 1 else start) * x)(X, START, 3)
    np.testing.assert_allclose(rows, np.diag(2 * X), rtol=1e-14)
    assert len(enzyme.inspect.doubts()) >= 3
    assert all(one.outcome.startswith("agrees") for one in enzyme.inspect.doubts())


# -- no false alarms --------------------------------------------------------------------------------


def kinked(x, start, n):
    v = x if n > 1 else start
    return np.sum(v * v) + np.abs(x[0] - 0.3) + np.maximum(x[1] - 0.7, 0.0)


def test_at_a_kink_forward_mode_is_asked() -> None:
    with np.errstate(all="raise"):
        enzyme.grad(fresh(kinked))(X, START, 3)
    assert said_of("kinked")[0].startswith("agrees with forward mode: ")


def test_a_disagreement_that_differences_cannot_judge_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubtful, "_pushed", lambda claim: 1e3)
    with pytest.warns(UncheckedWarning, match=r"beside 1000 of forward mode.*One of both is wrong"):
        enzyme.grad(fresh(kinked))(X, START, 3)
    assert said_of("kinked")[0].startswith("differs from forward mode")


def printing(x, start, n):
    if n > 99:
        print(n)  # noqa: T201  (what is refused)
    v = x if n > 1 else start
    return np.sum(v * v * x)


def test_what_cannot_be_asked_stays_as_it_is() -> None:
    np.testing.assert_allclose(enzyme.grad(printing)(X, START, 3), 3 * X**2, rtol=1e-14)
    assert said_of("printing") == ["not compared: the kernel prints, and a comparison would print more often"]


def test_a_fault_of_the_comparison_is_nothing_to_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*given: Any) -> Any:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(doubtful, "finding_of", breaks)
    np.testing.assert_allclose(enzyme.grad(fresh(chosen))(X, START, 3), 3 * X**2, rtol=1e-14)
    assert said_of("chosen") == ["not compared: RuntimeError: a fault of ours"]


def raising(x, start, n):
    v = x if n > 1 else start
    if v[0] < 1.0:
        raise ValueError("too small")
    return np.sum(v * v * x)


def test_exceptions_are_the_kernels() -> None:
    with pytest.raises(ValueError, match="too small"):
        enzyme.grad(raising)(X, START, 3)
    assert said_of("raising") == ["not compared: the kernel raises"]


# -- where it is met --------------------------------------------------------------------------------


def test_several_threads_at_once() -> None:
    gradient, found = enzyme.grad(fresh(chosen)), []
    threads = [threading.Thread(target=lambda: found.append(gradient(X, START, 3))) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    np.testing.assert_allclose(found, [3 * X**2] * 4, rtol=1e-14)
    assert said_of("chosen")[0].startswith("agrees with differences")


def test_the_doubt_goes_to_the_disk_and_back() -> None:
    source = "def kept(x, start, n):\n    v = x if n > 1 else start\n    return np.sum(v * v * v * x)\n"
    made = []
    for _ in range(2):
        scope: dict[str, Any] = {"np": np}
        exec(source, scope)
        made.append(scope["kept"])
    with enzyme.config(cache=True):
        for kernel in made:
            np.testing.assert_allclose(enzyme.grad(kernel)(X, START, 3), 4 * X**3, rtol=1e-13)
            assert said_of("kept")[-1].startswith("agrees with differences")
            doubts._known.clear()
    assert enzyme.inspect.finished()[-1].outcome == FOUND


def test_compiled_callers_are_listed_and_not_compared() -> None:
    kernel = enzyme.jit(fresh(chosen))
    gradient = enzyme.grad(kernel)

    @numba.njit
    def caller(x, start):
        return gradient(x, start, 3)

    np.testing.assert_allclose(caller(X, START), 3 * X**2, rtol=1e-14)
    assert said_of("chosen") == [doubts.NOT_COMPARED]


@enzyme.jit
def walk(x, n):
    if n == 0:
        return np.sum(x * x)
    t = x * (n + 1.0)
    return walk(t, n - 1) * np.sum(t)


def test_recomputation_across_calls_is_a_doubt() -> None:
    # walk(x, 1) = 4 |x|^2 * 2 sum(x)
    np.testing.assert_allclose(enzyme.grad(walk)(X, 1), 16 * X * np.sum(X) + 8 * np.sum(X * X), rtol=1e-13)
    (one,) = enzyme.inspect.doubts()
    assert one.reasons[0].startswith("recomputation across calls")
    assert one.outcome.startswith("agrees with differences")


def test_attempts_and_reports_say_it() -> None:
    def halves(x, start, n):
        v = x if n > 1 else start
        return np.sum(v * v * x)

    tried = enzyme.inspect.attempts(halves, X, START, 3)
    assert tried[-1].doubt == ""  # x and start are both active: nothing is mixed
    report = enzyme.inspect.report(halves, X, enzyme.Const(START), 3, times=False, checks=False, advice=False)
    assert report.data["doubts"][0].startswith("run-time activity")
    assert "doubtful: run-time activity" in str(report)


def refused_behind_an_answer(journal: Journal) -> None:
    with journal.attempt("first", "it is odd"):
        with journal.attempt("inside", "it is older"):
            pass
        raise NoDerivativeError("none")


def test_a_refusal_takes_the_doubts_inside_of_it_along() -> None:
    journal = Journal()
    with journal.attempt("outer", "it is new"):
        with pytest.raises(NoDerivativeError):
            refused_behind_an_answer(journal)
        with journal.attempt("second"):
            assert journal.known_doubts == ("outer: it is new",)
        with journal.own_doubts(), journal.attempt("another derivative", "of its own"):
            assert journal.known_doubts == ("another derivative: of its own",)
    assert journal.known_doubts == ("outer: it is new",)
    assert [one.doubt for one in journal.attempts] == ["it is older", "it is odd", "", "of its own", "it is new"]
