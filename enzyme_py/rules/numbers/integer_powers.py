"""Powers of floats by integers: the value is Numba's, the slope is n x**(n - 1).

Numba multiplies in a loop whose length the exponent's bits say. Reverse mode would keep a number for each bit, and reverse over
reverse of such a loop is refused. A first derivative takes the slope by such a loop again, of constants; where derivatives are
nested, the slope is that of `pow`, which has all orders; but for the first three powers, whose higher derivatives would be zero
times an infinite power of zero.
"""

from __future__ import annotations

from enzyme_py.rules.bodies import FLOATS
from enzyme_py.rules.slopes import pick, pick_declaration

POWER = "enzyme_py_power."  # of a float, an integer, and what the power of both is
_INACTIVE = 'noinline nounwind willreturn nosync nofree memory(none) "enzyme_inactive" "enzyme_no_escaping_allocation"'

_FIRST = """
declare {f} @enzyme_py_inactive.{f}({f})
declare {f} @llvm.pow.{bits}({f}, {f})
PICK
define linkonce_odr {f} @enzyme_py_power.{f}({f} %x, i64 %n, {f} %value) alwaysinline {{
  %given = call {f} @enzyme_py_inactive.{f}({f} %x)
  %less = sub i64 %n, 1
  %rate = call {f} @enzyme_py_power.constant.{f}({f} %given, i64 %less)
  %count = sitofp i64 %n to {f}
  %product = fmul {f} %rate, %count
  %is.none = icmp eq i64 %n, 0
  %slope = select i1 %is.none, {f} 0.0, {f} %product
  %smooth = fmul {f} %x, %slope
  %result = PICKED
  ret {f} %result
}}
define linkonce_odr {f} @enzyme_py_power.constant.{f}({f} %x, i64 %n) INACTIVE {{
entry:
  %is.inverse = icmp slt i64 %n, 0
  %opposite = sub i64 0, %n
  %size = select i1 %is.inverse, i64 %opposite, i64 %n
  %is.long = icmp ugt i64 %size, 65536
  br i1 %is.long, label %long, label %start
long:
  %exponent = sitofp i64 %n to {f}
  %usual = call {f} @llvm.pow.{bits}({f} %x, {f} %exponent)
  ret {f} %usual
start:
  %some = icmp ne i64 %size, 0
  br i1 %some, label %bit, label %end
bit:
  %left = phi i64 [ %size, %start ], [ %half, %bit ]
  %base = phi {f} [ %x, %start ], [ %squared, %bit ]
  %product = phi {f} [ 1.0, %start ], [ %next, %bit ]
  %odd = and i64 %left, 1
  %is.odd = icmp ne i64 %odd, 0
  %factor = select i1 %is.odd, {f} %base, {f} 1.0
  %next = fmul {f} %product, %factor
  %squared = fmul {f} %base, %base
  %half = lshr i64 %left, 1
  %more = icmp ne i64 %half, 0
  br i1 %more, label %bit, label %end
end:
  %power = phi {f} [ 1.0, %start ], [ %next, %bit ]
  %inverse = fdiv {f} 1.0, %power
  %result = select i1 %is.inverse, {f} %inverse, {f} %power
  ret {f} %result
}}
"""
_NESTED = """
declare {f} @llvm.pow.{bits}({f}, {f})
PICK
define linkonce_odr {f} @enzyme_py_power.{f}({f} %x, i64 %n, {f} %value) alwaysinline {{
  %is.1 = icmp eq i64 %n, 1
  %is.2 = icmp eq i64 %n, 2
  %is.3 = icmp eq i64 %n, 3
  %is.1.or.2 = or i1 %is.1, %is.2
  %is.low = or i1 %is.1.or.2, %is.3
  %x.1 = select i1 %is.1, {f} %x, {f} 0.0
  %x.2 = select i1 %is.2, {f} %x, {f} 0.0
  %x.3 = select i1 %is.3, {f} %x, {f} 0.0
  %square = fmul {f} %x.2, %x.2
  %square.3 = fmul {f} %x.3, %x.3
  %cube = fmul {f} %square.3, %x.3
  %both = fadd {f} %x.1, %square
  %low = fadd {f} %both, %cube
  %base = select i1 %is.low, {f} 1.0, {f} %x
  %exponent = sitofp i64 %n to {f}
  %usual = call {f} @llvm.pow.{bits}({f} %base, {f} %exponent)
  %smooth = select i1 %is.low, {f} %low, {f} %usual
  %result = PICKED
  ret {f} %result
}}
"""


def power(kind: str, order: int) -> str:
    """Return the body of the power of one type of floats, for so many derivatives within each other."""
    text = (_FIRST if order == 1 else _NESTED).replace("PICKED", pick(kind, "%smooth", "%value")).replace("PICK", pick_declaration(kind))
    return text.replace("INACTIVE", _INACTIVE).format(f=kind, bits=FLOATS[kind])
