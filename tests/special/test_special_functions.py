"""How users meet scipy.special in kernels: numbers and arrays, types, tuples, messages, edges, other processes, C."""

from __future__ import annotations

import subprocess
import sys

import numba
import numpy as np
import pytest
import scipy.special
import scipy.special as sp
from scipy.special import erf

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, UnresolvedSymbolError


def test_values_are_scipys_in_jitted_code():
    @numba.njit
    def kernel(x, z):
        return (
            sp.gammaln(x),
            erf(x),
            scipy.special.jv(2, x),
            sp.wofz(z),
            sp.airy(x)[2],
            sp.spherical_jn(2, -x),
            sp.zeta(x + 2.0),
        )

    x, z = 1.3, 0.4 + 0.2j
    right = (
        sp.gammaln(x),
        erf(x),
        sp.jv(2, x),
        sp.wofz(z),
        sp.airy(x)[2],
        sp.spherical_jn(2, -x),
        sp.zeta(x + 2.0),
    )
    assert kernel(x, z) == pytest.approx(right, rel=1e-14)


def test_arrays_broadcast_and_keep_their_type():
    def kernel(a, x):
        return sp.betaln(a, x) * sp.erf(x)

    a, x = np.array([[0.5], [2.0]]), np.array([0.3, 1.0, 4.0])
    compiled = numba.njit(kernel)
    assert np.allclose(compiled(a, x), kernel(a, x), rtol=1e-13)
    assert compiled(a.astype(np.float32), x.astype(np.float32)).dtype == np.float32
    by_a, by_x = enzyme.grad(lambda a, x: np.sum(kernel(a, x)), argnums=(0, 1))(a, x)
    slope = sp.betaln(a, x) * 2 / np.sqrt(np.pi) * np.exp(-x * x)
    assert np.allclose(
        by_a[:, 0], np.sum((sp.psi(a) - sp.psi(a + x)) * sp.erf(x), axis=1), rtol=1e-12
    )
    assert np.allclose(
        by_x, np.sum((sp.psi(x) - sp.psi(a + x)) * sp.erf(x) + slope, axis=0), rtol=1e-12
    )


def test_functions_themselves_as_kernels():
    assert enzyme.grad(sp.gammaln)(2.5) == pytest.approx(sp.psi(2.5), rel=1e-14)
    assert enzyme.grad(sp.digamma)(np.float32(2.5)) == pytest.approx(sp.polygamma(1, 2.5), rel=1e-6)


def test_tuples_of_results():
    def kernel(x):
        ai, aip, bi, bip = sp.airy(x)
        s, c = sp.fresnel(x)
        return ai * bip - aip * bi + s * c  # Wronskian: constant

    s, c = sp.fresnel(0.7)
    angle = np.pi * 0.7**2 / 2
    assert enzyme.grad(kernel)(0.7) == pytest.approx(
        np.sin(angle) * c + s * np.cos(angle), rel=1e-12
    )


def test_third_order_in_every_nesting():
    def kernel(x):
        return sp.gammaln(x)

    right = sp.polygamma(2, 1.7)
    backward, forward = enzyme.grad, lambda f: lambda x: enzyme.jvp(f, (x,), (1.0,))[1]
    for nest in (
        lambda f: backward(backward(backward(f))),
        lambda f: forward(backward(enzyme.grad(f))),
    ):
        assert nest(kernel)(1.7) == pytest.approx(right, rel=1e-12)


def test_hessian_of_two_arguments_is_symmetric_and_right():
    found = enzyme.hessian(lambda x: sp.betaln(x[0], x[1]))(np.array([1.3, 2.2]))
    both = sp.polygamma(1, 3.5)
    right = np.array([[sp.polygamma(1, 1.3) - both, -both], [-both, sp.polygamma(1, 2.2) - both]])
    assert np.allclose(found, right, rtol=1e-12)


def test_what_is_not_used_of_several_results_has_no_say():
    # The cosine integral is minus infinity at zero, and so are its slopes.
    first = enzyme.grad(lambda x: sp.sici(x)[0])
    assert first(0.0) == 1.0
    assert enzyme.jvp(first, (0.0,), (1.0,))[1] == 0.0


@pytest.mark.parametrize(
    ("kernel", "x", "right"),
    [
        (lambda x: sp.xlogy(x, 0.0), 0.0, -np.inf),
        (lambda x: sp.xlogy(0.0, x), 0.0, 0.0),
        (lambda x: sp.kl_div(x, x + 0.0), 0.5, 0.0),
        (lambda x: sp.ellipk(x), 1.0, np.inf),
        (lambda x: sp.exp1(x), -1.0, np.nan),
        (
            lambda x: sp.ellipkinc(x, 2.3),
            0.5,
            np.nan,
        ),  # NaN in SciPy, whose slope has a formula all the same
    ],
)
def test_edges(kernel, x, right):
    found = enzyme.grad(kernel)(x)
    assert found == right or (np.isnan(found) and np.isnan(right))


