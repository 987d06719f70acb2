"""Points where derivatives are one-sided, infinite, or a matter of choice, with the gradient by hand."""

from __future__ import annotations

import cmath
import math

import numpy as np

from tests.coverage.row import edge

INF, NAN = math.inf, math.nan
ONE_SIDED = "the slope from the right"
LIMIT = "the limit of the slopes"
NOWHERE = "outside of the domain"
CHOICE = "a choice: at ties the first argument has the derivative"

edge("math.sqrt at 0", lambda x: math.sqrt(x), (0.0,), (INF,), ONE_SIDED)
edge("np.sqrt at 0", lambda x: np.sqrt(x), (0.0,), (INF,), ONE_SIDED)
edge(
    "np.sqrt of an array with 0",
    lambda x: np.sum(np.sqrt(x)),
    (np.array([0.0, 4.0]),),
    (np.array([INF, 0.25]),),
    ONE_SIDED,
)
edge("np.cbrt at 0", lambda x: np.cbrt(x), (0.0,), (INF,), LIMIT)
edge("np.cbrt of a negative number", lambda x: np.cbrt(x), (-8.0,), (1.0 / 12.0,), "the slope")
edge("abs at 0", lambda x: abs(x), (0.0,), (1.0,), "a choice: the slope from the right")
edge("np.abs at 0", lambda x: np.abs(x), (0.0,), (1.0,), "a choice: the slope from the right")
edge("math.fabs at 0", lambda x: math.fabs(x), (0.0,), (1.0,), "a choice: the slope from the right")
edge(
    "math.hypot at 0",
    lambda x, y: math.hypot(x, y),
    (0.0, 0.0),
    (0.0, 0.0),
    "a choice: as the norm of zero",
)
edge(
    "np.hypot at 0",
    lambda x, y: np.hypot(x, y),
    (0.0, 0.0),
    (0.0, 0.0),
    "a choice: as the norm of zero",
)
edge("math.hypot on an axis", lambda x, y: math.hypot(x, y), (0.0, 3.0), (0.0, 1.0), "the slope")
edge(
    "math.hypot of large numbers",
    lambda x, y: math.hypot(x, y),
    (3e200, 4e200),
    (0.6, 0.8),
    "the slope",
)
edge(
    "math.hypot of small numbers",
    lambda x, y: math.hypot(x, y),
    (3e-200, 4e-200),
    (0.6, 0.8),
    "the slope",
)
edge("math.pow of 0 to 2", lambda x, y: math.pow(x, y), (0.0, 2.0), (0.0, 0.0), LIMIT)
edge("math.pow of 0 to 1", lambda x, y: math.pow(x, y), (0.0, 1.0), (1.0, 0.0), LIMIT)
edge("math.pow of 0 to 0", lambda x, y: math.pow(x, y), (0.0, 0.0), (0.0, -INF), LIMIT)
edge("math.pow of 0 to 1/2", lambda x, y: math.pow(x, y), (0.0, 0.5), (INF, 0.0), ONE_SIDED)
edge("np.power of 0 to 2", lambda x, y: np.power(x, y), (0.0, 2.0), (0.0, 0.0), LIMIT)
edge("power of 0 to 3", lambda x, y: x**y, (0.0, 3.0), (0.0, 0.0), LIMIT)
edge("power of 0 to integer 0", lambda x, n: x**n, (0.0, 0), (0.0, None), "a constant")
edge("power of 0 to integer 1", lambda x, n: x**n, (0.0, 1), (1.0, None), "the slope")
edge("power of 0 to integer 2", lambda x, n: x**n, (0.0, 2), (0.0, None), "the slope")
edge("power of a negative base", lambda x: x**3.0, (-2.0,), (12.0,), "the slope")
edge("square of 0", lambda x: x**2, (0.0,), (0.0,), "the slope")
edge("math.log1p at 0", lambda x: math.log1p(x), (0.0,), (1.0,), "the slope")
edge("math.log1p of a small number", lambda x: math.log1p(x), (1e-20,), (1.0,), "the slope")
edge("math.log1p near -1", lambda x: math.log1p(x), (-1.0 + 2.0**-50,), (2.0**50,), "the slope")
edge("math.expm1 at 0", lambda x: math.expm1(x), (0.0,), (1.0,), "the slope")
edge(
    "math.expm1 of a large negative number",
    lambda x: math.expm1(x),
    (-50.0,),
    (math.exp(-50.0),),
    "the slope, not 1 + expm1(x) = 0",
)
for _y, _x in ((1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)):
    edge(
        f"math.atan2 at {_y}, {_x}",
        lambda y, x: math.atan2(y, x),
        (_y, _x),
        (_x / 2, -_y / 2),
        "the slope",
    )
