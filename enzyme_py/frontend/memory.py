"""Numba's runtime memory as a differentiated kernel sees it: no reference counts.

Counts are poison to Enzyme (DESIGN 5), and pointless here: every block belongs to the region of
the call and goes when the region closes. The allocation functions stay calls in this stage;
assembly gives them bodies.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.runtime.context import NRTContext
from numba.cpython import listobj

from enzyme_py.frontend.lists import grow_function

EXCEPTION_ALLOCATE = "enzyme_py_exception_allocate"
EXCEPTION_FREE = "enzyme_py_exception_free"

_fill = listobj.ListInstance.zfill


@contextlib.contextmanager
def unfilled_lists() -> Iterator[None]:
    """Within the block, kernels leave the places of lists that hold no item as they are.

    Numba fills them with zeros for whoever drops the reference that stands there. Kernels have no
    references, and an untyped fill of a list of arrays is refused.
    """
    listobj.ListInstance.zfill = _fill_counted
    try:
        yield
    finally:
        listobj.ListInstance.zfill = _fill


def _fill_counted(items: Any, start: Any, stop: Any) -> None:
    if not isinstance(items._context.nrt, RegionNRT):
        _fill(items, start, stop)


class RegionNRT(NRTContext):  # type: ignore[misc]
    """Numba's interface to its runtime, without counting."""

    def incref(self, builder: ir.IRBuilder, typ: Any, value: Any) -> None:
        """Do nothing: the region owns the block."""

    def decref(self, builder: ir.IRBuilder, typ: Any, value: Any) -> None:
        """Do nothing: the region owns the block."""

    def meminfo_varsize_realloc_unchecked(
        self, builder: ir.IRBuilder, meminfo: Any, size: Any
    ) -> Any:
        """Move a list, the one user of this, to a larger block; see lists.py."""
        payload = self._context.last_list_payload
        return builder.call(grow_function(self._context, builder.module, payload), [meminfo, size])


class ExceptionNRT(RegionNRT):
    """Memory that outlives the region: the run-time arguments of an exception.

    Numba's caller frees it with its own runtime, so it must come from there.
    """

    def allocate(self, builder: ir.IRBuilder, size: Any) -> Any:
        kind = ir.FunctionType(cgutils.voidptr_t, [cgutils.intp_t])
        function = cgutils.get_or_insert_function(builder.module, kind, EXCEPTION_ALLOCATE)
        return builder.call(function, [size])

    def free(self, builder: ir.IRBuilder, ptr: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t])
        function = cgutils.get_or_insert_function(builder.module, kind, EXCEPTION_FREE)
        return builder.call(function, [ptr])
