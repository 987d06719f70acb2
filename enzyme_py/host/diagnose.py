"""From the outcome of a run to a module, or to the exception that tells the user what to do.

`judge` looks at how the run ended, then at what it printed, then at what it wrote. Enzyme's texts
are matched by the rows of `ROWS`, first match first; a row is a pattern, the class of the exception,
what happened, and the remedy. Some rows are matched although the run succeeded: Enzyme only remarks
that it met constant memory in an active place, or ignored a custom rule, and goes on to write a
wrong derivative. That is why `REQUIRED_OPTIONS` turns those remarks on.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, replace

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import (
    ActivityError,
    DerivativeError,
    EnzymeError,
    HostCrashed,
    HostError,
    HostOutOfMemory,
    HostTimedOut,
    NoDerivativeError,
    TypeAnalysisError,
    Where,
)
from enzyme_py.frontend.ruled import PREFIX as RULED
from enzyme_py.host.call_sites import CallSites
from enzyme_py.host.crash_files import save_module
from enzyme_py.host.diagnostics import Diagnostic, diagnostics_in, readable_name
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.host.outcome import Outcome
from enzyme_py.host.protocol import LOG_LIMIT

REQUIRED_OPTIONS = ("--pass-remarks=enzyme",)

GIVE_RULE = (
    "compute what `{name}` gives outside of the kernel and pass it as a Const argument, or write it as "
    "loops; around a function of numbers, enzyme_py.stop_gradient makes its result a constant"
)
CHOOSE_ACTIVITY = (
    "either annotate all memory that meets there alike (make the Const argument Duplicated, with a "
    "shadow of zeros), or let it be decided while running: enzyme_py.set_runtime_activity(mode)"
)
TELL_TYPE = (
    "the memory is moved without anything telling whether it holds floats: read or write an element "
    "of it as a float first"
)
TWO_TYPES = "the same memory is used as two different types"
VIEW_NOTHING = "do not view one array's memory as another dtype inside the kernel"
FIX_RULE = "correct the signatures of the rule's functions: the detail has what the pass expects"
REPORT = "this is a defect of enzyme_py: please report it with the detail"

_NO_RULE = (
    r"No (?:augmented forward pass|reverse pass|forward mode derivative|"
    r"forward mode error function) found for"
)


@dataclass(frozen=True)
class Row:
    """One kind of refusal. `what` and `remedy` are filled with the pattern's named groups."""

    pattern: str
    error: type[DerivativeError]
    what: str
    remedy: str
    is_fatal: bool = True  # False: a remark that nevertheless means a wrong derivative


