"""From which allocations pointers come."""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.passes.memory.merged_pointers import MergedPointers
from tests.passes.memory.test_allocations import CARRIED, EXCHANGED, HEAD


def of(text: str) -> tuple[MergedPointers, Module]:
    code = Module(HEAD + text)
    return code.function("k").analysis(MergedPointers), code


def test_origins():
    pointers, code = of(CARRIED)
    k = code.function("k")
    assert pointers.allocations == [k["w"]]
    assert pointers.origins(k["v"]) == {k["x"], k["w"]}
    assert pointers.origins(k["x"]) == {k["x"]}
    assert pointers.outliving() == {k["w"]}
    assert pointers.exchanged() == set()


def test_memory_of_others_may_be_anywhere():
    text = CARRIED.replace("  store", "  %l = load ptr, ptr %x\n  store")
    pointers, code = of(text)
    k = code.function("k")
    assert pointers.are_apart(k["x"], k["w"])
    assert not pointers.are_apart(k["v"], k["w"])
    assert not pointers.are_apart(k["l"], k["w"])
    assert not pointers.are_apart(k["x"], k["x"])


def test_exchanged():
    pointers, code = of(EXCHANGED)
    k = code.function("k")
    assert pointers.exchanged() == {k["old"], k["new"], k["p"]}
    assert pointers.origins(k["p"]) == {k["u"], k["v"]}
    assert pointers.are_apart(k["p"], k["z"])


def test_without_allocations_nothing_is_followed():
    pointers, code = of(
        "define void @k(ptr %x) {\n  %p = getelementptr i8, ptr %x, i64 1\n  ret void\n}\n"
    )
    k = code.function("k")
    assert pointers.origins(k["p"]) == {k["p"]}
    assert not pointers.roots
