"""Where the package's own C libraries are."""

from __future__ import annotations

from importlib import metadata, resources
from pathlib import Path


def library_file(name: str) -> Path:
    """Return the path of a library that was built with the package; it may not exist.

    Python started in a clone imports the sources in the folder instead of the installed package, and
    only the latter has the libraries. Both are the same version after `pip install .`.
    """
    beside = Path(str(resources.files("enzyme_py") / "_lib" / name))
    if beside.is_file():
        return beside
    try:
        installed = metadata.distribution("enzyme_py")
    except metadata.PackageNotFoundError:
        return beside
    path = Path(str(installed.locate_file(f"enzyme_py/_lib/{name}")))
    return path if path.is_file() else beside
