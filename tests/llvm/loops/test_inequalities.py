"""Systems that are said to have no solution have none among small numbers; most that have none are found."""

from __future__ import annotations

import itertools
import random

from enzyme_py.llvm.analyses.inequalities import Linear, is_empty

VARIABLES = "xyz"
RANGE = range(-4, 5)


def test_by_hand() -> None:
    x, y = Linear({"x": 1}), Linear({"y": 1})
    assert is_empty([x.more(-3), x.negated().more(2)])  # 3 <= x <= 2
    assert not is_empty([x.more(-3), x.negated().more(3)])
    assert is_empty([Linear({"x": 2}, -1), Linear({"x": -2}, 1)])  # 2 x = 1
    assert is_empty([x.plus(y, -1).more(-1), y.plus(x, -1)])  # x > y and y >= x
    assert is_empty([Linear(number=-1)])
    assert not is_empty([])


def test_at_random() -> None:
    chance = random.Random(0)
    bounds = [Linear({one: sign}, 4) for one in VARIABLES for sign in (1, -1)]
    without = found = 0
    for _ in range(600):
        rows = [
            Linear({one: chance.randint(-3, 3) for one in VARIABLES[: chance.randint(1, 3)]}, chance.randint(-4, 4))
            for _ in range(chance.randint(1, 6))
        ]
        points = (dict(zip(VARIABLES, point, strict=True)) for point in itertools.product(RANGE, repeat=3))
        has_one = any(
            all(sum(count * at[str(one)] for one, count in row.parts.items()) + row.number >= 0 for row in rows)
            for at in points
        )
        said = is_empty([*rows, *bounds])
        assert not (said and has_one)
        without += not has_one
        found += said
    assert found >= 0.95 * without > 100
