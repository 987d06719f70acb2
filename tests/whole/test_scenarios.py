"""Every scenario in every variant, asked in every way; the short run takes a rotating selection.

Short run: each scenario as it stands, forward and reverse (split where it returns no number).
Of every other pair of variant and way, each EVERY-th of the scenarios that it fits, beginning at
another one for every pair. So each pair is met by many scenarios, each scenario by many pairs, and
the choice only changes with the lists. `pytest --full` runs all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.checks import (
    check_answer,
    check_forward,
    check_forward_against_reverse,
    check_reverse,
)
from tests.scenarios import SCENARIOS
from tests.scenarios.modes import WAYS, Way, compatible
from tests.scenarios.scenario import Scenario
from tests.scenarios.variants import VARIANTS

EVERY = 120
FORWARD = next(way for way in WAYS if way.name == "Forward")
REVERSE = next(way for way in WAYS if way.name == "Reverse")
SPLIT = next(way for way in WAYS if way.name == "ReverseSplit")

Case = tuple[str, Scenario, Way]


def reverse_way(case: Scenario) -> Way | None:
    """The reverse way that fits a scenario: combined, or split where there is no one number."""
    return next((way for way in (REVERSE, SPLIT) if compatible(case, way)), None)


def pairs() -> Iterator[tuple[str, Way, list[Scenario]]]:
    """Every pair of variant and way, with the scenarios that it fits, as varied."""
    for name, variant in VARIANTS.items():
        varied = [case for case in map(variant, SCENARIOS) if case is not None]
        for way in WAYS:
            yield name, way, [case for case in varied if compatible(case, way)]


def always(variant: str, case: Scenario, way: Way) -> bool:
    return variant == "base" and way in (FORWARD, reverse_way(case))


def selected(full: bool) -> list[Case]:
    cases: list[Case] = []
    for number, (variant, way, fitting) in enumerate(pairs()):
        rotated = fitting if full else fitting[number % EVERY :: EVERY]
        kept = [c for c in fitting if c in rotated or always(variant, c, way)]
        cases += [(variant, case, way) for case in kept]
    order = {case.name: position for position, case in enumerate(SCENARIOS)}
    return sorted(cases, key=lambda item: order[item[1].name])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "derivative_case" in metafunc.fixturenames:
        cases = selected(metafunc.config.getoption("full"))
        parameters = [parameter(f"{c.name}-{v}-{w.name}", c, (c, w)) for v, c, w in cases]
        metafunc.parametrize("derivative_case", parameters)
    if "scenario" in metafunc.fixturenames:
        metafunc.parametrize("scenario", [parameter(c.name, c, c) for c in SCENARIOS])


def parameter(name: str, case: Scenario, value: object) -> object:
    """A test parameter; xdist keeps one scenario's cases together, since they share compilation."""
    return pytest.param(value, id=name, marks=pytest.mark.xdist_group(case.name))


def test_written_answer(scenario: Scenario) -> None:
    check_answer(scenario)


def test_derivative(derivative_case: tuple[Scenario, Way]) -> None:
    case, way = derivative_case
    check = check_reverse if way.is_reverse else check_forward
    if case.reload:
        check(replace(case, reload=False), way)
    check(case, way)


def test_forward_against_reverse(scenario: Scenario) -> None:
    reverse = reverse_way(scenario)
    if reverse is None:
        assert not compatible(scenario, SPLIT)
    else:
        check_forward_against_reverse(scenario, FORWARD, reverse)


def test_names_are_unique() -> None:
    names = [case.name for case in SCENARIOS]
    assert len(set(names)) == len(names)
