"""`python -m examples.gallery`: run the programs of the gallery, and draw their pictures if asked to."""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path

from examples.gallery import PROGRAMS

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "gallery"


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m examples.gallery", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PROGRAMS))
    parser.add_argument("--short", action="store_true", help="less data, fewer steps")
    parser.add_argument("--pictures", action="store_true", help="draw into docs/gallery/")
    given = parser.parse_args()
    for unknown in sorted(set(given.names) - set(PROGRAMS)):
        parser.error(f"there is no program {unknown!r}; there are {', '.join(PROGRAMS)}")
    for name in given.names or PROGRAMS:
        program = importlib.import_module(f"examples.gallery.{name}")
        begun = time.perf_counter()
        program.main(given.short, PICTURES / f"{name}.png" if given.pictures else None)
        print(f"  ({name}, {time.perf_counter() - begun:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
