"""A logistic regression on pieces of data, by two workers of Dask: SciPy's L-BFGS over the gradient of all pieces.

Each worker reads (here: makes) its pieces, and gives back the sum of their gradients. Take `Client("tcp://...")` for a cluster that there is.
"""

import importlib.util

import numpy as np
from scipy.optimize import minimize

import enzyme_py as enzyme

ROWS, WIDTH, PIECES = 5_000, 8, 4
TRUTH = np.linspace(-1.0, 1.0, WIDTH)


def loss(w, X, y):
    total = 0.0
    for i in range(X.shape[0]):
        margin = 0.0
        for j in range(w.size):
            margin += X[i, j] * w[j]
        total += np.log1p(np.exp(-y[i] * margin))
    return total


def piece(number):
    """Return the rows of one piece; a real one would read a file."""
    generator = np.random.default_rng(number)
    X = generator.normal(size=(ROWS, WIDTH))
    return X, np.where(generator.uniform(size=ROWS) < 1.0 / (1.0 + np.exp(-X @ TRUTH)), 1.0, -1.0)


def of_piece(w, data):
    return loss(w, data[0], data[1])


def main():
    import dask
    from dask.distributed import Client, LocalCluster

    pieces = [dask.delayed(piece)(number) for number in range(PIECES)]
    total = enzyme.cluster.value_and_grad(of_piece, over="data")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        found = minimize(total, np.zeros(WIDTH), args=(pieces,), jac=True, method="L-BFGS-B")
        print("weights:", np.round(found.x, 2))
        print("farthest from the truth:", np.round(np.abs(found.x - TRUTH).max(), 2))


if __name__ == "__main__":
    if importlib.util.find_spec("distributed") is None:
        print('needs Dask: pip install "enzyme_py[cluster]"')
    else:
        main()
