"""LLVM IR of the products and norms that are loops, which Enzyme differentiates as it finds them.

A complex matrix is walked by two strides, in numbers, so one loop nest serves every transposition,
and vectors as well. A norm is scaled by a power of two where squares would overflow or underflow.
"""

from __future__ import annotations

import struct

from enzyme_py.rules.numbers.roots import AT_ZERO, root, root_declarations

# A += alpha x y' and A *= to/from, columns first, as Enzyme calls them; see rules/blas.py. A zero
# factor stores zeros, so that an adjoint that is not finite does not survive as NaN.
_HELPERS = """
define void @cblas_{k}ger_64_(i32 %layout, i64 %m, i64 %n, {f} %alpha, ptr %x, i64 %incx, ptr %y, i64 %incy, ptr %a, i64 %lda) {{
entry:
  %none.m = icmp slt i64 %m, 1
  %none.n = icmp slt i64 %n, 1
  %none = or i1 %none.m, %none.n
  br i1 %none, label %done, label %column
column:
  %j = phi i64 [ 0, %entry ], [ %j.next, %column.end ]
  %j.at = mul nsw i64 %j, %incy
  %y.at = getelementptr inbounds {f}, ptr %y, i64 %j.at
  %y.value = load {f}, ptr %y.at
  %factor = fmul {f} %alpha, %y.value
  %offset = mul nsw i64 %j, %lda
  %to = getelementptr inbounds {f}, ptr %a, i64 %offset
  br label %row
row:
  %i = phi i64 [ 0, %column ], [ %i.next, %row ]
  %i.at = mul nsw i64 %i, %incx
  %x.at = getelementptr inbounds {f}, ptr %x, i64 %i.at
  %x.value = load {f}, ptr %x.at
  %a.at = getelementptr inbounds {f}, ptr %to, i64 %i
  %old = load {f}, ptr %a.at
  %term = fmul {f} %factor, %x.value
  %new = fadd {f} %old, %term
  store {f} %new, ptr %a.at
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %m
  br i1 %i.more, label %row, label %column.end
column.end:
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp slt i64 %j.next, %n
  br i1 %j.more, label %column, label %done
done:
  ret void
}}
define void @cblas_{k}lascl_64_(i32 %layout, i8 %type, i64 %kl, i64 %ku, {f} %from, {f} %to, i64 %m, i64 %n, ptr %a, i64 %lda, ptr %info) {{
entry:
  %same = fcmp oeq {f} %from, %to
  %zero = fcmp oeq {f} %to, 0.0
  %none.m = icmp slt i64 %m, 1
  %none.n = icmp slt i64 %n, 1
  %none = or i1 %none.m, %none.n
  %nothing = or i1 %none, %same
  br i1 %nothing, label %done, label %start
start:
  %factor = fdiv {f} %to, %from
  br label %column
column:
  %j = phi i64 [ 0, %start ], [ %j.next, %column.end ]
  %offset = mul nsw i64 %j, %lda
  %head = getelementptr inbounds {f}, ptr %a, i64 %offset
  br label %row
row:
  %i = phi i64 [ 0, %column ], [ %i.next, %stored ]
  %at = getelementptr inbounds {f}, ptr %head, i64 %i
  br i1 %zero, label %clear, label %scale
clear:
  store {f} 0.0, ptr %at
  br label %stored
scale:
  %old = load {f}, ptr %at
  %new = fmul {f} %old, %factor
  store {f} %new, ptr %at
  br label %stored
stored:
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %m
  br i1 %i.more, label %row, label %column.end
column.end:
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp slt i64 %j.next, %n
  br i1 %j.more, label %column, label %done
done:
  ret void
}}
"""

_CLEAR = """
define linkonce_odr void @enzyme_py_blas.{k}clear(i64 %n, ptr %x) {{
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %one, label %done
one:
  %i = phi i64 [ 0, %entry ], [ %i.next, %one ]
  %at = getelementptr inbounds {f}, ptr %x, i64 %i
  store {f} 0.0, ptr %at
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %one, label %done
done:
  ret void
}}
"""

