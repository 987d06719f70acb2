"""Arguments that are left at their defaults, each with a Numba type of its own.

Numba's C code calls compiled code by a fingerprint of the arguments. Of a default it has the type of the value only
(numba issue 6173, open: the fix of its pull request 10447 is in no release): of all defaults that are a float, it knows
the first of the process. A function with another is sorted out in Python at each call, 10 microseconds for a function
and milliseconds for a derivative, which asks for a finished one first.

An argument of this class has a Numba type that C asks for, and keeps. Reproducer: tests/transforms/test_defaults.py.
"""

from __future__ import annotations

import functools
import gc
from typing import Any

from numba.core import types
from numba.core.dispatcher import OmittedArg


class Omitted(OmittedArg):  # type: ignore[misc]
    """An argument that was left at its default; C looks at the class, and finds it is not Numba's own."""

    @functools.cached_property
    def _numba_type_(self) -> Any:
        return types.Omitted(self.value)


def tell_defaults_apart(dispatcher: Any) -> None:
    """Give each default of a dispatcher, before it is called, a type of its own."""
    if not dispatcher.py_func.__defaults__:
        return
    for held in gc.get_referents(dispatcher):  # C holds them in a tuple that has no name in Python
        if type(held) is tuple:
            for one in held:
                if type(one) is OmittedArg:
                    one.__class__ = Omitted
