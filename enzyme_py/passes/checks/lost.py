"""What is said of Const arrays that take active values."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from enzyme_py.errors import ActivityError, ConstWrittenWarning, Where


class Lost(NamedTuple):
    """A kernel, and a Const argument of it that takes active values, or may take some."""

    kernel: str
    argument: str
    is_certain: bool


def tell_lost(lost: Sequence[Lost], where: Where, *, is_strict: bool) -> None:
    """Warn of each finding; raise the first if `is_strict` (`enzyme_py.config(strict=True)`)."""
    for kernel, argument, is_certain in lost:
        own = where.kernel == kernel
        place = replace(where, argument=argument) if own else Where(kernel, argument=argument)
        what = (
            f"the kernel {'writes' if is_certain else 'may write'} `{argument}`, which is Const: "
            "derivatives through it are lost"
        )
        remedy = (
            f"pass Duplicated({argument}, enzyme_py.make_zero({argument})), a shadow of zeros for "
            "a workspace, or let the kernel make the array itself"
        )
        if not is_certain:
            remedy += "; enzyme_py.config(check=True) tells whether anything is lost"
        if is_strict:
            raise ActivityError(what, where=place, remedy=remedy)
        remedy += "; enzyme_py.config(strict=True) makes this an error"
        text = str(ActivityError(what, where=place, remedy=remedy))
        file, line = where.file or "<unknown>", where.line or 1
        warnings.warn_explicit(text, ConstWrittenWarning, file, line)
