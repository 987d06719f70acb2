"""What is written into the text that the pass gets: marks of allocations, tags of integers."""

from __future__ import annotations

from enzyme_py.passes.memory.allocations import CachedAllocations
from enzyme_py.passes.types.integers.fields import IntegerFields
from enzyme_py.symbols import HINT
from tests.passes.running import is_left_alone, ran

RECORD = f"{HINT}.record.0pPointer.8Integer.16pFloat.double"

MERGED = """declare ptr @malloc(i64)

define void @f(i1 %c, i64 %n) {
entry:
  %a = call ptr @malloc(i64 range(i64 0, 9) %n), !dbg !3
  %b = call ptr @malloc(i64 8)
  %p = select i1 %c, ptr %a, ptr %b
  ret void
}

!0 = !DIFile(filename: "f.py", directory: ".")
!1 = distinct !DICompileUnit(language: DW_LANG_Python, file: !0)
!2 = distinct !DISubprogram(name: "f", unit: !1)
!3 = !DILocation(line: 1, scope: !2)
"""

RECORDS = f"""declare void @{RECORD}(ptr)

define i64 @f(ptr %list, i64 %k) {{
  %item = getelementptr {{ ptr, i64, ptr }}, ptr %list, i64 %k
  call void @{RECORD}(ptr %item)
  %place = getelementptr inbounds nuw i8, ptr %item, i64 8
  %size = load i64, ptr %place, align 8
  %other = getelementptr inbounds nuw i8, ptr %item, i64 16
  %bits = load i64, ptr %other, align 8
  %unknown = load i64, ptr %list, align 8
  ret i64 %size
}}
define i64 @g(ptr %place) {{
  %size = load i64, ptr %place, align 8
  ret i64 %size
}}
!7 = !{{}}"""


def test_the_mark_of_an_allocation_stands_behind_all_of_its_arguments() -> None:
    marked = str(ran(CachedAllocations(), MERGED).code).split("\n")
    assert (
        '  %a = call ptr @calloc(i64 1, i64 range(i64 0, 9) %n) "enzyme_active_val", !dbg !3'
        in marked
    )
    assert '  %b = call ptr @calloc(i64 1, i64 8) "enzyme_active_val"' in marked


def test_only_what_a_hint_calls_an_integer_is_tagged() -> None:
    """Another function's value of the same name is not, nor is another field."""
    tagged = str(ran(IntegerFields(), RECORDS).code)
    assert [line for line in tagged.split("\n") if "!tbaa" in line] == [
        "  %size = load i64, ptr %place, align 8, !tbaa !11"
    ]
    assert '!10 = !{!"long", !9, i64 0}\n!11 = !{!10, !10, i64 0}' in tagged


def test_without_records_nothing_changes() -> None:
    assert is_left_alone(IntegerFields(), MERGED)
