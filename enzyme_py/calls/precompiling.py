"""Compiling ahead of the first call, and derivatives that a package brings with it."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from enzyme_py.foundations.trees import as_tuples
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.frontend.functions.function_arguments import omitted
from enzyme_py.settings import settings


def precompile(f: Callable[..., Any], *arguments: Any) -> None:
    """Compile a kernel or a transform for arguments of these types and layouts, without running it.

    The arguments are examples; what is in their arrays does not matter. Errors are those of a first call.
    The result waits for the next call in this process, and derivatives lie in the disk cache for others.

    Examples:
        >>> slope = enzyme.grad(lambda x: x**3)
        >>> enzyme.precompile(slope, 1.0)
        >>> slope(2.0)
        12.0
    """
    dispatcher, held = opened(f)
    given = [*held, *map(as_tuples, arguments)]
    dispatcher._compile_for_args(*_folded(dispatcher, given))  # noqa: SLF001  (what Numba calls itself)


def _folded(dispatcher: Any, given: list[Any]) -> list[Any]:
    """Return the arguments as Numba's C code hands them over: with defaults, those behind a star in a tuple."""
    parameters = list(inspect.signature(dispatcher.py_func).parameters.values())
    folded: list[Any] = []
    for number, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_POSITIONAL:
            return [*folded, tuple(given[number:])]
        if number < len(given):
            folded.append(given[number])
        elif parameter.default is not parameter.empty:
            folded.append(omitted(parameter.default))
        else:
            break
    return [*folded, *given[len(parameters) :]]


@contextlib.contextmanager
def record_precompiled(folder: str | PathLike[str]) -> Iterator[None]:
    """Within the block, keep each derivative that is compiled in a folder that a package can carry.

    What this process compiled before is not made anew, so begin with it. The disk cache is not asked.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with enzyme.record_precompiled(folder):
        ...         enzyme.precompile(enzyme.grad(lambda x: x**4), 1.0)
        ...     len(os.listdir(folder)) > 0
        True
    """
    before = settings.record
    settings.record = Path(folder).absolute()
    try:
        yield
    finally:
        settings.record = before


def add_precompiled(folder: str | PathLike[str]) -> None:
    """Look for derivatives in a folder that `record_precompiled` has filled; it is only read.

    What is found there needs no host. Its content is run: trust it as the code of the package that it is part of.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, enzyme.config(precompiled=()):
        ...     enzyme.add_precompiled(folder)  # a package does so when it is imported
    """
    path = Path(folder).absolute()
    if path not in settings.precompiled:
        settings.precompiled = (*settings.precompiled, path)


__all__ = ["add_precompiled", "precompile", "record_precompiled"]
