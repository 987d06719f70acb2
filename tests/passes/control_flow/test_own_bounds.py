"""Which loops get bounds of their own, and which do not."""

from __future__ import annotations

import re

from enzyme_py.passes.control_flow.bounds.own_bounds import OwnBounds
from tests.passes.running import is_left_alone, ran, with_line
from tests.traps.trap import traps

(NESTED,) = (one.text for one in traps() if one.name == "equal_loops")
# The inner loop reads the other array.
OF_TWO = with_line(NESTED, "%x.j = getelementptr inbounds double, ptr %x, i64 %j", "%x.j = getelementptr inbounds double, ptr %c, i64 %j")
# The outer loop reads no place after the other: only the inner one moves what it reads.
ONE_READER = NESTED.replace("%x.i = getelementptr inbounds double, ptr %x, i64 %i", "%x.i = getelementptr inbounds double, ptr %x, i64 0")


def bounds(text: str) -> list[str]:
    """Return what the loops are compared with, inner ones first."""
    code = str(ran(OwnBounds(), text).code)
    return re.findall(r"\.done = icmp eq i64 \S+, (\S+)", code)


def test_the_inner_loop_reads_what_the_outer_one_reads() -> None:
    assert len(set(bounds(NESTED))) == 2


def test_other_memory() -> None:
    """The trap's outer loop reads both arrays; only if it reads the other one alone, they share none."""
    assert len(set(bounds(OF_TWO))) == 2
    assert bounds(OF_TWO.replace("ptr %c, i64 %i", "ptr %x, i64 %i")) == ["%n", "%n"]


def test_a_place_that_does_not_move() -> None:
    assert bounds(ONE_READER) == ["%n", "%n"]


def test_every_loop_has_a_function_of_its_own() -> None:
    """Equal calls would be merged."""
    code = str(ran(OwnBounds(), NESTED).code)
    assert len(set(re.findall(r"call i64 @(\S+own_\d+_i64)\(", code))) == code.count("call i64 @enzyme_py_inactive.own_")


def test_forward_mode() -> None:
    assert is_left_alone(OwnBounds(), NESTED.replace("__enzyme_autodiff", "__enzyme_fwddiff"))
