"""Our versions of some of Numba's functions, in place while a kernel is compiled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from numba.core import lowering

from enzyme_py.frontend.arrays.flat_iteration import counted_flat_iteration
from enzyme_py.frontend.arrays.iteration import countable_iteration
from enzyme_py.frontend.arrays.joins import block_joins
from enzyme_py.frontend.codegen.outlining import tuples_in_sets
from enzyme_py.frontend.containers.memory import typed_list_items
from enzyme_py.frontend.containers.set_iteration import sets_as_lists
from enzyme_py.frontend.containers.typed_list_iteration import typed_iteration
from enzyme_py.frontend.numpy_functions.complex_powers import complex_powers
from enzyme_py.frontend.numpy_functions.draws import inactive_draws
from enzyme_py.frontend.numpy_functions.smooth import constant_signs
from enzyme_py.frontend.numpy_functions.sorting import gathered_sorts


@contextlib.contextmanager
def _quick_lines() -> Iterator[None]:
    """Within the block, Numba asks a function's code for its first line, not its file.

    It would parse the whole file for each function, those of its own large modules among them: half
    of the time of a first gradient with a slice assignment (measured, 0.9 s of 1.8 s).
    """
    usual = lowering.get_func_body_first_lineno
    lowering.get_func_body_first_lineno = _first_line
    try:
        yield
    finally:
        lowering.get_func_body_first_lineno = usual


def _first_line(function: Any) -> int:
    code = function.__code__
    lines = [line for *_, line in code.co_lines() if line and line > code.co_firstlineno]
    return int(min(lines, default=code.co_firstlineno + 1))


_VERSIONS = (
    _quick_lines,
    block_joins,
    complex_powers,
    constant_signs,
    countable_iteration,
    counted_flat_iteration,
    gathered_sorts,
    inactive_draws,
    sets_as_lists,
    tuples_in_sets,
    typed_list_items,
    typed_iteration,
)
_compiling: list[None] = []  # one for each compilation that is under way, under the compiler lock


@contextlib.contextmanager
def own_versions() -> Iterator[None]:
    """Within the block, Numba lowers by our versions of some of its functions.

    A callee is compiled in the middle of its caller: the versions stay until the outermost is done.
    """
    with contextlib.ExitStack() as versions:
        for version in () if _compiling else _VERSIONS:
            versions.enter_context(version())
        versions.callback(_compiling.pop)
        _compiling.append(None)
        yield
