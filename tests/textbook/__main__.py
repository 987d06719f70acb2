"""The command: see the package."""

from __future__ import annotations

import collections
import sys
import warnings

from tests.textbook import kernels
from tests.textbook.orders import answers


def main(names: list[str]) -> int:
    """Ask all kernels, or those whose names end so; the exit status is 1 if anything is wrong."""
    warnings.simplefilter("ignore")
    tally = collections.Counter[str]()
    for name, (kernel, x, c) in kernels().items():
        if names and not name.endswith(tuple(names)):
            continue
        found = dict(answers(kernel, x, c, second=True))
        tally.update(one.partition(":")[0] for one in found.values())
        told = {order: one for order, one in found.items() if one != "right"}
        print(name, told or "right", flush=True)
    print(dict(tally))
    return 1 if tally["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
