"""Giving a module's block copies their derivatives (rules/copies.py), by rules or by bodies.

A module starts with rules, unless they cannot serve: Enzyme knows them for one direction at a time,
and cannot take them apart where something is differentiated twice. There the copies get bodies.

So do they where a loop allocates, which is seen behind O2: passes/memory/blocks/block_copies.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import llvmlite.binding as llvm

from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.frontend.arrays.blocks import ways
from enzyme_py.llvm import Module
from enzyme_py.passes.module.requests import has_reverse, nests_reverse
from enzyme_py.request import Request
from enzyme_py.rules import copies


def chosen_way(requests: Sequence[Request], *, is_plain: bool) -> str:
    """Return how the copies of a module with these requests begin; rules need a plain one."""
    is_ruled = copies.RULES in ways.values() and is_plain
    are_plain = all(one.width == 1 and not one.runtime_activity for one in requests)
    return copies.RULES if is_ruled and are_plain else copies.LOOPS


def get_bodies_later(code: Module) -> bool:
    """Tell whether the copies of nested derivatives get their bodies behind O2 (passes/pipeline.py).

    So in forward over reverse: who looks for arrays that each iteration makes anew must know a copy from a loop.
    Not under reverse over another derivative, where these passes do not look for any.
    """
    return has_reverse(code) and not nests_reverse(code)


def link_copies(module: llvm.ModuleRef, way: str, modules: Modules) -> tuple[str, ...]:
    """Link in what the module's copies need; returns what must keep its name for Enzyme."""
    declared = [one.name for one in module.functions if one.is_declaration]
    called = [name for name in declared if copies.is_copy(name)]
    if not called:
        return ()
    addition = modules.parsed(copies.definitions(called, way))
    addition.triple, addition.data_layout = module.triple, module.data_layout
    module.link_in(addition)
    return copies.registered(called, way)
