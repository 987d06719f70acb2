"""The code of the rules of `np.linalg`, compiled ahead: `python -m enzyme_py install --rules`.

That code is compiled once a machine and type, when a derivative first calls it (native/rule_code.py): one to three seconds
for each function. Here small kernels with each function call it, in both modes, for matrices of float64.

    compiled(say)      compile what the disk does not have; `say` is told of each function
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzyme_py.calls.operators import gradient, jvp


def _solve(a):  # type: ignore[no-untyped-def]  # kernels, compiled by Numba
    return np.sum(np.linalg.solve(a, a[0])) + np.sum(np.linalg.solve(a, a))


def _inv(a):  # type: ignore[no-untyped-def]
    return np.sum(np.linalg.inv(a))


def _det(a):  # type: ignore[no-untyped-def]
    return np.linalg.det(a)


def _slogdet(a):  # type: ignore[no-untyped-def]
    return np.linalg.slogdet(a)[1]


def _cholesky(a):  # type: ignore[no-untyped-def]
    return np.sum(np.linalg.cholesky(a))


def _eigh(a):  # type: ignore[no-untyped-def]
    values, vectors = np.linalg.eigh(a)
    return np.sum(values) + np.sum(vectors * vectors)


def _eigvalsh(a):  # type: ignore[no-untyped-def]
    return np.sum(np.linalg.eigvalsh(a))


def _eig(a):  # type: ignore[no-untyped-def]
    return np.sum(np.linalg.eig(a.astype(np.complex128))[0].real)


def _svd(a):  # type: ignore[no-untyped-def]
    u, s, v = np.linalg.svd(a)
    return np.sum(s) + np.sum(u * u) + np.sum(v * v)


def _qr(a):  # type: ignore[no-untyped-def]
    q, r = np.linalg.qr(a)
    return np.sum(q * q) + np.sum(r)


def _lstsq(a):  # type: ignore[no-untyped-def]
    return np.sum(np.linalg.lstsq(a, a[0])[0])


def _pinv(a):  # type: ignore[no-untyped-def]
    return np.sum(np.linalg.pinv(a))


KERNELS: dict[str, Callable[..., Any]] = {
    "solve": _solve,
    "inv": _inv,
    "det": _det,
    "slogdet": _slogdet,
    "cholesky": _cholesky,
    "eigh": _eigh,
    "eigvalsh": _eigvalsh,
    "eig": _eig,
    "svd": _svd,
    "qr": _qr,
    "lstsq": _lstsq,
    "pinv": _pinv,
}


def compiled(say: Callable[[str], None]) -> None:
    """Compile the code of every rule that the disk does not have."""
    a = np.diag([3.0, 4.0, 5.0]) + 0.1  # symmetric, and no two eigenvalues alike
    for name, kernel in KERNELS.items():
        say(name)
        gradient(kernel, a)
        jvp(kernel, (a,), (a,))
