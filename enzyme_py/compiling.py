"""The heart: a request and its argument types become callable machine code.

    request -> assembled -> prepared -> differentiated -> loaded

`_as_asked` is that trip; `differentiate` its middle, through Enzyme. Whatever is tried on the way stands in tables: other
requests in relaxing.py, loops on one thread in parallel_loops.py, other forms of the code in passes/attempts.py, the passes in passes/pipeline.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from enzyme_py import host, native, parallel_loops, relaxing
from enzyme_py.assembly.entry import argument_count, assemble
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import ActivityError, EnzymeError
from enzyme_py.foundations.keeping import lock_of, made_of
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.stages import stage
from enzyme_py.foundations.watcher import watcher
from enzyme_py.frontend.target.collecting import seldom_collected
from enzyme_py.host.enzyme import differentiate
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.stored import tuned
from enzyme_py.native.stored.shipped import recorded, with_shipped
from enzyme_py.passes import journal
from enzyme_py.passes.checks.doubts import Doubtful, note
from enzyme_py.passes.checks.lost import tell_lost
from enzyme_py.passes.hunting.watching import with_places
from enzyme_py.request import Direction, Request
from enzyme_py.settings import settings


def compiled(request: Request, given_types: tuple[Any, ...]) -> NativeFunction:
    """Return the machine code of a request for arguments of the given Numba types."""
    if request.direction is Direction.SPLIT_REVERSE:  # its code came with the forward half
        given_types = given_types[: argument_count(request)]
        request = replace(request, direction=Direction.SPLIT_FORWARD)
    watch = watcher.get()
    if watch is not None:
        seen: dict[Any, NativeFunction] = getattr(watch, "seen", {})
        return seen.get((request, given_types)) or seen.setdefault((request, given_types), _compile(request, given_types))
    chosen = settings.keep_slopes, settings.ordered_sums
    key = request, given_types, tuned.current(), chosen, parallel_loops.is_plain(request)
    known: dict[Any, NativeFunction] = made_of(request.kernel, "derivatives")
    found = known.get(key)
    if found is not None:
        return found
    # Numba holds its lock where it types a call: whoever waits for another thread then could wait for ever. It does not
    # hold it while Enzyme works: other threads may compile then.
    alone = contextlib.nullcontext() if global_compiler_lock.is_locked() else lock_of(request.kernel)
    name = request.kernel.py_func.__name__
    with stage("entry", name, request.name.replace("_", " ")), alone:
        return known.get(key) or known.setdefault(key, _compile(request, given_types))


def _compile(request: Request, given_types: tuple[Any, ...]) -> NativeFunction:
    """Compile a request, if need be another one with the same answer."""

    def ask(one: Request, refusal: ActivityError | None = None, /) -> NativeFunction:
        return _as_asked(one, given_types, refusal)

    def differentiates_a_derivative(one: Request) -> bool:
        return _assembled(one, given_types).is_nested

    with seldom_collected(), journal.kept() as kept, kept.own_doubts():
        try:
            function = relaxing.first_that_serves(request, ask, differentiates_a_derivative)
            if function.lost:
                function = _losing_nothing(request, ask) or function
        except EnzymeError as refusal:
            refusal.tried = tuple(map(str, kept.attempts))
            raise
    tell_lost(function.lost, where_is(request.kernel), is_strict=settings.strict)
    if function.doubts:
        name, shown = request.name.replace("_", " "), ", ".join(map(str, given_types))
        note(function.symbols.values(), Doubtful(request.kernel.py_func.__name__, name, shown, function.doubts))
    return function


def _losing_nothing(request: Request, ask: Callable[[Request], NativeFunction]) -> NativeFunction | None:
    """Return code in which constants that are written have shadows, None where that does not help, or is not ours to say."""
    for one in relaxing.losing_nothing(request):
        try:
            with journal.journal().attempt(relaxing.WRITTEN, ""):
                found = ask(one)
        except EnzymeError:
            continue
        if not found.lost:
            return found
    return None


def _assembled(request: Request, given_types: tuple[Any, ...]) -> DiffModule:
    with stage("assembling"), global_compiler_lock:
        return assemble(request, given_types)


def _as_asked(
    request: Request, given_types: tuple[Any, ...], refusal: ActivityError | None
) -> NativeFunction:
    def assembled() -> DiffModule:
        return _assembled(request, given_types)

    def through(module: DiffModule) -> NativeFunction:
        return _through(request, given_types, module, refusal)

    return parallel_loops.on_threads_first(request, assembled, through)


def _through(
    request: Request,
    given_types: tuple[Any, ...],
    module: DiffModule,
    refusal: ActivityError | None,
) -> NativeFunction:
    copies_blocks = refusal is not None and request.direction is Direction.FORWARD

    def through_enzyme(module: DiffModule) -> DifferentiatedModule:
        return differentiate(module, refusal if copies_blocks else None)

    watch = watcher.get()
    if watch is not None:
        if getattr(watch, "needs_places", True):
            code = host.simplify(module).code
            with_places(code)
            module = module.with_code(code)
        watched: NativeFunction = watch(through_enzyme(module))
        return watched
    # Code made without that check may not answer for a request that needs it.
    way = " without block copies" if copies_blocks else ""
    with stage("host"):  # which may have to be installed first
        identity = host.identity() + way
    module = tuned.with_choice(module, identity)
    if settings.record is not None:  # the disk cache, left out, would have no IR to record
        function = native.compile(module, recorded(through_enzyme, settings.record, way))
    else:
        function = native.compile(module, with_shipped(through_enzyme, way), identity)
    tuned.note(function.profile.object_hash)
    return function
