"""What is found out about functions: against answers by hand, and against definitions on all code at hand."""

from __future__ import annotations

import pytest

from enzyme_py.llvm import Analysis, Builder, Module, constant
from enzyme_py.llvm.analyses.addresses import Addresses, Sum
from enzyme_py.llvm.analyses.call_effects import Access, CallEffects, Known
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators, PostDominators
from enzyme_py.llvm.analyses.held_memory import HeldMemory
from enzyme_py.llvm.analyses.liveness import Liveness
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.llvm.analyses.points_to import UNKNOWN, PointsTo, derived, origins
from tests.llvm.corpus import FILES

NEST = """\
define double @nest(ptr %x, i64 %n, i64 %m) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %outer, label %end

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %latch ]
  %row = mul nuw nsw i64 %i, %m
  br label %inner

inner:
  %j = phi i64 [ 5, %outer ], [ %j.next, %more ]
  %at = add i64 %row, %j
  %p = getelementptr double, ptr %x, i64 %at
  %q = getelementptr { i32, [4 x double] }, ptr %p, i64 %j, i32 1, i64 2
  %v = load double, ptr %p
  %bad = fcmp uno double %v, %v
  br i1 %bad, label %raise, label %more

more:
  %j.next = sub i64 %j, 2
  %again = icmp ne i64 %j.next, -7
  br i1 %again, label %inner, label %latch

latch:
  %i.next = add i64 1, %i
  %done = icmp sle i64 %n, %i.next
  br i1 %done, label %end, label %outer

end:
  %r = phi double [ 0.0, %entry ], [ %v, %latch ]
  ret double %r

raise:
  unreachable
}
"""


@pytest.fixture
def nest():
    return Module(NEST).function("nest")


def names(blocks):
    return sorted(block.name for block in blocks)


def test_control_flow(nest):
    flow = nest.analysis(ControlFlow)
    assert [flow.order.index(nest.block(name)) for name in ("entry", "outer", "inner")] == sorted(
        flow.order.index(nest.block(name)) for name in ("entry", "outer", "inner")
    )
    assert names(flow.returning) == ["end", "entry", "inner", "latch", "more", "outer"]
    assert names(flow.reached(nest.block("latch"), [nest.block("outer")])) == ["end", "latch"]
    assert flow.is_repeated(nest.block("outer"))
    assert not flow.is_repeated(nest.block("end"))
    assert flow.is_plain
    assert flow.is_all_reachable


def test_dominators(nest):
    dominators = nest.analysis(Dominators)
    inner, latch, end = nest.block("inner"), nest.block("latch"), nest.block("end")
    assert dominators.dominates(inner, latch)
    assert not dominators.dominates(latch, end)
    assert dominators.common(latch, nest.block("raise")) is inner
    assert dominators.immediate(end) is nest.entry
    assert dominators.depth(latch) == 4
    assert dominators.is_available(nest["v"], nest["bad"])
    assert not dominators.is_available(nest["bad"], nest["v"])
    assert not dominators.is_available(nest["v"], end)
    after = nest.analysis(PostDominators)
    assert after.dominates(nest.block("more"), latch) is False
    assert after.dominates(inner, nest.block("outer"))
    assert after.immediate(nest.block("outer")) is inner
    assert after.immediate(inner) is None


def test_loops(nest):
    loops = nest.analysis(Loops)
    inner, outer = loops.loops
    assert names(inner.blocks) == ["inner", "more"]
    assert names(outer.blocks) == ["inner", "latch", "more", "outer"]
    assert inner.parent is outer
    assert outer.children == [inner]
    assert (outer.depth, inner.depth) == (1, 2)
    assert loops.around(nest["v"]) is inner
    assert loops.outermost == [outer]
    assert outer.preheader is None
    assert outer.predecessor is nest.entry
    assert inner.preheader is nest.block("outer")
    assert [(a.name, b.name) for a, b in inner.exiting_edges] == [
        ("inner", "raise"),
        ("more", "latch"),
    ]
    assert inner.latch is nest.block("more")
    assert outer.canonical.phi is nest["i"]
    counter = inner.counter(nest["j"])
    assert (counter.start, counter.step) == (constant("i64", 5), -2)
    assert inner.canonical is None
    trips = inner.trip_count(nest.block("more"))
    assert (trips.predicate, trips.bound, trips.value) == (
        "ne",
        constant("i64", -7),
        nest["j.next"],
    )
    assert trips.exit is nest.block("latch")
    assert inner.trip_count() is None
    trips = outer.trip_count(nest.block("latch"))
    assert (trips.predicate, trips.value, trips.bound) == ("slt", nest["i.next"], nest["n"])
    assert loops.runs_in_each_iteration(nest["row"])
    assert loops.runs_in_each_iteration(nest["j.next"])
    assert loops.runs_in_each_iteration(nest.entry)


