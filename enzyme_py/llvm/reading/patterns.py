"""The words of LLVM's assembly language: names, types, values and attributes, as regular expressions.

This is the only place of the package that reads printed IR by pattern. LLVM's brackets may nest; a
pattern knows them to a depth that no printed module has come near.
"""

from __future__ import annotations

import re
from functools import cache

_DEPTH = 7
STRING = r'"[^"]*"'
NAME = rf"(?:[-a-zA-Z$._0-9]+|{STRING})"
LOCAL = f"%{NAME}"
GLOBAL = f"@{NAME}"


def _nested(depth: int) -> str:
    """Return what may stand in a pair of brackets."""
    plain = rf'[^()\[\]{{}}<>"]++|{STRING}'
    if depth == 0:
        return f"(?:{plain})*+"
    return rf"(?:{plain}|[(\[{{<]{_nested(depth - 1)}[)\]}}>])*+"


INSIDE = _nested(_DEPTH)
ROUND = rf"\({INSIDE}\)"
_BRACKETS = rf"\[{INSIDE}\]|\{{{INSIDE}\}}|<{INSIDE}>"
TYPE = rf"(?:ptr addrspace{ROUND}|target{ROUND}|[a-z]\w*|{LOCAL}|{_BRACKETS})(?:(?: {ROUND})?\*)*"
FUNCTION_TYPE = rf"{TYPE}(?: {ROUND})?"
_EXPRESSION = rf"[a-z]\w*(?: [a-z]\w*(?:{ROUND})?)* ?{ROUND}"
VALUE = (
    rf"(?:{LOCAL}|{GLOBAL}|(?:dso_local_equivalent|no_cfi) {GLOBAL}|c?{STRING}|{_EXPRESSION}"
    rf"|[-+]?[\w.]+(?:[-+]\d+)?|{_BRACKETS}|!(?:\w+{ROUND}|\{{{INSIDE}\}}|{NAME}))"
)
ATTRIBUTE = (
    rf"(?:(?:align|cc|alignstack) \d+|#\d+|{STRING}(?:={STRING})?|[a-z_]\w*(?:={NAME}|{ROUND})?)"
)
_LABEL = rf"label ({LOCAL})"

OPERAND = re.compile(
    rf"((?:metadata )?{TYPE}) ((?:{ATTRIBUTE} )*?)({VALUE})(?=[,)\]]|$|\n| (?:seq_cst|acq|rel|mono|unord|sync))"
)
BINARY = re.compile(rf"[a-z]+ (?:[a-z]+ )*?({TYPE}) ({VALUE}), ({VALUE})(?=,|$)")
COMPARE = re.compile(rf"[a-z]+ (?:[a-z]+ )+?({TYPE}) ({VALUE}), ({VALUE})(?=,|$)")
CAST = re.compile(rf"[a-z]+ (?:[a-z]+ )*?({TYPE}) ({VALUE}) to ({TYPE})(?=,|$)")
LOAD = re.compile(rf"load (?:atomic )?(?:volatile )?({TYPE}), {TYPE} ({VALUE})(?=,| |$)")
STORE = re.compile(
    rf"store (?:atomic )?(?:volatile )?({TYPE}) ({VALUE}), ({TYPE}) ({VALUE})(?=,| |$)"
)
ELEMENT = re.compile(rf"getelementptr (?:[a-z]+(?:{ROUND})? )*?({TYPE}), ({TYPE}) ({VALUE})(?=,|$)")
INDEX = re.compile(rf", ({TYPE}) ({VALUE})(?=,|$)")
BRANCH = re.compile(rf"br (?:({TYPE}) ({VALUE}), )?{_LABEL}(?:, {_LABEL})?(?=,|$)")
SWITCH = re.compile(rf"switch ({TYPE}) ({VALUE}), {_LABEL} \[")
CASE = re.compile(rf"\s+({TYPE}) ({VALUE}), {_LABEL}")
RETURN = re.compile(rf"ret ({TYPE}) ({VALUE})(?=,|$)")
ALLOCA = re.compile(
    rf"alloca (?:[a-z]+ )*?({TYPE})(?:, (?!align|addrspace)({TYPE}) ({VALUE}))?(?=,|$)"
)
PHI = re.compile(rf"phi (?:[a-z]+ )*?({TYPE}) \[")
INCOMING = re.compile(rf"\[ ({VALUE}), ({LOCAL}) \]")
SELECT = re.compile(
    rf"select (?:[a-z]+ )*?({TYPE}) ({VALUE}), ({TYPE}) ({VALUE}), {TYPE} ({VALUE})(?=,|$)"
)
CALL = re.compile(
    rf"(?:(?:tail|musttail|notail) )?(?:call|invoke|callbr) ((?:{ATTRIBUTE} )*?)({FUNCTION_TYPE}) "
    rf"({LOCAL}|{GLOBAL}|asm (?:[a-z]+ )*{STRING}, {STRING}|{_EXPRESSION}|null|undef|poison)\("
)
_WORDS = (
    "volatile|weak|xchg|add|sub|and|nand|or|xor|max|min|umax|umin|fadd|fsub|fmax|fmin|fmaximum|fminimum"
    "|fmaximumnum|fminimumnum|uinc_wrap|udec_wrap|usub_cond|usub_sat|nnan|ninf|nsz|arcp|contract|afn|reassoc|fast"
)
LISTED = re.compile(rf"[a-z_]+ (?:(?:{_WORDS}) )*")
LANDINGPAD = re.compile(rf"landingpad ({TYPE})")
VA_ARG = re.compile(rf"va_arg {TYPE} {VALUE}, ({TYPE})(?=,|$)")
NAMED = re.compile(rf"{STRING}|[%@]{NAME}")
ATTACHED = re.compile(rf", !([-\w.$\\]+) (!(?:\d+|\{{{INSIDE}\}}|\w+{ROUND}))")
ATTACHED_TO_HEAD = re.compile(r" !([-\w.$]+) (!\d+)")
ATTRIBUTES = re.compile(ATTRIBUTE)
ARGUMENT = re.compile(rf"({TYPE})((?: {ATTRIBUTE})*?)(?: ({LOCAL}))?(?=, |$)")

