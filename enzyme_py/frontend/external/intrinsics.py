"""Intrinsics that compilers make of C's functions, written by those functions again, in linked code.

    llvm.atan2.f64(y, x)  ->  atan2(y, x)              llvm.modf.f64(x)  ->  { modf(x, &whole), whole }

Symptom: `tan(x)` in C had no derivative in forward mode, nor `sincos` and `modf` in any, compiled by `clang -O1 -fno-math-errno`, which
`-ffast-math` contains. `llvm.sincospi`, where the C library has no such function, ended the process.

Cause: since LLVM 18 there are intrinsics for more and more of C's functions. Enzyme knows some of them; rules/numbers/elementary.py has rows for the
names of C, without which derivatives far out are wrong.

Cure: code in place of the intrinsic, which calls C's function. What that one is, link_ir then asks as of all that the file only declares.
"""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.rules.numbers.c_library import OF_NUMBERS

_TYPES = {"f32": ("float", "f"), "f64": ("double", ""), "f80": ("x86_fp80", "l")}
_PREFIX = "enzyme_py_intrinsic"

_OF_ONE = """declare {f} @{name}{l}({f})
define internal {f} @{own}({f} %x) alwaysinline {{
  %value = call {f} @{name}{l}({f} %x)
  ret {f} %value
}}
"""
_OF_TWO = """declare {f} @{name}{l}({f}, {f})
define internal {f} @{own}({f} %x, {f} %y) alwaysinline {{
  %value = call {f} @{name}{l}({f} %x, {f} %y)
  ret {f} %value
}}
"""
_ITSELF = """define internal {f} @{own}({f} %x) alwaysinline {{
  ret {f} %x
}}
"""
_BOTH = """declare void @{name}{l}({f}, ptr, ptr)
define internal {{ {f}, {f} }} @{own}({f} %x) alwaysinline {{
  %places = alloca [2 x {f}]
  %second = getelementptr {f}, ptr %places, i64 1
  call void @{name}{l}({f} %x, ptr %places, ptr %second)
  %sine = load {f}, ptr %places
  %cosine = load {f}, ptr %second
  %one = insertvalue {{ {f}, {f} }} poison, {f} %sine, 0
  %both = insertvalue {{ {f}, {f} }} %one, {f} %cosine, 1
  ret {{ {f}, {f} }} %both
}}
"""
_PART = """declare {f} @{name}{l}({f}, ptr)
define internal {{ {f}, {other} }} @{own}({f} %x) alwaysinline {{
  %place = alloca {other}
  %part = call {f} @{name}{l}({f} %x, ptr %place)
  %number = load {other}, ptr %place
  %one = insertvalue {{ {f}, {other} }} poison, {f} %part, 0
  %both = insertvalue {{ {f}, {other} }} %one, {other} %number, 1
  ret {{ {f}, {other} }} %both
}}
"""
_CODE = {
    **dict.fromkeys("tan asin acos atan sinh cosh tanh exp10".split(), _OF_ONE),
    "atan2": _OF_TWO,
    "minimumnum": OF_NUMBERS,
    "maximumnum": OF_NUMBERS,
    "sincos": _BOTH,
    "sincospi": _BOTH,
    "modf": _PART,
    "frexp": _PART,
    "canonicalize": _ITSELF,
    "arithmetic.fence": _ITSELF,
}
_OTHER = {"minimumnum": "llvm.minimum", "maximumnum": "llvm.maximum"}  # not every C library has their functions


def write_intrinsics(code: Module) -> None:
    """Put code in place of the intrinsics of a module that the table has."""
    for old in code.declarations:
        type_ = next((one for one in old.name.split(".") if one in _TYPES), "")
        name = old.name.removeprefix("llvm.").partition(f".{type_}")[0]
        if not (old.name.startswith("llvm.") and type_ and name in _CODE):
            continue
        kind, letter = _TYPES[type_]
        called = f"{_OTHER[name]}.{type_}" if name in _OTHER else name
        other = "i32" if name == "frexp" else kind
        own = f"{_PREFIX}.{name}.{type_}"
        code.add_text(_CODE[name].format(f=kind, l=letter, name=called, own=own, other=other))
        old.replace_all_uses_with(code.function(own))
        old.erase()
