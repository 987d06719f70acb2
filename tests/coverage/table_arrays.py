"""Arrays: reductions, statistics, scans, sorting, searching, and functions of signals."""

from __future__ import annotations

import numpy as np

from tests.coverage.row import Draw, Table

V = Draw((6,))
SIGNED = Draw((6,), -1.0, 1.0)
M = Draw((3, 4))
CUBE = Draw((2, 3, 4))
SQUARE = Draw((3, 3))
COMPLEX = Draw((5,), dtype="complex128")
HOLES = np.array([1.0, np.nan, 1.0, 1.0, np.nan, 1.0])

row = Table("reductions and statistics")
for _name in "sum prod mean var std min max ptp median nansum nanprod nanmean nanvar nanstd nanmin nanmax nanmedian".split():
    _kernel = eval(f"lambda x: np.{_name}(x)", {"np": np})
    row(f"np.{_name}", _kernel, V)
    row(f"np.{_name} of a matrix", _kernel, M)
    if _name.startswith("nan"):
        row(f"np.{_name} with holes", eval(f"lambda x, h: np.{_name}(x * h)", {"np": np}), V, HOLES)
for _name in "sum prod mean var std".split():
    row(
        f"np.{_name} of float32",
        eval(f"lambda x: np.{_name}(x)", {"np": np}),
        Draw((6,), dtype="float32"),
    )
    row(f"np.{_name} of complex128", eval(f"lambda x: np.{_name}(x)", {"np": np}), COMPLEX)
for _name in "sum prod mean var std min max".split():
    row(f"ndarray.{_name}", eval(f"lambda x: x.{_name}()"), M)
row("ndarray.ptp", lambda x: x.ptp(), M, plain=np.ptp)
row("np.prod with a zero", lambda x, h: np.prod(x * h), V, np.array([1.0, 0.0, 1.0, 1.0, 1.0, 1.0]))
row("np.sum over an axis", lambda x: np.sum(x, axis=0), M)
row("np.sum over the last axis", lambda x: np.sum(x, axis=-1), M)
row("np.sum over an axis of three", lambda x: np.sum(x, axis=1), CUBE)
row("np.sum over a variable axis", lambda x, k: np.sum(x, axis=k), M, 1)
row("np.sum of a type", lambda x: np.sum(x, dtype=np.float64), Draw((5,), dtype="float32"))
row("np.sum over an axis of a type", lambda x: np.sum(x, axis=0, dtype=np.float64), M)
row("np.amin", lambda x: np.amin(x), M)
row("np.amax", lambda x: np.amax(x), M)
row("np.average", lambda x: np.average(x), V)
row("np.average with weights", lambda x, w: np.average(x, weights=w), V, V)
row("np.percentile", lambda x: np.percentile(x, 35.0), V)
row("np.percentile of several", lambda x: np.percentile(x, np.array([20.0, 50.0, 77.0])), V)
row("np.quantile", lambda x: np.quantile(x, 0.35), V)
row("np.quantile of several", lambda x: np.quantile(x, np.array([0.2, 0.5, 0.77])), V)
row("np.nanpercentile", lambda x, h: np.nanpercentile(x * h, 35.0), V, HOLES)
row("np.nanquantile", lambda x, h: np.nanquantile(x * h, 0.35), V, HOLES)
row("np.cov", lambda x: np.cov(x), M)
row("np.cov of two", lambda x, y: np.cov(x, y), V, V)
row("np.cov without bias", lambda x: np.cov(x, rowvar=False, bias=True), M)
row("np.corrcoef", lambda x: np.corrcoef(x), M)
row("np.corrcoef of two", lambda x, y: np.corrcoef(x, y), V, V)
row("np.histogram", lambda x: np.histogram(x, 4, (0.0, 2.0))[0] * x[0], V)
row("np.histogram edges", lambda x: np.histogram(x, np.array([0.0, 1.0, 2.0]))[0] * x[0], V)
row("np.bincount", lambda n, w: np.bincount(n, weights=w), np.array([0, 1, 1, 3, 2, 1]), V)
row("np.count_nonzero", lambda x: x * np.count_nonzero(x > 1.0), V)
row("np.all", lambda x: x * np.all(x > 0.0), V)
row("np.any", lambda x: x * np.any(x > 3.0), V)
row("np.allclose", lambda x, y: x * np.allclose(x, y), V, V)
row("np.array_equal", lambda x, y: x * np.array_equal(x, y), V, V)
row("np.argmin", lambda x: x * np.argmin(x), V)
row("np.argmax", lambda x: x * np.argmax(x), V)
row("np.argmin over an axis", lambda x: x[0] * np.argmin(x, axis=0), M)
row("np.nanargmin", lambda x: x * np.nanargmin(x), V)
row("np.nanargmax", lambda x: x * np.nanargmax(x), V)

