"""One module through all passes and Enzyme: passes/differentiation.py, with the host as what does O2 and Enzyme."""

from __future__ import annotations

from dataclasses import replace

from enzyme_py import host
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import ActivityError
from enzyme_py.foundations.stages import stage
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.llvm import Module
from enzyme_py.passes import differentiation, journal
from enzyme_py.passes.base import Draft
from enzyme_py.passes.checks.lost import Lost
from enzyme_py.passes.checks.lost_writes import (
    has_constant_arrays,
    lost_writes,
    simplified,
    without_returned_views,
)
from enzyme_py.passes.checks.recomputed import DOUBT, is_recomputed_across_calls
from enzyme_py.passes.llvm_own import in_registers


def differentiate(module: DiffModule, refusal: ActivityError | None = None) -> DifferentiatedModule:
    """Return what Enzyme makes of a module, whose code is prepared for it first."""
    with stage("passes"), journal.kept() as kept_journal:
        way = _Way(module)
        read = differentiation.prepared(way.draft(), way)
        kept = read.copied() if has_constant_arrays(read.code) else None
        done = differentiation.differentiate(read, way, refusal)
        assert way.last is not None
        lost = () if kept is None else _lost(module, kept)
        doubts = kept_journal.known_doubts
        if is_recomputed_across_calls(done.code, way.options):
            doubts = (*doubts, DOUBT)
        return way.last.with_code(done.code, lost=lost, doubts=doubts)


class _Way:
    """The host as passes see it: drafts of one module in, drafts out."""

    def __init__(self, module: DiffModule) -> None:
        self._module = module
        self.last: DifferentiatedModule | None = None
        self.options: tuple[str, ...] = ()  # of the last run of Enzyme

    def draft(self) -> Draft:
        """Return the module as it was assembled."""
        own = self._module
        return Draft(
            Module(own.ir),
            own.where,
            own.options,
            own.entries,
            keeps_slopes=own.keeps_slopes,
        )

    def o2(self, draft: Draft) -> Draft:
        """See `differentiation.Host`."""
        return replace(draft, code=host.simplify(self._as_module(draft)).code)

    def enzyme(self, draft: Draft) -> Draft:
        """See `differentiation.Host`."""
        self.last, self.options = host.differentiate(self._as_module(draft)), tuple(draft.options)
        return replace(draft, code=self.last.code)

    def _as_module(self, draft: Draft) -> DiffModule:
        return self._module.with_code(draft.code, options=draft.options)


def _lost(module: DiffModule, read: Draft) -> tuple[Lost, ...]:
    """Return what Const arguments lose, as far as the code that Enzyme read tells."""
    code = read.code if read.is_simplified else Module(module.ir)
    if not has_constant_arrays(code):
        return ()
    if not read.is_simplified:
        code = simplified(code, in_registers)
    return lost_writes(without_returned_views(code, in_registers))
