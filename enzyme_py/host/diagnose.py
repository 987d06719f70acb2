"""From the outcome of a run to a module, or to the exception that tells the user what to do.

`judge` looks at how the run ended, then at what it printed, then at what it wrote. Enzyme's words
are matched by the rows of refusals.py. Some rows are matched although the run succeeded: Enzyme only remarks
that it met constant memory in an active place, or ignored a custom rule, and goes on to write a
wrong derivative. That is why `REQUIRED_OPTIONS` turns those remarks on.
"""

from __future__ import annotations

import re
import signal
from dataclasses import replace

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import (
    DerivativeError,
    EnzymeError,
    HostCrashed,
    HostError,
    HostOutOfMemory,
    HostTimedOut,
    Where,
)
from enzyme_py.frontend.external.ruled import PREFIX as RULED
from enzyme_py.host.callers import CallSites
from enzyme_py.host.crash_files import save_module
from enzyme_py.host.diagnostics import Diagnostic, diagnostics_in, readable_name
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.host.process.outcome import Outcome
from enzyme_py.host.process.protocol import LOG_LIMIT
from enzyme_py.host.refusals import CRASHES, CRASHES_OF_RULES, REPORT, ROWS, Row
from enzyme_py.llvm import Call, LLVMSyntaxError, Module
from enzyme_py.llvm.reading.printed import printed, without_debug_information
from enzyme_py.passes.module.requests import REVERSE, is_request
from enzyme_py.settings import settings
from enzyme_py.symbols import REQUEST

FOREIGN = (
    "what `host` or `plugin` names (ENZYME_PY_HOST, ENZYME_PY_PLUGIN) may be no Enzyme: unset it, "
    "or look with `python -m enzyme_py doctor`"
)
REQUIRED_OPTIONS = ("--pass-remarks=enzyme",)

# Whole lines: a log may hold the module, whose texts may say anything.
OUT_OF_MEMORY = re.compile(
    r"^(?:LLVM ERROR: out of memory|Allocation failed|(?:.*: )?Cannot allocate memory)$|"
    r"^terminate called after throwing an instance of 'std::bad_alloc'$",
    re.MULTILINE,
)
ASSERTION = re.compile(
    r"^(?:.*: )?(?P<claim>Assertion `.*' failed\.|LLVM ERROR: .*|UNREACHABLE executed.*)$",
    re.MULTILINE,
)
NEARLY = 0.8  # of the memory limit: a crash there is the limit's doing


def judge(
    module: DiffModule, outcome: Outcome, *, is_complete: bool = True
) -> DifferentiatedModule:
    """The differentiated module, or the exception that `outcome` deserves.

    With `is_complete=False` derivatives may be left in it to be made.
    """
    if outcome.timed_out:
        raise _timed_out(module, outcome)
    if _ran_out_of_memory(outcome):
        raise _out_of_memory(module, outcome)
    if outcome.signal is not None:
        raise _crashed(module, outcome)
    refusal = _refusal(module, outcome)
    if refusal is not None:
        raise refusal
    return _finished(module, outcome, is_complete)


def _timed_out(module: DiffModule, outcome: Outcome) -> EnzymeError:
    what = f"the pass ran past its time limit of {outcome.limits.seconds:g} s"
    remedy = (
        "give it more with enzyme_py.config(time_limit=seconds), or differentiate a smaller kernel"
    )
    remedy += _saved(module, outcome)
    return HostTimedOut(what, where=module.where, remedy=remedy, detail=outcome.log)


def _ran_out_of_memory(outcome: Outcome) -> bool:
    if outcome.signal in (signal.SIGKILL, signal.SIGXFSZ):
        return True  # nobody here sends those: the kernel did
    is_broken = outcome.signal is not None or outcome.exit_status != 0
    limit = outcome.limits.memory
    is_at_limit = outcome.signal is not None and 0 < limit * NEARLY < outcome.peak_bytes
    return is_broken and (is_at_limit or OUT_OF_MEMORY.search(outcome.log) is not None)


def _out_of_memory(module: DiffModule, outcome: Outcome) -> EnzymeError:
    what, remedy = "the pass ran out of memory", "free memory on this machine"
    if outcome.signal == signal.SIGXFSZ:
        what = f"the pass wrote more than {outcome.limits.output / 2**20:.0f} MiB of IR"
        remedy = "differentiate a smaller kernel, or fewer orders at once"
    elif outcome.signal != signal.SIGKILL and outcome.limits.memory:
        what = f"the pass ran past its memory limit of {outcome.limits.memory / 2**20:.0f} MiB"
        remedy = "give it more with enzyme_py.config(memory_limit=bytes)"
    remedy += _saved(module, outcome)
    return HostOutOfMemory(what, where=module.where, remedy=remedy, detail=outcome.log)


def _saved(module: DiffModule, outcome: Outcome) -> str:
    """Save the module, and return the words that say where."""
    path = save_module(module.ir, outcome.log)
    return f"; the module was saved as {path}" if path else ""


def _crashed(module: DiffModule, outcome: Outcome) -> EnzymeError:
    number = outcome.signal or 0
    complaint = ASSERTION.search(outcome.log)
    takes_reverse = any(name in module.ir for name in REVERSE)
    for row in (*CRASHES, *CRASHES_OF_RULES) if RULED in module.ir and takes_reverse else CRASHES:
        if complaint is not None and row.name_in(complaint["claim"]) is not None:
            detail = _detail(module, outcome)
            return row.error(row.what, where=module.where, remedy=row.remedy, detail=detail)
    reason = complaint["claim"][:300] if complaint else signal.strsignal(number)
    where, saved = module.where, save_module(module.ir, outcome.log)
    remedy = "this is a defect of the Enzyme pass or of a rule: please report it"
    if "@__enzyme_augmentfwd" in module.ir:
        remedy = "take autodiff or vjp in place of autodiff_thunk, which this happens to; and please report it"
    elif not takes_reverse:
        remedy = "take reverse mode: grad, vjp, jacrev, or hvp for a second derivative; and please report it"
    if saved is not None:
        remedy += f", with the module that was saved as {saved}"
    what = f"the Enzyme pass crashed: {reason}"
    return HostCrashed(what, where=where, remedy=remedy, detail=outcome.log)