row = Table("scans, sorting and searching")
for _name in "cumsum cumprod nancumsum nancumprod".split():
    row(f"np.{_name}", eval(f"lambda x: np.{_name}(x)", {"np": np}), V)
row("np.cumsum of a matrix", lambda x: np.cumsum(x), M)
row("np.nancumsum with holes", lambda x, h: np.nancumsum(x * h), V, HOLES)
row("np.nancumprod with holes", lambda x, h: np.nancumprod(x * h), V, HOLES)
row("np.cumsum of complex128", lambda x: np.cumsum(x), COMPLEX)
row("ndarray.cumsum", lambda x: x.cumsum(), V)
row("ndarray.cumprod", lambda x: x.cumprod(), V)
row("np.diff", lambda x: np.diff(x), V)
row("np.diff twice", lambda x: np.diff(x, 2), V)
row("np.diff of a matrix", lambda x: np.diff(x), M)
row("np.ediff1d", lambda x: np.ediff1d(x), V)
row("np.ediff1d with ends", lambda x, a, b: np.ediff1d(x, a, b), V, Draw((2,)), Draw((1,)))


def _sorted_in_place(x):
    y = x.copy()
    y.sort()
    return y


row("np.sort", lambda x: np.sort(x), V)
row("ndarray.sort", _sorted_in_place, V)
row("np.argsort", lambda x: x[np.argsort(x)], V)
row("np.argsort stable", lambda x: x[np.argsort(x, kind="mergesort")], V)
row("ndarray.argsort", lambda x: x[x.argsort()], V)
row("np.partition", lambda x: np.partition(x, 2)[2], V)
row("np.argpartition", lambda x: x[np.argpartition(x, 2)[2]], V)
row("np.searchsorted", lambda x, v: v * np.searchsorted(np.sort(x), v), V, V)
row("np.searchsorted of a number", lambda x, v: v * np.searchsorted(np.sort(x), v), V, Draw(None))
row("np.digitize", lambda x: x * np.digitize(x, np.array([0.5, 1.0, 1.5])), V)
row("np.unique", lambda x: np.unique(x), V)
row("np.union1d", lambda x, y: np.union1d(x, y), V, V)
row("np.intersect1d", lambda x, y: np.intersect1d(x, np.concatenate((x[1:3], y))), V, V)
row("np.setdiff1d", lambda x, y: np.setdiff1d(x, np.concatenate((x[1:3], y))), V, V)
row("np.setxor1d", lambda x, y: np.setxor1d(x, np.concatenate((x[1:3], y))), V, V)
row("np.isin", lambda x: x * np.isin(np.array([1, 2, 3, 4, 5, 6]), np.array([2, 5])), V)
row("np.nonzero", lambda x: x[np.nonzero(x > 1.0)[0]], V)
row("ndarray.nonzero", lambda x: x[(x > 1.0).nonzero()[0]], V)
row("np.flatnonzero", lambda x: x[np.flatnonzero(x > 1.0)], V)
row("np.argwhere", lambda x: x * np.argwhere(x > 1.0).shape[0], V)

