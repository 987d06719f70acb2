"""NumPy's linear algebra in kernels: LAPACK and BLAS, with the derivatives that mathematics knows.

One subject a file; importing this package teaches Numba's target for kernels all of them. Elsewhere, in
compiled code that nobody differentiates, Numba's own implementations stay in place.
"""

from enzyme_py.linalg import cholesky as cholesky
from enzyme_py.linalg import determinant as determinant
from enzyme_py.linalg import eig as eig
from enzyme_py.linalg import eigh as eigh
from enzyme_py.linalg import inverse as inverse
from enzyme_py.linalg import pinv as pinv
from enzyme_py.linalg import qr as qr
from enzyme_py.linalg import solve as solve
from enzyme_py.linalg import svd as svd
