"""Which states of a loop to keep: the schedules of checkpointing, as integer functions that Numba compiles.

A reverse sweep over `steps` steps has `slots` places for states, one of which holds the first. The sweep
needs the states from last to first. It asks `stride` how far to go on from the latest kept state before
it keeps another one; with one slot left it goes to the last state and keeps nothing.

Binomial (Griewank and Walther's Revolve): with s slots, a loop of m steps in which no step is run more
than r times can be as long as binomial(s + r, s). For the least r that is enough, the number of steps
that are run again is

    r m - binomial(s + r, s + 1)

and no schedule has fewer. Going on j steps splits the loop into j steps with s slots and m - j steps
with s - 1; the minimum is met where j needs r - 1 repetitions and m - j needs r. Where there are as many
slots as steps this keeps all states, and runs nothing more than once.

Periodic: every k-th state, and all states of the stretch that is being reversed.
"""

from __future__ import annotations

from numba.extending import register_jitable

DEFAULT_MEMORY = 1 << 30  # bytes of kept states, where nothing is said
_SCRATCH = 5  # rows beside the kept ones: three that steps are run through, two of adjoints
BINOMIAL, PERIODIC, STORE = 0, 1, 2  # as checkpoints.SCHEDULES names them


@register_jitable
def binomial_stride(steps, slots):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return how far to go on in a loop of two steps or more, with two slots or more."""
    slots = min(slots, steps)
    # The lengths that `slots` and `slots - 1` places reach with r - 2, r - 1 and r repetitions.
    before, reach, next_reach = 0, 1, slots + 1
    fewer_before, fewer_reach = 1, slots
    repeats = 1
    while next_reach < steps:
        repeats += 1
        before, reach = reach, next_reach
        next_reach = reach * (slots + repeats) // repeats
        fewer_before = fewer_reach
        fewer_reach = fewer_before * (slots - 1 + repeats) // repeats
    lowest = max(1, before, steps - fewer_reach)
    highest = min(reach, steps - fewer_before)
    return max(lowest, highest)


@register_jitable
def least_period(steps, slots):  # type: ignore[no-untyped-def]
    """Return the least k for which every k-th state and k more fit into the slots; 0 if none does."""
    # k + ceil(steps / k) falls up to the root of `steps`, and k = 1 is to keep all.
    if steps <= slots:
        return 1
    period = 2
    while period * period <= 4 * steps:
        if period - 1 + (steps + period - 1) // period <= slots:
            return period
        period += 1
    return 0


@register_jitable
def stride(schedule, period, latest, steps, slots):  # type: ignore[no-untyped-def]
    """Return how far to go on from state `latest`, `steps` before the end, with that many slots left."""
    if schedule == BINOMIAL:
        return binomial_stride(steps, slots)
    return period if latest % period == 0 and steps > period else 1


@register_jitable
def slots_for(schedule, steps, size, memory):  # type: ignore[no-untyped-def]
    """Return how many states a sweep keeps: no more than it has steps, or than memory allows."""
    if steps <= 0:
        return 1
    if memory > 0:
        room = int(memory // max(size, 1)) - _SCRATCH
        if room < 1:
            raise ValueError("the memory of a checkpointed loop holds less than 6 states")
        if schedule == STORE and room < steps:
            raise ValueError(
                "the memory of a checkpointed loop cannot hold all states: "
                "give more, or use another schedule"
            )
    else:
        room = max(int(DEFAULT_MEMORY // max(size, 1)) - _SCRATCH, 8)
    return steps if schedule == STORE else min(room, steps)


@register_jitable
def period_for(schedule, steps, slots):  # type: ignore[no-untyped-def]
    """Return the period of a periodic schedule."""
    if schedule != PERIODIC or steps <= 0:
        return 1
    period = least_period(steps, slots)
    if period == 0:
        raise ValueError(
            "the memory of a checkpointed loop is too small for a periodic schedule: "
            "give more, or use the binomial one"
        )
    return period
