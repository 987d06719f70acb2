"""A recurrence's states, written down once: what Enzyme reads, and what is behind it afterwards.

    h = np.tanh(W @ h + U @ x[t] + b)

The adjoint of an iteration needs the state twice: the older one for the product, the newer one for tanh, whose
derivative is (1 - y) (1 + y) by its result y. Left to itself Enzyme keeps two arrays an iteration, since it
takes the slope of tanh from the argument. passes/memory/states/recorded_states.py makes both read one record, which has a
row for every iteration. To Enzyme the record is a constant; the functions below are how it is
written and read:

* `room(bytes)`: the record itself; inactive, so it has no shadow
* `row(place, from, count)`, `first(place, from, count, turn)`: write a row; the latter in turn 0 only
* `put(record, index, value)`, `at(record, index)`: write and read a number; reading is done again in
  the reverse sweep, and never kept
* `read(array, index)`: the same of an array that is its own record (passes/memory/states/states_in_place.py)
* `pick(slope, value)`: the value, with the derivative of the other operand: to Enzyme it is fmod, whose
  derivative by its first operand is 1
* `gemv(a, x, y, row, ...)`: y = a x, with a rule that takes x for the adjoint of `a` from the row

Enzyme sees declarations only. Whatever they promise about memory is true of what it can know; the
record itself is not, and is called inaccessible. `define_records` says what they become afterwards.
"""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.rules.blas import COLUMN_MAJOR, FLOATS, NOT_TRANSPOSED, ROUTINES, TRANSPOSED
from enzyme_py.symbols import OF_INTEGER

PREFIX = "enzyme_py_record."

_PLAIN = "nounwind willreturn nofree nosync"
_INACTIVE = f'{_PLAIN} memory(inaccessiblemem: readwrite) "enzyme_inactive" "enzyme_nofree" '
_INACTIVE += '"enzyme_no_escaping_allocation"'
_COPIES = _INACTIVE.replace("memory(", "memory(argmem: read, ")
_READ = _INACTIVE.replace("readwrite", "read") + ' "enzyme_shouldrecompute"'
_READ_IN_PLACE = _READ.replace("inaccessiblemem", "argmem")
_POINTER = 'ptr {} "enzyme_type"="{{[-1]:Pointer, [-1,-1]:Float@{}}}"'
_INTEGER = f"i64 {OF_INTEGER}"
_SIZES = ("trans", "m", "n", "lda")


def declarations(letter: str) -> str:
    """Return what Enzyme reads, for numbers of one precision."""
    real, own = FLOATS[letter], f"@{PREFIX}{letter}"
    read, write = (f"{kind} captures(none)".strip() for kind in ("readonly", ""))
    pointers = ", ".join(_POINTER.format(kind, real) for kind in (read, read, write, read))
    body = f"{_PLAIN} memory(argmem: readwrite) noinline"
    ruled = f"({', '.join(['ptr'] * 8 + ['i64'] * 8)}) {body}"
    return f"""
declare noalias ptr @{PREFIX}room(i64) {_INACTIVE}
declare void {own}row(ptr captures(none), ptr captures(none), i64) {_COPIES}
declare void {own}first(ptr captures(none), ptr captures(none), i64, i64) {_COPIES}
declare void {own}put(ptr captures(none), i64, {real}) {_INACTIVE}
declare {real} {own}at(ptr captures(none), i64) {_READ}
declare {real} {own}read(ptr readonly captures(none), i64) {_READ_IN_PLACE}
declare {real} {own}pick({real}, {real}) {_PLAIN} memory(none) "enzyme_math"="fmod" "enzyme_nofree"
declare {real} {own}value({real}) {_PLAIN} memory(none) "enzyme_inactive" "enzyme_nofree"
declare void {own}gemv({pointers}, {", ".join([_INTEGER] * 4)}) {body}
declare void {own}gemv.augmented{ruled}
declare void {own}gemv.reverse{ruled}
@__enzyme_register_gradient_record_{letter}gemv = global [3 x ptr] \
[ptr {own}gemv, ptr {own}gemv.augmented, ptr {own}gemv.reverse]
"""


def define_records(code: Module) -> None:
    """Define what the differentiated module declares of these."""
    names = [one.name for one in code.declarations if one.name.startswith(PREFIX)]
    if not names:
        return
    text = _ROOM
    for letter, real in FLOATS.items():
        if any(name.startswith(f"{PREFIX}{letter}") for name in names):
            routine = ROUTINES["gemv"]
            declared = f"declare void @{routine.symbol(letter)}({', '.join(routine.types(real))})\n"
            text += _definitions(letter, real) + declared
    code.add_text(f"{text}declare noalias ptr @malloc(i64)\n")


def _product(letter: str, real: str, transposed: str, a: str, x: str, beta: str, y: str) -> str:
    """Return a call of BLAS: y = a x + beta y."""
    return (
        f"  call void @{ROUTINES['gemv'].symbol(letter)}(i32 {COLUMN_MAJOR}, i32 {transposed}, "
        f"i64 %m, i64 %n, {real} 1.0, ptr {a}, i64 %lda, ptr {x}, i64 1, {real} {beta}, ptr {y}, "
        "i64 1)\n"
    )


