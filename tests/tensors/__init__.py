"""Kernels of arrays of three to five dimensions, as networks, simulations and pictures have them.

Each is asked in six orders, by all of its arrays, as the rows of tests/coverage are: against a complex step, or against differences
that estimate their own error. Sizes are known at run time only: attributes of arrays, and numbers that are given.

    python -m tests.tensors                 all of them; what was measured before is kept
    python -m tests.tensors conv2d lenet    some, again
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tests.coverage.row import Row
from tests.tensors import (
    attention,
    contractions,
    convolutions,
    fields,
    lenet,
    normalising,
    pooling,
    recurrent,
)

_MODULES = (
    attention, contractions, convolutions, fields, lenet, normalising, pooling, recurrent,
)  # fmt: skip


def _rows(module: ModuleType) -> list[Row]:
    room = module.__name__.rpartition(".")[2]
    kernels: dict[Any, tuple[Any, ...]] = module.ARGUMENTS
    return [
        Row(f"{room}.{kernel.__name__}", kernel, args, room, kernel.__name__)
        for kernel, args in kernels.items()
    ]


KERNELS = {row.name: row for module in _MODULES for row in _rows(module)}
