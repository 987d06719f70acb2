"""Every outside name gets an address, or an exception that names it."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from enzyme_py import native
from enzyme_py.errors import UnresolvedSymbolError
from enzyme_py.native import symbols
from enzyme_py.native.blas import blas_address
from tests.native.modules import call_scalar, differentiated

CALLING = """
declare double @{name}(double)
define i32 @entry(ptr %ret, ptr %excinfo, double %x) {{
  %y = call double @{name}(double %x)
  store double %y, ptr %ret
  ret i32 0
}}
"""


@pytest.mark.parametrize(
    "name",
    """ddot_ sdot_ zdotu_ dgemm_ sgemm_ cgemm_ zgemm_ dgemv_ dger_ dscal_ daxpy_ dcopy_ dsyrk_ dtrsm_
    dlascl_ slascl_ dlacpy_ dgetrf_ dgetrs_ dpotrf_ dgeqrf_ dgesvd_ dsyev_ dgeev_""".split(),
)
def test_blas_and_lapack_have_addresses(name: str) -> None:
    assert blas_address(name)
    assert symbols.address_of(name) == blas_address(name)


@pytest.mark.parametrize("name", ["dgemm", "_dgemm_", "dnothing_", "cblas_dgemm", "_", ""])
def test_other_names_are_not_blas(name: str) -> None:
    assert blas_address(name) is None


def test_a_blas_address_computes() -> None:
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)
    address = blas_address("dgemm_")
    assert address is not None
    a, b = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]), np.asfortranarray([[5.0, 6.0], [7.0, 8.0]])
    c = np.zeros((2, 2), order="F")
    letter, size = ctypes.c_char(b"N"), ctypes.c_int(2)
    one, zero = ctypes.c_double(1), ctypes.c_double(0)

    def at(value: Any) -> int:
        return value.ctypes.data if isinstance(value, np.ndarray) else ctypes.addressof(value)

    arguments = (letter, letter, size, size, size, one, a, size, b, size, zero, c, size)
    kind(address)(*[at(argument) for argument in arguments])
    np.testing.assert_array_equal(c, a @ b)


def test_generated_code_calls_blas_under_the_plain_name() -> None:
    ir = """
    declare void @daxpy_(ptr, ptr, ptr, ptr, ptr, ptr)
    @one = internal constant i32 1
    define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
      %a = alloca double
      store double %x, ptr %a
      store double 1.0, ptr %ret
      call void @daxpy_(ptr @one, ptr %a, ptr %ret, ptr @one, ptr %ret, ptr @one)
      ret i32 0
    }"""
    function = native.load(native.optimise(differentiated(ir)))
    assert call_scalar(function.addresses["entry"], 4.0) == 5.0
    assert llvm.address_of_symbol("daxpy_") is None  # other users of LLVM see nothing of it


def test_the_allocator_is_the_regions() -> None:
    for name in ("malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign"):
        assert symbols.address_of(name) == native.runtime_addresses()[f"enzyme_py_{name}"]


@pytest.mark.parametrize("name", ["sin", "cbrt", "memcpy", "lgamma", "__powidf2", "numba_gamma"])
def test_the_libraries_of_the_process_are_searched(name: str) -> None:
    address = symbols.address_of(name)
    assert (address is not None) == (name != "numba_gamma" or bool(llvm.address_of_symbol(name)))


def test_exception_memory_comes_from_numba() -> None:
    import numba

    numba.njit(lambda n: np.zeros(n))(3)  # Numba makes its runtime known with the first use
    assert symbols.address_of("enzyme_py_exception_allocate") == llvm.address_of_symbol(
        "NRT_Allocate"
    )
    assert symbols.address_of("enzyme_py_exception_free") == llvm.address_of_symbol("NRT_Free")
    assert llvm.address_of_symbol("NRT_Free")


def refusal(name: str) -> UnresolvedSymbolError:
    with pytest.raises(UnresolvedSymbolError) as caught:
        native.load(native.optimise(differentiated(CALLING.format(name=name))))
    assert f"`{name}`" in str(caught.value)
    return caught.value


def test_an_unknown_function_is_named() -> None:
    assert "load the library" in refusal("nobody_has_this").remedy


def test_a_request_that_the_pass_left_undone_is_refused() -> None:
    assert "report" in refusal("__enzyme_autodiff_left").remedy


@pytest.mark.parametrize("name", ["memalign", "strdup"])
def test_foreign_allocators_are_refused(name: str) -> None:
    assert "wrong one" in refusal(name).remedy


def test_an_unknown_variable_is_named() -> None:
    ir = """
    @elsewhere = external global double
    define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
      %y = load double, ptr @elsewhere
      store double %y, ptr %ret
      ret i32 0
    }"""
    with pytest.raises(UnresolvedSymbolError, match="`elsewhere`"):
        native.load(native.optimise(differentiated(ir)))


def test_many_unknown_names_are_counted() -> None:
    error = symbols.unresolved([f"f{i}" for i in range(8)], None)
    assert "`f4` and 3 more" in str(error)


@pytest.mark.parametrize(
    ("operation", "answer"),
    [
        ("call double @llvm.powi.f64.i32(double %x, i32 %n)", 2.0**7),
        ("call double @llvm.pow.f64(double %x, double 0.5)", 2.0**0.5),
        ("frem double %x, 1.5", 0.5),
        ("call double @llvm.exp10.f64(double %x)", 100.0),
        ("call double @llvm.tanh.f64(double %x)", np.tanh(2.0)),
    ],
)
def test_what_code_generation_calls_is_found(operation: str, answer: float) -> None:
    ir = f"""
    declare double @llvm.powi.f64.i32(double, i32)
    declare double @llvm.pow.f64(double, double)
    declare double @llvm.exp10.f64(double)
    declare double @llvm.tanh.f64(double)
    @seven = internal global i32 7
    define i32 @entry(ptr %ret, ptr %excinfo, double %x) {{
      %n = load volatile i32, ptr @seven
      %y = {operation}
      store double %y, ptr %ret
      ret i32 0
    }}"""
    function = native.load(native.optimise(differentiated(ir)))
    assert call_scalar(function.addresses["entry"], 2.0) == pytest.approx(answer, rel=1e-15)


def test_wide_integers_are_found() -> None:
    ir = """
    @big = internal global i128 1000000000000000000000000000000
    define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
      %d = fptosi double %x to i128
      %n = load volatile i128, ptr @big
      %q = sdiv i128 %n, %d
      %y = sitofp i128 %q to double
      store double %y, ptr %ret
      ret i32 0
    }"""
    function = native.load(native.optimise(differentiated(ir)))
    assert call_scalar(function.addresses["entry"], 1e10) == 1e20


def test_what_is_neither_named_nor_known_is_still_an_exception() -> None:
    """The linker's own refusal, should code generation call what the list does not have."""
    code = native.optimise(differentiated(CALLING.format(name="nobody_has_this")))
    hidden = native.ObjectCode(code.binary, code.entries, ())
    with pytest.raises(UnresolvedSymbolError) as caught:
        native.load(hidden)
    assert "linked" in caught.value.what
    assert "entry" in caught.value.detail
