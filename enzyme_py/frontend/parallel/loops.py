"""The pipeline of functions with parallel loops: Numba's own, up to the lowering of each loop.

A loop whose iterations share nothing but what `sharing.py` understands is lowered by drivers.py; any other is made
an ordinary loop again, by Numba's own means. `enzyme.inspect.loops` tells which, and why. Functions without `prange` have loops of
array expressions (array_loops.py).
"""

from __future__ import annotations

from typing import Any

from numba import prange
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import (
    NopythonRewrites,
    ParforFusionPass,
    ParforPass,
    ParforPreLoweringPass,
    PreParforPass,
)
from numba.parfors.parfor import Parfor, internal_prange, lower_parfor_sequential

from enzyme_py.frontend.containers.pipeline import KernelCompiler
from enzyme_py.frontend.parallel import sharing
from enzyme_py.frontend.parallel.array_loops import (
    ArrayLoops,
    FusedLoops,
    PreparedLoops,
    SumsAsLoops,
    slices_in,
)
from enzyme_py.frontend.parallel.drivers import lower_loop
from enzyme_py.frontend.parallel.lasting_temporaries import LastingTemporaries
from enzyme_py.frontend.parallel.wishes import StaysSerialError, are_array_loops

# Of functions without `prange`.
_OWN = {
    PreParforPass: SumsAsLoops,
    ParforPass: ArrayLoops,
    ParforFusionPass: FusedLoops,
    ParforPreLoweringPass: PreparedLoops,
}
_WRITTEN = "an array that was there before may be written here, so array expressions are no loops for threads"
_LEFT = "it is left in its middle, by a `raise` or a `return`: Numba makes an ordinary loop of it"


class ThreadedCompiler(KernelCompiler):
    """Numba's pipeline for parallel functions, with our lowering of loops."""

    def define_pipelines(self) -> list[Any]:
        """Return the one pipeline."""
        (passes,) = super().define_pipelines()
        if are_array_loops(self.state.flags):
            passes.passes = [(_OWN.get(one, one), why) for one, why in passes.passes]
            passes.add_pass_after(ThreadedLoops, PreparedLoops)
            passes.finalize()
            return [passes]
        # The first would make `prange` loops of sums that nobody asked to be parallel. Of the second, array expressions,
        # Numba cannot compile a loop's body: so it comes when the bodies are out of its sight.
        left_out = (PreParforPass, NopythonRewrites)
        passes.passes = [one for one in passes.passes if one[0] not in left_out]
        passes.add_pass_after(NopythonRewrites, ParforFusionPass)
        passes.add_pass_after(LastingTemporaries, ParforFusionPass)
        passes.add_pass_after(ThreadedLoops, ParforPreLoweringPass)
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class ThreadedLoops(FunctionPass):  # type: ignore[misc]
    """Chooses the loops that are lowered for threads."""

    _name = "enzyme_py_threaded_loops"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Look at each loop; make ordinary loops of those that stay serial."""
        if (line := getattr(state, "line_of_write", None)) is not None:
            _note(state, state.func_id.func_name, line, _WRITTEN)
            return False
        _note_left(state)
        slices = slices_in(state) if are_array_loops(state.flags) else None
        serial = [one for one in _loops(state.func_ir.blocks) if not _is_chosen(one, state, slices)]
        if serial:
            found, metadata = state.func_ir, state.metadata
            lower_parfor_sequential(
                state.typingctx, found, state.typemap, state.calltypes, metadata
            )
        return True


def _loops(blocks: dict[int, Any]) -> list[Any]:
    return [one for block in blocks.values() for one in block.body if isinstance(one, Parfor)]


def _is_chosen(parfor: Any, state: Any, slices: set[str] | None) -> bool:
    name = state.func_id.func_name
    try:
        parfor.enzyme_py_sharing = sharing.look_at(parfor, state.typemap, slices=slices)
    except StaysSerialError as reason:
        _note(state, name, parfor.loc.line, str(reason).split("\n", 1)[0])
        return False
    parfor.no_sequential_lowering = True
    parfor.lowerer = lower_loop
    _note(state, name, parfor.loc.line, "")
    return True


def _note_left(state: Any) -> None:
    """Note the `prange` loops of which Numba itself has made ordinary ones: those that are left in their middle."""
    for block in state.func_ir.blocks.values():
        for one in block.find_exprs(op="call"):
            kind = state.typemap.get(one.func.name)
            if getattr(kind, "typing_key", None) in (prange, internal_prange):
                _note(state, state.func_id.func_name, one.loc.line, _LEFT)


def _note(state: Any, name: str, line: int, reason: str) -> None:
    state.metadata.setdefault("enzyme_py_loops", []).append((name, line, reason))
