"""Code of other languages, linked as LLVM IR and differentiated through."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import LoweringError, RuleError
from enzyme_py.llvm import Module

X = np.array([1.0, 2.0, -0.5])

# double weighted(const double *x, long n) { double s = 0; for (i < n) s += slope(x[i]) * (i + 1); return s; }
WEIGHTED = """
define double @weighted(ptr %x, i64 %n) {
entry:
  br label %test
test:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %s = phi double [ 0.0, %entry ], [ %more, %turn ]
  %goes = icmp slt i64 %i, %n
  br i1 %goes, label %turn, label %done
turn:
  %place = getelementptr double, ptr %x, i64 %i
  %value = load double, ptr %place
  %cube = call double @cube(double %value)
  %next = add i64 %i, 1
  %weight = sitofp i64 %next to double
  %part = fmul double %cube, %weight
  %more = fadd double %s, %part
  br label %test
done:
  ret double %s
}
define internal double @cube(double %x) #0 {
  %y = fmul double %x, %x
  %z = fmul double %y, %x
  ret double %z
}
define void @sines(ptr %out, ptr %x, i32 %n) {
  %m = sext i32 %n to i64
  br label %turn
turn:
  %i = phi i64 [ 0, %0 ], [ %next, %turn ]
  %from = getelementptr double, ptr %x, i64 %i
  %to = getelementptr double, ptr %out, i64 %i
  %value = load double, ptr %from
  %sine = call double @sin(double %value)
  store double %sine, ptr %to
  %next = add i64 %i, 1
  %goes = icmp slt i64 %next, %m
  br i1 %goes, label %turn, label %done
done:
  ret void
}
declare double @sin(double)
attributes #0 = { noinline optnone "target-cpu"="x86-64" "target-features"="+sse2" }
"""
CLEANED_UP = """
declare i32 @__gxx_personality_v0(...)
declare double @cos(double)

