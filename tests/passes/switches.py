"""Cures that are left out: what happens without one shows that it is needed.

    pytest --without "lasting variables" tests/whole
    FUZZ_WITHOUT="steps" python -m tests.fuzz --count 150

A name is that of a pass in a table, an option of Enzyme's run as the package gives it (`--enable-gvn-memdep=0`), or one of
OTHERS. "LLVM's inlining" is no cure: derivatives must be right without it, since LLVM leaves large functions alone. "LLVM's inlining of users' functions"
leaves alone those of the user, as where these are large, and what they are made of is small.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import llvmlite.binding as llvm

from enzyme_py import compiling
from enzyme_py.assembly import entry, inlining, special_functions
from enzyme_py.frontend.target import replacements, signatures
from enzyme_py.frontend.target.target import KernelTarget
from enzyme_py.host.process import client
from enzyme_py.llvm import Function, Module
from enzyme_py.native import optimising
from enzyme_py.passes import attempts, differentiation, pipeline
from enzyme_py.passes.base import Draft
from enzyme_py.passes.checks.recursive_calls import CheckRecursiveCalls
from enzyme_py.passes.memory import allocations, cache_marks
from enzyme_py.passes.memory.allocations import CachedAllocations
from enzyme_py.passes.module.requests import reversed_twice
from enzyme_py.passes.steps import Postpone
from enzyme_py.symbols import CACHED, NO_RECOMPUTING

TABLES = (
    (pipeline, ("ASSEMBLE", "ASSEMBLE_NESTED", "PREPARE", "READY", "BEHIND")),
    (attempts, ("FORMS", "CRASHES", "REFUSALS")),
)
Put = Callable[[Any, str, Any], None]


def leave_out(name: str, put: Put = setattr) -> None:
    """Switch a cure off, with `monkeypatch.setattr` for one test; there must be such a cure."""
    if name in OTHERS:
        OTHERS[name](put)
    elif name.startswith("--"):
        _leave_out_option(name, put)
    else:
        _leave_out_pass(name, put)


def _leave_out_pass(name: str, put: Put) -> None:
    is_there = False
    for module, tables in TABLES:
        for table in tables:
            rows = getattr(module, table)
            left = tuple(row for row in rows if getattr(row.change, "name", "") != name)
            is_there |= len(left) < len(rows)
            put(module, table, left)
    assert is_there, f"no table has a pass {name!r}"


def _leave_out_option(name: str, put: Put) -> None:
    """Take an option out of all that the host is asked with; a second try that differs by it only is the first again."""
    run = client._run

    def without(module: Any, asked: tuple[str, ...]) -> Any:
        return run(module, tuple(one for one in asked if one != name))

    put(client, "_run", without)


def _steps(put: Put) -> None:
    put(Postpone, "run", lambda change, draft: None)


def _steps_of_recursion(put: Put) -> None:
    """What calls itself is differentiated twice in one run, as all else that one run takes."""
    _steps(put)
    put(CheckRecursiveCalls, "applies", lambda change, draft: False)


def _inlining(put: Put) -> None:
    """Functions that take derivatives stay calls, where LLVM leaves them; what is reversed twice is still inlined."""

    def inline_reversed_twice(module: llvm.ModuleRef) -> None:
        code = Module(str(module))
        inlining._mark(module, reversed_twice(code), inlining._calls(code))

    put(entry, "inline_derivatives", inline_reversed_twice)


def _inlining_of_reversed_twice(put: Put) -> None:
    put(inlining, "reversed_twice", lambda code: set())


def _copies_in_pieces(put: Put) -> None:
    """Temporaries of which a known number of elements is copied are made again in the reverse sweep."""
    put(allocations._Made, "copied_in_pieces", lambda made: iter(()))


def _is_split(code: Module) -> bool:
    return any("__enzyme_augmentfwd" in one.name for one in code.declarations)


def _nothing_made_again_in_halves(put: Put) -> None:
    """Halves of split modes make memory again, as one sweep does."""
    assemble = compiling.assemble

    def recomputed(request: Any, given_types: Any) -> Any:
        made = assemble(request, given_types)
        if not request.is_split:
            return made
        return replace(made, options=tuple(one for one in made.options if one != NO_RECOMPUTING))

    put(compiling, "assemble", recomputed)


def _marks_in_halves(put: Put) -> None:
    applies = CachedAllocations.applies
    put(
        CachedAllocations,
        "applies",
        lambda change, draft: not _is_split(draft.code) and applies(change, draft),
    )


def _rules_of_marks_in_halves(put: Put) -> None:
    """The mark has no rules in split modes, as it has none in one reverse sweep."""
    declared = cache_marks.declared_mark

    def inactive(draft: Any) -> Any:
        if _is_split(draft.code) and draft.code.get(CACHED) is None:
            draft.code.add_text(cache_marks._INACTIVE)
        return declared(draft)

    put(cache_marks, "declared_mark", inactive)


def _types_of_variables(put: Put) -> None:
    """Variables whose types the user gave (`locals`) have those that Numba infers."""
    make = KernelTarget.make_dispatcher
    put(
        KernelTarget,
        "make_dispatcher",
        lambda target, made, options, variables=None: make(target, made, options),
    )


def _of_numba(lowering: Callable[..., Any]) -> Callable[[Put], None]:
    """Let Numba lower what this package lowers in its place (frontend/target/replacements.py)."""

    def leave(put: Put) -> None:
        left = tuple(one for one in replacements._CHOICES if one is not lowering)
        assert len(left) < len(replacements._CHOICES)
        put(replacements, "_CHOICES", left)

    return leave


def _llvms_inlining(put: Put) -> None:
    """LLVM inlines nothing by itself: what is called has a tape of its own, as large functions have."""
    _keep_calls(put, lambda code, function: True)


def _inlining_of_users_functions(put: Put) -> None:
    """LLVM inlines what Numba, NumPy's functions and the package are made of, but not what a user's file defines, as if that were large."""
    _keep_calls(put, _is_users)


def _keep_calls(put: Put, are_meant: Callable[[Module, Function], bool]) -> None:
    o2 = differentiation._Differentiation.o2

    def without(self: Any, draft: Draft) -> Draft:
        for one in draft.code.functions:
            is_free = one.linkage == "internal" and not any(map(one.has_attribute, ("alwaysinline", "noinline", "optnone")))
            if is_free and are_meant(draft.code, one):
                one.add_attribute("noinline")
        return o2(self, draft)

    put(differentiation._Differentiation, "o2", without)


def _is_users(code: Module, function: Function) -> bool:
    """Tell by the file in a function's debug information whether a user has written it."""
    _, has_place, place = function.head.partition(" !dbg ")
    if not has_place or function.name.endswith("__numba_array_expr"):
        return False
    told = code.metadata[place.split()[0]].content
    file = code.metadata[told.partition("file: ")[2].partition(",")[0]].content
    return not any(one in file for one in ("site-packages", "/enzyme_py/", '"<string>"'))


