"""The heart: a request and its argument types become callable machine code.

Four stages, in the order in which the data flows: lower and assemble, differentiate, load.
"""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from enzyme_py import host, native
from enzyme_py.assembly.allocations import allocates, protect_carried
from enzyme_py.assembly.block_copies import with_bodies, with_recomputable_copies
from enzyme_py.assembly.buffers import stable_buffers
from enzyme_py.assembly.called_results import with_lasting_results
from enzyme_py.assembly.captured_numbers import with_numbers, without_numbers
from enzyme_py.assembly.carried_choices import may_carry, with_own_carries
from enzyme_py.assembly.counted_loads import with_counted_loads
from enzyme_py.assembly.empty_loops import with_turns
from enzyme_py.assembly.entry import argument_count, assemble, nests
from enzyme_py.assembly.far_exits import check_far_exits, may_exit_far, with_far_exits
from enzyme_py.assembly.hidden_indices import ASSERTION, with_hidden_indices
from enzyme_py.assembly.in_steps import postponed, resumed
from enzyme_py.assembly.inlining import CallsItselfError
from enzyme_py.assembly.integer_fields import with_integer_fields
from enzyme_py.assembly.kept_bounds import with_kept_bounds
from enzyme_py.assembly.kept_slopes import with_kept_slopes
from enzyme_py.assembly.later_turns import may_write_later, with_far_reads
from enzyme_py.assembly.left_numbers import with_left_numbers
from enzyme_py.assembly.left_values import with_left_values
from enzyme_py.assembly.lost import Lost, tell_lost
from enzyme_py.assembly.lost_writes import (
    has_constant_arrays,
    lost_writes,
    simplified,
)
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.nesting import (
    check_calls,
    check_nesting,
    nests_reverse,
    with_several_exits,
)
from enzyme_py.assembly.own_bounds import with_own_bounds
from enzyme_py.assembly.read_once import without_read_once
from enzyme_py.assembly.recurrences import with_records
from enzyme_py.assembly.rule_functions import check_endless, check_reverse_depth, rules_first
from enzyme_py.assembly.single_exit import join_exits
from enzyme_py.assembly.two_way_joins import may_meet, with_two_way_joins
from enzyme_py.assembly.typed_accesses import with_typed_accesses
from enzyme_py.assembly.untouched import with_untouched_arguments
from enzyme_py.assembly.watching import with_places
from enzyme_py.assembly.written_results import with_written_results
from enzyme_py.assembly.written_through import with_marked_writes
from enzyme_py.errors import (
    ActivityError,
    DerivativeError,
    HostCrashed,
    HostError,
    NoDerivativeError,
    TypeAnalysisError,
)
from enzyme_py.frontend.ruled import PREFIX
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.keeping import made_of
from enzyme_py.native import tuned
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.shipped import recorded, with_shipped
from enzyme_py.request import Direction, Request
from enzyme_py.settings import settings
from enzyme_py.timings import record

_BLOCK_COPY = re.compile(r"call void @llvm\.mem(?:cpy|move)")

# What makes code of a module in place of the usual way, while someone watches (hunting.py).
watcher: contextvars.ContextVar[Callable[[DifferentiatedModule], NativeFunction] | None]
watcher = contextvars.ContextVar("watcher", default=None)


def compiled(request: Request, given_types: tuple[Any, ...]) -> NativeFunction:
    """Return the machine code of a request for arguments of the given Numba types."""
    if request.direction is Direction.SPLIT_REVERSE:  # its code came with the forward half
        given_types = given_types[: argument_count(request)]
        request = dataclasses.replace(request, direction=Direction.SPLIT_FORWARD)
    if watcher.get() is not None:
        return _compile(request, given_types)
    key = request, given_types, tuned.current()
    known: dict[Any, NativeFunction] = made_of(request.kernel, "derivatives")
    found = known.get(key)
    if found is not None:
        return found
    # Numba holds its lock where it types a call: whoever waits for a turn then could wait for ever.
    turn = contextlib.nullcontext() if global_compiler_lock.is_locked() else _turn(request.kernel)
    with turn:
        return known.get(key) or known.setdefault(key, _compile(request, given_types))


_turns: weakref.WeakKeyDictionary[Any, threading.Lock] = weakref.WeakKeyDictionary()
os.register_at_fork(after_in_child=_turns.clear)  # threads of the parent may have held some


def _turn(kernel: Any) -> threading.Lock:
    """Return the lock of those who compile derivatives of a kernel.

    Numba's own is held while it works and not while the pass does: other threads may compile then.
    """
    return _turns.setdefault(kernel, threading.Lock())


def _assembled(request: Request, given_types: tuple[Any, ...]) -> DiffModule:
    with global_compiler_lock:
        return assemble(request, given_types)


