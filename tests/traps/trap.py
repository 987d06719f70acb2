"""One trap: reading its file, asking the bare pass, running what came out, and judging that.

The file begins with a header, `; key: value`; a line that begins with `;` and two blanks or more goes on with the
value above. The keys:

    what         the code that falls into the trap, and what comes of it, in a sentence or two
    cause        why, as far as it is known
    symptom      what the bare pass does today, one of SYMPTOMS
    cure         the files (or the option) of the package that go around it, with commas in between
    without      options of the usual ones (OPTIONS) that are left out, by their beginnings; optional
    with         options that are given in addition; optional
    behind       `O3`: the optimiser runs behind the pass, as it does for users; optional
    call         the arguments of `@derivative`, as `name = value`: a float (double), an integer (i64), or a
                 list of either (a pointer to them)
    right        what they hold afterwards; `result` is what `@derivative` returns
    because      the right answer by hand
    of           `f, reverse` or `f, forward`: the function whose derivative it is. Its arguments are those of
                 `@derivative` without shadows; `dx` is the shadow of `x`. By this the right answer is compared
                 with differences of that function, as the pass left it in the module; optional

A trap that another pass of LLVM in front of Enzyme makes, or behind it, is one as well.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enzyme_py.host.diagnostics import diagnostics_in
from enzyme_py.host.installing.locate import find_toolchain
from enzyme_py.host.process import oneshot
from enzyme_py.host.process.client import RESULT, SOURCE, keeper
from enzyme_py.host.process.forkserver import can_serve
from enzyme_py.host.process.outcome import Limits, Outcome
from enzyme_py.host.process.protocol import WORKSPACE

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
SECONDS = 4.0  # for a derivative; what is right takes no time at all
PASS_SECONDS = 30.0

SYMPTOMS = (
    "wrong",  # other numbers than the right ones
    "refused",  # the pass says that it cannot
    "the pass crashes",
    "the pass hangs",
    "the derivative crashes",
    "the derivative hangs",
    "invalid",  # the pass writes what LLVM does not take
)

# What the package always gives the pass; each has its reason where it is given, and those that keep
# Enzyme from something wrong have a trap of their own.
OPTIONS = (
    "--pass-remarks=enzyme",
    "--enzyme-fast-math=0",
    "--vectorize-loops=0",
    "--vectorize-slp=0",
    "--unroll-runtime=0",
    "--unroll-allow-partial=0",
    "--unroll-peel-max-count=0",
    "--phi-node-folding-threshold=0",
    "--two-entry-phi-node-folding-threshold=0",
    "--speculate-one-expensive-inst=0",
    "--disable-loop-idiom-memcpy",
    "--disable-loop-idiom-memset",
    "--enzyme-loop-invariant-cache=0",
    "--jump-threading-threshold=0",
    "--enable-gvn-memdep=0",
    "--simplifycfg-hoist-common=0",
)

_KEY = re.compile(r"; (\w+): +(.*)")
_ASSERTION = re.compile(r"(Assertion `.*' failed|LLVM ERROR: .*|UNREACHABLE executed.*)")
_TOLERANCE = 1e-9

Values = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """What became of a trap: "right", or one of SYMPTOMS, and the numbers or words to it."""

    kind: str
    detail: str = ""
    differences: str = ""  # an objection of differences to the answer that is said to be right

    @property
    def is_mended(self) -> bool:
        return self.kind == "right"


@dataclass(frozen=True)
class Trap:
    """A file of this folder, read."""

    name: str
    text: str
    keys: dict[str, str]

    @property
    def arguments(self) -> Values:
        return _values(self.keys["call"])

    @property
    def right(self) -> Values:
        return _values(self.keys["right"])

    @property
    def options(self) -> tuple[str, ...]:
        without = tuple(self.keys.get("without", "").split())
        kept = (one for one in OPTIONS if not (without and one.startswith(without)))
        return (*kept, *self.keys.get("with", "").split())


def read(path: Path) -> Trap:
    """Read one file."""
    text = path.read_text(encoding="utf-8")
    return Trap(path.stem, text, _header(text))


def traps(names: tuple[str, ...] = ()) -> list[Trap]:
    """Return all traps, or those of the given names."""
    paths = sorted(FOLDER.glob("*.ll"))
    unknown = set(names) - {path.stem for path in paths}
    if unknown:
        raise SystemExit(f"no such trap: {', '.join(sorted(unknown))}")
    return [read(path) for path in paths if not names or path.stem in names]


def _header(text: str) -> dict[str, str]:
    keys: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        if not line.startswith(";"):
            break
        if found := _KEY.match(line):
            last = found[1]
            keys[last] = found[2].strip()
        elif line.startswith(";  ") and last:
            keys[last] = f"{keys[last]} {line[1:].strip()}"
    return keys


def _values(text: str) -> Values:
    """Read `x = [1.0, 2.0], n = 3`."""
    pairs = re.findall(r"(\w+) *= *(\[[^\]]*\]|[^,\s]+)", text)
    return {name: json.loads(value) for name, value in pairs}


def passed(trap: Trap, *more: str) -> Outcome:
    """Return what the bare pass does with a trap."""
    toolchain = find_toolchain()
    ir = toolchain.prepare(trap.text).encode()
    options = (*trap.options, *more)
    limits = Limits(seconds=PASS_SECONDS)
    if not can_serve(toolchain.executable):
        return oneshot.run(toolchain, options, ir, limits)
    arguments = toolchain.arguments(options, SOURCE, RESULT, WORKSPACE)
    return keeper.server(toolchain.executable).run(arguments, ir, limits)


def judged(trap: Trap) -> Verdict:
    """Ask the bare pass about a trap, and judge what it says or makes."""
    outcome = passed(trap)
    if outcome.timed_out:
        return Verdict("the pass hangs", f"more than {PASS_SECONDS:g} s")
    if outcome.signal is not None:
        said = _ASSERTION.search(outcome.log)
        return Verdict(
            "the pass crashes", said[1] if said else str(signal.strsignal(outcome.signal))
        )
    if outcome.exit_status != 0 or not outcome.output:
        return Verdict("refused", _refusal(outcome.log))
    return _run(trap, outcome.output)


def _refusal(log: str) -> str:
    found = [one.text for one in diagnostics_in(log) if one.severity == "error"] or [log]
    return " ".join(found[0].split())[:300]


def _run(trap: Trap, ir: str) -> Verdict:
    """Run the derivative in a process of its own, which it may end or never give back."""
    asked = {"ir": ir, "keys": trap.keys, "arguments": trap.arguments, "right": trap.right}
    command = [sys.executable, "-m", "tests.traps.call"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            cwd=ROOT,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode()
        return Verdict("the derivative hangs", f"more than {SECONDS:g} s", _objection(said))
    objection = _objection(done.stdout)
    if done.returncode < 0:
        return Verdict("the derivative crashes", str(signal.strsignal(-done.returncode)), objection)
    if done.returncode:
        return Verdict("invalid", done.stderr.strip().splitlines()[-1], objection)
    found, right = json.loads(done.stdout.splitlines()[1])["found"], trap.right
    wrong = {name: found[name] for name in right if not _equal(found[name], right[name])}
    if wrong:
        return Verdict("wrong", ", ".join(f"{k} = {v}" for k, v in wrong.items()), objection)
    return Verdict("right", "", objection)


def _objection(said: str) -> str:
    """Return what differences had to say before the derivative was called, if they came that far."""
    if not said:
        return "(the function itself does not run)"
    return str(json.loads(said.splitlines()[0])["differences"])


def _equal(found: Any, right: Any) -> bool:
    if isinstance(right, list):
        return len(found) == len(right) and all(map(_equal, found, right))
    if right != right:
        return bool(found != found)
    return bool(found == right or abs(found - right) <= _TOLERANCE * max(1.0, abs(right)))
