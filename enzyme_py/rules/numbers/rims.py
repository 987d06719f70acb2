"""Functions of numbers at the rim of their domain, where Enzyme's rules divide by zero.

Enzyme's adjoint of a root or a logarithm divides by what may be zero, also where
nothing comes in: of `np.where(x > 1, np.sqrt(x - 1), x)` the part not taken made NaN of the gradient. Here such
a function only sees numbers inside of its domain, behind a branch. At the rim it is (x H) H and a constant:
products, where strong zero holds, with an infinite slope. Beyond it, and of NaN, the factors are NaN, and so is the
slope; a sum with a constant NaN would be that constant to LLVM, and have none. Choosing without a branch made
the gradient of a sum of distances 2.5 times slower (measured); the branch costs nothing there.
"""

from __future__ import annotations

import math

from enzyme_py.rules.bodies import HUGE, Body, as_constant, both, written
from enzyme_py.rules.numbers.far_out import FAR, INFINITE, taylors_polynomial
from enzyme_py.rules.numbers.roots import root, root_declarations
from enzyme_py.rules.slopes import pick, pick_declaration

# The domain is x > {rim}; at the rim the value is {value}. LLVM may move the call in front of the branch,
# so the maximum is needed as well.
_ABOVE = """
declare {f} @{symbol}({f})
declare {f} @llvm.maxnum.{bits}({f}, {f})
declare {f} @enzyme_py_inactive.again_{f}({f})
define linkonce_odr {f} @{own}({f} %x) alwaysinline {{
  %is.inside = fcmp ogt {f} %x, {rim}
  br i1 %is.inside, label %inside, label %edge
inside:
  %own = call {f} @llvm.maxnum.{bits}({f} %x, {f} {lowest})
  %usual = call {f} @{symbol}({f} %own)
  br label %end
edge:
EDGE  br label %end
end:
  %value.of.all = phi {f} [ %usual, %inside ], [ %at.edge, %edge ]
END}}
"""
_END = "  ret {f} %value.of.all\n"


# NaN is one that LLVM does not know: where it sees that nothing but NaN gets behind the branch, as of `np.log1p(np.exp(x))`, a product with
# a constant NaN was that constant, and had the slope zero, without a word.
_EDGE = """  %is.rim = fcmp oeq {f} %x, {rim}
  %none = call {f} @enzyme_py_inactive.again_{f}({f} {nan})
  %steepness = select i1 %is.rim, {f} {huge}, {f} %none
  %above = fsub {f} %x, {rim}
  %once = fmul {f} %above, %steepness
  %steep = fmul {f} %once, %steepness
  %at.edge = fadd {f} %steep, {value}
"""
# In nested derivatives zero times what is infinite or NaN is NaN. So no factor is either. At the rim all derivatives are infinite: Taylor's
# polynomial about x, whose last factor makes them infinite (far_out.py tells of `h` and of two large factors). Beyond the rim they
# are differences of infinities, which are NaN. The value is a NaN that LLVM does not know.
_NESTED_EDGE = """RIM
  %none = call {f} @enzyme_py_inactive.again_{f}({f} {nan})
  %value = select i1 %is.rim, {f} %at.rim, {f} %none
  %again = select i1 %is.rim, {f} {again}, {f} 0.0
  %h = PICKED
TAYLOR
  %above.1 = fsub {f} %x, {rim}
POWERS
  %up = select i1 %is.rim, {f} 0.0, {f} {huge}
  %down = select i1 %is.rim, {f} 0.0, {f} {less}
  %once.up = fmul {f} LAST, %up
  %twice.up = fmul {f} %once.up, {huge}
  %once.down = fmul {f} LAST, %down
  %twice.down = fmul {f} %once.down, {less}
  %none.but.slopes = fsub {f} %twice.up, %twice.down
  %all = fadd {f} TOTAL, %none.but.slopes
  %at.edge = RESULT
"""
_ONE_RIM = """  %is.rim = fcmp oeq {f} %x, {rim}
  %given = call {f} @enzyme_py_inactive.{f}({f} %x)
  %given.above = fsub {f} %given, {rim}
  %at.rim = fadd {f} %given.above, {value}"""


def _nested_edge(kind: str, order: int, rim: str, odd: str, even: str) -> str:
    """Return the edge for so many derivatives within each other: how it is found, and slopes of odd and even orders."""
    slopes = [odd if degree % 2 else even for degree in range(1, order + 1)]
    taylor, total = taylors_polynomial(kind, [as_constant(0.0), *slopes], again="%again")
    powers = [f"  %above.{degree} = fmul {kind} %above.{degree - 1}, %above.1" for degree in range(2, order + 1)]
    text = _NESTED_EDGE.replace("RIM", rim).replace("TAYLOR", "\n".join(taylor)).replace("POWERS", "\n".join(powers))
    text = text.replace("TOTAL", total).replace("LAST", f"%above.{order}").replace("PICKED", pick(kind, "%x", as_constant(0.0)))
    return text.replace("RESULT", pick(kind, "%all", "%value"))