def _compile(request: Request, given_types: tuple[Any, ...]) -> NativeFunction:
    """Compile a request, if need be in another way than asked.

    Natural code mixes constant and active memory: `for ...: x = step(a, x)` with a constant start.
    Enzyme refuses that at compile time. In reverse mode run-time activity makes it right, at the cost
    of a comparison at each such place; elsewhere constants get shadows (hidden_shadows.py).
    """
    if request.runtime_activity:
        return _compile_decided_while_running(request, given_types)
    try:
        return _compile_as_asked(request, given_types)
    except ActivityError as refusal:
        return _compile_relaxed(request, given_types, refusal)


def _compile_decided_while_running(
    request: Request, given_types: tuple[Any, ...]
) -> NativeFunction:
    """Compile with run-time activity, where the pass has it, and with the same meaning elsewhere.

    Of nested derivatives it is wrong without a word (MEASURED: products, assignments in loops).
    """
    shadowed = dataclasses.replace(request, runtime_activity=False, shadows_constants=True)
    if nests(_assembled(shadowed, given_types).ir, shadowed):
        return _compile_shadowed(shadowed, given_types)
    try:
        return _compile_as_asked(request, given_types)
    except DerivativeError:
        try:
            return _compile_as_asked(shadowed, given_types)
        except DerivativeError:
            pass
        raise


def _compile_relaxed(
    request: Request, given_types: tuple[Any, ...], refusal: ActivityError
) -> NativeFunction:
    decided = dataclasses.replace(request, runtime_activity=True)
    shadowed = dataclasses.replace(request, shadows_constants=True)
    # Of a request for the primal, what was refused is a derivative that the kernel takes itself.
    is_nested = request.direction is Direction.PRIMAL
    is_nested = is_nested or nests(_assembled(request, given_types).ir, request)
    if request.direction is Direction.FORWARD or is_nested:
        try:
            return _compile_shadowed(shadowed, given_types)
        except ActivityError:
            if is_nested:
                raise refusal from None
    try:
        return _compile_as_asked(decided, given_types, refusal)
    except CallsItselfError:
        try:
            return _compile_shadowed(shadowed, given_types)
        except DerivativeError:
            pass
        raise


def _compile_shadowed(request: Request, given_types: tuple[Any, ...]) -> NativeFunction:
    """Compile with shadows for the request's constants, and if need be for those of inner ones."""
    try:
        return _compile_as_asked(request, given_types)
    except ActivityError:
        inner = dataclasses.replace(request, shadows_inner_constants=True)
        return _compile_as_asked(inner, given_types)


def _compile_as_asked(
    request: Request, given_types: tuple[Any, ...], refusal: ActivityError | None = None
) -> NativeFunction:
    begun = time.perf_counter()
    module = _assembled(request, given_types)
    lowered = time.perf_counter() - begun
    copies_blocks = refusal is not None and request.direction is Direction.FORWARD

    def run_pass(module: DiffModule) -> DifferentiatedModule:
        return differentiate(module, refusal if copies_blocks else None)

    watch = watcher.get()
    if watch is not None:
        module = host.simplify(module)
        return watch(run_pass(dataclasses.replace(module, ir=with_places(module.ir))))
    # Code made without that check may not answer for a request that needs it.
    way = " without block copies" if copies_blocks else ""
    module = tuned.with_choice(module, host.identity() + way)
    if settings.record is not None:  # the disk cache, left out, would have no IR to record
        function = native.compile(module, recorded(run_pass, settings.record, way))
    else:
        function = native.compile(module, with_shipped(run_pass, way), host.identity() + way)
    tuned.note(function.profile.object_hash)
    _record(module.where.kernel or "", lowered, function.profile)
    tell_lost(function.lost, module.where)
    return function


def differentiate(module: DiffModule, refusal: ActivityError | None = None) -> DifferentiatedModule:
    """Run the pass on a module.

    With a `refusal`, raise that if the module copies whole blocks: with run-time activity, forward
    mode copies a constant block's values as its tangents (Enzyme.jl issue 3460).
    """
    check_reverse_depth(module.ir, module.where)
    prepared = protected(module)
    if refusal is not None:
        read = prepared if prepared is not module else host.simplify(module)
        if _BLOCK_COPY.search(read.ir):
            raise refusal
    try:
        check_calls(prepared)
    except DerivativeError as refused:
        done = _in_steps(prepared, refused)
    else:
        done = _in_one_run(prepared, prepared is not module)
    check_endless(done.ir, module.where)
    return dataclasses.replace(done, lost=_lost(module, prepared))


def _in_one_run(module: DiffModule, is_simplified: bool) -> DifferentiatedModule:
    """Run the pass on a prepared module; if it refuses that, in other words, or in several runs."""
    try:
        return passed(module, is_simplified)
    except (NoDerivativeError, TypeAnalysisError, HostCrashed) as refused:
        return _with_counts(module, is_simplified) or _in_steps(module, refused)


def _with_counts(module: DiffModule, is_simplified: bool) -> DifferentiatedModule | None:
    """Return what the pass makes of a module that it refused, now that it is told which loads are counts."""
    try:
        read = module if is_simplified else host.simplify(module)
        text = with_counted_loads(read.ir)
        if text == read.ir:
            return None
        return passed(dataclasses.replace(module, ir=text), is_simplified=True)
    except (DerivativeError, HostError):
        return None  # the first refusal is the one to read


