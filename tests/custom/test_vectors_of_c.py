"""Vector code of clang's that the pass cannot read: the refusal says how to compile."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import NoDerivativeError

HEAD = """
declare void @llvm.masked.store.v2f64.p0(<2 x double>, ptr, i32, <2 x i1>)
declare double @llvm.vector.reduce.fmin.v2f64(<2 x double>)
declare double @llvm.vector.reduce.fadd.v2f64(double, <2 x double>)
define double @f(ptr %x, i32 %which) {
  %two = load <2 x double>, ptr %x, align 8
  %square = fmul <2 x double> %two, %two
"""
REFUSED = {
    r"`llvm\.masked\.store\.v2f64\.p0`": "  %is = fcmp ogt <2 x double> %two, zeroinitializer\n"
    "  call void @llvm.masked.store.v2f64.p0(<2 x double> %square, ptr %x, i32 8, <2 x i1> %is)\n"
    "  %end = load double, ptr %x, align 8\n",
    r"`llvm\.vector\.reduce\.fmin\.v2f64`": "  %end = call fast double @llvm.vector.reduce.fmin.v2f64(<2 x double> %square)\n",
    "an element of a vector by a variable index": "  %other = insertelement <2 x double> %square, double 1.0, i32 %which\n"
    "  %end = call reassoc double @llvm.vector.reduce.fadd.v2f64(double 0.0, <2 x double> %other)\n",
}


@pytest.fixture
def linked(tmp_path):
    def link(code):
        path = tmp_path / "vectors.ll"
        path.write_text(f"{HEAD}{code}  ret double %end\n}}\n")
        return enzyme.link_ir(path, "f", "float64(float64[::1], int32)")

    return link


@pytest.mark.parametrize("way", ["forward", "reverse"])
@pytest.mark.parametrize("message", REFUSED)
def test_it_is_refused_in_words(linked, message, way) -> None:
    f, x = linked(REFUSED[message]), np.array([1.5, 2.0])

    def kernel(x, which):
        return f(x.copy(), which)

    ask = {
        "forward": lambda: enzyme.jvp(kernel, (x, np.int32(1)), (np.ones(2), None)),
        "reverse": lambda: enzyme.grad(kernel)(x, np.int32(1)),
    }[way]
    with pytest.raises(NoDerivativeError, match=message) as refused:
        ask()
    assert "-fno-vectorize" in str(refused.value)


def test_sums_of_vectors_have_derivatives(linked) -> None:
    f = linked("  %end = call reassoc double @llvm.vector.reduce.fadd.v2f64(double 0.0, <2 x double> %square)\n")
    np.testing.assert_allclose(enzyme.grad(lambda x: f(x.copy(), 1))(np.array([1.5, 2.0])), [3.0, 4.0])