OTHERS: dict[str, Callable[[Put], None]] = {
    "steps": _steps,
    "steps, and the refusal of what calls itself": _steps_of_recursion,
    "copies in pieces": _copies_in_pieces,
    "inlining": _inlining,
    "LLVM's inlining": _llvms_inlining,
    "LLVM's inlining of users' functions": _inlining_of_users_functions,
    "inlining of what is reversed twice": _inlining_of_reversed_twice,
    "nothing made again in halves": _nothing_made_again_in_halves,
    "marks in halves": _marks_in_halves,
    "rules of marks in halves": _rules_of_marks_in_halves,
    "late records": lambda put: put(optimising, "allocate_records_late", lambda code: 0),
    "given signatures": lambda put: put(signatures, "given_signatures", lambda function: ()),
    "types of variables": _types_of_variables,
    "own slice assignment": _of_numba(replacements.block_assignment),
    "own transposing": _of_numba(replacements.transposition),
    "own reshaping": _of_numba(replacements.reshaped),
    "own ranges": _of_numba(replacements.ranges.iteration),
    "own scans": _of_numba(replacements.scans.method),
    "own smooth functions": _of_numba(replacements.smooth.method),
    "own remainders": _of_numba(replacements.remainders.remainder),
    "own elementary functions": lambda put: put(special_functions, "bodies", lambda order, **ways: {}),
    "no notes of same values": lambda put: put(client, "without_same_values", lambda code: None),
    "search for indices without a value": lambda put: put(
        client, "_reads_nowhere", lambda module, done: False
    ),
}
