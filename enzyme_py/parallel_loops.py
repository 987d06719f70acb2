"""Derivatives of kernels with parallel loops: with loops for threads first, with serial ones where that is refused.

The same answer either way. Serial from the start are requests that relaxing.py makes of others, for which nothing of threads has
been shown, and kernels that may write to an array of which each part of a loop has a copy (passes/checks/read_only.py), or
run such a loop several times in some second orders (passes/checks/repeated_copies.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import EnzymeError
from enzyme_py.frontend.parallel import log
from enzyme_py.frontend.parallel.wishes import has_one_thread, without_threads
from enzyme_py.llvm import Module
from enzyme_py.passes.checks.read_only import written_copies
from enzyme_py.passes.checks.repeated_copies import has_repeated_copies
from enzyme_py.passes.journal import journal
from enzyme_py.passes.llvm_own import optimised
from enzyme_py.request import Request
from enzyme_py.symbols import COPIED, DRIVER

Made = TypeVar("Made")

_REPEATED = "its parts have copies of an array, it runs several times, and reverse mode differentiates another derivative"
_WRITTEN = "a function that it calls may write to an array that its iterations share"


def is_plain(request: Request) -> bool:
    """Tell whether loops are plain because one thread is all that there will be.

    Not in the halves of a split derivative: both must be of one kind, however the settings change between them.
    """
    return has_one_thread() and not request.is_split


def on_threads_first(
    request: Request, assembled: Callable[[], DiffModule], through: Callable[[DiffModule], Made]
) -> Made:
    """Return what becomes of a request's module: `through` it, or of that with serial loops."""
    is_another = request.runtime_activity or request.shadows_constants or request.inlines
    if is_another or is_plain(request):
        with without_threads():
            return through(assembled())
    module = assembled()
    if DRIVER not in module.ir:
        return through(module)
    reason = _why_plain(module) if COPIED in module.ir else ""
    if not reason:
        try:
            with journal().attempt("loops on threads"):
                return through(module)
        except EnzymeError as said:
            reason = str(said).strip().split("\n", 1)[0]
    log.note("", 0, reason)
    with journal().attempt("loops on one thread"), without_threads():
        return through(assembled())


def _why_plain(module: DiffModule) -> str:
    """Return why loops whose parts have copies are made plain ones; nothing, if they are not."""
    code = Module(optimised(module.ir))
    if written_copies(code):
        return _WRITTEN
    return _REPEATED if has_repeated_copies(code) else ""
