"""A process that asks about seeds, see tests/numba_suite/worker.py; METAMORPHIC_REWRITES names the
rewrites, if not all, and METAMORPHIC_SECOND asks for second orders of all.
"""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from typing import Any

from tests.metamorphic.questions import REWRITES, outcomes, rewritten
from tests.numba_suite.worker import answered, megabytes

_NAMES = [one for one in os.environ.get("METAMORPHIC_REWRITES", "").split(",") if one]

_SECOND = bool(os.environ.get("METAMORPHIC_SECOND"))


def _answer(request: dict[str, Any], say: Any) -> None:
    number, _, kernel = request["test"].partition(" ")
    seed, names = int(number), _NAMES or list(REWRITES)
    begun = time.process_time()
    form, done = rewritten(seed, names, kernel)
    key = f"{seed} {form.origin.name}: {', '.join(done)}"
    if key in request["known"]:  # a process died of it
        say(end=True, left={}, seconds=0.0, megabytes=megabytes())
        return
    say(begin=key)
    found = outcomes(seed, names, kernel, second=_SECOND)
    seconds = time.process_time() - begun
    say(key=key, outcomes=[asdict(one) for one in found], seconds=seconds)
    say(end=True, left={}, seconds=0.0, megabytes=megabytes())


if __name__ == "__main__":
    answered(_answer)
