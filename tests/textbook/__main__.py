"""The command: see the package."""

from __future__ import annotations

import argparse
import collections
import sys
import warnings

import numba

from tests.textbook import TURNS, TWINS, Kernel, kernels
from tests.textbook.orders import answers


def main() -> int:
    """Ask all kernels, or those whose names end so; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.textbook")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--of", choices=TWINS, help="other numbers than a vector of floats")
    parser.add_argument("--first", action="store_true", help="first orders only")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tally = collections.Counter[str]()
    for name, (kernel, x, c) in kernels().items():
        if given.names and not name.endswith(tuple(given.names)):
            continue
        asked = TWINS[given.of](kernel) if given.of else kernel
        if given.of and not compiles(asked, x, c):
            tally["not for such numbers"] += 1
            continue
        found = dict(answers(asked, x, c, second=not given.first))
        tally.update(one.partition(":")[0] for one in found.values())
        told = {order: one for order, one in found.items() if one != "right"}
        print(name, told or "right", flush=True)
    print(dict(tally))
    return 1 if tally["wrong"] else 0


def compiles(kernel: Kernel, x: object, c: object) -> bool:
    """Tell whether Numba itself takes a kernel."""
    try:
        numba.njit(kernel)(x, c, TURNS)
    except Exception:  # of several kinds, from the depths of Numba
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