def _refusal(module: DiffModule, outcome: Outcome) -> EnzymeError | None:
    """The error that the log asks for: of any row on failure, of the remark rows on success."""
    failed = outcome.exit_status != 0
    found = diagnostics_in(outcome.log)
    candidates = [d for d in found if d.severity == "error"] or found
    for diagnostic in candidates if failed else found:
        for row in ROWS:
            name = row.name_in(diagnostic.text) if failed or not row.is_fatal else None
            if name is not None:
                return _error_by_row(row, name, diagnostic, module, outcome)
    return _unknown_refusal(module, outcome, candidates) if failed else None


def _error_by_row(
    row: Row, name: str, diagnostic: Diagnostic, module: DiffModule, outcome: Outcome
) -> EnzymeError:
    shown = readable_name(name) or "value"
    what, remedy = row.what.format(name=shown), row.remedy.format(name=shown)
    where, detail = _place(diagnostic, module, name), _detail(module, outcome)
    return row.error(what, where=where, remedy=remedy, detail=detail)


def _unknown_refusal(
    module: DiffModule, outcome: Outcome, candidates: list[Diagnostic]
) -> EnzymeError:
    first = next(iter(candidates), None)
    line = first.text.splitlines()[0].strip() if first and first.text.strip() else ""
    what = f"Enzyme refused the kernel: {line}" if line else "Enzyme refused the kernel"
    where = _place(first, module, "") if first else module.where
    return DerivativeError(what, where=where, remedy=REPORT, detail=_detail(module, outcome))


def _detail(module: DiffModule, outcome: Outcome) -> str:
    """What Enzyme printed, and the code that it was given, without the debug information."""
    code = without_debug_information(module.ir)
    return "\n".join((outcome.log.rstrip(), "", "; the module given to the pass", *code))


def _place(diagnostic: Diagnostic, module: DiffModule, value: str) -> Where:
    """The kernel, at the line that the diagnostic leads to, and the argument, if it names one."""
    kernel = module.where
    argument = _argument_in(value)
    where = kernel if argument is None else replace(kernel, argument=argument)
    if diagnostic.file is None or diagnostic.line is None:
        return where
    if _is_same_file(diagnostic.file, kernel.file):
        return replace(where, line=diagnostic.line)
    lines = _lines_of_kernel(diagnostic.file, diagnostic.line, module, value)
    if not lines:
        return replace(where, file=diagnostic.file, line=diagnostic.line)
    return replace(where, line=lines[0]) if len(lines) == 1 else where


def _argument_in(value: str) -> str | None:
    """Return the argument of the kernel that code names: its leaves are `%arg.NAME`, `%arg.NAME.1`, ..."""
    leaves = (name.split(".") for name in printed(value).names if name.startswith("%arg."))
    return next((leaf[1] for leaf in leaves if leaf[1].isidentifier()), None)


def _lines_of_kernel(place: str, line: int, module: DiffModule, value: str) -> list[int]:
    """The lines of the kernel's file that lead to a place in another; one, if one is to blame."""
    file = module.where.file
    if file is None:
        return []
    sites = CallSites(module.code)
    named = sites.lines_that_lead_to(value, file) if value else []
    return named[:1] or sites.lines_that_lead_to_line(place, line, file)


def _is_same_file(name: str, path: str | None) -> bool:
    """Debug information may hold the bare name of the file."""
    return path is not None and (path == name or path.endswith(f"/{name}"))


def _finished(module: DiffModule, outcome: Outcome, is_complete: bool) -> DifferentiatedModule:
    if len(outcome.log) >= LOG_LIMIT:
        message = "the pass printed more than can be checked for warnings"
        raise HostError(message, where=module.where, remedy=REPORT)
    done = DifferentiatedModule(
        ir=outcome.output,
        entries=module.entries,
        where=module.where,
        seconds=outcome.seconds,
        remarks=outcome.log,
        fast_math=module.fast_math,
    )
    try:
        code = done.code
        undone = _undone(code) if is_complete else None
    except LLVMSyntaxError as error:
        message = "what the pass wrote cannot be read as LLVM code"
        remedy = "run `python -m enzyme_py doctor`: the host may be of another LLVM version"
        detail = f"{error}\n{outcome.output}"
        raise HostError(message, where=module.where, remedy=remedy, detail=detail) from error
    if undone is not None:
        message = "the pass left a derivative undone"
        raise DerivativeError(message, where=module.where, remedy=REPORT, detail=undone.text)
    lost = [name for name in module.entries if code.get(name) is None]
    if lost:
        message = f"the differentiated module lacks its entry `{lost[0]}`"
        remedy = FOREIGN if settings.host or settings.plugin else REPORT
        raise HostError(message, where=module.where, remedy=remedy, detail=outcome.log)
    return done


def _undone(code: Module) -> Call | None:
    """Return a call that still asks for a derivative."""
    asking = (one for one in code.functions if one.mentions(f"@{REQUEST}"))
    return next((call for one in asking for call in one.calls if is_request(call)), None)
