"""The kinds of Enzyme's refusals: what it says of each, and what the user is told.

A row is a pattern of Enzyme's words, the class of the exception, what happened, and the remedy; the first that matches
counts. Code in a message is not matched: the row's `reads` looks at it as code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from enzyme_py.errors import (
    ActivityError,
    DerivativeError,
    NoDerivativeError,
    TypeAnalysisError,
)
from enzyme_py.llvm import types
from enzyme_py.llvm.naming import bare
from enzyme_py.llvm.reading.printed import Printed, printed
from enzyme_py.passes.types.grown_caches import UNCOUNTED
from enzyme_py.symbols import PYTHON, REQUEST, without_number

GIVE_RULE = (
    "compute what `{name}` gives outside of the kernel and pass it as a Const argument, or write it as "
    "loops; around a function of numbers, enzyme_py.stop_gradient makes its result a constant"
)
CHOOSE_ACTIVITY = (
    "either annotate all memory that meets there alike (make the Const argument Duplicated, with a "
    "shadow of zeros), or let it be decided while running: enzyme_py.set_runtime_activity(mode). If nothing is Const, and a first "
    "derivative is right: take the second one in another order (grad of jvp, jvp of grad)"
)
TELL_TYPE = (
    "the memory is moved without anything telling whether it holds floats: read or write an element "
    "of it as a float first"
)
TWO_TYPES = "the same memory is used as two different types"
VIEW_NOTHING = "do not view one array's memory as another dtype inside the kernel"
NO_BITS = (
    "do not compute on the bits of a float; wrap what does in enzyme_py.stop_gradient. If these are integers, and a first derivative is "
    "right: take the second one in another order (grad of jvp, jvp of grad)"
)
FIX_RULE = "correct the signatures of the rule's functions: the detail has what the pass expects"
REPORT = "this is a defect of enzyme_py: please report it with the detail"

_NO_RULE = (
    r"No (?:augmented forward pass|reverse pass|forward mode derivative|"
    r"forward mode error function) found for"
)


# What makes integers of integers: sizes and steps of an array that a function returns, say.
_COUNTED = "add sub mul shl or sdiv udiv srem urem sext zext trunc".split()
_MOVED = ("load", "phi")


@dataclass(frozen=True)
class Row:
    """One kind of refusal. `what` and `remedy` are filled with what the pattern's group `name` matches.

    Where the group `code` matches a line of code in its place, `reads` tells the name in it; None if the code says that
    the refusal is of another kind.
    """

    pattern: str
    error: type[DerivativeError]
    what: str
    remedy: str
    is_fatal: bool = True  # False: a remark that nevertheless means a wrong derivative
    reads: Callable[[Printed], str | None] | None = None

    def name_in(self, text: str) -> str | None:
        """Return the name in a message of this kind, which may be nothing; None if it is of another kind."""
        for found in re.finditer(self.pattern, text):
            if self.reads is None:
                return (found.groupdict().get("name") or "").strip()
            name = self.reads(printed(found["code"]))
            if name is not None:
                return name
        return None


def _request(code: Printed) -> str | None:
    """Tell code that differentiates, or asks for strong zeros."""
    asks = any(name.startswith(("@enzyme_strong_zero", f"@{REQUEST}")) for name in code.names)
    return "" if asks else None


def _called_address(code: Printed) -> str | None:
    return str(code.addresses[-1]) if code.addresses else None


def _variable(code: Printed) -> str | None:
    """Name a variable, as its own code does."""
    is_one = " = " in code.text and code.text.startswith("@")
    return without_number(bare(code.names[0])) if is_one else None


def _memory(code: Printed) -> str | None:
    """Tell memory from numbers: constant numbers are harmless in an active place."""
    type_ = code.type
    is_number = types.is_integer(type_) or types.is_float(type_)
    if code.opcode:
        is_harmless = code.opcode.startswith("f") or (code.opcode in _MOVED and is_number)
        is_harmless |= code.opcode in _COUNTED and types.is_integer(type_)
    else:
        is_harmless = is_number or type_.startswith(("<", "[", "{"))
    return None if is_harmless else code.text


ROWS = (
    Row(
        r"could not statically determine size of realloc(?P<name>)",
        DerivativeError,
        f"reverse over reverse of {UNCOUNTED}",
        "take forward over reverse, jvp of grad, or count the iterations: `for i in range(n)` in place of "
        "an iterator or a while, a flag (`if not done:`) in place of a break or a return out of an inner loop",
    ),
    Row(
        rf"{_NO_RULE} numba_(?P<name>list|dict)_\w+",
        NoDerivativeError,
        "what the kernel does with a typed {name} (numba.typed) has no derivative",
        "reading, writing, growing and walking through it have; else keep the items in a plain list that "
        "the kernel makes, `parts = [x, y]` and `parts.append`, in a tuple or in an array",
    ),
    Row(
        rf"{_NO_RULE} {re.escape(PYTHON)}(?P<name>[^\s]+)\.\d+",
        NoDerivativeError,
        "`{name}` is run by Python and has no derivative itself",
        "give enzyme.rules.python a rule that is made by numba.njit, or as_kernel of a bridge order=2; either has second "
        "derivatives",
    ),
    Row(
        r"No create nofree of empty function \((?P<name>Py\w+)\)",
        DerivativeError,
        "the kernel prints what becomes an object of Python's (`{name}`)",
        "print numbers, strings, or tuples of them",
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
        r"\s(?P<code>[^\n]*)",
        DerivativeError,
        "a second derivative, the inner one in reverse mode, of a function whose rule calls that function "
        "or differentiates",
        "write out the function in its rule, give the rule by custom_vjp, or take forward mode inside: jvp "
        "of jvp, jacfwd of jacfwd",
        reads=_request,
    ),
    Row(
        r"doesn't have marked shadow global\s(?P<code>[^\n]*)",
        NoDerivativeError,
        "`{name}`, which is called by its address, has no derivative rule",
        GIVE_RULE,
        reads=_called_address,
    ),
    Row(
        # Written through a pointer that lies there, or one whose address goes where nobody sees.
        r"doesn't have marked shadow global\s(?P<code>[^\n]*)",
        NoDerivativeError,
        "linked code may keep numbers in its variable `{name}`, or in memory that it points to",
        "hand the memory to the function as an argument (a float64[::1]), which has a shadow",
        reads=_variable,
    ),
    Row(
        r"Runtime Activity not yet implemented for (?P<name>[^\n]+)",
        ActivityError,
        "Enzyme cannot decide activity while running for {name}",
        "annotate every argument of the call, and drop set_runtime_activity",
    ),
    Row(
        r"Mismatched activity for:[^\n]*? const val: +(?P<code>[^\n]*)",
        ActivityError,
        "constant memory is used where the derivative needs memory with a shadow",
        CHOOSE_ACTIVITY,
        is_fatal=False,
        reads=_memory,
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
        "what memory holds is not known where a derivative fills it with zeros",
        "take second derivatives in another order, as jvp of grad (forward over reverse); else read or "
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
        r"cannot handle blas argument (?P<name>\w+ within \w+)",
        NoDerivativeError,
        "a routine of BLAS has no derivative by one of its arguments ({name}) in this mode",
        "hand over a number there that no active one goes into, take the other mode, or write the routine as a loop in the linked code",
    ),
    Row(
        r"cannot handle (?:unknown|above) (?P<name>[a-z ]+)",
        NoDerivativeError,
        "Enzyme has no derivative for a {name} on what may be a float's bits",
        NO_BITS,
    ),
    Row(  # `max` of two integers that may be floats is one
        r"cannot handle \(\w+\) unknown intrinsic\s+(?:%\S+ = (?:tail )?call [^@\n]*@)?(?P<name>llvm\.(?:[su](?:max|min)|abs|ct|bswap|fsh)\w*)",
        NoDerivativeError,
        "Enzyme has no derivative for {name} on what may be a float's bits",
        NO_BITS,
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
