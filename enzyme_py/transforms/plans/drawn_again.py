"""A warning for derivatives that take several runs of a kernel which draws random numbers.

The rows of a Jacobian come from a run each, and so do a value and what its pull-back is asked for. Each run
draws others, so they belong to different functions. A kernel that seeds its generator draws the same ones.
"""

from __future__ import annotations

import warnings
from typing import Any

from enzyme_py.errors import DrawnAgainWarning, RuleError
from enzyme_py.finished.keeping import WARNED
from enzyme_py.foundations.keeping import kept_with_kernel, made_of
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.numpy_functions.draws import draws_anew
from enzyme_py.frontend.target.lower import compile_kernel


@kept_with_kernel
def warn_of_draws(kernel: Any, kinds: tuple[Any, ...], runs: str) -> None:
    """Warn, once, if a kernel draws other random numbers in each run; `runs` says what takes several."""
    library = compile_kernel(kernel, kinds).library
    if not draws_anew(library, kinds):
        return
    made_of(kernel, WARNED)[kinds] = True
    name, where = kernel.py_func.__name__, where_is(kernel)
    what = f"`{name}` draws random numbers, and {runs}: they belong to different draws"
    remedy = "draw before, and pass the draws as an argument, or seed inside the kernel"
    text = str(RuleError(what, where=where, remedy=remedy))
    warnings.warn_explicit(text, DrawnAgainWarning, where.file or "<unknown>", where.line or 1)
