"""From the outcome of a run to a module, or to the exception that tells the user what to do."""

from __future__ import annotations

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import DerivativeError, HostCrashed, HostOutOfMemory, HostTimedOut
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.host.outcome import Outcome


def judge(module: DiffModule, outcome: Outcome) -> DifferentiatedModule:
    """The differentiated module, or the exception that `outcome` deserves."""
    if outcome.timed_out:
        raise HostTimedOut("the pass ran past its time limit", where=module.where)
    if "out of memory" in outcome.log:
        raise HostOutOfMemory("the pass ran out of memory", where=module.where)
    if outcome.signal is not None:
        message = f"the pass died of signal {outcome.signal}"
        raise HostCrashed(message, where=module.where, detail=outcome.log)
    if outcome.exit_status != 0:
        raise DerivativeError("the pass refused", where=module.where, detail=outcome.log)
    return DifferentiatedModule(
        ir=outcome.output,
        entries=module.entries,
        where=module.where,
        seconds=outcome.seconds,
        remarks=outcome.log,
    )