def test_addresses(nest):
    addresses = nest.analysis(Addresses)
    address = addresses.of(nest["q"])
    assert address.base is nest["x"]
    assert address.offset == Sum({nest["row"]: 8, nest["j"]: 8 + 40}, 8 + 16)
    assert addresses.steps[nest["j"]] == (nest.block("inner"), -2)
    assert addresses.sum_of(nest["i.next"]) == Sum({nest["i"]: 1}, 1)


def test_a_pointer_that_walks():
    function = Module(
        "define void @f(ptr %x, i1 %c, i64 %k) {\nentry:\n  %s = select i1 %c, i64 0, i64 %k\n  br label %l\n\nl:\n"
        "  %p = phi ptr [ %x, %entry ], [ %q, %l ]\n  %e = getelementptr double, ptr %p, i64 %s\n"
        "  %q = getelementptr i8, ptr %p, i64 24\n  br i1 %c, label %l, label %o\n\no:\n  ret void\n}\n"
    ).function("f")
    addresses = function.analysis(Addresses)
    address = addresses.of(function["e"])
    assert (address.base, address.offset) == (
        function["x"],
        Sum({function["p"]: 1, function["s"]: 8}),
    )
    assert addresses.steps[function["p"]] == (function.block("l"), 24)
    assert addresses.alternatives(address.offset)[1:] == [Sum({function["p"]: 1, function["k"]: 8})]


def test_an_analysis_is_made_again_when_the_function_has_changed(nest):
    loops, flow, addresses = (
        nest.analysis(Loops),
        nest.analysis(ControlFlow),
        nest.analysis(Addresses),
    )
    assert nest.analysis(Loops) is loops
    Builder(nest["v"]).add(nest["j"], 1)
    assert nest.analysis(Loops) is loops
    assert nest.analysis(Addresses) is not addresses
    nest.block("more").split_edge(nest.block("inner"))
    assert nest.analysis(ControlFlow) is not flow
    assert len(nest.analysis(Loops).loops[0].blocks) == 3


POINTERS = """\
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare void @keeps(ptr)
declare double @reads(ptr nocapture readonly) memory(argmem: read) nounwind willreturn
declare void @fills(ptr captures(none) writeonly, i64) memory(argmem: write)
declare double @llvm.sin.f64(double) #0
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptr @f(ptr %x, i1 %c, i64 %n) {
  %a = call ptr @malloc(i64 %n)
  %b = call ptr @malloc(i64 %n)
  %d = call ptr @malloc(i64 %n)
  %slot = alloca ptr
  store ptr %a, ptr %slot
  %held = load ptr, ptr %slot
  %moved = getelementptr i8, ptr %held, i64 8
  %either = select i1 %c, ptr %b, ptr %x
  store double 1.0, ptr %moved
  call void @keeps(ptr %d)
  %r = call double @reads(ptr %b)
  call void @fills(ptr %either, i64 3)
  call void @llvm.memcpy.p0.p0.i64(ptr %b, ptr %a, i64 %n, i1 false)
  %s = call double @llvm.sin.f64(double %r)
  call void @free(ptr %a)
  %elsewhere = load ptr, ptr %x
  ret ptr %elsewhere
}

attributes #0 = { nounwind willreturn memory(none) }
"""


@pytest.fixture
def pointers():
    return Module(POINTERS).function("f")