def _in_steps(module: DiffModule, refused: DerivativeError | HostCrashed) -> DifferentiatedModule:
    """Return what the pass makes of a module in several runs, if it is nested; raise what one run raised."""
    if PREFIX in module.ir:
        raise refused  # what the pass knows of ruled functions does not outlast a run
    try:
        first = postponed(with_counted_loads(host.simplify(module).ir))
        if first is not None:
            inner = _differentiated(dataclasses.replace(module, ir=first))
            return differentiate(dataclasses.replace(module, ir=resumed(inner.ir)))
    except (DerivativeError, HostError):
        pass  # about a text that nobody wrote
    raise refused


def passed(module: DiffModule, is_simplified: bool) -> DifferentiatedModule:
    """Run the pass on a prepared module, with the rules it can use there.

    Where it refuses a module with records of states, they are left out. Where it cannot use the rules of
    block copies, these get bodies: in forward mode it has no rule for a call with constant and active
    pointers (MEASURED).
    """
    recorded = with_records(module)
    if recorded is not module:
        try:
            return _differentiated(recorded)
        except DerivativeError:
            pass
    else:
        simplify = _as_it_is if is_simplified else host.simplify
        sloped = with_kept_slopes(module, simplify)
        if sloped is not module:
            try:
                return _differentiated(sloped)
            except (DerivativeError, HostCrashed):
                pass
    try:
        return _differentiated(module)
    except (DerivativeError, HostCrashed):
        # It crashes on rules with constant operands in functions that are not inlined (MEASURED).
        bodied = with_bodies(module)
        if bodied is module:
            raise
        return _differentiated(bodied)


def _differentiated(module: DiffModule) -> DifferentiatedModule:
    module = _readable_backwards(module)
    text, numbers = without_numbers(with_typed_accesses(module.ir))
    done = _asked_twice(dataclasses.replace(module, ir=text))
    return dataclasses.replace(done, ir=with_numbers(done.ir, numbers))


def _asked_twice(module: DiffModule) -> DifferentiatedModule:
    try:
        return host.differentiate(module)
    except HostCrashed as crash:
        refusal = crash
    for other in _crashes_less(module, str(refusal)):
        try:
            return host.differentiate(other)
        except HostCrashed:
            pass
    raise refusal


def _crashes_less(module: DiffModule, crash: str) -> Iterator[DiffModule]:
    """Yield modules of the same meaning on which the pass may not crash, each for one known reason."""
    if ASSERTION in crash:
        yield from with_hidden_indices(module)
    yield from with_kept_bounds(module)


def _readable_backwards(module: DiffModule) -> DiffModule:
    """Return the module in which the pass finds again which way the primal went, and what loops came to."""
    text = with_marked_writes(with_lasting_results(with_turns(module.ir)))
    text = with_own_carries(with_left_numbers(with_left_values(with_far_reads(text))))
    return dataclasses.replace(module, ir=with_two_way_joins(text))


def _as_it_is(module: DiffModule) -> DiffModule:
    return module


def _lost(module: DiffModule, prepared: DiffModule) -> tuple[Lost, ...]:
    if not has_constant_arrays(module.ir):
        return ()
    return lost_writes(prepared.ir if prepared is not module else simplified(module.ir))


def protected(module: DiffModule) -> DiffModule:
    """Return the module with marks on what the pass may not compute twice.

    They can be set only on the code that the pass really reads, so its own O2 comes first.
    """
    is_marked = allocates(module.ir) or nests_reverse(module.ir)
    ask_o2 = (may_exit_far, may_carry, may_meet, may_write_later)
    if not is_marked and not any(may(module.ir) for may in ask_o2):
        return module
    given, module = module, host.simplify(module)
    if (inlined := with_written_results(module)) is not module:
        given = module = host.simplify(inlined)
    if far := with_far_exits(module.ir):
        given = module = host.simplify(join_exits(module, far))
    check_far_exits(module)
    if not is_marked:
        left = _readable_backwards(module)
        return given if left == module else left
    if nests_reverse(module.ir):
        open_loops = with_several_exits(module.ir)
        if open_loops:
            module = host.simplify(join_exits(module, open_loops))
        check_nesting(module)
        module = dataclasses.replace(module, ir=with_own_bounds(module.ir))
    module = stable_buffers(without_read_once(module))
    module = with_integer_fields(with_recomputable_copies(module))
    module = dataclasses.replace(module, ir=rules_first(module.ir))
    return protect_carried(with_untouched_arguments(module))


def _record(kernel: str, lowered: float, profile: native.Profile) -> None:
    record(kernel, "numba", lowered)
    if profile.is_from_cache:
        record(kernel, "cache", profile.load)
    else:
        record(kernel, "host", profile.host)
        record(kernel, "native", profile.native + profile.load)
