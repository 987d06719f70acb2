"""Functions of SciPy's that a kernel calls by their address.

    gammaln = ctypes.CFUNCTYPE(c_double, c_double)(get_cython_function_address("scipy.special.cython_special", "gammaln"))

So compiled code calls them without numba-scipy, as Numba's own documentation has it; packages also make values of them that
are functions (`WrapperAddressProtocol`). A kernel has the function of `scipy.special` in their place: its value is that of the same
C function, and its derivatives are known. What is not in the table of these stays as it is, but for values that are functions: such a
call is refused in any case, and now by its name. What takes or returns other types than doubles stays as it is, too.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba.core import types

from enzyme_py.special.addresses import functions_of_doubles
from enzyme_py.special.table import ALIASES, TABLE


def function_at(address: int, signature: Any, *, with_derivatives: bool) -> Any:
    """Return the function of scipy.special whose C function is called with this signature, None if there is none.

    Of all of them, or of those that have derivatives.
    """
    if any(one != types.float64 for one in (signature.return_type, *signature.args)):
        return None
    found = _by_address().get((address, len(signature.args)))
    is_known = found is not None and (found.__name__ in TABLE or found.__name__ in ALIASES)
    return found if is_known or not with_derivatives else None


@functools.cache
def _by_address() -> dict[tuple[int, int], Any]:
    """Return the functions of doubles, by the address and the number of arguments."""
    import scipy.special

    known = {
        (address, count): getattr(scipy.special, name, None)
        for name, count, address in functions_of_doubles()
    }
    return {place: one for place, one in known.items() if isinstance(one, np.ufunc)}
