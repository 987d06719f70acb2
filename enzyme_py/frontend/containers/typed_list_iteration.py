"""Iterators of numba.typed.List: Numba's, over items that are loaded as typed_lists.py does it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.typed import listobject

from enzyme_py.frontend.containers.memory import RegionNRT
from enzyme_py.frontend.containers.typed_lists import typed_getitem


class _GetItem:
    """Stands for the intrinsic of Numba's that its iterators call by themselves."""

    @staticmethod
    def _defn(typing_context: Any, held: Any, index: Any) -> Any:
        sig, lower = typed_getitem._defn(typing_context, held, index)
        usual = _getitem_borrowed._defn(typing_context, held, index)[1]

        def choose(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
            own = isinstance(context.nrt, RegionNRT)
            return (lower if own else usual)(context, builder, sig, args)

        return sig, choose


_getitem_borrowed = listobject._list_getitem_borrowed


@contextlib.contextmanager
def typed_iteration() -> Iterator[None]:
    """Within the block, iterators of typed lists load items by ours."""
    listobject._list_getitem_borrowed = _GetItem
    try:
        yield
    finally:
        listobject._list_getitem_borrowed = _getitem_borrowed
