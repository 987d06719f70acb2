"""The code of rules, compiled once a machine and type, and shared by all derivatives of a process.

A derivative that calls it finds it among the outside names (symbols.py). It is never unloaded: exceptions that it raised
may point into it.
"""

from __future__ import annotations

from enzyme_py.assembly.rule_code import alone, rule_module, rule_of
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.functions.content import NotHashable, content_of
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.llvm import Module
from enzyme_py.native import symbols
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.loading import RuleCode, linked_rule, rules
from enzyme_py.native.optimising import optimise
from enzyme_py.native.stored import disk_cache
from enzyme_py.native.stored.about import about
from enzyme_py.passes import pipeline
from enzyme_py.passes.base import Draft
from enzyme_py.settings import settings
from enzyme_py.symbols import RULE_CODE


def rule_address(symbol: str) -> int | None:
    """Return where the code of a rule begins; it is compiled or read from the disk if need be."""
    if not symbol.startswith(RULE_CODE):
        return None
    found = rules.get(symbol)
    if found is None:
        if rule_of(symbol) is None:
            return None
        # Numba's own lock: whoever holds it may come by here, so a second one could wait for ever.
        with alone:
            found = rules.get(symbol) or rules.setdefault(symbol, _link(symbol))
    return found.address


def address_of(name: str) -> int | None:
    """Return the address behind a name that a derivative calls, or None if nobody has it."""
    return rule_address(name) or symbols.address_of(name)


def _link(symbol: str) -> RuleCode:
    key, code = _object_code(symbol)
    return linked_rule(symbol, code, key, where_is(rule_of(symbol)), address_of)


def _object_code(symbol: str) -> tuple[str, ObjectCode]:
    """Return the code, and its name in the disk cache; none where another process could not find it."""
    if not settings.cache:
        return "", _compiled(symbol)
    try:
        key = disk_cache.own_key("rule", symbol, content_of(rule_of(symbol)))
    except NotHashable:
        return "", _compiled(symbol)
    found = disk_cache.find(key)
    if found is None:
        found = _compiled(symbol)
        disk_cache.keep(key, found, about(where_is(rule_of(symbol)), "rule", ""))
    return key, found


def _compiled(symbol: str) -> ObjectCode:
    where = where_is(rule_of(symbol))
    draft = Draft(Module(rule_module(symbol)), where, entries=(symbol,))
    draft = pipeline.run(pipeline.ASSEMBLE, draft)
    return optimise(DifferentiatedModule(str(draft.code), (symbol,), where, 0.0, ""))
