"""Which comparison a call gets: that of every derivative, or that of doubtful ones alone; and the list of these is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme_py.errors import CheckError
from enzyme_py.native.function import NativeFunction
from enzyme_py.passes.checks.doubts import settle
from enzyme_py.settings import settings
from enzyme_py.transforms.checking.doubtful import settled
from enzyme_py.transforms.checking.verification import verify


def compared(
    dispatcher: Any, entry: Any, args: Sequence[Any], attempts: int, doubtful: Sequence[NativeFunction]
) -> bool:
    """Compare a derivative; tell whether nothing is left to find out. `doubtful` is what carries a doubt behind it."""
    reasons = tuple(dict.fromkeys(reason for one in doubtful for reason in one.doubts))
    symbols = [symbol for one in doubtful for symbol in one.symbols.values()]
    try:
        if settings.check is True:
            is_settled = verify(dispatcher, entry, args, attempts, reasons)
            outcome = "compared with differences" if is_settled else "not compared: differences are inconclusive so far"
        else:
            is_settled, outcome = settled(dispatcher, entry, args, attempts, reasons)
    except CheckError as error:
        settle(symbols, f"wrong: {error.what.split(chr(10), 1)[0]}")
        raise
    settle(symbols, outcome)
    return is_settled
