"""What can be found out about a function: each analysis a class, asked for by `function.analysis(Class)`.

It is made when first asked for, and again once the function has changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function


class Analysis:
    """What is known of one function as it is."""

    OF_SHAPE: ClassVar[bool] = False  # whether only blocks and edges are looked at

    def __init__(self, function: Function) -> None:
        self.function = function