row = Table("signals and interpolation")
row("np.convolve", lambda x, y: np.convolve(x, y), V, Draw((3,)))
row("np.convolve same", lambda x, y: np.convolve(x, y, mode="same"), V, Draw((3,)))
row("np.convolve valid", lambda x, y: np.convolve(x, y, mode="valid"), V, Draw((3,)))
row("np.correlate", lambda x, y: np.correlate(x, y), V, Draw((3,)))
row("np.correlate full", lambda x, y: np.correlate(x, y, mode="full"), V, Draw((3,)))
row("np.correlate same", lambda x, y: np.correlate(x, y, mode="same"), V, Draw((3,)))
row("np.interp", lambda x, p, f: np.interp(x, np.sort(p), f), V, Draw((4,)), Draw((4,)))
row(
    "np.interp of a number",
    lambda x, p, f: np.interp(x, np.sort(p), f),
    Draw(None),
    Draw((4,)),
    Draw((4,)),
)
row(
    "np.interp of complex128",
    lambda x, p, f: np.interp(x, np.sort(p), f),
    V,
    Draw((4,)),
    Draw((4,), dtype="complex128"),
)
row("np.trapezoid", lambda y: np.trapezoid(y), V)
row("np.trapezoid with points", lambda y, x: np.trapezoid(y, x), V, V)
row("np.trapezoid with a step", lambda y, d: np.trapezoid(y, dx=d), V, Draw(None))
row("np.trapezoid of a matrix", lambda y, x: np.trapezoid(y, x), M, Draw((4,)))
row("np.unwrap", lambda x: np.unwrap(x), Draw((6,), -6.0, 6.0))
row("np.bartlett", lambda x: x * np.bartlett(6), V)
row("np.blackman", lambda x: x * np.blackman(6), V)
row("np.hamming", lambda x: x * np.hamming(6), V)
row("np.hanning", lambda x: x * np.hanning(6), V)
row("np.kaiser", lambda x, b: x * np.kaiser(6, b), V, Draw(None, 3.0, 5.0))
row("np.roots", lambda p: np.roots(p), Draw((4,)))
row("np.polyval by hand", lambda p, x: ((p[0] * x + p[1]) * x + p[2]) * x, Draw((3,)), V)

row = Table("products and linear algebra")
row("np.dot", lambda x, y: np.dot(x, y), V, V)
row("np.dot of matrices", lambda x, y: np.dot(x, y), M, Draw((4, 2)))
row("np.dot of matrix and vector", lambda x, y: np.dot(x, y), M, Draw((4,)))
row("np.dot of vector and matrix", lambda x, y: np.dot(x, y), Draw((3,)), M)


def _dot_out(x, y):
    result = np.zeros((3, 2))
    np.dot(x, y, result)
    return result


