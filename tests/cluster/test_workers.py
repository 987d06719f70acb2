"""Real workers, each a process of one thread: bits, one compilation a folder, errors, versions, one that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError
from tests.cluster.kernels import OVER, cut, data, equal, logistic, slopes

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

W, X, Y = data(230)
PIECES = cut(X, 13), cut(Y, 13)
BOTH = enzyme.cluster.value_and_grad(logistic, over=OVER)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two workers, with a cache folder of their own.

    Dask sets variables for its workers in this process and leaves them there (MALLOC_TRIM_THRESHOLD_, OMP_NUM_THREADS,
    PYTHONHASHSEED): they are taken away again, as the next tests would run with them.
    """
    folder = tmp_path_factory.mktemp("cache")
    of_dask = dask.config.get("distributed.nanny.pre-spawn-environ")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "60s", "distributed.admin.log-format": "%(message)s"}),
        pytest.MonkeyPatch.context() as patch,
    ):
        for name in of_dask:
            patch.setenv(name, "")  # remembered, and put back at the end
            patch.delenv(name)
        patch.setenv("ENZYME_PY_CACHE_DIR", str(folder))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]))
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as made:
            yield made


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as made:
        yield made


def outcomes(derivative):
    return [one.outcome for one in enzyme.inspect.finished() if one.derivative == derivative]


def runs_of_enzyme():
    return sum(one.stage == "host" for one in enzyme.inspect.timings())


def test_workers_compile_once_and_give_the_bits_of_one_process(client):
    """Both begin at the same time, with nothing in the cache."""
    found = BOTH(W, *PIECES)
    assert np.allclose(found[0], slopes(W, X, Y)[0], rtol=1e-13)
    assert np.allclose(found[1], slopes(W, X, Y)[1], rtol=1e-12)
    lying_there = [client.scatter(part) for part in PIECES]  # futures
    assert equal(BOTH(W, *lying_there), found)
    assert equal(BOTH(W, *PIECES), found)
    told = client.run(outcomes, "value_and_grad_of_logistic")
    assert sorted(told.values()) == [["found"], ["kept"]]
    assert min(client.run(runs_of_enzyme).values()) == 0
    with dask.config.set(scheduler="synchronous"):
        assert equal(BOTH(W, *PIECES), found)


def test_one_two_or_three_workers_give_the_same_bits(client, cluster):
    """Of tasks that take different times, so that they are ready in another order each time."""

    def late(number, piece):
        time.sleep(0.02 * (number * 7 % 5))
        return piece

    parts = [[dask.delayed(late)(number, one) for number, one in enumerate(part)] for part in PIECES]
    found = []
    for count in (2, 1, 3, 2):
        cluster.scale(count)
        while len(client.scheduler_info(n_workers=-1)["workers"]) != count:
            time.sleep(0.05)
        found.append(BOTH(W, *parts))
    assert all(equal(one, found[0]) for one in found)
    with dask.config.set(scheduler="synchronous"):
        assert equal(BOTH(W, *PIECES), found[0])


def test_kernels_of_main_closures_and_jitted_ones_travel(client):
    """None of these can be imported by a worker."""
    scope = {"np": np, "enzyme": enzyme, "__name__": "__main__"}
    text = "def helper(x): return np.sum(x * x)\ndef loss(w, x): return w * helper(x)\n"
    exec(text, scope)
    factor = 3.0
    captured = enzyme.cluster.grad(lambda w, x: w * factor * np.sum(x * x), over="x")
    pieces = [np.ones(2), np.full(3, 2.0)]
    assert enzyme.cluster.grad(scope["loss"], over="x")(1.0, pieces) == 14.0
    assert enzyme.cluster.grad(enzyme.jit(scope["loss"]), over="x")(1.0, pieces) == 14.0
    assert captured(1.0, pieces) == 42.0
    factor = 1.0
    assert captured(1.0, pieces) == 14.0


class PickyError(Exception):
    def __init__(self, where, what):
        super().__init__(where, what)
        self.what = what


def test_errors_arrive_with_the_number_of_the_piece(client):
    def loss(w, x):
        if x[0] == 2.0:
            raise PickyError("at two", 7)
        return w * x[0]

    slope = enzyme.cluster.grad(loss, over="x")
    with pytest.raises(PickyError) as caught:
        slope(1.0, [np.full(1, float(number)) for number in range(4)])
    assert caught.value.what == 7
    assert caught.value.__notes__ == ["in piece 2 of the data of `loss`"]
    with pytest.raises(EnzymeError, match="readonly") as caught:  # our own keep their notes on the way
        enzyme.cluster.grad(_writes, over="x")(1.0, [np.ones(1)])
    assert caught.value.__notes__ == ["in piece 0 of the data of `_writes`"]


