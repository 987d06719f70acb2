"""What mpmath says of the cases, to forty digits: in truth.json, which `python -m tests.special --truth` writes.

So the tests need no mpmath, nor its time.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import scipy.special as sp

from tests.special.cases import FAMILIES

FILE = Path(__file__).with_name("truth.json")
_DIGITS = 40


def truth(text: str, point: complex, order: int) -> complex:
    """Return a derivative of an expression in x, or in z, at a point, as it was written."""
    real, imag = _written()[text][f"{point} {order}"]
    return complex(real, imag)


@functools.cache
def _written() -> dict[str, dict[str, list[float]]]:
    found: dict[str, dict[str, list[float]]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write() -> None:
    """Ask mpmath about all cases."""
    found: dict[str, dict[str, list[float]]] = {}
    for cases in FAMILIES.values():
        for case in cases:
            for point in case.points:
                for order in (1, 2):
                    value = complex(derivative(case.truth, point, order))
                    found.setdefault(case.truth, {})[f"{point} {order}"] = [value.real, value.imag]
    FILE.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


def _inverse(function: Any, value: Any, near: float) -> Any:
    import mpmath

    return mpmath.findroot(lambda y: function(y) - value, mpmath.mpf(near))


def _student(df: float, t: Any) -> Any:
    import mpmath

    tail = (
        mpmath.betainc(
            mpmath.mpf(df) / 2, mpmath.mpf(1) / 2, 0, df / (df + t * t), regularized=True
        )
        / 2
    )
    return 1 - tail if t > 0 else tail


def _owens(h: Any, a: Any) -> Any:
    import mpmath

    def inside(t: Any) -> Any:
        return mpmath.exp(-(mpmath.mpf(h) ** 2) * (1 + t * t) / 2) / (1 + t * t)

    return mpmath.quad(inside, [0, a]) / (2 * mpmath.pi)


def derivative(text: str, point: complex, order: int) -> complex:
    """Return the derivative by mpmath."""
    import mpmath

    scope = {name: getattr(mpmath, name) for name in dir(mpmath) if not name.startswith("_")}
    scope |= {"inverse": _inverse, "student": _student, "owens": _owens, "sp": sp}
    name = "z" if isinstance(point, complex) else "x"
    function = eval(f"lambda {name}: {text}", scope)
    with mpmath.workdps(_DIGITS):
        at = mpmath.mpc(point) if isinstance(point, complex) else mpmath.mpf(point)
        found = mpmath.diff(function, at, order)
        return complex(found) if isinstance(point, complex) else complex(float(mpmath.re(found)))
