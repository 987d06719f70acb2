"""NumPy's linear algebra in kernels: LAPACK and BLAS, with the derivatives that mathematics knows.

One subject a file; importing this package teaches Numba's target for kernels all of them. Elsewhere, in
compiled code that nobody differentiates, Numba's own implementations stay in place.
"""

from enzyme_py.linalg import solve as solve