ROWS = (
    Row(
        r"could not statically determine size of realloc(?P<name>)",
        DerivativeError,
        "reverse over reverse of a loop whose number of turns is not known before it runs",
        "take forward over reverse, jvp of grad, or count the turns: `for i in range(n)` in place of "
        "an iterator or a while",
    ),
    Row(
        rf"{_NO_RULE} numba_(?P<name>list|dict)_\w+",
        NoDerivativeError,
        "what the kernel does with a typed {name} (numba.typed) has no derivative",
        "reading, writing, growing and walking through it have; else keep the items in a plain list that "
        "the kernel makes, `parts = [x, y]` and `parts.append`, in a tuple or in an array",
    ),
    Row(
        rf"{_NO_RULE} (?P<name>[^\s]+)",
        NoDerivativeError,
        "`{name}` has no derivative rule",
        GIVE_RULE,
    ),
    Row(
        # It takes the request for a call: the rule was made when the derivative around it was.
        r"(?:doesn't have marked shadow global|Number of arg operands != function parameters)"
        r"\s[^\n]*@(?P<name>enzyme_strong_zero|__enzyme_)",
        DerivativeError,
        "a second derivative, the inner one in reverse mode, of a function whose rule calls that function "
        "or differentiates",
        "write out the function in its rule, give the rule by custom_vjp, or take forward mode inside: jvp "
        "of jvp, jacfwd of jacfwd",
    ),
    Row(
        r"doesn't have marked shadow global\s[^\n]*inttoptr \(i64 (?P<name>-?\d+) to ptr\)",
        NoDerivativeError,
        "`{name}`, which is called by its address, has no derivative rule",
        GIVE_RULE,
    ),
    Row(
        r"Runtime Activity not yet implemented for (?P<name>[^\n]+)",
        ActivityError,
        "Enzyme cannot decide activity while running for {name}",
        "annotate every argument of the call, and drop set_runtime_activity",
    ),
    Row(
        # Constant numbers are harmless there; constant memory is not.
        r"Mismatched activity for: *(?P<inst>[^\n]*?) const val: +(?! )"
        r"(?!(?:double|float|half|i\d+)\b|[<\[{]|%\S+ = (?:f\w+|(?:load|phi) (?:double|float|i\d+))\b)"
        r"(?P<name>[^\n]*)",
        ActivityError,
        "constant memory is used where the derivative needs memory with a shadow",
        CHOOSE_ACTIVITY,
        is_fatal=False,
    ),
    Row(
        r"Cannot use provided custom derivative pass|"
        r"Failed to use custom forward mode derivative for[^\n]*|"
        r"Not using provided custom reverse pass[^\n]*",
        ActivityError,
        "a custom rule would be ignored, because an argument of the call is Const",
        "make that argument Duplicated, with a shadow of zeros, or give the ruled function no body",
        is_fatal=False,
    ),
    Row(
        r"Bad function type of custom [a-z ]+ for function (?P<name>[^\s]+)",
        DerivativeError,
        "the custom rule of `{name}` has functions of the wrong type",
        FIX_RULE,
    ),
    Row(
        r"(?:Cannot|[Ff]ailed to) deduce type of (?P<name>memset)",
        TypeAnalysisError,
        "Enzyme cannot tell what the memory is that a derivative fills with zeros",
        "in reverse over reverse of a list of arrays take forward over reverse, jvp of grad; else read or "
        "write an element of each array as a float where it is made",
    ),
    Row(
        r"(?:Cannot|[Ff]ailed to) deduce (?:single |adding )?type(?: \(cast\))? *"
        r"(?:of )?(?P<name>[a-z]*)",
        TypeAnalysisError,
        "Enzyme cannot tell what the memory of a {name} holds",
        TELL_TYPE,
    ),
    Row(r"[Ii]llegal (?:updateAnalysis|type analysis)", TypeAnalysisError, TWO_TYPES, VIEW_NOTHING),
    Row(
        r"cannot handle (?:unknown|above) (?P<name>[a-z ]+)",
        NoDerivativeError,
        "Enzyme has no derivative for a {name} on a float's bits",
        "do not compute on the bits of a float; wrap what does in enzyme_py.stop_gradient",
    ),
    Row(
        r"failed to find fn to differentiate",
        DerivativeError,
        "the function to differentiate has no body, or is not known at compile time",
        "call the function directly: not through a variable, a list, or a C pointer",
    ),
    Row(
        r"Unknown command line argument '(?P<name>[^']*)'",
        DerivativeError,
        "the host does not know the option {name}",
        "take the option out, or use a host that has it",
    ),
    Row(
        r"\bm:\d+:\d+: error: (?P<name>[^\n]+)\n(?:[^\n]*\n)*Failed to parse module",
        DerivativeError,
        "the module is not valid LLVM IR: {name}",
        REPORT,
    ),
    Row(
        r"Failed to parse module|Failed to load|expected top-level entity",
        DerivativeError,
        "the module is not valid LLVM IR",
        REPORT,
    ),
    Row(
        r"missing argument shadow|Too few arguments|Insufficient number of args|"
        r"Incorrect argument type passed|Cannot cast __enzyme_autodiff",
        DerivativeError,
        "the derivative was requested with the wrong arguments",
        REPORT,
    ),
)

