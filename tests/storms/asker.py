"""A program that asks for derivatives while its surroundings misbehave, and says at the end what came of it, as a line of JSON.

    python -m tests.storms.asker ROUNDS SEED [FACTOR]

New derivatives and old ones mixed, from IR and from Python functions, each compared with its answer by hand. FACTOR is what the
package's own answers are multiplied by: another version, which storms make on purpose (versions.py). UNRULY in the environment is
a library that the fork server is preloaded with as well.
"""

from __future__ import annotations

import collections
import json
import os
import random
import sys
import warnings
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py import host, native
from enzyme_py.errors import CacheWarning
from enzyme_py.host.crash_files import save_module
from enzyme_py.host.process.forkserver import ForkServer
from enzyme_py.native.stored import disk_cache
from tests.native.modules import call_scalar
from tests.storms.kills import KERNEL, module_of

REVISITED = 0.5
NAMES = 12  # of kernels: several processes ask for the same


def preload_servers(library: str) -> None:
    """Let what misbehaves here misbehave in the fork server too."""
    start = ForkServer._start

    def started(self: Any, preload: Any, theirs: Any, log: Any) -> Any:
        return start(self, [library, *preload], theirs, log)

    ForkServer._start = started  # type: ignore[method-assign]


def from_ir(factor: int, draw: random.Random) -> tuple[float, float]:
    """What a derivative from IR says, and what it should."""
    function = native.compile(module_of(factor), host.differentiate, host.identity())
    x = float(draw.randrange(1, 50))
    return call_scalar(function.addresses["entry"], x), 3.0 * factor * x * x


def from_python(factor: int, draw: random.Random) -> tuple[float, float]:
    """The same from a function of Python, a new one each time: so what is on the disk is looked for."""
    scope: dict[str, Any] = {}
    exec(KERNEL.format(factor=float(factor)), scope)
    x = np.array([1.0, 2.0, float(draw.randrange(1, 50))])
    got = enzyme.grad(scope["kernel"])(x)
    return float(got[2]), 3.0 * factor * x[2] ** 2


def main() -> int:
    """Ask; the exit status is 0, whatever was found: who runs this judges."""
    rounds, draw = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    own = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    if "UNRULY" in os.environ:
        preload_servers(os.environ["UNRULY"])
    enzyme.config(time_limit=20.0, cache_limit=int(os.environ.get("STORM_CACHE_LIMIT", str(2**30))))
    told, failures = collections.Counter[str](), list[str]()
    right = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for asked in range(rounds):
            is_old = draw.random() < REVISITED
            factor = draw.randrange(1, NAMES) if is_old else NAMES + asked
            ask, scale = (from_python, own) if asked % 4 == 3 else (from_ir, 1.0)
            try:
                got, want = ask(factor, draw)
                if asked % 8 == 1:
                    saved = save_module(f"; module {draw.random()}\n", "a crash")
                    if saved is not None and not saved.is_file():
                        failures.append(f"{saved.name} was saved, and is not there")
            except Exception as error:
                told[f"{type(error).__name__}: {str(error).splitlines()[0]}"] += 1
                continue
            right += bool(got == want * scale)
            if got != want * scale:
                failures.append(f"a wrong derivative: {got} of {factor}, not {want * scale}")
    kinds = collections.Counter(
        "CacheWarning" if one.category is CacheWarning else f"{one.category.__name__}: {one.message}" for one in caught
    )
    left = [path.name for path in disk_cache.folder().glob("*.part")] if disk_cache.folder().is_dir() else []
    host.close()
    found = {"right": right, "errors": told, "warnings": kinds, "failures": failures, "aside": left}
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
