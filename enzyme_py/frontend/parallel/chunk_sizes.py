"""`numba.parallel_chunksize`: how Numba's own loops go about their range, by the name of Numba's C function.

Numba calls that by its address, which nobody can differentiate. Derivatives have parts of their own, and no chunks: what is set here
counts for Numba's loops, and is set back at the end of the `with` block.
"""

from __future__ import annotations

import numba
from numba.core import types
from numba.extending import overload

_set = types.ExternalFunction("set_parallel_chunksize", types.uint32(types.uint32))
_get = types.ExternalFunction("get_parallel_chunksize", types.uint32())


@overload(numba.set_parallel_chunksize, target="enzyme")
def _set_chunk_size(n):  # type: ignore[no-untyped-def]  # names are Numba's
    if not isinstance(n, types.Integer):
        return None  # Numba's own says it

    def set_size(n):  # type: ignore[no-untyped-def]  # for Numba
        if n < 0:
            message = "chunksize must be greater than or equal to zero"
            raise ValueError(message)
        return _set(n)

    return set_size


@overload(numba.get_parallel_chunksize, target="enzyme")
def _get_chunk_size():  # type: ignore[no-untyped-def]  # for Numba
    def get_size():  # type: ignore[no-untyped-def]  # for Numba
        return _get()

    return get_size
