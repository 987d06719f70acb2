"""The function that looks at an operation's result, as LLVM code: see watching.py."""

from __future__ import annotations

SEEN = "enzyme_py_seen"  # returns the address of the table
WATCH = "enzyme_py_watch"


def definitions(count: int) -> str:
    """Return the watch, its table, and what returns that, for so many sites."""
    names = ("a", "b", "c", "d")
    looks = [
        f"%difference.{one} = fsub double %{one}, %{one}\n"
        f"  %is.finite.{one} = fcmp oeq double %difference.{one}, 0.0\n"
        f"  %is.number.{one} = fcmp ord double %{one}, 0.0"
        for one in ("value", *names)
    ]
    text = "\n  ".join(looks)
    return f"""
@{WATCH}.table = internal global [{2 * max(count, 1)} x i64] zeroinitializer
@{WATCH}.count = internal global i64 0

define ptr @{SEEN}() {{
  ret ptr @{WATCH}.table
}}

define internal void @{WATCH}(i64 %site, double %value, double %a, double %b, double %c, double %d) noinline {{
  {text}
  %f0 = and i1 %is.finite.a, %is.finite.b
  %f1 = and i1 %is.finite.c, %is.finite.d
  %are.finite = and i1 %f0, %f1
  %n0 = and i1 %is.number.a, %is.number.b
  %n1 = and i1 %is.number.c, %is.number.d
  %are.numbers = and i1 %n0, %n1
  %is.nan = xor i1 %is.number.value, true
  %is.infinite = xor i1 %is.finite.value, true
  %makes.nan = and i1 %is.nan, %are.numbers
  %infinity = and i1 %is.infinite, %is.number.value
  %makes.infinity = and i1 %infinity, %are.finite
  %makes = or i1 %makes.nan, %makes.infinity
  br i1 %makes, label %note, label %done
note:
  %pair = shl i64 %site, 1
  %other = zext i1 %makes.infinity to i64
  %place = add i64 %pair, %other
  %slot = getelementptr i64, ptr @{WATCH}.table, i64 %place
  %known = load i64, ptr %slot
  %is.new = icmp eq i64 %known, 0
  br i1 %is.new, label %write, label %done
write:
  %before = load i64, ptr @{WATCH}.count
  %now = add i64 %before, 1
  store i64 %now, ptr @{WATCH}.count
  store i64 %now, ptr %slot
  br label %done
done:
  ret void
}}
"""
