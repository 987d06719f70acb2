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
_PLAIN = r"\([^()]*\)"  # what holds no other brackets
# Which bracket opens is looked at ahead, so that a pattern holds what may stand inside once, and compiles in half the time.
_GROUP = rf"[(\[{{<]{INSIDE}[)\]}}>]"
TYPE = rf"(?:ptr addrspace{_PLAIN}|target{_PLAIN}|[a-z]\w*|{LOCAL}|(?=[\[{{<]){_GROUP})\**"
FUNCTION_TYPE = rf"{TYPE}(?: {ROUND})?"
_BEFORE_OPERANDS = rf"[a-z]\w*(?: [a-z]\w*(?:{_PLAIN})?)* ?"
_EXPRESSION = rf"{_BEFORE_OPERANDS}{ROUND}"
VALUE = (
    rf"(?:{LOCAL}|{GLOBAL}|(?:dso_local_equivalent|no_cfi) {GLOBAL}|c?{STRING}"
    rf"|(?:{_BEFORE_OPERANDS}(?=\()|!\w+(?=\()|!(?=\{{)|(?=[\[{{<])){_GROUP}"
    rf"|[-+]?[\w.]+(?:[-+]\d+)?|!{NAME})"
)
ATTRIBUTE = rf"(?:(?:align|cc|alignstack) \d+|#\d+|{STRING}(?:={STRING})?|[a-z_]\w*(?:={NAME}|\({_nested(3)}\))?)"
_LABEL = rf"label ({LOCAL})"

_WORDS = (
    "volatile|weak|xchg|add|sub|and|nand|or|xor|max|min|umax|umin|fadd|fsub|fmax|fmin|fmaximum|fminimum"
    "|fmaximumnum|fminimumnum|uinc_wrap|udec_wrap|usub_cond|usub_sat|nnan|ninf|nsz|arcp|contract|afn|reassoc|fast"
)

# Compiled when first asked for: few processes read code.
_TEXTS = {
    "OPERAND": rf"((?:metadata )?{TYPE}) ((?:{ATTRIBUTE} )*?)({VALUE})(?=[,)\]]|$|\n| (?:seq_cst|acq|rel|mono|unord|sync))",
    "BINARY": rf"[a-z]+ (?:[a-z]+ )*?({TYPE}) ({VALUE}), ({VALUE})(?=,|$)",
    "COMPARE": rf"[a-z]+ (?:[a-z]+ )+?({TYPE}) ({VALUE}), ({VALUE})(?=,|$)",
    "CAST": rf"[a-z]+ (?:[a-z]+ )*?({TYPE}) ({VALUE}) to ({TYPE})(?=,|$)",
    "LOAD": rf"load (?:atomic )?(?:volatile )?({TYPE}), {TYPE} ({VALUE})(?=,| |$)",
    "STORE": rf"store (?:atomic )?(?:volatile )?({TYPE}) ({VALUE}), ({TYPE}) ({VALUE})(?=,| |$)",
    "ELEMENT": rf"getelementptr (?:[a-z]+(?:{ROUND})? )*?({TYPE}), ({TYPE}) ({VALUE})(?=,|$)",
    "INDEX": rf", ({TYPE}) ({VALUE})(?=,|$)",
    "BRANCH": rf"br (?:({TYPE}) ({VALUE}), )?{_LABEL}(?:, {_LABEL})?(?=,|$)",
    "SWITCH": rf"switch ({TYPE}) ({VALUE}), {_LABEL} \[",
    "CASE": rf"\s+({TYPE}) ({VALUE}), {_LABEL}",
    "RETURN": rf"ret ({TYPE}) ({VALUE})(?=,|$)",
    "ALLOCA": rf"alloca (?:[a-z]+ )*?({TYPE})(?:, (?!align|addrspace)({TYPE}) ({VALUE}))?(?=,|$)",
    "PHI": rf"phi (?:[a-z]+ )*?({TYPE}) \[",
    "INCOMING": rf"\[ ({VALUE}), ({LOCAL}) \]",
    "SELECT": rf"select (?:[a-z]+ )*?({TYPE}) ({VALUE}), ({TYPE}) ({VALUE}), {TYPE} ({VALUE})(?=,|$)",
    "CALL": (
        rf"(?:(?:tail|musttail|notail) )?(?:call|invoke|callbr) ((?:{ATTRIBUTE} )*?)({FUNCTION_TYPE}) "
        rf"({LOCAL}|{GLOBAL}|asm (?:[a-z]+ )*{STRING}, {STRING}|{_EXPRESSION}|null|undef|poison)\("
    ),
    "LISTED": rf"[a-z_]+ (?:(?:{_WORDS}) )*",
    "LANDINGPAD": rf"landingpad ({TYPE})",
    "VA_ARG": rf"va_arg {TYPE} {VALUE}, ({TYPE})(?=,|$)",
    "NAMED": rf"{STRING}|[%@]{NAME}",
    "COMDAT": r", comdat(?:\([^)]*\))?",
    "ATTACHED": rf", !([-\w.$\\]+) (!(?:\d+|\{{{INSIDE}\}}|\w+{ROUND}))",
    "ATTACHED_TO_HEAD": r" !([-\w.$]+) (!\d+)",
    "ATTRIBUTES": ATTRIBUTE,
    "ARGUMENT": rf"({TYPE})((?: {ATTRIBUTE})*?)(?: ({LOCAL}))?(?=, |$)",
    "LINE": (
        rf"  (?:({LOCAL}) = )?((?:(?:tail|musttail|notail) )?([a-z][a-z_0-9]*)\b.*"
        r"(?:\n(?:    +(?!#dbg)|  \]).*)*)\n"
        rf"|({NAME}):.*\n"
        r"|(.*)\n"
    ),
    "TOP": (
        rf"(define|declare) (?:[^@\"\n]++|{STRING})*+({GLOBAL})\("
        rf"|({GLOBAL}) = "
        r"|(attributes) (#\d+) = \{(.*)\}"
        rf"|!(\d+) = "
        rf"|!({NAME}) = "
    ),
    "SIGNATURE": rf"((?:{ATTRIBUTE} )*?)({TYPE}) @",
    "GLOBAL_NAME": GLOBAL,
    "CALLED_NAME": rf"{STRING}|({GLOBAL})(?=\()",  # nothing of a string
    "ADDRESS": r"\binttoptr \(i64 (-?\d+) to ptr\)",
    "GLOBAL_OR_STRING": f"{GLOBAL}|{STRING}",
    "CALLEE": rf"  (?:{LOCAL} = )?(?:(?:tail|musttail|notail) )?call (?:[^@\"\n]|{STRING})*({GLOBAL})\(",
    "DEBUG_RECORDS": r"(?m)^ *#dbg_.*\n",
    "FIXED_ADDRESS": r"inttoptr (?:\(i64 (-?\d+) to ptr\)|i64 (-?\d+) to ptr)",
    # What LLVM wants between the parameters of a function and its attributes.
    "BEFORE_ATTRIBUTES": r"(?: (?:local_)?unnamed_addr)?(?: addrspace\([^)]*\))?",
}


def __getattr__(name: str) -> re.Pattern[str]:
    """Compile the pattern of a name; from then on it is an ordinary global."""
    if name not in _TEXTS:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    found = globals()[name] = re.compile(_TEXTS[name])
    return found


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


ESCAPED = re.compile(rb"\\(?:([0-9A-Fa-f]{2})|\\)")
