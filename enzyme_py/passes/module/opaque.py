"""Calls that pass a number on, and that neither LLVM nor Enzyme may see through.

    %m.live_out = call i64 @enzyme_py_inactive.left_i64(i64 %m)     cached: never made twice
    %one = call double @enzyme_py_inactive.double(double 1.0)       hidden: made again wherever it is needed

Enzyme has no body for such a function. It is told that the function has no derivative, and of which type the number is.
To Enzyme a *cached* one touches memory that nobody else can see: so the reverse sweep may not call it again, and has its
result from the tape. A *hidden* one touches nothing: it may be called again, and only LLVM's simplifications stop at it.
Behind Enzyme the native stage gives all of them their body (native/rewrites/leftovers.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from enzyme_py.llvm import Builder, Call, Function, Module, Value, types
from enzyme_py.symbols import BARRIER, BARRIER_ATTRIBUTES

CACHED_COPY = f"{BARRIER}.left_"  # and the type behind it

_OWN = f"{BARRIER}.own_"  # a number and the type behind it

_CACHED_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite) "
    '"enzyme_inactive" "enzyme_nofree" "enzyme_no_escaping_allocation"'
)


def cached_copy(at: Builder, value: Value, name: str) -> Call:
    """Pass a number on as one that Enzyme must cache: an integer, a `float` or a `double`."""
    copier = _declared(
        at.function.module, CACHED_COPY, value.type, _typed(value.type), _CACHED_ATTRIBUTES
    )
    return at.call(copier, [value], name)


def is_cached_copy(one: Value) -> bool:
    """Tell whether a value is a number that was passed on so."""
    return isinstance(one, Call) and one.callee.startswith(CACHED_COPY)


def hidden(at: Builder, value: Value, name: str, extra: Sequence[str] = ()) -> Call:
    """Pass a number on as one that LLVM knows nothing of; `extra` are further attributes of the function."""
    said = " ".join([*extra, BARRIER_ATTRIBUTES])
    typed = _typed(value.type) if types.is_float(value.type) else ""
    barrier = _declared(at.function.module, f"{BARRIER}.", value.type, typed, said)
    return at.call(barrier, [value], name)


def own_copy(at: Builder, value: Value, name: str) -> Call:
    """Hide an integer so that it equals no other one: each has a function of its own."""
    code = at.function.module
    free = next(own for number in count() if code.get((own := f"{_OWN}{number}_") + value.type) is None)
    return at.call(_declared(code, free, value.type, "", BARRIER_ATTRIBUTES), [value], name)


def _typed(type_: str) -> str:
    """Return the attribute that tells Enzyme of which type a number is."""
    return f'"enzyme_type"="{{[-1]:{f"Float@{type_}" if types.is_float(type_) else "Integer"}}}"'


def _declared(code: Module, name: str, type_: str, typed: str, attributes: str) -> Function:
    words = [typed] if typed else []
    return code.declare(
        f"{name}{type_}", " ".join([*words, type_]), [" ".join([type_, *words])], [attributes]
    )
