"""Code that counts how often each line of the user's is run, put into a module: for `enzyme.inspect.report`.

    number_of_counters = counted(code, numbers)      # numbers: of lines, by instruction

Each block counts once for each line that it has. A line that several blocks have is run as often as the busiest of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from enzyme_py.llvm import Builder, Instruction, Module, constant

COUNTS = "enzyme_py_counts"  # returns the address of the table of counts
_TABLE = f"{COUNTS}.table"


def counted(code: Module, numbers: Mapping[Instruction, int]) -> list[int]:
    """Put counters into a module; returns the line of each."""
    sites = list[int]()
    wanted = []
    for function in code.functions:
        for block in function.blocks:
            own = dict.fromkeys(numbers.get(one, 0) for one in block.instructions)
            for number in own:
                if number:
                    wanted.append((block, len(sites)))
                    sites.append(number)
    for group in code.groups.values():
        kept = [one for one in group.attributes if not one.startswith("memory(")]
        if kept != group.attributes:
            group.set_attributes(kept)  # counters write
    code.add_text(f"""
@{_TABLE} = internal global [{max(len(sites), 1)} x i64] zeroinitializer

define ptr @{COUNTS}() {{
  ret ptr @{_TABLE}
}}
""")
    table = code.get(_TABLE)
    assert table is not None
    for block, place in wanted:
        build = Builder(block.first)
        name = f"{COUNTS}.{place}"
        slot = build.gep("i64", table, [constant("i64", str(place))], name=f"{name}.at")
        old = build.load("i64", slot, name=f"{name}.old")
        build.store(build.arithmetic("add", old, constant("i64", "1"), name=f"{name}.new"), slot)
    return sites
