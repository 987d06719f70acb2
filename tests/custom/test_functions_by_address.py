"""Linked code that calls functions by their addresses: right in reverse mode, refused in forward mode."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import NoDerivativeError

CODE = """
@laws = internal constant [2 x ptr] [ptr @square, ptr @third]

define internal double @square(double %x) noinline {
  %result = fmul double %x, %x
  ret double %result
}

define internal double @third(double %x) noinline {
  %result = fdiv double %x, 3.0
  ret double %result
}

define double @f(double %x, i64 %kind) {
  %place = getelementptr [2 x ptr], ptr @laws, i64 0, i64 %kind
  %law = load ptr, ptr %place
  %value = call double %law(double %x)
  %result = fmul double %value, %value
  ret double %result
}
"""


def test_a_table_of_functions(tmp_path: Path) -> None:
    path = tmp_path / "laws.ll"
    path.write_text(CODE)
    function = enzyme.link_ir(path, "f", "float64(float64,int64)")

    def law(x, kind):
        return function(x, kind)

    gradient = enzyme.grad(law)
    np.testing.assert_allclose(gradient(3.0, 0), 108.0, rtol=1e-15)
    np.testing.assert_allclose(gradient(3.0, 1), 2.0 / 3.0, rtol=1e-15)
    for ask in (lambda: enzyme.jvp(law, (3.0, 0), (1.0, None)), lambda: enzyme.jvp(gradient, (3.0, 0), (1.0, None))):
        with pytest.raises(NoDerivativeError, match="by the address"):
            ask()