# The terms may be added in any order, so that the sum can be vectorised, as BLAS does.
_DOT = """
define linkonce_odr void @enzyme_py_blas.{k}dot(i64 %n, ptr %a, ptr %b, ptr %out) alwaysinline {{
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %term, label %done
term:
  %i = phi i64 [ 0, %entry ], [ %i.next, %term ]
  %sum = phi {f} [ 0.0, %entry ], [ %next, %term ]
  %a.at = getelementptr inbounds {f}, ptr %a, i64 %i
  %b.at = getelementptr inbounds {f}, ptr %b, i64 %i
  %a.value = load {f}, ptr %a.at
  %b.value = load {f}, ptr %b.at
  %product = fmul contract {f} %a.value, %b.value
  %next = fadd reassoc contract {f} %sum, %product
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %term, label %done
done:
  %total = phi {f} [ 0.0, %entry ], [ %next, %term ]
  store {f} %total, ptr %out
  ret void
}}
"""

# C = A B, where A has conjugates taken if %sign is -1. All strides are in complex numbers.
_COMPLEX_PRODUCT = """
define linkonce_odr void @enzyme_py_blas.{k}product(i64 %m, i64 %n, i64 %k, ptr %a, i64 %rows.a, i64 %columns.a, {f} %sign, ptr %b, i64 %rows.b, i64 %columns.b, ptr %c, i64 %ldc) {{
entry:
  %some.m = icmp sgt i64 %m, 0
  %some.n = icmp sgt i64 %n, 0
  %some = and i1 %some.m, %some.n
  br i1 %some, label %column, label %done
column:
  %j = phi i64 [ 0, %entry ], [ %j.next, %column.end ]
  %b.column = mul nsw i64 %j, %columns.b
  %c.column = mul nsw i64 %j, %ldc
  br label %row
row:
  %i = phi i64 [ 0, %column ], [ %i.next, %row.end ]
  %a.row = mul nsw i64 %i, %rows.a
  %some.k = icmp sgt i64 %k, 0
  br i1 %some.k, label %term, label %row.end
term:
  %p = phi i64 [ 0, %row ], [ %p.next, %term ]
  %sum.re = phi {f} [ 0.0, %row ], [ %next.re, %term ]
  %sum.im = phi {f} [ 0.0, %row ], [ %next.im, %term ]
  %a.step = mul nsw i64 %p, %columns.a
  %a.index = add nsw i64 %a.row, %a.step
  %a.re.at = getelementptr inbounds {{ {f}, {f} }}, ptr %a, i64 %a.index, i32 0
  %a.im.at = getelementptr inbounds {{ {f}, {f} }}, ptr %a, i64 %a.index, i32 1
  %b.step = mul nsw i64 %p, %rows.b
  %b.index = add nsw i64 %b.column, %b.step
  %b.re.at = getelementptr inbounds {{ {f}, {f} }}, ptr %b, i64 %b.index, i32 0
  %b.im.at = getelementptr inbounds {{ {f}, {f} }}, ptr %b, i64 %b.index, i32 1
  %a.re = load {f}, ptr %a.re.at
  %a.im.given = load {f}, ptr %a.im.at
  %b.re = load {f}, ptr %b.re.at
  %b.im = load {f}, ptr %b.im.at
  %a.im = fmul {f} %a.im.given, %sign
  %re.re = fmul {f} %a.re, %b.re
  %im.im = fmul {f} %a.im, %b.im
  %re.im = fmul {f} %a.re, %b.im
  %im.re = fmul {f} %a.im, %b.re
  %term.re = fsub {f} %re.re, %im.im
  %term.im = fadd {f} %re.im, %im.re
  %next.re = fadd {f} %sum.re, %term.re
  %next.im = fadd {f} %sum.im, %term.im
  %p.next = add nuw nsw i64 %p, 1
  %p.more = icmp slt i64 %p.next, %k
  br i1 %p.more, label %term, label %row.end
row.end:
  %c.re = phi {f} [ 0.0, %row ], [ %next.re, %term ]
  %c.im = phi {f} [ 0.0, %row ], [ %next.im, %term ]
  %c.index = add nsw i64 %c.column, %i
  %c.re.at = getelementptr inbounds {{ {f}, {f} }}, ptr %c, i64 %c.index, i32 0
  %c.im.at = getelementptr inbounds {{ {f}, {f} }}, ptr %c, i64 %c.index, i32 1
  store {f} %c.re, ptr %c.re.at
  store {f} %c.im, ptr %c.im.at
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp slt i64 %i.next, %m
  br i1 %i.more, label %row, label %column.end
column.end:
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp slt i64 %j.next, %n
  br i1 %j.more, label %column, label %done
done:
  ret void
}}
"""