define double @f(double %x) personality ptr @__gxx_personality_v0 {
  %y = invoke double @cos(double %x) to label %done unwind label %cleanup

done:
  ret double %y

cleanup:
  %pad = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %pad
}
"""

COMPUTED = """
define double @f(double %x) {
  %place = select i1 true, ptr blockaddress(@f, %one), ptr blockaddress(@f, %two)
  indirectbr ptr %place, [label %one, label %two]

one:
  ret double %x

two:
  ret double 2.0
}
"""

LOST = """
declare double @nowhere_to_be_found(double)
define double @f(double %x) {
  %y = call double @nowhere_to_be_found(double %x)
  ret double %y
}
"""
# As clang writes what C++ may define in several files.
TEMPLATES = """
$_ZN1A4sizeEv = comdat any
$table = comdat any
@table = linkonce_odr constant [2 x double] [double 2.0, double 3.0], comdat, align 16
define double @f(double %x) {
  %n = call i64 @_ZN1A4sizeEv()
  %p = getelementptr double, ptr @table, i64 %n
  %c = load double, ptr %p
  %y = fmul double %x, %x
  %z = fmul double %y, %c
  ret double %z
}
define linkonce_odr noundef i64 @_ZN1A4sizeEv() #0 comdat align 2 {
  ret i64 1
}
attributes #0 = { mustprogress noinline nounwind }
"""
COEFFICIENTS = np.arange(1.0, 4.0)


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("ir") / "code.ll"
    path.write_text(WEIGHTED)
    return path


@pytest.fixture(scope="module")
def weighted(file):
    return enzyme.link_ir(file, "weighted", "float64(float64[::1], int64)")


def test_calls_outside_of_kernels(weighted) -> None:
    want = np.sum(X**3 * COEFFICIENTS)
    assert weighted(X, 3) == pytest.approx(want, rel=1e-15)
    assert numba.njit(lambda x: 2 * weighted(x, x.size))(X) == pytest.approx(2 * want, rel=1e-15)


def test_derivatives_of_every_mode_and_order(weighted) -> None:
    def f(x):
        return weighted(x, x.size)

    slope = 3 * X**2 * COEFFICIENTS
    np.testing.assert_allclose(enzyme.grad(f)(X), slope, rtol=1e-14)
    np.testing.assert_allclose(enzyme.grad(weighted)(X, 3), slope, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(f, (X,), (X,))[1], slope @ X, rtol=1e-14)
    curvature = np.diag(6 * X * COEFFICIENTS)
    np.testing.assert_allclose(enzyme.hessian(f)(X), curvature, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jacrev(enzyme.grad(f))(X), curvature, rtol=1e-14)


def test_groups_of_the_linker(tmp_path) -> None:
    (tmp_path / "code.ll").write_text(TEMPLATES)
    f = enzyme.link_ir(tmp_path / "code.ll", "f", "float64(float64)")
    assert enzyme.grad(f)(2.0) == 12.0
    assert enzyme.hessian(f)(2.0) == 6.0


def test_a_function_that_writes(file) -> None:
    sines = enzyme.link_ir(file, "sines", "void(float64[::1], float64[::1], int32)")

    def f(x):
        out = np.zeros(x.size)
        sines(out, x, x.size)
        return np.sum(out * out)

    assert f(X) == pytest.approx(np.sum(np.sin(X) ** 2))
    np.testing.assert_allclose(enzyme.grad(f)(X), np.sin(2 * X), rtol=1e-13)
    np.testing.assert_allclose(
        enzyme.hessian(f)(X), np.diag(2 * np.cos(2 * X)), rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize(
    ("text", "name", "signature", "message"),
    [
        (WEIGHTED, "wighted", "float64(float64)", "defines no function `wighted`"),
        (WEIGHTED, "weighted", "float64(float64[::1])", "2 arguments, not 1"),
        (WEIGHTED, "weighted", "float64(float64[::1], float64)", r"double \(ptr, double\)"),
        (WEIGHTED, "weighted", "float32(float64[::1], int64)", "the signature says float"),
        (WEIGHTED, "weighted", "float64(float64[:], int64)", "contiguous"),
        (WEIGHTED, "weighted", "rubbish", "is no signature"),
        ("int main() {}", "main", "int32()", "cannot read"),
        (
            'target triple = "aarch64-apple-macosx"\n' + WEIGHTED,
            "weighted",
            "void()",
            "compiled for",
        ),
        (CLEANED_UP, "f", "float64(float64)", "goes on behind exceptions"),
        (COMPUTED, "f", "float64(float64)", "places that are computed"),
        (
            LOST,
            "f",
            "float64(float64)",
            "`nowhere_to_be_found`, which no library",
        ),
    ],
)
def test_what_cannot_be_linked(tmp_path, text, name, signature, message) -> None:
    path = tmp_path / "code.ll"
    path.write_text(text)
    with pytest.raises(RuleError, match=message):
        enzyme.link_ir(path, name, signature)


def test_a_missing_file() -> None:
    with pytest.raises(RuleError, match="there is no file"):
        enzyme.link_ir("nowhere.ll", "f", "float64(float64)")


def test_arguments_of_other_types(weighted) -> None:
    with pytest.raises(LoweringError, match="its signature says array"):
        enzyme.grad(weighted)(np.ones(6)[::2], 3)
    with pytest.raises(numba.TypingError, match="its signature says array"):
        weighted(3.0, 1)


@pytest.mark.skipif(shutil.which("clang-22") is None, reason="needs clang-22")
@pytest.mark.parametrize("options", [["-O2"], ["-O0"]])
def test_c_compiled_by_clang(tmp_path, options) -> None:
    """With -O0 clang marks every function against optimisation; the marks are dropped."""
    source = Path(__file__).parent.parent.parent / "examples" / "pendulum.c"
    path = tmp_path / "pendulum.bc"
    command = [
        "clang-22",
        *options,
        "-fno-vectorize",
        "-emit-llvm",
        "-c",
        str(source),
        "-o",
        str(path),
    ]
    subprocess.run(command, check=True)
    final = enzyme.link_ir(path, "final_angle", "float64(float64, float64, int64)")

    def by_hand(angle, rate, steps):
        for _ in range(steps):
            rate = rate - 0.01 * np.sin(angle)
            angle = angle + 0.01 * rate
        return angle

    assert final(0.5, 0.1, 100) == pytest.approx(by_hand(0.5, 0.1, 100), rel=1e-14)
    want = enzyme.grad(by_hand, argnums=(0, 1))(0.5, 0.1, 100)
    assert enzyme.grad(final, argnums=(0, 1))(0.5, 0.1, 100) == pytest.approx(want, rel=1e-12)


def test_a_library_gives_what_the_file_lacks(tmp_path) -> None:
    """C's mathematical functions need no derivative of ours; here the library is in the process."""
    assert ctypes.CDLL("libm.so.6").tanh is not None
    path = tmp_path / "code.ll"
    path.write_text(
        "declare double @tanh(double)\ndefine double @f(double %x) {\n"
        "  %y = call double @tanh(double %x)\n  ret double %y\n}\n"
    )
    f = enzyme.link_ir(path, "f", "float64(float64)")
    assert enzyme.grad(f)(0.3) == pytest.approx(1 - np.tanh(0.3) ** 2, rel=1e-14)


