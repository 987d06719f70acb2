"""The statements that write to arrays, as tables: plainly, through another name, to one of several."""

from __future__ import annotations

# Writes to a vector w and a matrix o; other holes are those of expressions.py.
WRITES = (
    "{w}[1:] = {v1}[:-1] * 0.5",
    "{w}[1:] = {v1}[:-1]",
    "{w}[::2] = np.sin({v1}[::2])",
    "{w}[:] = {V1}",
    "{w}[::-1] = {v1}",
    "{w}[:n // 2] *= 0.5",
    "{w}[:2] = 0.0",
    "{w} *= 0.75",
    "{w} += np.sin({v1})",
    "{w}[{w} > 0.1357] = 0.25",
    "{o}[{i}] = {v1} * 0.5",
    "{o}[{i}] = {v1}",
    "{o}[:, {i}] = {V1}",
    "{o}[1:, :-1] = {m1}[:-1, 1:]",
    "{o}[:] = {m1}.T",
    "{o}[:, 0] += {v1}",
    "filled({w}, {v1})",
    "{w}[:] = TABLE[:n]",
    "{w}[1:] = GRID[{i}, 1:n]",
    "{o}[{i}] = GRID[{i}, :n]",
    "{o}[:] = GRID[1:n + 1, :n]",
    "{o}[{i}] = {o}[{i2}] * {o}[{i2}]",
    "{o}[{i}] = {o}[{i2}] * {v1}",
    "{w}[1:] *= {w}[:-1]",
)

# Plain arithmetic: what slopes of functions are kept for does not hide what is read again.
PLAIN = (
    "{w}[{i}] = {w}[{i2}] * {w}[{i3}]",
    "{w}[{i}] *= {v1}[{i2}]",
    "{w}[{i}] += {w}[{i2}] * {w}[{i2}] * 0.25",
    "{o}[{i}, {i2}] = {o}[{i2}, {i}] * {o}[{i3}, {i2}]",
    "{o}[{i}, {i2}] -= {o}[{i}, {i3}] * {o}[{i3}, {i2}]",
)

# Writes to a new matrix or vector u through another name. (Numba does not count `flat` from behind.)
THROUGH_MATRIX = (
    "{u}.reshape(n * n)[{i}]",
    "{u}.ravel()[{i}:]",
    "{u}.T[{i}]",
    "{u}.flat[({i}) % n]",
)
THROUGH_VECTOR = (
    "{{0: {u}, 1: {v1} * 1.0}}[0][{i}]",
    "[{u}, {v1} * 1.0][0][{i}]",
    "({u}, c)[0][{i}]",
    "{u}[::-1][{i}:]",
    "{u}.reshape((n, 1))[{i}, 0]",
)

# One of two vectors u and w.
ONE_OF = (
    "[{u}, {w}][{i}]",
    "({u}, {w})[{i}]",
    "{{0: {u}, 1: {w}}}[{i}]",
    "[[{w}, {u}], [{u}, {w}]][{i}][0]",
    "({u} if {i} == 0 else {w})",
    "[{u}[::-1], {w}[::-1]][{i}]",
)

# What can be done with a complex vector z and its element; the parts of x are what else the kernel reads.
COMPLEX = (
    "z *= 0.5 + 0.25j",
    "z[{i}] = z[{i}] * z[-1] * 0.5",
    "z[1:] = z[:-1].conjugate()",
    "z = np.exp(1j * z.real) * z",
    "z = z / (2.5 + z * np.conj(z))",
    "z[{i}] += {B1} * 1j",
    "total += np.sum(np.abs(z + 3.0)) * 0.1",
    "total += (z[{i}] * np.conj(z[0])).real * 0.25",
    "total += np.sqrt(z[{i}] + 3.0).imag",
    "total += np.sum(z * c).imag * 0.5",
    "total += np.tanh(np.dot(z, z).real)",
)
