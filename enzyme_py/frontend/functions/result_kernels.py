"""Kernels of which a derivative is taken, where they may return dicts or lists.

Such a kernel is a copy of the function, with a mark: what it returns is rewritten when it is compiled
(containers/returned_trees.py). Called by other kernels, the function stays as it is.
"""

from __future__ import annotations

import contextlib
import dataclasses
import dis
import functools
import types as pytypes
from typing import Any

from numba.core import types

from enzyme_py.foundations.keeping import made_of
from enzyme_py.foundations.trees import RETURNS_TREES, structure_behind
from enzyme_py.frontend.functions.kernels import dispatcher_like
from enzyme_py.frontend.functions.parameters import copied_function
from enzyme_py.symbols import DOOR

_BUILDING = frozenset(("BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_LIST"))


def result_kernel(kernel: Any) -> Any:
    """Return the kernel in whose place a derivative of this one is taken: itself, if it makes no dicts or lists."""
    function = getattr(kernel, "py_func", None)
    if function is None or not (_builds(function.__code__) or _names_dataclasses(function)):
        return kernel
    # With a rule, or with types of its own given, which a copy has not.
    if hasattr(kernel, DOOR) or not kernel._can_compile or kernel.locals:
        return kernel
    own = made_of(kernel, "returning trees")
    if "kernel" not in own:
        from enzyme_py.frontend.containers.pipeline import ReturningCompiler

        made = dispatcher_like(kernel, _marked(function))
        made._compiler.pipeline_class = ReturningCompiler
        own["kernel"] = made
    return own["kernel"]


@functools.lru_cache(maxsize=1024)
def _builds(code: pytypes.CodeType) -> bool:
    """Tell whether some code may return a dict or a list that it writes down."""
    if any(one.opname in _BUILDING for one in dis.get_instructions(code)):
        return True
    return any(_builds(one) for one in code.co_consts if isinstance(one, pytypes.CodeType))


def _names_dataclasses(function: pytypes.FunctionType) -> bool:
    """Tell whether a function names a dataclass, of which it may return one."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # of a variable that has no value yet
            named.append(cell.cell_contents)
    return any(isinstance(one, type) and dataclasses.is_dataclass(one) for one in named)


def _marked(function: pytypes.FunctionType) -> pytypes.FunctionType:
    made = copied_function(function, function.__code__, function.__defaults__)
    setattr(made, RETURNS_TREES, True)
    return made


def holds_structure(kind: Any) -> bool:
    """Tell whether a Numba type is, or holds, a named tuple that stands for a dict, a list or a dataclass."""
    if not isinstance(kind, types.BaseTuple):
        return False
    return structure_behind(kind) is not None or any(map(holds_structure, kind))