# Failed assertions whose reason is known: anywhere, and in modules with rules.
CRASHES = (
    Row(r"UNREACHABLE executed at .*/TypeTree\.h:", TypeAnalysisError, TWO_TYPES, VIEW_NOTHING),
)
CRASHES_OF_RULES = (
    Row(
        r"found == gutils->invertedPointers\.end\(\)",
        DerivativeError,
        "forward over reverse of a function with a rule that calls linear algebra",
        "take reverse over reverse, vhp or grad of grad, or the function without a rule of its own",
    ),
)

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
UNRESOLVED_CALL = re.compile(
    r"\bcall\b[^\n]*@__enzyme_(?:autodiff|fwddiff|augmentfwd|reverse|fwdsplit)\w*\("
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
    for row in (*CRASHES, *CRASHES_OF_RULES) if RULED in module.ir else CRASHES:
        if complaint is not None and re.search(row.pattern, complaint["claim"]):
            detail = _detail(module, outcome)
            return row.error(row.what, where=module.where, remedy=row.remedy, detail=detail)
    reason = complaint["claim"][:300] if complaint else signal.strsignal(number)
    where, saved = module.where, save_module(module.ir, outcome.log)
    remedy = "this is a defect of the Enzyme pass or of a rule: please report it"
    if "@__enzyme_augmentfwd" in module.ir:
        remedy = "take autodiff or vjp in place of autodiff_thunk, which this happens to; and please report it"
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
            match = re.search(row.pattern, diagnostic.text) if failed or not row.is_fatal else None
            if match is not None:
                return _error_by_row(row, match, diagnostic, module, outcome)
    return _unknown_refusal(module, outcome, candidates) if failed else None


def _error_by_row(
    row: Row, match: re.Match[str], diagnostic: Diagnostic, module: DiffModule, outcome: Outcome
) -> EnzymeError:
    groups = {key: value or "" for key, value in match.groupdict().items()}
    names = {"name": readable_name(groups.get("name", "").strip()) or "value"}
    where = _place(diagnostic, module, groups.get("name", "").strip())
    detail = _detail(module, outcome)
    return row.error(
        row.what.format(**names), where=where, remedy=row.remedy.format(**names), detail=detail
    )


def _unknown_refusal(
    module: DiffModule, outcome: Outcome, candidates: list[Diagnostic]
) -> EnzymeError:
    first = next(iter(candidates), None)
    line = first.text.splitlines()[0].strip() if first and first.text.strip() else ""
    what = f"Enzyme refused the kernel: {line}" if line else "Enzyme refused the kernel"
    where = _place(first, module, "") if first else module.where
    return DerivativeError(what, where=where, remedy=REPORT, detail=_detail(module, outcome))


def _detail(module: DiffModule, outcome: Outcome) -> str:
    """What the pass printed, and the code that it was given, without the debug information."""
    code = [line for line in module.ir.splitlines() if not line.startswith(("!", "    #dbg"))]
    return "\n".join((outcome.log.rstrip(), "", "; the module given to the pass", *code))


def _place(diagnostic: Diagnostic, module: DiffModule, value: str) -> Where:
    """The kernel, at the line that the diagnostic leads to, and the argument, if it names one."""
    kernel = module.where
    argument = re.search(r"%arg\.([A-Za-z_]\w*)", value)
    where = kernel if argument is None else replace(kernel, argument=argument.group(1))
    if diagnostic.file is None or diagnostic.line is None:
        return where
    if _is_same_file(diagnostic.file, kernel.file):
        return replace(where, line=diagnostic.line)
    lines = _lines_of_kernel(diagnostic.file, diagnostic.line, module, value)
    if not lines:
        return replace(where, file=diagnostic.file, line=diagnostic.line)
    return replace(where, line=lines[0]) if len(lines) == 1 else where


def _lines_of_kernel(place: str, line: int, module: DiffModule, value: str) -> list[int]:
    """The lines of the kernel's file that lead to a place in another; one, if one is to blame."""
    file = module.where.file
    if file is None:
        return []
    sites = CallSites(module.ir)
    named = sites.lines_that_lead_to(value, file) if value else []
    return named[:1] or sites.lines_that_lead_to_line(place, line, file)


def _is_same_file(name: str, path: str | None) -> bool:
    """Debug information may hold the bare name of the file."""
    return path is not None and (path == name or path.endswith(f"/{name}"))


def _finished(module: DiffModule, outcome: Outcome, is_complete: bool) -> DifferentiatedModule:
    if len(outcome.log) >= LOG_LIMIT:
        message = "the pass printed more than can be checked for warnings"
        raise HostError(message, where=module.where, remedy=REPORT)
    unresolved = UNRESOLVED_CALL.search(outcome.output)
    if is_complete and unresolved is not None:
        message = "the pass left a derivative undone"
        raise DerivativeError(message, where=module.where, remedy=REPORT, detail=unresolved[0])
    lost = [name for name in module.entries if not _defines(outcome.output, name)]
    if lost:
        message = f"the differentiated module lacks its entry `{lost[0]}`"
        raise HostError(message, where=module.where, remedy=REPORT, detail=outcome.log)
    return DifferentiatedModule(
        ir=outcome.output,
        entries=module.entries,
        where=module.where,
        seconds=outcome.seconds,
        remarks=outcome.log,
        is_fast=module.is_fast,
    )


def _defines(ir: str, name: str) -> bool:
    return f"@{name}(" in ir or f'@"{name}"(' in ir
