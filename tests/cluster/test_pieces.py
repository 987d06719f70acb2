"""What stands for data becomes pieces; what is not cut, or not alike, is refused. By Dask's synchronous scheduler."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import AnnotationError, EnzymeError
from tests.cluster.kernels import OVER, bend, cut, data, equal, logistic, residual, rows, slopes

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
bag = pytest.importorskip("dask.bag")

W, X, Y = data()
BOTH = enzyme.cluster.value_and_grad(logistic, over=OVER)


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def paired(w, data):
    return logistic(w, data[0], data[1])


def keyed(w, data):
    return logistic(w, data["X"], data["y"])


def chunked(rows=21):
    return da.from_array(X, chunks=(rows, -1)), da.from_array(Y, chunks=rows)


def test_every_form_of_the_same_pieces_gives_the_same_bits():
    x, y = chunked()
    parts = [X[k : k + 21] for k in range(0, len(X), 21)], [Y[k : k + 21] for k in range(0, len(Y), 21)]
    expected = BOTH(W, *parts)
    assert np.allclose(expected[0], slopes(W, X, Y)[0], rtol=1e-13)
    assert np.allclose(expected[1], slopes(W, X, Y)[1], rtol=1e-12)
    later = [[dask.delayed(one) for one in part] for part in parts]
    of_pair = enzyme.cluster.value_and_grad(paired, over="data")
    of_dict = enzyme.cluster.value_and_grad(keyed, over=1)
    for found in (
        BOTH(W, x, y),
        BOTH(W, X=x, y=parts[1]),
        BOTH(W, *later),
        of_pair(W, (x, y)),
        of_pair(W, list(zip(*parts))),
        of_pair(W, bag.from_sequence(zip(*parts), npartitions=1)),
        of_dict(W, {"X": x, "y": parts[1]}),
    ):
        assert equal(found, expected)


V = np.cos(np.arange(W.size))


def test_hvp_is_that_of_the_whole():
    x, y = chunked(100)
    assert np.allclose(enzyme.cluster.hvp(logistic, over=OVER)(W, V, x, y), bend(W, X, Y) @ V, rtol=1e-11)


@pytest.mark.full
def test_hessian_is_that_of_the_whole():
    x, y = chunked(100)
    assert np.allclose(enzyme.cluster.hessian(logistic, over=OVER)(W, x, y), bend(W, X, Y), rtol=1e-11)


def test_a_direction_gives_the_slope_of_a_sum():
    value, tangent = enzyme.cluster.jvp(logistic, over=OVER)(W, V, *chunked(100))
    assert np.allclose([value, tangent], [slopes(W, X, Y)[0], slopes(W, X, Y)[1] @ V], rtol=1e-12)


def test_rows_follow_each_other_by_piece():
    x, y = chunked(100)
    found, along = enzyme.cluster.jvp(residual, over=OVER)(W, V, x, y)
    expected, jacobian = rows(W, X, Y)
    assert np.allclose(found, expected) and np.allclose(along, jacobian @ V)
    assert equal(enzyme.cluster.value(residual, over=OVER)(W, x, y), found)


@pytest.mark.parametrize("name", ["jacfwd", pytest.param("jacrev", marks=pytest.mark.full)])
def test_rows_of_the_jacobian_follow_each_other_by_piece(name):
    found = getattr(enzyme.cluster, name)(residual, over=OVER)(W, *chunked(100))
    assert np.allclose(found, rows(W, X, Y)[1], rtol=1e-12)


def test_bags_are_partitions_of_many_pieces_and_some_may_be_empty():
    items = [np.full(2, float(number)) for number in range(5)]
    square = enzyme.cluster.value_and_grad(lambda w, x: w * w * np.sum(x), over="x")
    made = bag.from_sequence(items, npartitions=3)
    assert square(3.0, made) == (9.0 * 20.0, 6.0 * 20.0)
    kept = made.filter(lambda one: one[0] > 2.0)
    assert square(3.0, kept) == (9.0 * 14.0, 6.0 * 14.0)
    along = enzyme.cluster.jvp(lambda w, x: w * x, over="x")(3.0, 1.0, kept)
    assert along[1].tolist() == [3.0, 3.0, 4.0, 4.0]
    with pytest.raises(EnzymeError, match="there are no pieces"):
        square(3.0, made.filter(lambda one: one[0] > 9.0))
    with pytest.raises(EnzymeError, match="there are no pieces"):
        square(3.0, [])


def test_several_arguments_trees_and_what_is_captured():
    scale = np.array([2.0])

    def loss(p, x, k):
        return scale[0] * np.sum(p["a"] * x) * k

    slope = enzyme.cluster.grad(loss, argnums=(0, 2), over="x")
    pieces = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]
    by_p, by_k = slope({"a": np.ones(2), "n": 3}, pieces, 5.0)
    assert by_p["a"].tolist() == [40.0, 60.0] and by_k == 20.0
    scale[0] = 1.0
    assert slope({"a": np.ones(2), "n": 3}, pieces, 5.0)[1] == 10.0


def test_float32_stays_float32():
    slope = enzyme.cluster.value_and_grad(lambda w, x: np.sum(w * x), over="x")
    value, gradient = slope(np.ones(2, "f"), [np.ones(2, "f")] * 3)
    assert gradient.dtype == np.float32 and gradient.tolist() == [3.0, 3.0] and value == 6.0


def written(w, x):
    x[0] = w[0]
    return np.sum(x)


def test_pieces_are_not_written_to_and_arguments_stay():
    with pytest.raises(EnzymeError, match="readonly array") as caught:
        enzyme.cluster.grad(written, over="x")(np.ones(1), [np.ones(2)])
    assert caught.value.__notes__ == ["in piece 0 of the data of `written`"]

    def scratch(w, x):
        w[0] *= 2.0
        return w[0] * np.sum(x)

    w = np.ones(1)
    pieces = [np.ones(1)] * 3
    assert enzyme.cluster.value_and_grad(scratch, over="x")(w, pieces)[0] == 6.0
    assert w[0] == 1.0 and pieces[0].flags.writeable


def table(number):
    raise AssertionError


class DataFrame:
    __module__ = "dask.dataframe.dask_expr"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: BOTH(W, X, Y), "one array of shape"),
        (lambda: BOTH(W, X, 3.0), "`X` is one array"),
        (lambda: BOTH(W, 3.0, cut(Y, 2)), "of type float"),
        (lambda: BOTH(W, cut(X, 3), cut(Y, 4)), "cut into 3 and 4 pieces"),
        (lambda: BOTH(W, chunked(20)[0], chunked(21)[1]), "different rows: 20, 20, 20, 20, ... and 21"),
        (lambda: BOTH(W, da.from_array(X, chunks=(50, 2)), cut(Y, 5)), r"5x2 chunks.*\{1: -1\}"),
        (lambda: BOTH(W, DataFrame(), cut(Y, 5)), "to_dask_array"),
        (lambda: BOTH(W, bag.from_sequence(cut(X, 2)), cut(Y, 2)), "bag stands beside"),
        (lambda: BOTH(W, da.from_array(np.float64(3.0)), cut(Y, 2)), "without an axis"),
        (lambda: enzyme.cluster.grad(logistic, over="X")(W, *chunked()), r"`y` is a Dask Array, and not named in over='X'"),
        (lambda: BOTH(W, cut(X, 2)), "missing a required argument: 'y'"),
        (lambda: enzyme.cluster.grad(logistic, over="Z"), "`w`, `X`, `y`"),
        (lambda: enzyme.cluster.grad(logistic, over=()), "one parameter or several"),
        (lambda: enzyme.cluster.grad(logistic, argnums=1, over=OVER), "`X` is data, and the derivative is by it"),
        (lambda: enzyme.cluster.hvp(logistic, over=0), "let the first parameter"),
        (lambda: enzyme.cluster.hvp(logistic, over=OVER)(W, np.ones(2), cut(X, 2), cut(Y, 2)), "the tangent of `w`"),
        (lambda: enzyme.cluster.hvp(logistic, over=OVER)(W), "takes x and the direction v"),
        (lambda: enzyme.cluster.grad(logistic, argnums=(0, "a"), over=OVER), "argnums must be"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(call, says):
    with pytest.raises(AnnotationError, match="(?s)" + says) as caught:
        call()
    assert caught.value.remedy


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)  # as if it were not there
    with pytest.raises(ImportError) as caught:
        BOTH(W, cut(X, 2), cut(Y, 2))
    assert str(caught.value) == 'enzyme_py.cluster needs dask, which is not installed: pip install "enzyme_py[cluster]"'


def test_nothing_of_dask_is_imported_before_it_is_used():
    program = "import enzyme_py.cluster as c, sys; c.grad(lambda w, x: w, over='x'); assert not {'dask', 'cloudpickle', 'mpi4py'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def picky(w, x):
    if x[0] > 2.5:
        raise ValueError("too large")
    return w * np.sum(x)


def test_errors_of_a_piece_are_the_users_with_its_number():
    slope = enzyme.cluster.grad(picky, over="x")
    with pytest.raises(ValueError, match="too large") as caught:
        slope(1.0, [np.full(2, float(number)) for number in range(4)])
    assert caught.value.__notes__ == ["in piece 3 of the data of `picky`"]
    with pytest.raises(ValueError, match="too large") as caught:
        slope(1.0, bag.from_sequence([np.full(2, float(n)) for n in range(6)], npartitions=2))
    assert caught.value.__notes__ == ["in item 0 of partition 1 of the data of `picky`"]
