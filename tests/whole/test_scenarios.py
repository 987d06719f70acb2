"""Every scenario in every variant, asked in every way; the short run takes a rotating selection.

Short run: each scenario as it stands, by one mode: of FORWARDS one forward, the others in reverse
(split where they return no number). Of COMPARED one is asked whether both modes agree.
Of every other pair of variant and way, each EVERY-th of the scenarios that it fits, beginning at
another one for every pair. So each pair is met by many scenarios, each scenario by many pairs, and
the choice only changes with the lists. `pytest --full` runs all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
FORWARDS = 3
COMPARED = 4
FORWARD = next(way for way in WAYS if way.name == "Forward")
REVERSE = next(way for way in WAYS if way.name == "Reverse")
SPLIT = next(way for way in WAYS if way.name == "ReverseSplit")

POSITIONS = {case.name: position for position, case in enumerate(SCENARIOS)}

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
    reverse = reverse_way(case)
    is_forward = reverse is None or POSITIONS[case.name] % FORWARDS == 0
    return variant == "base" and way == (FORWARD if is_forward else reverse)


def selected(full: bool) -> list[Case]:
    cases: list[Case] = []
    for number, (variant, way, fitting) in enumerate(pairs()):
        rotated = fitting if full else fitting[number % EVERY :: EVERY]
        kept = [c for c in fitting if c in rotated or always(variant, c, way)]
        cases += [(variant, case, way) for case in kept]
    return sorted(cases, key=lambda item: POSITIONS[item[1].name])


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "derivative_case" in metafunc.fixturenames:
        cases = selected(metafunc.config.getoption("full"))
        parameters = [parameter(f"{c.name}-{v}-{w.name}", c, (c, w)) for v, c, w in cases]
        metafunc.parametrize("derivative_case", parameters)
    if "scenario" in metafunc.fixturenames:
        metafunc.parametrize("scenario", [parameter(c.name, c, c) for c in SCENARIOS])
    if "compared" in metafunc.fixturenames:
        marks = [[] if number % COMPARED == 1 else [pytest.mark.full] for number in range(len(SCENARIOS))]
        metafunc.parametrize("compared", [parameter(c.name, c, c, more) for c, more in zip(SCENARIOS, marks, strict=True)])


def parameter(name: str, case: Scenario, value: object, marks: Sequence[pytest.MarkDecorator] = ()) -> object:
    """A test parameter; xdist keeps one scenario's cases together, since they share compilation."""
    return pytest.param(value, id=name, marks=[pytest.mark.xdist_group(case.name), *marks])


def test_written_answer(scenario: Scenario) -> None:
    check_answer(scenario)


def test_derivative(derivative_case: tuple[Scenario, Way]) -> None:
    case, way = derivative_case
    check = check_reverse if way.is_reverse else check_forward
    if case.reload:
        check(replace(case, reload=False), way)
    check(case, way)


def test_forward_against_reverse(compared: Scenario) -> None:
    reverse = reverse_way(compared)
    if reverse is None:
        assert not compatible(compared, SPLIT)
    else:
        check_forward_against_reverse(compared, FORWARD, reverse)


def test_names_are_unique() -> None:
    names = [case.name for case in SCENARIOS]
    assert len(set(names)) == len(names)
