"""The command line: `python -m enzyme_py install | doctor | inspect | cache`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from enzyme_py.errors import EnzymeError
from enzyme_py.native.stored import cache_command
from enzyme_py.settings import settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    given = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = given.run
    settings.verbose = settings.verbose or given.verbose
    try:
        return command(given)
    except EnzymeError as error:
        print(f"enzyme_py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m enzyme_py", description=__doc__)
    parser.add_argument("--verbose", action="store_true", help="show the full detail of errors")
    commands = parser.add_subparsers(required=True, metavar="command")

    install = commands.add_parser("install", help="install the Enzyme executable ahead of time")
    install.add_argument("--wheel", type=Path, metavar="FILE", help="from this wheel, offline")
    install.add_argument(
        "--rules",
        action="store_true",
        help="and compile the derivatives of np.linalg for float64, half a minute",
    )
    install.set_defaults(run=_install)

    doctor = commands.add_parser("doctor", help="say what is installed, and whether it works")
    doctor.add_argument(
        "--last-crash", action="store_true", help="tell of the last derivative that crashed"
    )
    doctor.add_argument("--json", action="store_true", help="as JSON, for bug reports and programs")
    doctor.set_defaults(run=_doctor)

    inspect = commands.add_parser("inspect", help="say what was done to a kernel's gradient")
    inspect.add_argument(
        "kernel", metavar="MODULE:FUNCTION", help="a module's name or a file's path"
    )
    inspect.add_argument("given", nargs="*", help="its arguments as Python; np is NumPy, Const is known")
    inspect.add_argument(
        "--passes", action="store_true", help="each pass that changed the code (the usual)"
    )
    inspect.add_argument(
        "--attempts", action="store_true", help="what was tried, and what came of it"
    )
    inspect.add_argument("--ir", metavar="PASS", help="the code behind a pass")
    _add_report(inspect)
    inspect.set_defaults(run=_inspect)

    cache = commands.add_parser("cache", help="say what the cache of derivatives holds, and care for it")
    cache_command.add_to(cache)
    return parser


def _add_report(inspect: argparse.ArgumentParser) -> None:
    inspect.add_argument("--report", action="store_true", help="each line: what is active, kept, and slow")
    inspect.add_argument("--html", metavar="FILE", type=Path, help="the report as a page")
    inspect.add_argument("--json", metavar="FILE", type=Path, help="the report as data")
    inspect.add_argument("--compare", metavar="FILE", type=Path, help="an earlier report's data: what changed since")
    inspect.add_argument("--mode", choices=("reverse", "forward"), default="reverse", help="of the report")
    inspect.add_argument("--order", type=int, default=1, help="of the report: 2 is the derivative of the gradient")


def _install(given: argparse.Namespace) -> int:
    from enzyme_py.host.installing.provision import install

    print(install(given.wheel))
    if given.rules:
        from enzyme_py.rules_ahead import compiled

        compiled(lambda name: print(f"np.linalg.{name}", flush=True))
    return 0


def _doctor(given: argparse.Namespace) -> int:
    if given.last_crash:
        from enzyme_py.host.last_crash import last_crash

        print(last_crash() or "no derivative has crashed here, as far as is known")
        return 0
    from enzyme_py.inspect import doctor

    text, is_well = doctor.as_json() if given.json else doctor.diagnosis()
    print(text)
    return 0 if is_well else 1


def _inspect(given: argparse.Namespace) -> int:
    from enzyme_py.inspect import command

    kernel, arguments = command.kernel_of(given.kernel), command.arguments_of(given.given)
    if given.ir is not None:
        print(command.code_behind(given.ir, kernel, arguments))
    if given.attempts:
        print(command.attempts_of(kernel, arguments))
    is_report = given.report or given.html or given.json or given.compare
    if is_report:
        print(command.report_of(kernel, arguments, given))
    if given.passes or not (given.attempts or given.ir or is_report):
        print(command.passes_of(kernel, arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main())