def _declared_for_nests(kind: str) -> str:
    return f"{pick_declaration(kind)}\n{root_declarations(kind)}"


def _above(symbol: str, kind: str, rim: float, value: float, order: int) -> Body:
    lowest = math.nextafter(rim, 2.0) if kind == "double" else rim + {0.0: 2.0**-149, 1.0: 2.0**-23, -1.0: 2.0**-24}[rim]
    at = tuple((rim + step,) for step in (0.25, 1.0, 3.0))
    large, again = INFINITE[kind]
    edge = _EDGE if order == 1 else _nested_edge(kind, order, _ONE_RIM, as_constant(large), as_constant(-large))
    text = _declared_for_nests(kind) * (order > 1) + _ABOVE.replace("EDGE", edge).replace("END", _end(symbol, kind, order))
    less = HUGE[kind] / 4  # so that LLVM does not take both for one
    return written(symbol, kind, text, at, rim=rim, value=value, nan=math.nan, lowest=lowest, less=less, again=again)


# Enzyme's rule divides by a root, which it writes itself: that has the slope zero at zero. So second derivatives were zero at the rims.
_BETWEEN = """
declare {f} @{symbol}({f})
declare {f} @llvm.fabs.{bits}({f})
declare {f} @enzyme_py_inactive.again_{f}({f})
define linkonce_odr {f} @{own}({f} %x) alwaysinline {{
  %size = call {f} @llvm.fabs.{bits}({f} %x)
  %is.inside = fcmp olt {f} %size, 1.0
  br i1 %is.inside, label %inside, label %edge
inside:
  %usual = call {f} @{symbol}({f} %x)
  ret {f} %usual
edge:
EDGE  ret {f} %at.edge
}}
"""
_TWO_RIMS = """  %is.rim = fcmp oeq {f} %size, 1.0
  %is.left = fcmp olt {f} %x, 0.0
  %even = select i1 %is.left, {f} {steep}, {f} {falling}
  %at.rim = select i1 %is.left, {f} {left}, {f} {right}"""


def _end(symbol: str, kind: str, order: int) -> str:
    """Return the end of a body: in nests a root is marked with its square."""
    is_marked = symbol.startswith("sqrt") and order > 1
    return f"  %marked = {root(kind, '%value.of.all', '%x')}\n  ret {kind} %marked\n" if is_marked else _END


def _between(symbol: str, kind: str, left: float, right: float, order: int) -> Body:
    large, again = INFINITE[kind]
    steep, falling = (large, -large) if left > right else (-large, large)
    edge = _nested_edge(kind, order, _TWO_RIMS, as_constant(falling), "%even")
    text = _declared_for_nests(kind) + _BETWEEN.replace("EDGE", edge)
    numbers = {"left": left, "right": right, "steep": steep, "falling": falling, "again": again}
    return written(symbol, kind, text, ((0.5,), (-0.7,)), rim=0.0, nan=math.nan, less=HUGE[kind] / 4, **numbers)


def _acosh(symbol: str, kind: str, order: int) -> Body:
    """Far out it is what it is in first derivatives, too."""
    (far,) = (row for row in FAR if row.symbol == symbol)
    inner = f"{far.own_name}.far"
    above = _above(inner, kind, 1.0, 0.0, order)
    first = far.ir.replace(f"@{far.own_name}(", f"@{inner}(")
    known = {f"declare {kind} @{inner}({kind})", *(line for line in first.split("\n") if line.startswith("declare "))}
    second = [line for line in above.ir.replace(f"@{above.own_name}(", f"@{far.own_name}(").split("\n") if line not in known]
    return Body(symbol, far.own_name, "\n".join([first, *second]), above.at)


def rims(order: int) -> list[Body]:
    """Return the rows of roots and logarithms, for so many derivatives within each other."""
    logarithms = ("llvm.log", "llvm.log2", "llvm.log10", "log2")
    return [
        *both(lambda s, f: _above(s, f, 0.0, -0.0, order), "sqrt"),
        *both(lambda s, f: _above(s, f, 0.0, -math.inf, order), *logarithms),
        *both(lambda s, f: _above(s, f, -1.0, -math.inf, order), "log1p"),
    ]


def rims_in_nests(order: int) -> list[Body]:
    """Return all rows with rims."""
    return [
        *rims(order),
        *both(lambda s, f: _between(s, f, -math.pi / 2, math.pi / 2, order), "asin"),
        *both(lambda s, f: _between(s, f, math.pi, 0.0, order), "acos"),
        *both(lambda s, f: _acosh(s, f, order), "acosh"),
    ]
