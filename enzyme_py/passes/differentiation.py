"""One module, differentiated: prepared, given to Enzyme in the forms of attempts.py, read back.

    Draft -> prepared (pipeline.PREPARE) -> ready (pipeline.READY) -> Enzyme -> behind (pipeline.BEHIND)

What Enzyme and LLVM's O2 are, the caller says (`Host`): this folder knows no processes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from enzyme_py.errors import (
    ActivityError,
    DerivativeError,
    HostCrashed,
    HostError,
)
from enzyme_py.passes import attempts, pipeline
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.checks.endless_rules import CheckEndlessRules
from enzyme_py.passes.checks.recursive_calls import CheckRecursiveCalls
from enzyme_py.passes.checks.reverse_depth import CheckReverseDepth
from enzyme_py.passes.journal import journal
from enzyme_py.passes.memory.written_pointers import CONSTANT_MEMORY
from enzyme_py.passes.module.requests import nesting
from enzyme_py.passes.steps import Postpone, Resume
from enzyme_py.passes.types.grown_caches import UNCOUNTED
from enzyme_py.passes.types.integers.loads import IntegerLoads
from enzyme_py.passes.values.held_operations import hold, release
from enzyme_py.symbols import RULED

_STEPS = "a derivative is differentiated that Enzyme made in a run of its own"
# Refusals that are not of a form: of caches, and of memory that Enzyme makes again, which have our marks between two runs.
_STEPPED = (UNCOUNTED, CONSTANT_MEMORY)
_NESTED = 2
_BLOCK_COPIES = ("llvm.memcpy.", "llvm.memmove.")


class Host(Protocol):
    """Where modules are taken to: both answer with a new draft of what the given one became."""

    def o2(self, draft: Draft) -> Draft:
        """Return the code as LLVM's O2 leaves it."""

    def enzyme(self, draft: Draft) -> Draft:
        """Return the code with derivatives in place of requests; raises what refuses it."""


def prepared(draft: Draft, host: Host) -> Draft:
    """Return the code that Enzyme will be given, but for what is done to it in front of each run."""
    return _Differentiation(host).prepared(draft)


def differentiate(draft: Draft, host: Host, refusal: ActivityError | None = None) -> Draft:
    """Return what Enzyme makes of code that is prepared for it, which is changed on the way.

    With a `refusal`, raise that if the module copies whole blocks: with run-time activity, forward
    mode copies a constant block's values as its tangents (Enzyme.jl issue 3460).
    """
    return _Differentiation(host).of(draft, refusal)


class _Differentiation:
    """The trip of one module, and of those that it is taken apart into."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def o2(self, draft: Draft) -> Draft:
        with journal().step("O2", draft) as step:
            hold(draft.code)
            try:
                step.result = done = replace(self._host.o2(draft), is_simplified=True)
            finally:
                release(draft.code)  # which others may go on with
            release(done.code)
        return done

    def prepared(self, draft: Draft) -> Draft:
        check(CheckReverseDepth(), draft)
        return pipeline.prepared(draft, self.o2)

    def of(self, draft: Draft, refusal: ActivityError | None = None) -> Draft:
        if refusal is not None:
            read = draft if draft.is_simplified else self.o2(draft)
            if any(map(_copies_blocks, read.code.declarations)):
                raise refusal
        try:
            check(CheckRecursiveCalls(), draft)
        except DerivativeError as refused:
            done = self._in_steps(draft, refused)
        else:
            done = self._in_one_run(attempts.Given(draft))
        check(CheckEndlessRules(), done)
        return done

    def _in_one_run(self, given: attempts.Given) -> Draft:
        """Ask for all derivatives at once; where that is refused in every form, for one order after the other."""
        table = attempts.REFUSALS
        try:
            return attempts.first_that_serves(table, given, self._in_some_form, self.o2)
        except (DerivativeError, HostCrashed) as refused:
            gives_way = isinstance(refused, table[0].gives_way_to)
            if not gives_way and not any(one in str(refused) for one in _STEPPED):
                raise
            return self._in_steps(given.draft(), refused)

    def _in_some_form(self, draft: Draft) -> Draft:
        given = attempts.Given(draft)
        return attempts.first_that_serves(attempts.FORMS, given, self._enzyme, self.o2)

    def _enzyme(self, draft: Draft) -> Draft:
        ready = attempts.Given(pipeline.run(pipeline.READY, draft))
        return attempts.first_that_serves(attempts.CRASHES, ready, self._once, self.o2)

    def _once(self, draft: Draft) -> Draft:
        with journal().step("Enzyme", draft) as step:
            made = self._host.enzyme(draft)
            step.result = made = replace(made, hidden_numbers=draft.hidden_numbers)
        return pipeline.run(pipeline.BEHIND, made)

    def _in_steps(self, draft: Draft, refused: DerivativeError | HostCrashed) -> Draft:
        """Differentiate in several runs, if the module is nested; else raise what one run raised."""
        if any(RULED in one.name for one in (*draft.code.functions, *draft.code.declarations)):
            raise refused  # what Enzyme knows of ruled functions does not outlast a run
        if nesting(draft.code) < _NESTED:
            raise refused  # before O2 runs for nothing
        try:
            with journal().attempt("one order after the other", _STEPS):
                first = self.o2(draft)
                pipeline.run_one(IntegerLoads(), first)
                if pipeline.run_one(Postpone(), first):
                    inner = self._enzyme(first)
                    pipeline.run_one(Resume(), inner)
                    return self.of(self.prepared(replace(inner, is_simplified=False)))
                raise refused
        except (DerivativeError, HostError):
            pass  # about code that nobody wrote
        raise refused


def check(one: Pass, draft: Draft) -> None:
    """Run a check, if it is for such a module."""
    if one.applies(draft):
        pipeline.run_one(one, draft)


def _copies_blocks(function: object) -> bool:
    return getattr(function, "name", "").startswith(_BLOCK_COPIES)
