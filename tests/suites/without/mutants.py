"""Kernels of the guided fuzzer, made without a run: one of the kernels that runs begin with, mutated, with parts of another."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.fuzz import subject
from tests.fuzz.guided.interpreted import Plain
from tests.fuzz.guided.mutations import mutated
from tests.fuzz.guided.names import Known
from tests.fuzz.guided.runs import kernels_in
from tests.fuzz.subject import Inconclusive, Subject

CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"
IDIOMS = Path(__file__).parents[2] / "fuzz" / "idioms"
_NEWER = ("overwritten",)  # mutations that came behind the draw of the short form


class _Seen(Inconclusive):
    """Plain Python has run the kernel: nothing else is wanted of it."""


def source_of(name: str) -> str:
    """Return a kernel of the corpus by its name, or an idiom: `sorting.3` is the third of its file."""
    file, _, number = name.partition(".")
    kernels = kernels_in((IDIOMS if number else CORPUS) / f"{file}.txt")
    return kernels[int(number or 1) - 1]


def known(source: str, seed: int) -> Known:
    """Return a kernel with what its variables hold, at the point that a seed draws."""
    plain, before = Plain(), subject.look

    def look(at: Any) -> None:
        def given() -> tuple[Any, ...]:
            return tuple(at.given(*at.active))

        plain.look(at.source, given(), given)
        raise _Seen

    subject.look = look
    try:
        Subject(source, seed)
    except _Seen:
        return Known(source, plain.kinds)
    finally:
        subject.look = before
    raise AssertionError("nobody looked at the kernel")


def mutant(seed: int, host: str, donor: str) -> tuple[str, list[str]]:
    """Return a kernel that came of one by the mutations that a seed draws, and their names; parts come from another."""
    of, other = (known(source_of(one), seed) for one in (host, donor))
    return mutated(of, lambda: other, random.Random(f"without {seed}"), without=_NEWER)