def _writes(w, x):
    x[0] = w
    return x[0]


def lie(name, version):
    from enzyme_py.cluster import work

    work.versions.cache_clear()
    true = dict(work.versions())
    work.versions = lambda: tuple((true | {name: version}).items())


def tell_the_truth():
    import importlib

    from enzyme_py.cluster import work

    importlib.reload(work)


@pytest.mark.parametrize("name", ["enzyme_py", "numba", "llvmlite", "numpy", "Python"])
def test_versions_that_differ_are_told(client, name):
    from enzyme_py.cluster.work import versions

    client.run(lie, name, "0.0.1")
    try:
        with pytest.raises(EnzymeError) as caught:
            BOTH(W, *PIECES)
    finally:
        client.run(tell_the_truth)
    assert caught.value.what == f"versions differ: {name} 0.0.1 on this worker, {dict(versions())[name]} where the derivative was asked for"
    assert "install the same versions" in caught.value.remedy
    BOTH(W, *PIECES)


def test_a_module_that_workers_do_not_have_is_told(client, tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text("def loss(w, x):\n    return w * x[0]\n")
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    slope = enzyme.cluster.grad(only_here.loss, over="x")
    with pytest.raises(EnzymeError, match="no module `only_here`") as caught:
        slope(1.0, [np.ones(1)])
    assert "upload_file" in caught.value.remedy


# -- memory ------------------------------------------------------------------------------------------------------------

ROWS, WIDTH, COUNT = 20_000, 100, 32  # 16 MB a piece, 512 MB in all
BOUND = 64  # MB that a worker may take beside what it has: four pieces; it takes two


def forget_peak():
    """Let Linux forget the most memory that this process had; return what it has, in MB."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def memory(name):
    (line,) = (one for one in Path("/proc/self/status").read_text().splitlines() if one.startswith(name))
    return int(line.split()[1]) / 1024


def of_memory_map(path, count):
    np.lib.format.open_memmap(path / "X.npy", "w+", shape=(ROWS * count, WIDTH))  # zeros, which take no disk

    def rows(number):
        return np.load(path / "X.npy", mmap_mode="r")[ROWS * number : ROWS * (number + 1)]

    return [dask.delayed(rows)(number) for number in range(count)]


def of_zarr(path, count):
    zarr = pytest.importorskip("zarr")
    import dask.array as da

    zarr.create_array(str(path / "X"), overwrite=True, shape=(ROWS * count, WIDTH), chunks=(ROWS, WIDTH), dtype="f8")
    return da.from_zarr(str(path / "X"))


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are read as Linux tells them")
@pytest.mark.parametrize("form", [of_memory_map, pytest.param(of_zarr, marks=pytest.mark.full)])
def test_memory_of_a_worker_is_bounded(client, tmp_path, form):
    w = np.ones(WIDTH)
    (tmp_path / "few").mkdir()
    y = [dask.delayed(np.ones)(ROWS) for _ in range(COUNT)]
    for _ in range(2):
        BOTH(w, form(tmp_path / "few", 4), y[:4])  # what is compiled and imported for that
    before = client.run(forget_peak)
    value, gradient = BOTH(w, form(tmp_path, COUNT), y)
    assert np.isclose(value, ROWS * COUNT * np.log(2.0)) and not gradient.any()
    peaks = client.run(memory, "VmHWM")
    assert all(peaks[worker] - before[worker] < BOUND for worker in before), (before, peaks)
    assert 8e-6 * ROWS * COUNT * WIDTH > 5 * BOUND


def test_a_worker_killed_in_the_middle_changes_nothing(client, tmp_path):
    expected = BOTH(W, *PIECES)
    flag = tmp_path / "killed"

    def deadly(number, piece):
        if number == 7 and not flag.exists():
            flag.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return piece

    pids = set(client.run(os.getpid).values())
    xs = [dask.delayed(deadly)(number, one) for number, one in enumerate(PIECES[0])]
    assert equal(BOTH(W, xs, PIECES[1]), expected)
    assert int(flag.read_text()) in pids
    client.wait_for_workers(2)


@pytest.mark.full
def test_the_benchmark_runs_on_little_data(tmp_path):
    """It compares bits itself, also where it kills a worker."""
    command = [sys.executable, str(Path(__file__).parents[2] / "benchmarks" / "cluster.py")]
    options = ["--gigabytes", "0.1", "--passes", "1", "--folder", str(tmp_path)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=600)
    assert "MB/s" in done.stdout, done.stderr