edge(
    "math.atan2 on the positive x axis",
    lambda y, x: math.atan2(y, x),
    (0.0, 2.0),
    (0.5, 0.0),
    "the slope",
)
edge(
    "math.atan2 on the negative x axis",
    lambda y, x: math.atan2(y, x),
    (0.0, -2.0),
    (-0.5, 0.0),
    "the slope",
)
edge(
    "math.atan2 on the y axis", lambda y, x: math.atan2(y, x), (2.0, 0.0), (0.0, -0.5), "the slope"
)
edge(
    "math.atan2 on the negative y axis",
    lambda y, x: math.atan2(y, x),
    (-2.0, 0.0),
    (0.0, 0.5),
    "the slope",
)
edge(
    "np.arctan2 on the negative x axis",
    lambda y, x: np.arctan2(y, x),
    (0.0, -2.0),
    (-0.5, 0.0),
    "the slope",
)
edge(
    "np.arctan2 of large numbers",
    lambda y, x: np.arctan2(y, x),
    (1e200, 1e200),
    (5e-201, -5e-201),
    "the slope",
)
edge("np.maximum at a tie", lambda x, y: np.maximum(x, y), (1.0, 1.0), (1.0, 0.0), CHOICE)
edge("np.minimum at a tie", lambda x, y: np.minimum(x, y), (1.0, 1.0), (1.0, 0.0), CHOICE)
edge("np.fmax at a tie", lambda x, y: np.fmax(x, y), (1.0, 1.0), (1.0, 0.0), CHOICE)
edge("np.fmin at a tie", lambda x, y: np.fmin(x, y), (1.0, 1.0), (1.0, 0.0), CHOICE)
edge("max at a tie", lambda x, y: max(x, y), (1.0, 1.0), (1.0, 0.0), CHOICE)
edge("min at a tie", lambda x, y: min(x, y), (1.0, 1.0), (1.0, 0.0), CHOICE)
edge(
    "np.max at a tie",
    lambda x: np.max(x),
    (np.array([2.0, 1.0, 2.0]),),
    (np.array([1.0, 0.0, 0.0]),),
    CHOICE,
)
edge(
    "np.min at a tie",
    lambda x: np.min(x),
    (np.array([1.0, 2.0, 1.0]),),
    (np.array([1.0, 0.0, 0.0]),),
    CHOICE,
)
edge(
    "np.maximum with NaN", lambda x, y: np.maximum(x, y), (NAN, 1.0), (1.0, 0.0), "what is returned"
)
edge("np.fmax with NaN", lambda x, y: np.fmax(x, y), (NAN, 1.0), (0.0, 1.0), "what is returned")
edge(
    "np.clip at the lower bound",
    lambda x: np.sum(np.clip(x, 0.0, 1.0)),
    (np.array([0.0, 0.5, -1.0]),),
    (np.array([1.0, 1.0, 0.0]),),
    "a choice: the number, not the bound",
)
edge(
    "np.clip at the upper bound",
    lambda x: np.sum(np.clip(x, 0.0, 1.0)),
    (np.array([1.0, 0.5, 2.0]),),
    (np.array([1.0, 1.0, 0.0]),),
    "a choice: the number, not the bound",
)
edge(
    "np.where over a NaN not taken",
    lambda x: np.sum(np.where(x > 1.0, np.sqrt(x - 1.0), x)),
    (np.array([0.0, 2.0]),),
    (np.array([1.0, 0.5]),),
    "the branch that is taken",
)
edge(
    "np.where over an infinity not taken",
    lambda x: np.sum(np.where(x > 0.0, np.log(x), x)),
    (np.array([0.0, 2.0]),),
    (np.array([1.0, 0.5]),),
    "the branch that is taken",
)
edge(
    "np.where over 0/0 not taken",
    lambda x: np.sum(np.where(x == 0.0, 1.0, np.sin(x) / x)),
    (np.array([0.0]),),
    (np.array([0.0]),),
    "the branch that is taken",
)
edge(
    "np.where of numbers over a NaN not taken",
    lambda x: np.where(x > 1.0, np.sqrt(x - 1.0), x).item(),
    (0.0,),
    (1.0,),
    "the branch that is taken",
)
edge(
    "conditional over a NaN not taken",
    lambda x: math.sqrt(x - 1.0) if x > 1.0 else x,
    (0.0,),
    (1.0,),
    "the branch that is taken",
)
edge("np.sinc at 0", lambda x: np.sinc(x), (0.0,), (0.0,), LIMIT)
edge(
    "np.sinc of an array with 0",
    lambda x: np.sum(np.sinc(x)),
    (np.array([0.0, 1.0]),),
    (np.array([0.0, -1.0]),),
    LIMIT,
)
edge("math.acos at 1", lambda x: math.acos(x), (1.0,), (-INF,), ONE_SIDED)
edge("math.asin at 1", lambda x: math.asin(x), (1.0,), (INF,), ONE_SIDED)
edge("math.acosh at 1", lambda x: math.acosh(x), (1.0,), (INF,), ONE_SIDED)
edge("math.atanh at 1", lambda x: math.atanh(x), (1.0,), (INF,), ONE_SIDED)
edge("math.log at 0", lambda x: np.log(x), (0.0,), (INF,), ONE_SIDED)
edge("math.tanh of a large number", lambda x: math.tanh(x), (400.0,), (0.0,), LIMIT)
edge("math.erf of a large number", lambda x: math.erf(x), (30.0,), (0.0,), LIMIT)
edge(
    "np.logaddexp of equal numbers",
    lambda x, y: np.logaddexp(x, y),
    (1.0, 1.0),
    (0.5, 0.5),
    "the slope",
)
edge("np.logaddexp of -inf", lambda x, y: np.logaddexp(x, y), (-INF, 1.0), (0.0, 1.0), LIMIT)
edge(
    "np.logaddexp of large numbers",
    lambda x, y: np.logaddexp(x, y),
    (1000.0, 0.0),
    (1.0, 0.0),
    LIMIT,
)
edge("np.sign at 0", lambda x: np.sign(x), (0.0,), (0.0,), "zero almost everywhere")
edge("np.floor at an integer", lambda x: np.floor(x), (2.0,), (0.0,), "zero almost everywhere")
edge(
    "np.linalg.norm of zero",
    lambda x: np.linalg.norm(x),
    (np.zeros(3),),
    (np.zeros(3),),
    "a choice: zero",
)
edge(
    "np.prod with one zero",
    lambda x: np.prod(x),
    (np.array([2.0, 0.0, 3.0]),),
    (np.array([0.0, 6.0, 0.0]),),
    "the slope",
)
edge(
    "np.prod with two zeros",
    lambda x: np.prod(x),
    (np.array([2.0, 0.0, 0.0]),),
    (np.zeros(3),),
    "the slope",
)
edge(
    "np.std of equal numbers",
    lambda x: np.std(x),
    (np.array([1.0, 1.0]),),
    (np.array([0.0, 0.0]),),
    "a choice: as the norm of zero",
)
edge(
    "ndarray.std of equal numbers",
    lambda x: x.std(),
    (np.array([1.0, 1.0]),),
    (np.array([0.0, 0.0]),),
    "a choice: as the norm of zero",
)
edge(
    "np.expm1 of negative numbers",
    lambda x: np.sum(np.expm1(x)),
    (np.array([-20.0, -40.0]),),
    (np.exp(np.array([-20.0, -40.0])),),
    "the slope, not 1 + expm1(x)",
)
edge("np.copysign at 0", lambda x: np.copysign(x, -1.0), (0.0,), (-1.0,), "a choice: 0 is positive")
edge("math.gamma at 1", lambda x: math.gamma(x), (1.0,), (-0.57721566490153286,), "the slope")
edge("math.lgamma at 2", lambda x: math.lgamma(x), (2.0,), (0.42278433509846714,), "the slope")
edge(
    "math.lgamma at a large number",
    lambda x: math.lgamma(x),
    (1e10,),
    (23.025850929890457,),
    "the slope",
)
edge(
    "abs of a complex 0",
    lambda x: abs(complex(x, 0.0)),
    (0.0,),
    (0.0,),
    "a choice: as the norm of zero",
)
edge(
    "cmath.sqrt on the negative axis",
    lambda x: cmath.sqrt(complex(x, 0.0)).imag,
    (-4.0,),
    (-0.25,),
    "the slope",
)
edge(
    "cmath.log on the negative axis",
    lambda x: cmath.log(complex(x, 0.0)).real,
    (-4.0,),
    (-0.25,),
    "the slope",
)
edge(
    "np.interp at a node",
    lambda x: np.interp(x, np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0])),
    (1.0,),
    (4.0,),
    "the slope from the right",
)
edge(
    "np.nan_to_num of NaN",
    lambda x: np.sum(np.nan_to_num(x)),
    (np.array([NAN, 1.0]),),
    (np.array([0.0, 1.0]),),
    "a constant there",
)
edge(
    "np.nansum of NaN",
    lambda x: np.nansum(x),
    (np.array([NAN, 1.0]),),
    (np.array([0.0, 1.0]),),
    "a constant there",
)
edge(
    "np.fmod at a multiple",
    lambda x, y: np.fmod(x, y),
    (6.0, 3.0),
    (1.0, -2.0),
    "the slope from the right",
)
edge("% at a multiple", lambda x, y: x % y, (6.0, 3.0), (1.0, -2.0), "the slope, on both sides")
edge("% of zero", lambda x, y: x % y, (0.0, -2.0), (1.0, 0.0), "the slope, on both sides")
edge(
    "divmod at a multiple",
    lambda x, y: divmod(x, y)[1],
    (6.0, -3.0),
    (1.0, 2.0),
    "the slope, on both sides",
)
edge(
    "% of an array with multiples",
    lambda x: np.sum(x % 1.0 * x),
    (np.array([0.0, 2.0, 0.25]),),
    (np.array([0.0, 2.0, 0.5]),),
    "the slope, on both sides",
)
edge("np.sqrt of NaN", lambda x: np.sqrt(x), (NAN,), (NAN,), NOWHERE)
edge("np.sqrt of a negative number", lambda x: np.sqrt(x), (-2.0,), (NAN,), NOWHERE)
edge("np.log of NaN", lambda x: np.log(x), (NAN,), (NAN,), NOWHERE)
edge("np.log of a negative number", lambda x: np.log(x), (-2.0,), (NAN,), NOWHERE)
edge("np.log1p below -1", lambda x: np.log1p(x), (-2.0,), (NAN,), NOWHERE)
edge("** 0.5 of NaN", lambda x: x**0.5, (NAN,), (NAN,), NOWHERE)
edge(
    "np.where beside a root of a negative number",
    lambda x: np.sum(np.where(x > 0.0, np.sqrt(x), np.log(-x))),
    (np.array([4.0, -0.5]),),
    (np.array([0.25, -2.0]),),
    "the slope",
)
edge(
    "np.var of one number", lambda x: np.var(x), (np.array([3.0]),), (np.array([0.0]),), "the slope"
)