# The norm of n groups of `parts` adjacent numbers, `stride` numbers apart. Only powers of two
# scale, so nothing is rounded by it; the largest number decides, and carries no derivative. Enzyme gives roots of NaN the slope zero:
# of NaN the norm is a product with a NaN that LLVM does not know (rules/numbers/rims.py).
_NORM = """
define linkonce_odr void @enzyme_py_blas.{k}norm(i64 %n, i64 %parts, ptr %x, i64 %stride, ptr %out) alwaysinline {{
entry:
  %largest = call {f} @enzyme_py_blas.{k}largest(i64 %n, i64 %parts, ptr %x, i64 %stride)
  %is.large = fcmp ogt {f} %largest, {large}
  %is.small = fcmp olt {f} %largest, {small}
  %is.none = fcmp oeq {f} %largest, 0.0
  %up = select i1 %is.none, {f} {lower}, {f} {up}
  %small.scale = select i1 %is.small, {f} %up, {f} 1.0
  %scale = select i1 %is.large, {f} {down}, {f} %small.scale
  %count = mul nsw i64 %n, %parts
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %term, label %end
term:
  %i = phi i64 [ 0, %entry ], [ %i.next, %term ]
  %sum = phi {f} [ 0.0, %entry ], [ %next, %term ]
  %group = udiv i64 %i, %parts
  %part = urem i64 %i, %parts
  %step = mul nsw i64 %group, %stride
  %index = add nsw i64 %step, %part
  %at = getelementptr inbounds {f}, ptr %x, i64 %index
  %value = load {f}, ptr %at
  %scaled = fmul {f} %value, %scale
  %square = fmul {f} %scaled, %scaled
  %next = fadd reassoc {f} %sum, %square
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %count
  br i1 %more, label %term, label %end
end:
  %total = phi {f} [ 0.0, %entry ], [ %next, %term ]
  %is.zero = fcmp oeq {f} %total, 0.0
  br i1 %is.zero, label %zero, label %positive
zero:
  br label %both
positive:
  %root = call {f} @llvm.sqrt.{bits}({f} %total)
  %norm = fdiv {f} %root, %scale
  %is.none.at.all = fcmp uno {f} %total, 0.0
  br i1 %is.none.at.all, label %undefined, label %both
undefined:
  %again = call {f} @enzyme_py_inactive.again_{f}({f} %total)
  %none = fmul {f} %total, %again
  br label %both
both:
  %result = phi {f} [ 0.0, %zero ], [ %norm, %positive ], [ %none, %undefined ]
END  ret void
}}
declare {f} @llvm.sqrt.{bits}({f})
declare {f} @llvm.fabs.{bits}({f})
declare {f} @enzyme_py_inactive.again_{f}({f})
define linkonce_odr {f} @enzyme_py_blas.{k}largest(i64 %n, i64 %parts, ptr %x, i64 %stride) noinline "enzyme_inactive" {{
entry:
  %count = mul nsw i64 %n, %parts
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %one, label %end
one:
  %i = phi i64 [ 0, %entry ], [ %i.next, %one ]
  %best = phi {f} [ 0.0, %entry ], [ %larger, %one ]
  %group = udiv i64 %i, %parts
  %part = urem i64 %i, %parts
  %step = mul nsw i64 %group, %stride
  %index = add nsw i64 %step, %part
  %at = getelementptr inbounds {f}, ptr %x, i64 %index
  %value = load {f}, ptr %at
  %size = call {f} @llvm.fabs.{bits}({f} %value)
  %is.larger = fcmp ogt {f} %size, %best
  %larger = select i1 %is.larger, {f} %size, {f} %best
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %count
  br i1 %more, label %one, label %end
end:
  %result = phi {f} [ 0.0, %entry ], [ %larger, %one ]
  ret {f} %result
}}
"""

_END = "  store {f} %result, ptr %out\n"
_NESTED_END = """  %back = fdiv {f} 1.0, %scale
  %once = fmul {f} %total, %back
  %whole = fmul {f} %once, %back
  %large = fmul {f} %total, {steep}
  %steep = select i1 %is.zero, {f} %large, {f} 0.0
  %marked = ROOT
  store {f} %marked, ptr %out
"""

# Where squares of a type would leave its range: the largest numbers above, below, and the
# exponents of the powers of two that bring such numbers back. Of a norm that is zero the sum of squares must have finite second derivatives,
# and with the last factor infinite ones (rules/numbers/roots.py).
_RANGES = {"double": (465, -465, -600, 600, *AT_ZERO["double"]), "float": (60, -60, -70, 90, *AT_ZERO["float"])}
_BITS = {"double": "f64", "float": "f32"}


