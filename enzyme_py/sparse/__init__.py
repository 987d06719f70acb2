"""Sparse Jacobians and Hessians: which entries there are, in few products, as scipy.sparse arrays.

    jac = enzyme.sparse.jacobian(residual)   # J = jac(x, *others), a csr_array
    hess = enzyme.sparse.hessian(energy)     # H = hess(x, *others), symmetric to the last bit

Columns that share no row are computed in one product of forward mode, rows that share no column in
one of reverse mode; a Hessian uses its symmetry. What does not depend on the point (pattern, colours,
where each entry is found) is prepared at the first call for a shape, and used in all later ones.

**What is promised.** With `check=True`, the default, what is returned is the Jacobian at that very
point, as the dense one is. A pattern found at one point can lack entries at another, where a branch goes the other
way. So each call computes one product more, with a random direction, and compares. Where an entry
is missing, a detected pattern is widened and the call begun again; a pattern that the user gave
raises `SparsityError`, which names the entries. What cannot be seen is a missing entry that shares
a product with others of its row and is below the rounding of that row, 2^10 units of its precision. With `check=False`
the pattern is believed.

**What is detected** (`jacobian_sparsity`, `hessian_sparsity`) are the entries that are not exactly 0.0 at the
point, or at points near it: structure where the kernel goes the way that it goes there, not for all
inputs. The search halves intervals of columns and costs about (colours x log2 columns) products.

The argument is one float32 or float64 array, the output one such array or a number; both count flat, in C
order. All other arguments are held fixed. These functions are for Python, not for compiled code.
"""

from enzyme_py.sparse.colouring import colour
from enzyme_py.sparse.evaluation import (
    SparseDerivative,
    hessian,
    hessian_sparsity,
    jacobian,
    jacobian_sparsity,
)

__all__ = [
    "SparseDerivative",
    "colour",
    "hessian",
    "hessian_sparsity",
    "jacobian",
    "jacobian_sparsity",
]
