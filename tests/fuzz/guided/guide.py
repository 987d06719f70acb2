"""What a worker of a guided run does around its questions: plain Python first, and notes of what is reached."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from tests.fuzz import subject
from tests.fuzz.checks import Outcome, outcomes
from tests.fuzz.guided.interpreted import Plain, Unfit, check_alike
from tests.fuzz.guided.reached import Reached
from tests.fuzz.subject import Subject


class Guide:
    """Asks of one kernel after the other, and tells what an answer of an ordinary worker does not have."""

    def __init__(self) -> None:
        self._plain, self._reached = Plain(), Reached()
        self._reached.install()
        self._unfit = ""
        subject.look = self._look

    def asked(
        self, source: str, seed: int, questions: Collection[str] | None
    ) -> tuple[list[Outcome], dict[str, Any]]:
        """Return the answers, what was reached that was not reached in this process, and what variables hold."""
        self._unfit = ""
        with self._reached.noted() as new:
            found = outcomes(source, seed, questions)
        if self._unfit and found[0].question == "value":
            return [], {"unfit": self._unfit}
        return found, {"reached": new, "kinds": self._plain.kinds}

    def _look(self, at: Subject) -> Callable[[Any], None]:
        def given() -> tuple[Any, ...]:
            return at.given(*at.active)

        try:
            want = self._plain.look(at.source, given(), given)
        except Unfit as error:
            self._unfit = str(error)
            raise

        def check(got: Any) -> None:
            try:
                check_alike(got, want, is_single=at.is_single)
            except Unfit as error:
                self._unfit = str(error)
                raise

        return check