_ROOM = f"""
define internal noalias ptr @{PREFIX}room(i64 %bytes) {{
  %record = call ptr @malloc(i64 %bytes)
  ret ptr %record
}}
"""


def _definitions(letter: str, real: str) -> str:
    return _rows(letter, real) + _numbers(letter, real) + _products(letter, real)


def _rows(letter: str, real: str) -> str:
    """Return what copies a state into a row of the record."""
    own = f"@{PREFIX}{letter}"
    return f"""
define internal void {own}row(ptr %place, ptr %from, i64 %count) {{
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %one, label %done
one:
  %i = phi i64 [ 0, %entry ], [ %next, %one ]
  %source = getelementptr inbounds {real}, ptr %from, i64 %i
  %value = load {real}, ptr %source
  %target = getelementptr inbounds {real}, ptr %place, i64 %i
  store {real} %value, ptr %target
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %one, label %done
done:
  ret void
}}
define internal void {own}first(ptr %place, ptr %from, i64 %count, i64 %turn) {{
  %is.first = icmp eq i64 %turn, 0
  br i1 %is.first, label %copy, label %done
copy:
  call void {own}row(ptr %place, ptr %from, i64 %count)
  br label %done
done:
  ret void
}}
"""


def _numbers(letter: str, real: str) -> str:
    """Return what writes and reads single numbers of the record, and what passes them on."""
    own = f"@{PREFIX}{letter}"
    return f"""
define internal void {own}put(ptr %record, i64 %index, {real} %value) {{
  %place = getelementptr inbounds {real}, ptr %record, i64 %index
  store {real} %value, ptr %place
  ret void
}}
define internal {real} {own}at(ptr %record, i64 %index) {{
  %place = getelementptr inbounds {real}, ptr %record, i64 %index
  %value = load {real}, ptr %place
  ret {real} %value
}}
define internal {real} {own}read(ptr %array, i64 %index) {{
  %value = call {real} {own}at(ptr %array, i64 %index)
  ret {real} %value
}}
define internal {real} {own}pick({real} %slope, {real} %value) {{
  ret {real} %value
}}
define internal {real} {own}value({real} %value) {{
  ret {real} %value
}}
"""


def _products(letter: str, real: str) -> str:
    """Return the product, and its rule."""
    own = f"@{PREFIX}{letter}"
    product = _product(letter, real, "%t", "%a", "%x", "0.0", "%y")
    sizes = ", ".join(f"i64 %{name}" for name in _SIZES)
    doubled = ", ".join(f"i64 %{name}, i64 %{name}.shadow" for name in _SIZES)
    shadowed = ", ".join(f"ptr %{name}, ptr %d{name}" for name in ("a", "x", "y", "row"))
    return f"""
define internal void {own}gemv(ptr %a, ptr %x, ptr %y, ptr %row, {sizes}) {{
  %t = trunc i64 %trans to i32
{product}  ret void
}}
define internal void {own}gemv.augmented({shadowed}, {doubled}) {{
  %t = trunc i64 %trans to i32
{product}  ret void
}}
define internal void {own}gemv.reverse({shadowed}, {doubled}) {{
{_reverse(letter, real)}}}
"""


def _reverse(letter: str, real: str) -> str:
    """Return how the adjoints go back: from y to the matrix, to x, and that of y is cleared."""
    back = _product(letter, real, "%other", "%a", "%dy", "1.0", "%dx")
    return f"""\
entry:
  %plain = icmp eq i64 %trans, {NOT_TRANSPOSED}
  %other = select i1 %plain, i32 {TRANSPOSED}, i32 {NOT_TRANSPOSED}
  %left = select i1 %plain, ptr %dy, ptr %row
  %right = select i1 %plain, ptr %row, ptr %dy
  %count = select i1 %plain, i64 %m, i64 %n
  %a.constant = icmp eq ptr %a, %da
  br i1 %a.constant, label %vector, label %matrix
matrix:
  call void @cblas_{letter}ger_64_(i32 {COLUMN_MAJOR}, i64 %m, i64 %n, {real} 1.0, ptr %left, i64 1, \
ptr %right, i64 1, ptr %da, i64 %lda)
  br label %vector
vector:
  %x.constant = icmp eq ptr %x, %dx
  br i1 %x.constant, label %result, label %back
back:
{back}  br label %result
result:
  %y.constant = icmp eq ptr %y, %dy
  %none = icmp slt i64 %count, 1
  %skip = or i1 %y.constant, %none
  br i1 %skip, label %done, label %one
one:
  %i = phi i64 [ 0, %result ], [ %next, %one ]
  %place = getelementptr inbounds {real}, ptr %dy, i64 %i
  store {real} 0.0, ptr %place
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %one, label %done
done:
  ret void
"""