def _power(exponent: int) -> str:
    """Return a power of two as LLVM writes constants, for either type."""
    return "0x" + struct.pack(">d", 2.0**exponent).hex().upper()


def shared_loops(letter: str, real: str, *, is_nested: bool) -> str:
    """Return what the bodies of one real type, and of its complex type, may call; in nests a norm is marked with its square."""
    powers = map(_power, _RANGES[real])
    names = ("large", "small", "down", "up", "lower", "steep")
    end = _NESTED_END.replace("ROOT", root(real, "%result", "%whole", "%steep")) if is_nested else _END
    text = root_declarations(real) * is_nested + _NORM.replace("END", end)
    norm = text.format(k=letter, f=real, bits=_BITS[real], **dict(zip(names, powers, strict=True)))
    plain = (_HELPERS, _CLEAR, _DOT, _COMPLEX_PRODUCT)
    return "".join(text.format(k=letter, f=real) for text in plain) + norm


_REAL = {"double": "d", "float": "s"}


def _product(real: str, arguments: str) -> str:
    return f"  call void @enzyme_py_blas.{_REAL[real]}product({arguments})\n"


def real_dot(letter: str, real: str) -> str:
    """Return the instructions of numba_xxdot for floats."""
    return f"  call void @enzyme_py_blas.{letter}dot(i64 %n, ptr %a, ptr %b, ptr %out)\n"


def complex_dot(letter: str, real: str) -> str:
    """Return the instructions of numba_xxdot: the product of a row and a column."""
    sign = f"%{letter}.sign"
    choose = (
        f"  {sign}.test = icmp ne i8 %conjugate, 0\n"
        f"  {sign} = select i1 {sign}.test, {real} -1.0, {real} 1.0\n"
    )
    row = f"ptr %a, i64 1, i64 1, {real} {sign}"
    return choose + _product(
        real, f"i64 1, i64 1, i64 %n, {row}, ptr %b, i64 1, i64 1, ptr %out, i64 1"
    )


def _strides(letter: str, matrix: str, trans: str) -> str:
    """Return instructions that set the strides of a matrix as its `trans` says."""
    name, leading = f"%{letter}.{matrix}", f"%ld{matrix}"
    return (
        f"  {name}.n = icmp eq i8 %{trans}, {ord('n')}\n"
        f"  {name}.rows = select i1 {name}.n, i64 1, i64 {leading}\n"
        f"  {name}.columns = select i1 {name}.n, i64 {leading}, i64 1\n"
    )


def complex_gemv(letter: str, real: str) -> str:
    """Return the instructions of numba_xxgemv; m and n are of the matrix before transposing."""
    name = f"%{letter}.a"
    sizes = (
        f"  {name}.m = select i1 {name}.n, i64 %m, i64 %n\n"
        f"  {name}.k = select i1 {name}.n, i64 %n, i64 %m\n"
    )
    matrix = f"ptr %a, i64 {name}.rows, i64 {name}.columns, {real} 1.0"
    call = f"i64 {name}.m, i64 1, i64 {name}.k, {matrix}, ptr %x, i64 1, i64 1, ptr %y, i64 1"
    return _strides(letter, "a", "trans") + sizes + _product(real, call)


def complex_gemm(letter: str, real: str) -> str:
    """Return the instructions of numba_xxgemm."""
    left = f"ptr %a, i64 %{letter}.a.rows, i64 %{letter}.a.columns, {real} 1.0"
    right = f"ptr %b, i64 %{letter}.b.rows, i64 %{letter}.b.columns"
    call = _product(real, f"i64 %m, i64 %n, i64 %k, {left}, {right}, ptr %c, i64 %ldc")
    return _strides(letter, "a", "transa") + _strides(letter, "b", "transb") + call


def real_norm(letter: str, real: str) -> str:
    """Return the instructions of numba_xxnrm2 for floats."""
    return f"  call void @enzyme_py_blas.{letter}norm(i64 %n, i64 1, ptr %x, i64 %incx, ptr %out)\n"


def complex_norm(letter: str, real: str) -> str:
    """Return the instructions of numba_xxnrm2 for complex numbers, which are pairs."""
    step = f"%{letter}.step"
    call = f"@enzyme_py_blas.{_REAL[real]}norm(i64 %n, i64 2, ptr %x, i64 {step}, ptr %out)"
    return f"  {step} = mul nsw i64 %incx, 2\n  call void {call}\n"
