"""The report on a derivative: every line of the kernel, and what became of it.

    report = enzyme.inspect.report(f, x, enzyme.Const(y))
    print(report)                # short
    report.save("f.html")        # a page, which needs nothing else
    report.save("f.json")        # the same as data

The derivative is compiled for it, once with and once without Enzyme, and run on copies of the arguments some hundred times.
docs/inspecting.md says what stands where.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enzyme_py.inspect.report.result import Report as Report
from enzyme_py.modes import Mode, Reverse

__all__ = ["Report", "report"]


def report(
    f: Callable[..., Any],
    *arguments: Any,
    mode: Mode = Reverse,
    order: int = 1,
    times: bool = True,
    checks: bool = True,
    advice: bool = True,
    against: Any = None,
) -> Report:
    """Return what is known of the derivative of `f` at the arguments, line by line.

    Arguments may be Const. With `order=2` it is the derivative of the gradient. `times=False` leaves out what is timed,
    `checks=False` the comparison with differences, `advice=False` what is compiled and run to see whether it would be better.
    `against` is an earlier report, or its file of JSON: what changed is told.

    Examples:
        >>> shown = enzyme.inspect.report(lambda x: x**3, 2.0, times=False, checks=False, advice=False)
        >>> shown.data["kernel"]
        '<lambda>'
    """
    from enzyme_py.inspect.report.gathering import gathered
    from enzyme_py.inspect.report.question import asked
    from enzyme_py.inspect.report.result import read

    earlier = None if against is None else read(against)
    question = asked(f, arguments, mode, order)
    return Report(gathered(question, f, arguments, times=times, checks=checks, advises=advice), earlier)
