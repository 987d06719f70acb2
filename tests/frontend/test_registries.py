"""Registries are read once, and again where a user adds to them."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target
from numba.core.target_extension import target_override
from numba.core.typing import templates
from numba.extending import overload, overload_method

import enzyme_py as enzyme
from enzyme_py.frontend.target.registries import Reading, protect_numba
from enzyme_py.frontend.target.target import CATCHING, KERNEL


def made(factor):
    """Return a function that only its overload can compile, and that overload's registration."""

    def scaled(x):
        raise NotImplementedError

    def register():
        @overload(scaled)
        def _(x):
            return lambda x: factor * x * x

    return scaled, register


def test_overloads_count_from_the_moment_they_are_registered():
    def check(factor):
        scaled, register = made(factor)
        register()
        assert enzyme.grad(lambda x: scaled(x))(1.5) == 2.0 * factor * 1.5
        assert numba.njit(lambda x: scaled(x))(2.0) == 4.0 * factor

    check(2.0)
    check(3.0)


def test_an_overload_that_comes_after_a_refusal_counts():
    scaled, register = made(5.0)

    def kernel(x):
        return scaled(x)

    with pytest.raises(enzyme.errors.EnzymeError):
        enzyme.grad(kernel)(1.0)
    register()
    assert enzyme.grad(lambda x: scaled(x))(1.0) == 10.0


def test_methods_that_come_later_count():
    def kernel(x):
        return x.cubed_for_a_test()

    with pytest.raises(enzyme.errors.EnzymeError):
        enzyme.grad(kernel)(np.array([2.0]))

    @overload_method(numba.types.Array, "cubed_for_a_test")
    def _(a):
        return lambda a: a[0] ** 3

    assert enzyme.grad(lambda x: x.cubed_for_a_test())(np.array([2.0]))[0] == 12.0


@pytest.mark.parametrize("target", [KERNEL, CATCHING, cpu_target])
def test_all_that_registries_hold_is_in_a_context(target):
    numba.njit(lambda x: x)(1)
    enzyme.grad(lambda x: x)(1.0)
    context = target.target_context
    with target_override("cpu" if target is cpu_target else target.name):
        context.refresh()
    for registry in context._registries:
        for lowered, function, signature in registry.functions:
            assert (signature, lowered) in context._defns[function].versions
        for lowered, attribute, signature in registry.getattrs:
            assert (signature, lowered) in context._getattrs[attribute].versions
    known = context.typing_context._functions
    templates_there = {type(one) for found in known.values() for one in found}
    of_numba = [one for one in templates.builtin_registry.functions if not _is_for_one_target(one)]
    assert templates_there.issuperset(of_numba)


def _is_for_one_target(template):
    return "target" in (getattr(template, "metadata", None) or {})


def test_nothing_is_read_while_nothing_is_new():
    read = []
    registry = templates.Registry()
    reading = Reading(read.append)
    reading.install(registry)
    reading.install(registry)
    assert read == [registry]
    registry.globals.append((1, 2))
    reading.install(registry)
    reading.install(registry)
    assert read == [registry] * 2


def test_what_is_registered_while_it_is_read_is_read_too():
    protect_numba()
    registry = templates.Registry()
    seen = []

    def install(one):
        seen.append(len(one.globals))
        if len(one.globals) < 3:
            one.globals.append((0, 0))

    reading = Reading(install)
    registry.globals.append((0, 0))
    reading.install(registry)
    reading._is_complete = True
    reading.refresh(lambda: None, lambda: None)
    assert seen == [1, 2, 3]