# x[0]^2 x[1] x[2], by products in memory, as clang writes it: the call itself says which argument is the size.
PRODUCTS = """
define double @products(ptr %0, i64 %n) {
  %size = mul i64 %n, 8
  %2 = tail call noalias ptr @malloc(i64 %size) #1
  %3 = load double, ptr %0, align 8
  %4 = fmul double %3, %3
  store double %4, ptr %2, align 8
  br label %8
5:
  %last = sub i64 %n, 1
  %6 = getelementptr inbounds double, ptr %2, i64 %last
  %7 = load double, ptr %6, align 8
  ret double %7
8:
  %9 = phi double [ %4, %1 ], [ %14, %8 ]
  %10 = phi i64 [ 1, %1 ], [ %15, %8 ]
  %11 = getelementptr double, ptr %2, i64 %10
  %12 = getelementptr inbounds double, ptr %0, i64 %10
  %13 = load double, ptr %12, align 8
  %14 = fmul double %9, %13
  store double %14, ptr %11, align 8
  %15 = add nuw nsw i64 %10, 1
  %16 = icmp eq i64 %15, %n
  br i1 %16, label %5, label %8
}
declare noalias ptr @malloc(i64) #0
attributes #0 = { mustprogress nofree nounwind willreturn allockind("alloc,uninitialized") allocsize(0) memory(inaccessiblemem: readwrite) "alloc-family"="malloc" }
attributes #1 = { nounwind allocsize(0) }
"""


def test_the_size_that_a_call_of_malloc_states(tmp_path: Path) -> None:
    """Taken for calloc's, it was one byte, and LLVM could take away what was stored behind that."""
    file = tmp_path / "products.ll"
    file.write_text(PRODUCTS)
    products = enzyme.link_ir(file, "products", "float64(float64[::1], int64)")
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(enzyme.grad(products)(x, 3), [12.0, 3.0, 2.0])
    code = Module(enzyme.inspect.ir(products, x, 3, stage="simplified"))
    (call,) = code.calls_of("calloc")
    assert not [one for one in call.own_attributes() if one.startswith("alloc")]


def test_memory_of_other_allocators(tmp_path: Path) -> None:
    """C++'s library is there, so it was a riddle that "no library has" its `new`."""
    file = tmp_path / "new.ll"
    file.write_text(
        PRODUCTS.replace("@malloc", "@_Znwm").replace('"malloc"', '"_Znwm"')
    )
    with pytest.raises(RuleError, match="allocates by `new`") as told:
        enzyme.link_ir(file, "products", "float64(float64[::1], int64)")
    assert "malloc" in str(told.value.remedy)


SHIFTED = """
define double @shifted(ptr %x, i64 %n) {
  %from = getelementptr inbounds double, ptr %x, i64 1
  %left = add i64 %n, -1
  %bytes = shl i64 %left, 3
  call void @llvm.memmove.p0.p0.i64(ptr align 8 %x, ptr align 8 %from, i64 %bytes, i1 false)
  %first = load double, ptr %x, align 8
  %squared = fmul double %first, %first
  ret double %squared
}
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
"""


def test_a_block_that_moves_down_over_itself(tmp_path: Path) -> None:
    """C++'s `memmove(x, x + 1, ...)`: each seed went on from one place to the next, without a word."""
    file = tmp_path / "shifted.ll"
    file.write_text(SHIFTED)
    shifted = enzyme.link_ir(file, "shifted", "float64(float64[::1], int64)")
    x, seeds = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 10.0, 100.0, 1000.0])
    enzyme.autodiff(enzyme.Reverse, shifted, enzyme.Duplicated(x.copy(), seeds), enzyme.Const(4))
    np.testing.assert_array_equal(seeds, [0.0, 1.0 + 2 * 2.0, 10.0, 100.0 + 1000.0])
    slopes = enzyme.grad(shifted)
    np.testing.assert_array_equal(enzyme.jvp(slopes, (x.copy(), 4), (np.ones(4), None))[1], [0.0, 2.0, 0.0, 0.0])

    def product(x, n):  # type: ignore[no-untyped-def]
        return 3.0 * slopes(x, n)[1]

    np.testing.assert_array_equal(enzyme.grad(product)(x.copy(), 4), [0.0, 6.0, 0.0, 0.0])


# double f(double x) { double whole; double part = modf(3 * x, &whole); return part + whole * x; }
PARTS = """
declare double @modf(double, ptr)
define double @f(double %x) {
  %whole = alloca double
  %y = fmul double %x, 3.0
  %part = call double @modf(double %y, ptr %whole)
  %w = load double, ptr %whole
  %a = fmul double %w, %x
  %s = fadd double %part, %a
  ret double %s
}
"""


@pytest.mark.parametrize("x", [1.3, -1.3, 2.5])
def test_the_whole_part_that_modf_writes(tmp_path: Path, x: float) -> None:
    """The slope of a fraction of 3 x is 3, that of its whole part times x is the whole part."""
    file = tmp_path / "parts.ll"
    file.write_text(PARTS)
    f = enzyme.link_ir(file, "f", "float64(float64)")
    whole = np.trunc(3.0 * x)
    value, slope = enzyme.value_and_grad(f)(x)
    assert value == f(x) == 3.0 * x - whole + whole * x
    assert slope == 3.0 + whole
    assert enzyme.jvp(f, (x,), (1.0,)) == (f(x), 3.0 + whole)