def test_points_to(pointers):
    known = pointers.analysis(PointsTo)
    a, b, d = pointers["a"], pointers["b"], pointers["d"]
    assert known.targets(pointers["moved"]) == {a}
    assert known.targets(pointers["either"]) == {b, pointers["x"]}
    assert known.targets(pointers["elsewhere"]) == {UNKNOWN}
    assert known.is_private(a)
    assert known.is_private(b)
    assert not known.is_private(d)
    assert not known.is_private(pointers["x"])
    assert [(one.opcode, pointer.name) for one, pointer in known.writes(a)] == [
        ("store", "moved"),
        ("call", "a"),
    ]
    assert [one.callee for one, _ in known.writes(b)] == ["fills", "llvm.memcpy.p0.p0.i64"]
    assert not known.may_alias(pointers["moved"], pointers["either"])
    assert known.may_alias(pointers["elsewhere"], pointers["x"])
    more = PointsTo(pointers, {"keeps": Known(), "free": Known(frees=(0,))})
    assert more.is_private(d)


def test_memory_that_is_reallocated_holds_what_it_held():
    function = Module(
        "declare noalias ptr @realloc(ptr, i64)\ndeclare noalias ptr @malloc(i64)\n"
        "define ptr @f(ptr %x) {\n  %a = call ptr @malloc(i64 8)\n  store ptr %x, ptr %a\n"
        "  %b = call ptr @realloc(ptr %a, i64 16)\n  %v = load ptr, ptr %b\n  ret ptr %v\n}\n"
    ).function("f")
    known = function.analysis(PointsTo)
    assert UNKNOWN in known.targets(function["v"])
    assert not known.is_private(function["a"])
    assert known.may_alias(function["v"], function["x"])


COUNTED = """declare noalias ptr @malloc(i64)
declare void @keeps(i64)
declare i64 @llvm.smax.i64(i64, i64) nounwind willreturn memory(none)
define double @f(ptr %x) {
  %a = call ptr @malloc(i64 8)
  %b = call ptr @malloc(i64 16)
  store ptr %a, ptr %b
  %length = load i64, ptr %b
  %longer = add i64 %length, 1
  %most = call i64 @llvm.smax.i64(i64 %longer, i64 0)
  %is = icmp eq i64 %most, 0
  %real = sitofp i64 %most to double
  %c = call ptr @malloc(i64 %most)
  br i1 %is, label %some, label %none
some:
  OTHER
  br label %none
none:
  ret double %real
}
"""


@pytest.mark.parametrize(
    ("other", "is_private"),
    [
        ("store i64 %most, ptr %c", True),
        ("store i64 %most, ptr %x", False),
        ("call void @keeps(i64 %most)", False),
        ("%back = bitcast i64 %most to double", False),
    ],
)
def test_computing_with_an_integer_from_memory_hands_out_no_pointer(other, is_private):
    function = Module(COUNTED.replace("OTHER", other)).function("f")
    assert function.analysis(PointsTo).is_private(function["a"]) == is_private


HELD = """declare noalias ptr @malloc(i64)
declare void @uses(ptr readonly captures(none), i64)
declare void @moves(ptr captures(none)) memory(argmem: readwrite)
declare void @keeps(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr %x, i1 %c) {
  %a = call ptr @malloc(i64 8)
  %b = call ptr @malloc(i64 8)
  %free = call ptr @malloc(i64 8)
  %record = alloca [2 x ptr]
  %copy = alloca [2 x ptr]
  %outer = alloca ptr
  %second = getelementptr ptr, ptr %record, i64 1
  %moved = getelementptr double, ptr %a, i64 3
  %either = select i1 %c, ptr %b, ptr %x
  store ptr %moved, ptr %record
  store ptr %either, ptr %second
  MORE
  call void @uses(ptr GIVEN, i64 1)
  ret void
}
"""
MOVED = """call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %record, i64 16, i1 false)
  store ptr %copy, ptr %outer"""
AS_A_WORD = "%word = load i64, ptr %record\n  store i64 %word, ptr %copy"