LINE = re.compile(
    rf"  (?:({LOCAL}) = )?((?:(?:tail|musttail|notail) )?([a-z][a-z_0-9]*)\b.*"
    r"(?:\n(?:    +(?!#dbg)|  \]).*)*)\n"
    rf"|({NAME}):.*\n"
    r"|(.*)\n"
)
TOP = re.compile(
    rf"(define|declare) (?:[^@\"\n]++|{STRING})*+({GLOBAL})\("
    rf"|({GLOBAL}) = "
    r"|(attributes) (#\d+) = \{(.*)\}"
    rf"|!(\d+) = "
    rf"|!({NAME}) = "
)
SIGNATURE = re.compile(rf"((?:{ATTRIBUTE} )*?)({TYPE}) @")
GLOBAL_NAME = re.compile(GLOBAL)
CALLED_NAME = re.compile(rf"{STRING}|({GLOBAL})(?=\()")  # nothing of a string
ADDRESS = re.compile(r"\binttoptr \(i64 (-?\d+) to ptr\)")
GLOBAL_OR_STRING = re.compile(f"{GLOBAL}|{STRING}")


@cache
def attached(kinds: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds numbered nodes of some kinds where they are attached to instructions."""
    return re.compile(rf", !(?:{'|'.join(map(re.escape, kinds))}) !\d+")


@cache
def attached_to_head(kind: str) -> re.Pattern[str]:
    """Return what finds nodes of a kind where they are attached to functions."""
    return re.compile(rf" !{re.escape(kind)} !\d+")


@cache
def calls_without_result(start: str) -> re.Pattern[str]:
    """Return what finds the lines of calls that give nothing, of functions whose names begin so."""
    before = rf"(?:(?:tail|musttail|notail) )?call (?:{ATTRIBUTE} )*?void (?:{ROUND} )?"
    return re.compile(rf'^ *{before}@"?{re.escape(start)}.*\n', re.MULTILINE)


CALLEE = re.compile(
    rf"  (?:{LOCAL} = )?(?:(?:tail|musttail|notail) )?call (?:[^@\"\n]|{STRING})*({GLOBAL})\("
)
DEBUG_RECORDS = re.compile(r"^ *#dbg_.*\n", re.MULTILINE)
FIXED_ADDRESS = re.compile(r"inttoptr (?:\(i64 (-?\d+) to ptr\)|i64 (-?\d+) to ptr)")
ESCAPED = re.compile(rb"\\(?:([0-9A-Fa-f]{2})|\\)")

# What LLVM wants between the parameters of a function and its attributes.
BEFORE_ATTRIBUTES = re.compile(r"(?: (?:local_)?unnamed_addr)?(?: addrspace\([^)]*\))?")
