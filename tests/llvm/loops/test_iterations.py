"""Of stores that are said to go nowhere that a read has read, none does: random nests of loops, run by Python."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from enzyme_py.llvm import Load, Module, Store
from enzyme_py.passes.memory.overwriting.lasting_reads import Reads
from tests.llvm.loops.nests import Access, For, Nest

SIZES = (0, 1, 2, 3, 4, 6)
SEEDS = range(240)


def met(nest: Nest) -> set[tuple[str, str]]:
    """The reads and stores of which a store goes where the read has been before."""
    found = set[tuple[str, str]]()
    for n in SIZES:
        read = dict[int, set[str]]()
        for access, where in nest.run(n):
            if access.is_store:
                found |= {(one, access.name) for one in read.get(where, ())}
            else:
                read.setdefault(where, set()).add(access.name)
    return found


def said(nest: Nest) -> tuple[set[tuple[str, str]], int]:
    """The reads and stores that are said never to meet, and how many pairs there are."""
    text = nest.text
    llvm.parse_assembly(text).verify()
    function = Module(text).function("f")
    reads = Reads(function, {"f"})
    loads = [one for one in function.instructions if isinstance(one, Load)]
    stores = [one for one in function.instructions if isinstance(one, Store)]
    apart = {
        (load.name, store.pointer.name.removesuffix(".at"))
        for load in loads
        for store in stores
        if reads.never_meets(load, store)
    }
    return apart, len(loads) * len(stores)


@pytest.mark.parametrize("start", range(0, len(SEEDS), 40))
def test_none_meets_that_is_said_not_to(start: int) -> None:
    proved = pairs = apart = 0
    for seed in SEEDS[start : start + 40]:
        nest = Nest(seed)
        found, count = said(nest)
        wrong = found & met(nest)
        assert not wrong, f"seed {seed}: {wrong}\n{nest.text}"
        proved += len(found)
        pairs += count
        apart += count - len(met(nest))
    assert proved > 0.5 * apart, (proved, apart, pairs)


def test_a_matrix() -> None:
    """low[i, j] of low[i, k] and low[j, k], k < j <= i: a Cholesky factor."""
    nest = Nest(0)
    inner = For("k", {}, {"j": 1}, "equal", [Access("p", False, {"k": 1}, {"i": 1}), Access("q", False, {"k": 1}, {"j": 1})])
    middle = For("j", {}, {"i": 1, "1": 1}, "counted", [inner, Access("s", True, {"j": 1}, {"i": 1})])
    nest.body = [For("i", {}, {"n": 1}, "first", [middle])]
    assert said(nest)[0] == {("p", "s"), ("q", "s")}
    assert not met(nest)
    # Rows may be shorter than what is counted to: then one row's end is the next row's start.
    outer = nest.body[0]
    assert isinstance(outer, For)
    outer.stop = {"m": 1}
    text = nest.text.replace("i64 %n)", "i64 %n, i64 %m)")
    function = Module(text).function("f")
    loads = [one for one in function.instructions if isinstance(one, Load)]
    (store,) = (one for one in function.instructions if isinstance(one, Store))
    assert not any(Reads(function, {"f"}).never_meets(load, store) for load in loads)