@pytest.mark.parametrize(
    ("more", "given", "written"),
    [
        ("", "%record", "a b x"),
        ("", "%free", ""),
        (MOVED, "%outer", "a b x copy record"),
        (AS_A_WORD, "%copy", "a b x record"),
        ("%load = load ptr, ptr %record", "%load", "a b x"),  # it may be any address that is held somewhere
        ("call void @keeps(ptr %free)", "%free", "free"),
        ("call void @uses(ptr %record, i64 0)", "%free", "a b x"),  # the first call may have told the second
        ("call void @moves(ptr %record)", "%free", "a b x"),
    ],
)
def test_memory_that_is_held_is_written_by_whoever_comes_to_it(more: str, given: str, written: str) -> None:
    function = Module(HELD.replace("MORE", more).replace("GIVEN", given)).function("f")
    *_, last = function.calls
    assert {one.name for one in HeldMemory(function).written(last)} == set(written.split())
    if "load ptr" not in more:  # of that the analysis knows where it leads, and that the call only reads there
        known = function.analysis(PointsTo)
        assert {one for one in "ab" if not known.is_private(function[one])} == {*"ab"} & {*written.split()}


def test_origins_and_derived(pointers):
    assert origins(pointers["either"]) == {pointers["b"], pointers["x"]}
    assert origins(pointers["moved"]) == {pointers["held"]}
    assert derived(pointers["held"]) == {pointers["held"], pointers["moved"]}


def test_call_effects(pointers):
    effects = {call.callee: CallEffects(call) for call in pointers.calls}
    assert effects["reads"].through(0) == Access.READ
    assert effects["reads"].other == Access.NONE
    assert not effects["reads"].may_capture(0)
    assert not effects["reads"].is_pure
    assert effects["llvm.sin.f64"].is_pure
    assert effects["fills"].through(0) == Access.WRITE
    assert not effects["fills"].may_capture(0)
    assert effects["keeps"].may_capture(0)
    assert effects["keeps"].through(0) == Access.BOTH
    assert effects["keeps"].may_free(0)
    assert effects["free"].may_free(0)
    assert effects["malloc"].is_allocation
    assert effects["llvm.memcpy.p0.p0.i64"].through(1) == Access.READ


def test_liveness(nest):
    live = nest.analysis(Liveness)
    assert names(live.live_in(nest["row"])) == ["inner", "more"]
    assert names(live.live_in(nest["v"])) == ["latch", "more"]
    assert live.is_live_at_end(nest["v"], nest.block("latch"))
    assert not live.is_live_at_end(nest["row"], nest.block("latch"))
    assert live.last_use(nest["j"], nest.block("inner")) is nest["q"]
    assert nest["x"] in live.needed_at(nest.block("outer"))
    assert nest["v"] not in live.needed_at(nest.block("inner"))


def check_dominators(function):
    flow, dominators = function.analysis(ControlFlow), function.analysis(Dominators)
    after = function.analysis(PostDominators)
    ends = [block for block in flow.order if not block.successors]
    ending = flow.leading_to(ends)
    for above in flow.order:
        apart = flow.reached(function.entry, [above])
        stuck = flow.leading_to(ends, [above])
        for below in flow.order:
            assert dominators.dominates(above, below) == (below not in apart)
            if below in ending and above in ending:
                assert after.dominates(above, below) == (below not in stuck)


def check_loops(function):
    dominators = function.analysis(Dominators)
    for loop in function.analysis(Loops).loops:
        assert all(dominators.dominates(loop.header, block) for block in loop.blocks)
        assert all(loop.header in block.successors for block in loop.latches)
        assert loop.parent is None or loop.blocks < loop.parent.blocks


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_definitions_on_code_of_c(path):
    for function in Module(path.read_text()).functions:
        check_dominators(function)
        check_loops(function)
        for kind in (Addresses, PointsTo, Liveness):
            assert isinstance(function.analysis(kind), Analysis)
        dominators, live = function.analysis(Dominators), function.analysis(Liveness)
        for one in function.instructions:
            if one.type == "ptr":
                function.analysis(Addresses).of(one)
        for block in function.analysis(ControlFlow).order:
            assert all(dominators.is_available(value, block) for value in live.needed_at(block))
