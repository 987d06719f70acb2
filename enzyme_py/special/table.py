"""The table: every function of scipy.special that kernels may call, by families.

Formulas are chosen by what they lose. A difference of nearly equal numbers is replaced where it would have no digits left:
by Carlson's integrals, by hypergeometric functions, by an asymptotic series. Where SciPy's function is NaN, so is the derivative.
"""

from __future__ import annotations

from enzyme_py.special import (
    table_bessel,
    table_errors,
    table_gamma,
    table_hypergeometric,
    table_integrals,
)
from enzyme_py.special.row import Row

# Where the value is NaN, so is the slope, whatever its formula says.
_GUARD = Row(
    "_guarded",
    ("slope", "value"),
    ("dd", "DD"),
    {"slope": None, "value": None},
    value="slope if value == value else nan",
)

FAMILIES: dict[str, tuple[Row, ...]] = {
    "Gamma, beta and their distributions": table_gamma.ROWS,
    "Error functions, logistic and information functions": table_errors.ROWS,
    "Bessel functions and their kin": table_bessel.ROWS,
    "Exponential, elliptic and Fresnel integrals": table_integrals.ROWS,
    "Hypergeometric functions, polynomials and others": table_hypergeometric.ROWS,
}
TABLE: dict[str, Row] = {one.name: one for rows in FAMILIES.values() for one in rows}
TABLE["_guarded"] = _GUARD

# Other names of SciPy's for a row.
ALIASES = {"digamma": "psi", "jn": "jv"}
# Functions with several results, each a row.
TUPLES = {
    "airy": ("_ai", "_aip", "_bi", "_bip"),
    "fresnel": ("_fresnel_s", "_fresnel_c"),
    "sici": ("_si", "_ci"),
    "shichi": ("_shi", "_chi"),
}
