"""Giving a module's block copies their derivatives (rules/copies.py), by rules or by bodies.

A module starts with rules, unless they cannot serve: Enzyme knows them for one direction at a time,
and cannot take them apart where something is differentiated twice. There the copies get bodies.

So do they in a function that allocates in a loop: a temporary that a rule has touched is kept for
the reverse sweep, turn by turn, and one that loops have filled is computed again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import llvmlite.binding as llvm

from enzyme_py.assembly.allocations import Pointers
from enzyme_py.assembly.control_flow import NAME
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.natural_loops import Flow
from enzyme_py.frontend.blocks import ways
from enzyme_py.frontend.llvm_modules import Modules
from enzyme_py.request import Request
from enzyme_py.rules import copies

_DECLARED = re.compile(r"^declare .*@(enzyme_py_\w+)\(.*\n", re.MULTILINE)
_RULES = re.compile(r"^!\d+ = !\{ptr @enzyme_py_(?:copy|move_back|clear)\w+\.\w+\}\n", re.MULTILINE)
_REGISTERED = re.compile(
    r"^@__enzyme_register_\w+?_enzyme_py_(?:copy|move_back|clear)\w+ = .*\n", re.MULTILINE
)
_CALLED = re.compile(r"\bcall void @(enzyme_py_(?:copy|clear)\d_[ds]+)\(")
_COPY = re.compile(
    rf"\bcall void @(enzyme_py_copy\d_[ds]+)\(ptr (?:\w+ )*({NAME}), ptr (?:\w+ )*({NAME}),"
)
_FUNCTIONS = re.compile(r"(?m)^(?=define )")
_DEFINED = re.compile(r'^define [^@]*@"?([^"(]+)')
_ALLOCATION = re.compile(r" = .*\bcall\b.* ptr @(?:malloc|calloc)\(")


def chosen_way(requests: Sequence[Request], *, is_plain: bool) -> str:
    """Return how the copies of a module with these requests begin; rules need a plain one."""
    is_ruled = copies.RULES in ways.values() and is_plain
    are_plain = all(one.width == 1 and not one.runtime_activity for one in requests)
    return copies.RULES if is_ruled and are_plain else copies.LOOPS


def link_copies(module: llvm.ModuleRef, way: str, modules: Modules) -> tuple[str, ...]:
    """Link in what the module's copies need; returns what must keep its name for the pass."""
    declared = [one.name for one in module.functions if one.is_declaration]
    called = [name for name in declared if copies.is_copy(name)]
    if not called:
        return ()
    addition = modules.parsed(copies.definitions(called, way))
    addition.triple, addition.data_layout = module.triple, module.data_layout
    module.link_in(addition)
    return copies.registered(called, way)


def with_recomputable_copies(module: DiffModule) -> DiffModule:
    """Return the simplified module with bodies for its copies, if any fills memory of a loop."""
    if any(map(_fills_memory_of_a_loop, _FUNCTIONS.split(module.ir)[1:])):
        return with_bodies(module)
    return module


def with_bodies(module: DiffModule) -> DiffModule:
    """Return the module with bodies for its copies in place of rules, itself if it has none."""
    called = {name for name in _DECLARED.findall(module.ir) if copies.is_copy(name)}
    if not called:
        return module
    kept = _DECLARED.sub(lambda found: "" if copies.is_declared(found[1]) else found[0], module.ir)
    pieces = _FUNCTIONS.split(kept)
    functions = map(_with_simple_copies, map(_without_rule, pieces[1:]))
    # A registration is a global in a module as assembled, metadata in one the host has read.
    text = _REGISTERED.sub("", _RULES.sub("", pieces[0] + "".join(functions)))
    bodies = copies.definitions(called, copies.LOOPS).replace("linkonce_odr", "internal")
    known = [line for line in bodies.split("\n") if not _is_known(line, text)]
    return replace(module, ir="\n".join([text, *known]))


def _fills_memory_of_a_loop(function: str) -> bool:
    if _CALLED.search(function) is None:
        return False
    lines = function[: function.index("\n}")].split("\n")
    numbers = [number for number, line in enumerate(lines) if _ALLOCATION.search(line)]
    flow = Flow(lines) if numbers else None
    return flow is not None and any(flow.is_repeated(number) for number in numbers)


def _without_rule(function: str) -> str:
    """Return a function, or what stands behind it if it is the rule of a copy."""
    name = _DEFINED.match(function)
    if name is None or not copies.is_rule(name.group(1)):
        return function
    return function[function.index("\n}") + 2 :]


def _with_simple_copies(function: str) -> str:
    """Return a function whose copies do not ask for overlap where there can be none.

    To ask, they look at addresses, and memory that is looked at so is not computed again.
    """
    if _COPY.search(function) is None or not function.startswith("define "):
        return function
    pointers = Pointers(function[: function.index("\n}")].split("\n"))

    def simplify(call: re.Match[str]) -> str:
        to, source = call.group(2), call.group(3)
        if not pointers.are_apart(to, source):
            return call.group(0)
        return call.group(0).replace(call.group(1), copies.simple(call.group(1)))

    return _COPY.sub(simplify, function)


def _is_known(line: str, text: str) -> bool:
    """Tell whether a declaration stands in the module already."""
    found = re.match(r"declare .*@(\w+)\(", line)
    return found is not None and f"@{found.group(1)}(" in text
