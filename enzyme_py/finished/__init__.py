"""Finished derivatives: found by what the user wrote, loaded as machine code, without Numba's compiling.

    a call that has no code yet
        -> keys.key_of        everything that its compilation could depend on, as one name
        -> entries.find       what lies on the disk under that name
        -> loading.ready      a function that Numba's C dispatcher calls

What has no such name, or is not on the disk, takes the long way: Numba types and lowers the kernel, and the module that
becomes of it is looked up in the cache of derivatives (native/stored/). What comes out of the long way is kept here for the
next process (keeping.py). Which way a call took, and why, is told by `enzyme.inspect.finished`.

`cached_callers.py` does the same for @njit(cache=True) code of the user's that takes derivatives: Numba keeps it, and here
is looked after what it is bound to.
"""
