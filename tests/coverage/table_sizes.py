"""What takes or gives a tuple of sizes or axes, written once for any number of dimensions.

A row is text: statements that make `r` of an array `x`. In it, with three dimensions as the example,

    {sizes}     x.shape[0], k1, x.shape[2]      sizes that only the run knows: attributes, and numbers that are given
    {given}     k0, k1, k2                      numbers that are given
    {merged}    x.shape[0] * k1, k2             the first two in one
    {split}     k0, 1, k1, x.shape[2]           one more
    {turned}    2, 0, 1                         axes, each at another place
    {last}      2                               the last axis
    {all}       :, :, :                         one slice for each axis
    {places}    i0, i1, i2                      a name for an index of each axis

of_sizes.py makes kernels of them: in loops or not, of all layouts and dtypes.
"""

from __future__ import annotations

SIZES: dict[str, str] = {}
GROUPS: dict[str, str] = {}


def _rows(group: str, rows: dict[str, str]) -> None:
    for name, text in rows.items():
        if name in SIZES:
            message = f"two rows are called {name}"
            raise ValueError(message)
        SIZES[name] = text
        GROUPS[name] = group


_rows(
    "reshape",
    {
        "np.reshape of a tuple": "r = np.reshape(x, ({sizes}))",
        "np.reshape of given sizes": "r = np.reshape(x, ({given}))",
        "np.reshape of shape": "r = np.reshape(x, x.shape)",
        "np.reshape to fewer": "r = np.reshape(x, ({merged})) * 2.0",
        "np.reshape to more": "r = np.reshape(x, ({split}))",
        "np.reshape with the rest": "r = np.reshape(x, (k0, -1))",
        "np.reshape of a copy": "r = np.reshape(np.ascontiguousarray(x), ({sizes})) * 2.0",
        "np.reshape to a vector": "r = np.reshape(x, x.size)",
        "np.reshape there and back": "r = np.reshape(np.reshape(x, ({merged})) * 2.0, ({sizes}))",
        "array.reshape of sizes": "r = x.reshape({sizes})",
        "array.reshape of a tuple": "r = x.reshape(({sizes}))",
        "array.reshape to fewer": "r = x.reshape({merged})",
        "array.reshape to more": "r = x.reshape(({split}))",
        "array.reshape with the rest": "r = x.reshape((-1, k{last}))",
        "array.reshape that is written to": "y = x * 1.0\nz = y.reshape(({merged}))\nz[0] = 3.0 * z[0] * z[0]\nr = y",
        "np.ravel": "r = np.ravel(x)",
        "array.flatten": "r = x.flatten()",
    },
)
_rows(
    "made of sizes",
    {
        "np.zeros": "r = np.zeros(({sizes}))\nr[...] = r + x.real",
        "np.zeros with a dtype": "r = np.zeros(({given}), x.dtype)\nr[...] = x",
        "np.zeros of shape": "r = np.zeros(x.shape, x.dtype)\nr[{all}] = x * x",
        "np.zeros of a part of shape": "r = np.zeros(x.shape[:2] + (k{last},), x.dtype)\nr += np.sum(x)",
        "np.ones": "r = np.ones(({sizes}), x.dtype)\nr *= x",
        "np.full": "r = np.full(({sizes}), x[0, 0].sum())\nr += x",
        "np.full of shape": "r = np.full(x.shape, 2.0) * x",
        "np.empty": "r = np.empty(({sizes}), x.dtype)\nr[{all}] = x",
        "np.empty by elements": "r = np.empty(({sizes}), x.dtype)\nfor {places} in np.ndindex(x.shape):\n    r[{places}] = x[{places}] * (1.0 + i0)",
        "np.zeros_like": "r = np.zeros_like(x)\nr += x * x",
        "np.ones_like": "r = np.ones_like(x) * x",
        "np.full_like": "r = np.full_like(x, 2.0) * x",
        "np.empty_like": "r = np.empty_like(x)\nr[...] = x * 2.0",
    },
)
_rows(
    "axes",
    {
        "np.broadcast_to": "r = np.broadcast_to(x[:1], ({sizes}))",
        "np.broadcast_to more axes": "r = np.broadcast_to(x, (2, {given}))",
        "np.broadcast_to of shape": "r = np.broadcast_to(x[{all}][:, :1], x.shape) * x",
        "np.broadcast_arrays": "y, z = np.broadcast_arrays(x, x[:1])\nr = y * z",
        "np.transpose": "r = np.transpose(x)",
        "np.transpose with axes": "r = np.transpose(x, ({turned}))",
        "array.transpose with axes": "r = x.transpose({turned})",
        "array.transpose with a tuple": "r = x.transpose(({turned})) * 2.0",
        "array.transpose of a copy": "r = np.ascontiguousarray(x.transpose(({turned})))",
        "array.T": "r = x.T * 2.0",
        "np.swapaxes": "r = np.swapaxes(x, 0, {last})",
        "np.moveaxis": "r = np.moveaxis(x, 0, {last})",
        "np.rollaxis": "r = np.rollaxis(x, {last}, 0)",
        "np.expand_dims": "r = np.expand_dims(x, 1) * 2.0",
        "np.expand_dims at the end": "r = np.expand_dims(x, -1) * x.sum()",
        "np.squeeze": "r = np.squeeze(x[:1])",
        "np.flip": "r = np.flip(x)",
        "np.fliplr": "r = np.fliplr(x)",
        "np.flipud": "r = np.flipud(x)",
        "np.rot90": "r = np.rot90(x)",
        "np.roll": "r = np.roll(x, k1)",
        "np.atleast_3d": "r = np.atleast_3d(x) * 2.0",
        "np.asfortranarray": "r = np.asfortranarray(x) * 2.0",
        "np.ascontiguousarray": "r = np.ascontiguousarray(x) * 2.0",
        "array.copy": "r = x.copy()\nr[0] *= 2.0",
    },
)
_rows(
    "joined and split",
    {
        "np.tile": "r = np.tile(x, (2, 1, 2))",
        "np.repeat": "r = np.repeat(x, 2)",
        "np.stack": "r = np.stack((x, x * x))",
        "np.stack with an axis": "r = np.stack((x, x * x, x), axis=1)",
        "np.stack at the end": "r = np.stack((x, x * x), axis=-1)",
        "np.concatenate": "r = np.concatenate((x, x * x))",
        "np.concatenate with an axis": "r = np.concatenate((x, x * x), axis={last})",
        "np.vstack": "r = np.vstack((x, x * x))",
        "np.hstack": "r = np.hstack((x, x * x))",
        "np.dstack": "r = np.dstack((x, x * x))",
        "np.append with an axis": "r = np.append(x, x * x, axis=1)",
        "np.split": "y = np.split(x, 2)\nr = y[0] * y[1]",
        "np.array_split": "y = np.array_split(x, 2)\nr = y[0] * y[1]",
        "np.vsplit": "y = np.vsplit(x, 2)\nr = y[0] * y[1]",
        "np.hsplit": "y = np.hsplit(x, k1)\nr = y[0] * y[1]",
        "np.split with an axis": "y = np.split(x, k{last}, {last})\nr = y[0] * y[1]",
    },
)
_rows(
    "by axis",
    {
        "np.sum": "r = np.sum(x)",
        "np.sum by the first": "r = np.sum(x, axis=0)",
        "np.sum by the second": "r = np.sum(x, 1) * 2.0",
        "np.sum by the last": "r = np.sum(x, axis=-1)",
        "array.sum by an axis": "r = x.sum(axis=1)",
        "np.sum by two": "r = np.sum(np.sum(x, axis={last}), axis=0)",
        "np.sum that keeps": "r = x - np.expand_dims(np.sum(x, axis=1), 1)",
        "np.sum with keepdims": "r = x - np.sum(x, axis=1, keepdims=True)",
        "np.cumsum by an axis": "r = np.cumsum(x, axis=1)",
        "np.cumsum": "r = np.cumsum(x)",
        "np.mean": "r = x - np.mean(x)",
        "np.mean by an axis": "r = np.mean(x, axis=1)",
        "np.var": "r = np.var(x) * x",
        "np.var by an axis": "r = np.var(x, axis=1)",
        "np.std": "r = np.std(x) * x",
        "np.prod": "r = np.prod(x)",
        "np.prod by an axis": "r = np.prod(x, axis=1)",
        "np.max": "r = np.max(x.real) * x",
        "np.max by an axis": "r = np.max(x.real, axis=1)",
        "np.argmin by an axis": "y = np.argmin(x.real, axis=1)\nr = x * np.expand_dims(y, 1)",
        "np.argmax by the last": "y = np.argmax(x.real, axis={last})\nr = x * (1.0 + np.expand_dims(y, {last}))",
        "np.diff": "r = np.diff(x)",
    },
)
_rows(
    "indexing",
    {
        "newaxis": "r = x[:, np.newaxis] * x[np.newaxis]",
        "newaxis at the end": "r = x[..., np.newaxis] * x[0, 0].sum()",
        "ellipsis": "r = x[..., 0]",
        "ellipsis in the middle": "r = x[0, ..., 1]",
        "ellipsis that is written to": "r = x * 1.0\nr[..., 0] = x[..., 1] * x[..., 0]",
        "slices": "r = x[:, 1:, ::-1]",
        "slices of given sizes": "r = x[: k0 - 1, 1:k1]",
        "places and slices": "r = x[:, np.array([1, 0, 1])]",
        "a mask": "r = x[x.real > 1.0]",
        "one row after the other": "r = np.zeros(({sizes}), x.dtype)\nfor i0 in range(k0):\n    r[i0] = x[i0] * x[0]",
        "rows of rows": "r = np.zeros((k0, k1), x.dtype)\nfor i0 in range(k0):\n    for i1 in range(k1):\n        r[i0, i1] = np.sum(x[i0, i1] * x[i0, 0])",
        "np.nditer": "r = 0.0\nfor one in np.nditer(x):\n    r += one.item().real ** 2",
        "np.nditer of two": "r = 0.0\nfor one, other in np.nditer((x, x)):\n    r += one.item().real * other.item().real",
        "np.ndindex of sizes": "r = 0.0\nfor {places} in np.ndindex({sizes}):\n    r += x[{places}].real * (1 + i0)",
        "np.ndindex of shape": "r = 0.0\nfor {places} in np.ndindex(x.shape):\n    r += x[{places}].real ** 2 * (1 + i0 + 2 * i1)",
        "np.ndenumerate": "r = 0.0\nfor ({places}), one in np.ndenumerate(x):\n    r += one.real**2 * (1 + i0 + 2 * i1)",
        "array.flat": "r = 0.0\nfor one in x.flat:\n    r += one.real**2",
        "np.take": "r = np.take(x, np.array([2, 0]))",
        "np.where": "r = np.where(x.real > 1.0, x, x * x)",
    },
)
_rows(
    "products",
    {
        "a product of the last axes": "y = np.zeros(({sizes}), x.dtype) + x\nr = np.sum(x[{all}, np.newaxis] * y[..., np.newaxis, :], -1)",
        "a product over the first": "r = np.sum(x[:, np.newaxis] * x[np.newaxis, :], axis=0)",
        "a product over two": "y = np.sum(x, axis=0)\nr = np.sum(np.sum(x * y, axis=1), axis=0)",
        "np.dot of merged axes": "y = np.ascontiguousarray(x).reshape((-1, k{last}))\nr = np.dot(y, y.T.copy())",
        "matrices of a batch": "y = np.ascontiguousarray(x).reshape((k0, -1, k{last}))\nr = np.zeros((k0, y.shape[1], y.shape[1]), x.dtype)\nfor i0 in range(k0):\n    r[i0] = y[i0] @ np.ascontiguousarray(y[i0].T)",
        "an affine map by an axis": "r = (x - np.expand_dims(np.sum(x, axis=1) / k1, 1)) * x[0, 0].sum()",
        "as_strided of sizes": "r = np.lib.stride_tricks.as_strided(x, ({given}), x.strides) * 2.0",
        "sliding_window_view": "r = np.lib.stride_tricks.sliding_window_view(x, k1 - 1, 1)",
    },
)


def words(dimensions: int) -> dict[str, str]:
    """Return what stands for each name in braces."""
    shapes = [f"x.shape[{i}]" if i % 2 == 0 else f"k{i}" for i in range(dimensions)]
    given = [f"k{i}" for i in range(dimensions)]
    axes = [*range(dimensions)]
    return {
        "sizes": ", ".join(shapes),
        "given": ", ".join(given),
        "merged": ", ".join([f"x.shape[0] * {given[1]}", *given[2:]]),
        "split": ", ".join([given[0], "1", *given[1:-1], shapes[-1]]),
        "turned": ", ".join(map(str, [axes[-1], *axes[:-1]])),
        "last": str(dimensions - 1),
        "all": ", ".join(":" * dimensions),
        "places": ", ".join(f"i{i}" for i in axes),
    }
