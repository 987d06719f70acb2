"""np.zeros and its like, and list(...), always inlined.

    h = np.zeros((batch, width))
    for t in range(n):
        h = np.tanh(x[t] + h)
        y[t] = h

LLVM inlines Numba's function where it is called once, and leaves it alone where a kernel calls it several times for the
same type. The array comes back through memory then: a pointer that Enzyme knows nothing of. Where that merges with
an array that has a shadow, second derivatives were refused (two such loops in one kernel: a network that reads a sequence
in both directions).

So does a list: of `np.interp(list(range(n)), ...)`, twice in a kernel, second orders were refused, since the lists' lengths were
numbers of an unknown type.
"""

from __future__ import annotations

from typing import Any

from numba.cpython import listobj
from numba.np import arrayobj

_MAKERS = ("empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like")
_LIST = "list_constructor_iterable.<locals>.list_impl"
_NAMES = tuple(f"{way}_np_{one}.<locals>." for one in _MAKERS for way in ("ol", "impl"))


def makes_array(function: Any) -> bool:
    """Tell whether a function is one of Numba's that make an array and do nothing else."""
    return bool(
        function.__module__ == arrayobj.__name__ and function.__qualname__.startswith(_NAMES)
    )


def makes_list(function: Any) -> bool:
    """Tell whether a function is Numba's that makes a list of what can be iterated over."""
    return bool(function.__module__ == listobj.__name__ and function.__qualname__ == _LIST)
