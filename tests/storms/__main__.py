"""The commands of the storms: see the package."""

from __future__ import annotations

import argparse
import sys

from tests.storms import kills, life, resources, surroundings


def say(line: str) -> None:
    """Progress, at once."""
    print(line, flush=True)


def main() -> int:
    """Run one storm; its exit status is 0 if nothing failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.storms")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("kills", help="kill hosts and damage cache entries under load")
    one.add_argument("--kills", type=int, default=1000)
    one.add_argument("--corrupt", type=int, default=100)
    one.add_argument("--threads", type=int, default=8)
    one.add_argument("--seed", type=int, default=1)
    two = commands.add_parser(
        "resources", help="many calls, and many derivatives, and what is left"
    )
    two.add_argument("--calls", type=int, default=1_000_000)
    two.add_argument("--derivatives", type=int, default=10_000)
    two.add_argument("--kernels", type=int, default=300, help="as users write them, in Python")
    three = commands.add_parser("life", help="calls and derivatives while servers die, and what is held on the way")
    three.add_argument("--calls", type=int, default=10_000_000)
    three.add_argument("--derivatives", type=int, default=100_000)
    three.add_argument("--hours", type=float, default=24.0, help="it ends then, wherever it is")
    for name, what in (
        ("clocks", "clocks that jump under a program"),
        ("disks", "disks that are full"),
        ("versions", "two versions of the package at one cache"),
    ):
        four = commands.add_parser(name, help=what)
        four.add_argument("--rounds", type=int, default=2000, help="questions of each process")
        four.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.command == "kills":
        tally, text = kills.run(given.kills, given.corrupt, given.threads, given.seed, say)
        say(text)
        return 1 if tally.failures else 0
    if given.command == "life":
        return judged(life.run(given.calls, given.derivatives, say, most_seconds=given.hours * 3600))
    if given.command != "resources":
        return judged(getattr(surroundings, given.command)(given.rounds, say, given.seed))
    return judged(resources.run(given.calls, given.derivatives, given.kernels, say))


def judged(failures: list[str]) -> int:
    """Say what failed; the exit status."""
    say("\n".join([f"failures: {len(failures)}", *failures[:20]]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
