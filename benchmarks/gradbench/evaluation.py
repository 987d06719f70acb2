"""What a module of the suite gives for one message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Evaluation:
    """A function without arguments that is timed, and the JSON value of what it returns."""

    run: Callable[[], Any]
    answer: Callable[[Any], Any] = float


Prepare = Callable[[dict[str, Any]], Evaluation]


def warmed(functions: dict[str, Prepare], example: dict[str, Any]) -> None:
    """Compile all functions of a module by running them on a small input."""
    for prepare in functions.values():
        evaluation = prepare(example)
        evaluation.answer(evaluation.run())
