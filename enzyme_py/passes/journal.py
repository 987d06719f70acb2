"""What was done to one derivative's code, and what was tried: written while it is compiled, read by `enzyme.inspect`.

Each compilation has a journal of its own. It always holds which passes changed the code and how long they took, and
every attempt with what came of it; the code behind each pass only where somebody wants to look at it (`keeps_code`).

An attempt may have a *doubt*: why an answer that it gives is right for most code, and not proven for this. What served in
the end leaves its doubts in the journal; an attempt that was refused takes those of all that was tried inside of it along.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enzyme_py.passes.base import Draft


@dataclass(frozen=True)
class Step:
    """One run of one pass, or of LLVM's O2 (`O2`), or of Enzyme (`Enzyme`)."""

    name: str
    seconds: float
    has_changed: bool
    before: str = ""  # the code, if the journal keeps it
    after: str = ""
    options: tuple[str, ...] = ()  # of Enzyme, as the step was given them

    @property
    def lines(self) -> int:
        """The number of lines that the step wrote, took away or wrote anew."""
        before, after = self.before.split("\n"), self.after.split("\n")
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        return sum(
            max(end - start, last - first)
            for tag, start, end, first, last in matcher.get_opcodes()
            if tag != "equal"
        )


@dataclass(frozen=True)
class Tried:
    """One attempt: its name in the table of attempts, and what came of it: nothing said if it served."""

    name: str
    refusal: str = ""
    seconds: float = 0.0
    doubt: str = ""  # why its answer is not proven for this code

    @property
    def has_served(self) -> bool:
        """Whether the attempt gave a derivative."""
        return not self.refusal

    def __str__(self) -> str:
        served = f"served; doubtful, since {self.doubt}" if self.doubt else "served"
        return f"{self.name}: {self.refusal or served}"


class Unfinished:
    """A step that goes on: its result comes before it ends."""

    result: Draft | None = None


@dataclass
class Journal:
    """The steps and attempts of one compilation, in their order."""

    keeps_code: bool = False
    steps: list[Step] = field(default_factory=list)
    attempts: list[Tried] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)  # of what served, and of what is being tried

    @contextlib.contextmanager
    def step(self, name: str, draft: Draft) -> Iterator[Unfinished]:
        """Note a step that makes another draft, given as the `result` of what is yielded."""
        before, begun = str(draft.code) if self.keeps_code else "", time.perf_counter()
        unfinished = Unfinished()
        yield unfinished
        seconds, made = time.perf_counter() - begun, unfinished.result
        after = str(made.code) if self.keeps_code and made is not None else ""
        self.steps.append(Step(name, seconds, True, before, after, tuple(draft.options)))

    @contextlib.contextmanager
    def attempt(self, name: str, doubt: str = "") -> Iterator[None]:
        """Note an attempt and how it ends; with a `doubt`, that an answer by it is not proven."""
        begun, known = time.perf_counter(), len(self.doubts)
        if doubt:
            self.doubts.append(f"{name}: {doubt}")
        try:
            yield
        except BaseException as refusal:
            del self.doubts[known:]
            said = str(refusal).strip().split("\n", 1)[0] or type(refusal).__name__
            self.attempts.append(Tried(name, said, time.perf_counter() - begun, doubt))
            raise
        self.attempts.append(Tried(name, "", time.perf_counter() - begun, doubt))

    @contextlib.contextmanager
    def own_doubts(self) -> Iterator[None]:
        """Begin without doubts: what is compiled inside is another derivative than the one outside."""
        outside, self.doubts = self.doubts, []
        try:
            yield
        finally:
            self.doubts = outside

    @property
    def known_doubts(self) -> tuple[str, ...]:
        """The doubts so far, each once."""
        return tuple(dict.fromkeys(self.doubts))


_current: ContextVar[Journal | None] = ContextVar("journal", default=None)

# Asked of the code behind each pass, with the pass's name: set by tests, which verify it with LLVM.
verify: Callable[[str, str], None] | None = None


def journal() -> Journal:
    """Return the journal of the compilation that is going on: one that nobody reads, if none is."""
    return _current.get() or Journal()


@contextlib.contextmanager
def kept(*, keeps_code: bool = False) -> Iterator[Journal]:
    """Write a journal of what is compiled inside; one that is being written goes on."""
    current = _current.get()
    if current is not None:
        yield current
        return
    new = Journal(keeps_code)
    token = _current.set(new)
    try:
        yield new
    finally:
        _current.reset(token)