row("np.dot with out", _dot_out, M, Draw((4, 2)))
row("ndarray.dot", lambda x, y: x.dot(y), M, Draw((4,)))
row("operator.matmul", lambda x, y: x @ y, M, Draw((4, 2)))
row(
    "operator.matmul of complex128",
    lambda x, y: x @ y,
    Draw((3, 3), dtype="complex128"),
    Draw((3, 2), dtype="complex128"),
)
row(
    "operator.matmul of float32",
    lambda x, y: x @ y,
    Draw((3, 3), dtype="float32"),
    Draw((3, 2), dtype="float32"),
)
row("np.vdot", lambda x, y: np.vdot(x, y), V, V)
row("np.vdot of complex128", lambda x, y: np.vdot(x, y), COMPLEX, COMPLEX)
row("np.outer", lambda x, y: np.outer(x, y), V, Draw((3,)))
row("np.kron", lambda x, y: np.kron(x, y), Draw((2, 2)), M)
row("np.cross", lambda x, y: np.cross(x, y), Draw((3,)), Draw((3,)))
row("np.cross of rows", lambda x, y: np.cross(x, y), Draw((4, 3)), Draw((4, 3)))
row("np.cross of rows with two", lambda x, y: np.cross(x, y), Draw((4, 2)), Draw((4, 3)))
row("numba.np.extensions.cross2d", lambda x, y: x[0] * y[1] - x[1] * y[0], Draw((2,)), Draw((2,)))
row("np.trace", lambda x: np.trace(x), SQUARE)
row("np.vander", lambda x: np.vander(x), Draw((4,)))
row("np.vander of columns", lambda x: np.vander(x, 3), Draw((4,)))
row("np.linalg.norm", lambda x: np.linalg.norm(x), V)
row("np.linalg.norm of a matrix", lambda x: np.linalg.norm(x), M)
row("np.linalg.norm of order 1", lambda x: np.linalg.norm(x, 1), V)
row("np.linalg.norm of order 3", lambda x: np.linalg.norm(x, 3), V)
row("np.linalg.norm of order inf", lambda x: np.linalg.norm(x, np.inf), V)
row("np.linalg.norm of order -inf", lambda x: np.linalg.norm(x, -np.inf), V)
row("np.linalg.norm of a matrix of order 1", lambda x: np.linalg.norm(x, 1), M)
row("np.linalg.norm of a matrix of order inf", lambda x: np.linalg.norm(x, np.inf), M)
row("np.linalg.norm of a matrix of order 2", lambda x: np.linalg.norm(x, 2), M)
row("np.linalg.cholesky", lambda x: np.linalg.cholesky(x @ x.T + 2.0 * np.eye(3)), SQUARE)
row("np.linalg.inv", lambda x: np.linalg.inv(x + 3.0 * np.eye(3)), SQUARE)
row("np.linalg.det", lambda x: np.linalg.det(x + 3.0 * np.eye(3)), SQUARE)
row("np.linalg.slogdet", lambda x: np.linalg.slogdet(x + 3.0 * np.eye(3))[1], SQUARE)
row("np.linalg.solve", lambda x, y: np.linalg.solve(x + 3.0 * np.eye(3), y), SQUARE, Draw((3,)))
row(
    "np.linalg.solve of columns",
    lambda x, y: np.linalg.solve(x + 3.0 * np.eye(3), y),
    SQUARE,
    Draw((3, 2)),
)
row("np.linalg.lstsq", lambda x, y: np.linalg.lstsq(x, y)[0], Draw((4, 3)), Draw((4,)))
row("np.linalg.pinv", lambda x: np.linalg.pinv(x), M)
row("np.linalg.svd", lambda x: np.linalg.svd(x)[1], M)
row("np.linalg.qr", lambda x: np.linalg.qr(x)[1], SQUARE)
row("np.linalg.eig", lambda x: np.linalg.eig(x + x.T)[0].real, SQUARE)
row("np.linalg.eigvals", lambda x: np.linalg.eigvals(x + x.T).real, SQUARE)
row("np.linalg.eigh", lambda x: np.linalg.eigh(x + x.T)[0], SQUARE)
row("np.linalg.eigvalsh", lambda x: np.linalg.eigvalsh(x + x.T), SQUARE)
row("np.linalg.matrix_power", lambda x: np.linalg.matrix_power(x, 3), SQUARE)
row("np.linalg.matrix_rank", lambda x: np.linalg.matrix_rank(x) * x[0, 0], SQUARE)
row("np.linalg.cond", lambda x: np.linalg.cond(x + 3.0 * np.eye(3)), SQUARE)
row = Table("signals and interpolation")
row("np.convolve the longer last", lambda x, y: np.convolve(x, y, mode="same"), Draw((4,)), V)
row("np.correlate the longer last", lambda x, y: np.correlate(x, y, mode="same"), Draw((4,)), V)
row("np.correlate the longer last valid", lambda x, y: np.correlate(x, y), Draw((4,)), V)
row(
    "np.correlate of complex128",
    lambda x, y: np.correlate(x, y, "full"),
    COMPLEX,
    Draw((3,), dtype="complex128"),
)