def test_part_not_taken_does_not_spoil_the_gradient():
    kernel = lambda x: np.sum(np.where(x > 0.0, sp.gammaln(np.where(x > 0.0, x, 1.0)), sp.exp1(x)))
    found = enzyme.grad(kernel)(np.array([2.0, 3.0]))
    assert np.allclose(found, sp.psi([2.0, 3.0]), rtol=1e-13)


def test_argument_without_closed_form_is_named():
    for kernel, named in (
        (lambda v: sp.jv(v, 1.3), r"scipy\.special\.jv` by `v` has no closed form"),
        (lambda a: sp.gammainc(a, 1.3), r"scipy\.special\.gammainc` by `a` has no closed form"),
        (lambda x: sp.zeta(x), r"zeta` by `x` has no closed form"),
        (
            lambda x: sp.psi(complex(x, 1.0)).real,
            r"psi` by `z`, of complex numbers, has no closed form",
        ),
    ):
        with pytest.raises(UnresolvedSymbolError, match=named) as told:
            enzyme.grad(kernel)(2.5)
        assert "stop_gradient" in str(told.value)


def test_argument_without_closed_form_may_be_constant():
    slope = 0.5 * (sp.jv(1.5, 1.3) - sp.jv(3.5, 1.3))
    assert enzyme.grad(lambda x, v: sp.jv(v, x))(1.3, 2.5) == pytest.approx(slope, rel=1e-13)
    stopped = enzyme.grad(lambda p: sp.jv(enzyme.stop_gradient(p[0]), p[1]))(np.array([2.5, 1.3]))
    assert stopped == pytest.approx([0.0, slope], rel=1e-13)


def test_an_overload_of_the_users_stays_in_jitted_code_only():
    # As the package numba-scipy has them: by the address of a C function, which Enzyme cannot look into.
    script = """
import numba, scipy.special as sp
from numba.extending import get_cython_function_address, overload
import ctypes
own = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(
    get_cython_function_address("scipy.special.cython_special", "gammaln"))
@overload(sp.gammaln)
def typed(x):
    return lambda x: own(x) + 1000.0
import enzyme_py as enzyme
f = numba.njit(lambda x: sp.gammaln(x))
print(f(2.5) - sp.gammaln(2.5), enzyme.grad(lambda x: sp.gammaln(x))(2.5) - sp.psi(2.5))
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    shift, error = map(float, told.stdout.split())
    assert abs(shift - 1000.0) < 1e-9
    assert abs(error) < 1e-14


def test_another_process_finds_the_functions_again(tmp_path):
    script = tmp_path / "kernel_of_another_process.py"
    script.write_text(
        "import sys\n"
        "import numpy as np\n"
        "import scipy.special as sp\n"
        "import enzyme_py as enzyme\n"
        "def kernel(x):\n"
        "    return np.sum(sp.gammaln(x) * sp.erfcx(x)) + sp.lambertw(x[0]).real\n"
        "print(enzyme.grad(kernel)(np.array([1.5, 2.5])).tolist(), 'numba.core.typeinfer' in sys.modules,"
        " 'enzyme_py.special.overloads' in sys.modules)\n"
    )
    environment = {"ENZYME_PY_CACHE_DIR": str(tmp_path / "cache"), "PATH": ""}
    runs = [
        subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            env=_with_host(environment),
        ).stdout
        for _ in range(2)
    ]
    assert runs[0].rpartition("]")[0] == runs[1].rpartition("]")[0] != ""
    assert runs[1].split()[-1] == "False"  # nothing was compiled


def _with_host(changes):
    import os

    return {**os.environ, **changes, "PATH": os.environ["PATH"]}


def test_c_function_of_a_derivative():
    function = enzyme.cfunc(enzyme.grad(lambda x: sp.erfcx(x)), "float64,").ctypes
    result = np.zeros(1)
    assert function(0.7, result.ctypes.data) == 0
    assert result[0] == pytest.approx(2 * 0.7 * sp.erfcx(0.7) - 2 / np.sqrt(np.pi), rel=1e-13)


def test_export_says_that_a_program_without_python_lacks_them(tmp_path):
    with pytest.raises(EnzymeError, match=r"scipy\.special\.erfcx"):
        enzyme.export(
            tmp_path / "libown", {"slope": (enzyme.grad(lambda x: sp.erfcx(x)), "float64,")}
        )


def test_a_function_without_a_row_is_named_with_a_way_out():
    def scaled(x):
        return sp.voigt_profile(x, 1.0, 2.0)

    with pytest.raises(EnzymeError, match=r"scipy\.special\.voigt_profile") as told:
        enzyme.grad(scaled)(1.0)
    assert "rules.python" in str(told.value)
    of_numbers = enzyme.rules.python(
        lambda x: float(sp.voigt_profile(x, 1.0, 2.0)),
        "float64(float64)",
        vjp=lambda arguments, result, cotangent: (-cotangent * 0.1,),
    )
    assert enzyme.grad(lambda x: 2.0 * of_numbers(x))(1.0) == -0.2
