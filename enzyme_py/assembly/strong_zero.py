"""Strong zero in nested derivatives: the outermost has it, what it differentiates multiplies plainly.

With strong zero, zero times whatever is zero: the pass writes `select(d == 0, 0, d * slope)` for each
product with an adjoint or a tangent d. The derivative of that by d is the slope, but differentiated
as it stands it is zero where d happens to be: where a residual vanishes, at x = 0, along a direction
of zeros. Half of a second derivative was lost there without a word (MEASURED: that of
`sin(x) cos(x) x` at 0 was 1 in place of 2). Without it the worst is a NaN, where a slope is infinite.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.requests import Requests

_FLAG = "enzyme_strong_zero"
_LOADED = re.compile(rf"^ *(%\S+) = load i32, ptr @{_FLAG}\b", re.MULTILINE)
_FUNCTION = re.compile(r'^define\b[^@\n]*@("[^"]*"|[-a-zA-Z$._0-9]+)\((?s:.*?)^\}', re.MULTILINE)


def plain_inside(ir: str) -> str:
    """Return the text without strong zero in what another derivative differentiates."""
    if _FLAG not in ir:
        return ir
    requests = Requests(ir)
    inner = set().union(*(requests.reached(one.target) for one in requests.all()))

    def rewritten(found: re.Match[str]) -> str:
        return _plain(found[0]) if found[1].strip('"') in inner else found[0]

    return _FUNCTION.sub(rewritten, ir)


def _plain(function: str) -> str:
    for loaded in _LOADED.findall(function):
        function = re.sub(rf", i32 (?:noundef )?{re.escape(loaded)}(?=[,)])", "", function)
    return function
