"""Two reads of one number of an array that changes places with another one.

Half of what the kernel reads of `src` is read twice. What is right: derivatives by complex numbers, in plain NumPy.
"""

from __future__ import annotations

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.llvm import Load
from enzyme_py.passes.memory.overwriting.marked_reads import MarkedReads
from tests.passes.running import is_left_alone, ran
from tests.whole.by_complex_numbers import gradient_by_complex_numbers

ORDER = np.array([2, 0, 3, 1])
X = np.array([0.31, 0.62, 0.13, 0.84])


@numba.njit
def exchanged(x):
    """The next iteration writes to what this one reads."""
    a, b = x * 1.1, x * x
    for _ in range(4):
        src, dst = a, b
        a, b = b, a
        r = np.take(src, ORDER) * src
        dst[:] = dst + r
    return np.sum(a * a) + np.sum(b)


def test_gradient() -> None:
    wanted = gradient_by_complex_numbers(exchanged, X)
    np.testing.assert_allclose(enzyme.grad(exchanged)(X), wanted, rtol=1e-13)
    v = np.array([0.3, -1.0, 0.7, 2.0])
    np.testing.assert_allclose(enzyme.jvp(exchanged, (X,), (v,))[1], wanted @ v, rtol=1e-13)


def test_second_orders() -> None:
    v = np.array([0.3, -1.0, 0.7, 2.0])
    gradient = enzyme.grad(exchanged)
    along = enzyme.jvp(gradient, (X,), (v,))[1]
    near = [gradient(X + s * 1e-5 * v) for s in (1, -1)]
    np.testing.assert_allclose(along, (near[0] - near[1]) / 2e-5, rtol=1e-8)
    np.testing.assert_allclose(enzyme.hvp(exchanged, X, v), along, rtol=1e-13)


MARKED = """\
declare double @__enzyme_autodiff(ptr, ...)

define double @f(ptr %x, i64 %i) {
  %p = getelementptr double, ptr %x, i64 %i
  %one = load double, ptr %p, align 8, !enzyme_mustcache !0
  %plain = load double, ptr %p, align 8
  %again = load double, ptr %p, align 8, !enzyme_mustcache !0
  %both = fmul double %one, %again
  %all = fmul double %both, %plain
  ret double %all
}

define void @g(ptr %x, ptr %dx, i64 %i) {
  %slope = call double (ptr, ...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %dx, i64 %i)
  ret void
}

!0 = !{}
"""


def test_each_marked_read_has_a_pointer_of_its_own() -> None:
    code = ran(MarkedReads(), MARKED).code
    pointers = [one.pointer for one in code.function("f").instructions if isinstance(one, Load)]
    assert len(set(pointers)) == 3
    moved = [one.indices[0] for one in pointers if one.ref != "%p"]
    assert len(set(moved)) == 2
    assert is_left_alone(MarkedReads(), str(code))
    more = str(code).replace("%plain = load double, ptr %p, align 8", "%plain = load double, ptr %p, align 8, !enzyme_mustcache !0")
    again = ran(MarkedReads(), more).code.function("f")
    assert len({one.pointer for one in again.instructions if isinstance(one, Load)}) == 3
    assert len(list(again.calls)) == 3
