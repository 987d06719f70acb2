"""A logistic regression on data in pieces, by one worker of Dask, by two, and by more; docs/cluster-figures.md.

    python benchmarks/cluster.py [--write] [--gigabytes 4] [--workers 1,2] [--folder DIR]

Written first: files of 32 MB in float64, generated from the number of each piece. Timed are whole passes of value and gradient over all of
them, each read through a memory map, in turn on each number of workers (processes of one thread), and as a loop in a process without
Dask. All must give the same bits, also a pass in whose middle a worker is killed. Then comes a fit by SciPy's L-BFGS on the most workers.
Peak memory of a worker is what Linux tells (VmHWM), beside what it had before the first pass.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

import enzyme_py as enzyme
from enzyme_py.cluster.sums import summed

REPORT = Path(__file__).resolve().parent.parent / "docs" / "cluster-figures.md"
ROWS, WIDTH = 62_500, 64  # 32 MB
TRUTH = np.linspace(-0.5, 0.5, WIDTH)


def loss(w, X):
    """Columns 0 to 62 of X are features, the last one is the class, -1 or 1."""
    total = 0.0
    for i in range(X.shape[0]):
        margin = w[-1]
        for j in range(w.size - 1):
            margin += X[i, j] * w[j]
        total += np.log1p(np.exp(-X[i, -1] * margin))
    return total


def file_of(folder, number):
    return os.path.join(folder, f"{number}.npy")


def write(folder, number):
    generator = np.random.default_rng(number)
    X = generator.standard_normal((ROWS, WIDTH))
    is_one = generator.uniform(size=ROWS) < 1.0 / (1.0 + np.exp(-X[:, :-1] @ TRUTH[:-1] - TRUTH[-1]))
    X[:, -1] = np.where(is_one, 1.0, -1.0)
    np.save(file_of(folder, number), X)


def read(folder, number):
    return np.load(file_of(folder, number), mmap_mode="r")


def deadly(folder, number, flag):
    """Read a piece; the first time that the flag is not there, end the process."""
    if not os.path.exists(flag):
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return read(folder, number)


def memory(name, *, anew=False):
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(one for one in lines if one.startswith(name)).split()[1]) / 1024


def same(one, other):
    return one[0] == other[0] and one[1].tobytes() == other[1].tobytes()


@contextlib.contextmanager
def workers(count):
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def timed(call):
    begun = time.perf_counter()
    found = call()
    return time.perf_counter() - begun, found


def by_workers(count, total, w, pieces, passes):
    """Return seconds of each pass, the result, processor seconds of a pass, and memory of each worker: before, and at its peak."""
    with workers(count) as client:
        for _ in range(2):
            total(w, pieces[: 2 * count])  # compiled, and imported
        before = client.run(memory, "VmRSS", anew=True)
        used = sum(client.run(time.process_time).values())
        times, results = zip(*(timed(lambda: total(w, pieces)) for _ in range(passes)), strict=True)
        used = sum(client.run(time.process_time).values()) - used
        peaks = client.run(memory, "VmHWM")
        assert all(same(one, results[0]) for one in results)
    return times, results[0], used / passes, [(before[one], peaks[one]) for one in before]


def fit(total, pieces, most):
    from scipy.optimize import minimize

    with workers(most):
        options = {"maxiter": 8}
        return minimize(total, np.zeros(WIDTH), args=(pieces,), jac=True, method="L-BFGS-B", options=options)


def measure(folder, count, passes, counts):
    import dask

    total = enzyme.cluster.value_and_grad(loss, over="X")
    plain = enzyme.value_and_grad(loss)
    w = np.linspace(0.2, -0.2, WIDTH)
    with dask.config.set(scheduler="processes", num_workers=counts[-1]):
        dask.compute([dask.delayed(write)(folder, number) for number in range(count)])
    pieces = [dask.delayed(read)(folder, number) for number in range(count)]

    def loop():
        parts = [plain(w, np.asarray(read(folder, number))) for number in range(count)]
        return summed(parts)

    plain(w, np.asarray(read(folder, 0)))
    rows, used = [], time.process_time()
    times, results = zip(*(timed(loop) for _ in range(passes)), strict=True)
    used = time.process_time() - used
    rows.append(("a loop in one process", times, results[0], used / passes, []))
    for number in counts:
        name = "1 worker" if number == 1 else f"{number} workers"
        rows.append((name, *by_workers(number, total, w, pieces, passes)))
    assert all(same(row[2], rows[0][2]) for row in rows), "the bits differ"
    with workers(counts[-1]):
        dying = list(pieces)
        dying[count // 2] = dask.delayed(deadly)(folder, count // 2, os.path.join(folder, "killed"))
        seconds, found = timed(lambda: total(w, dying))
        assert os.path.exists(os.path.join(folder, "killed"))
        assert same(found, rows[0][2]), "the bits differ where a worker was killed"
    return rows, seconds, timed(lambda: fit(total, pieces, counts[-1]))


def report(rows, killed, fitted, count, load, most):
    size = count * ROWS * WIDTH * 8 / 1e6
    seconds, found = fitted
    base = median(rows[1][1])
    lines = [
        "# Several machines: figures",
        "",
        ("Written by `python benchmarks/cluster.py --write`; see [several machines](cluster.md). A logistic regression of "
        f"{WIDTH} weights on {size / 1e3:.1f} GB of generated data: {count} files of {ROWS * WIDTH * 8 / 1e6:.0f} MB, read through memory maps."),
        ("Whole passes of value and gradient, the median of "
        f"{len(rows[0][1])}, on a machine of {os.cpu_count()} cores (a load of {load:.1f} before it began)."),
        "",
        "| who | seconds a pass | MB/s | times as fast as 1 worker | processor seconds a pass | memory of each worker at its peak, beside what it had before |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for name, times, _, used, taken in rows:
        of_pass = median(times)
        said = ", ".join(f"{peak - before:.0f} MB beside {before:.0f}" for before, peak in taken)
        lines.append(f"| {name} | {of_pass:.2f} | {size / of_pass:.0f} | {base / of_pass:.2f} | {used:.2f} | {said} |")
    error = np.abs(found.x - TRUTH).max()
    lines += [
        "",
        (f"All of these have the same bits, and so has a pass in whose middle one of {most} workers was killed ({killed:.2f} seconds, with "
        "the new worker's start and its first look into the cache)."),
        "",
        (f"A fit by L-BFGS on {most} workers: {found.nit} steps, {found.nfev} passes, {found.nfev * size / 1e3:.0f} GB, {seconds:.0f} seconds. The "
        f"weights are within {error:.4f} of those that the data was generated with."),
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/cluster-figures.md")
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--workers", default="1,2", help="how many, with commas, from 1; killed and fitted is with the last")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--folder", help="where the data goes, and is removed from")
    given = parser.parse_args()
    counts = [int(one) for one in given.workers.split(",")]
    count = max(4, round(given.gigabytes * 1e9 / (ROWS * WIDTH * 8)))
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        load = os.getloadavg()[0]
        text = report(*measure(folder, count, given.passes, counts), count, load, counts[-1])
    print(text)
    if given.write:
        REPORT.write_text(text)


if __name__ == "__main__":
    main()
