"""Strong zero in nested derivatives: the outermost has it, what that differentiates multiplies plainly.

Symptom: half of a second derivative was lost without a word: that of `sin(x) cos(x) x` at 0 was 1 in place of 2, that of
`(x^2 - 4)^2` lost half of itself where the residual vanishes, the derivative of a jvp by its direction was 0 at a
direction of zeros (measured, in reverse over reverse and in forward over reverse).

Cause: with strong zero, zero times whatever is zero. Enzyme writes `select(d == 0, 0, d * slope)` for each product with an
adjoint or a tangent d. The derivative of that by d is the slope, but differentiated as it stands it is zero where d happens to be.

Cure: requests below another request have no strong zero. The worst that can come of it is a NaN, where a slope is infinite:
that is not silent. A rule may hold a request (`remat`: the gradient of the function itself). It is below another one if the function with the rule is
differentiated twice: the first derivative is the rule, which the second one differentiates. Nothing calls it by name; its name says whose it is.
"""

from __future__ import annotations

from enzyme_py.llvm import Call, GlobalVariable, Load, Module
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.names_in_code import RULE_PARTS, mentions, reached
from enzyme_py.passes.module.requests import request_in
from enzyme_py.symbols import REQUEST, RULED

_FLAG = "enzyme_strong_zero"
_RULES = tuple(part for parts in RULE_PARTS.values() for part in parts)


class PlainInside(Pass):
    """No strong zero in what another derivative differentiates."""

    name = "no strong zero inside"

    def applies(self, draft: Draft) -> bool:
        """Tell whether any request has strong zero."""
        return draft.code.get(_FLAG) is not None

    def run(self, draft: Draft) -> None:
        """Take the flag out of all requests that are differentiated."""
        inner = _differentiated(draft.code)
        for function in draft.code.functions:
            if function.name in inner and function.mentions(_FLAG):
                for call in function.calls:
                    _without_flag(call)


def _differentiated(code: Module) -> set[str]:
    """Return the names of the functions that requests differentiate, directly, by calls, or as rules."""
    # Whoever is called, is mentioned; the code is not simplified yet, and too long to be read for calls.
    led_to, targets = mentions(code), _targets(code)
    found = reached(set[str]().union(*targets.values()), led_to)
    while True:
        twice = reached(set[str]().union(*(targets.get(one, set()) for one in found)), led_to)
        rules = {one for one in led_to if one.startswith(RULED) and one.endswith(_RULES) and one.rpartition(".")[0] in twice}
        if rules <= found:
            return found
        found |= reached(rules, led_to)


def _targets(code: Module) -> dict[str, set[str]]:
    """Return the functions that requests are about, by the name of the function that asks."""
    asking = (one for one in code.functions if one.mentions(REQUEST))
    found = {one.name: [request_in(call) for call in one.calls] for one in asking}
    return {name: {one.target for one in requests if one is not None} for name, requests in found.items()}


def _without_flag(call: Call) -> None:
    said = [call.argument_attributes(index) for index in range(len(call.arguments))]
    kept = [pair for pair in zip(call.arguments, said, strict=True) if not _is_flag(pair[0])]
    if len(kept) < len(call.arguments):
        call.set_arguments([one for one, _ in kept], [words for _, words in kept])


def _is_flag(value: object) -> bool:
    return (
        isinstance(value, Load)
        and isinstance(value.pointer, GlobalVariable)
        and value.pointer.name == _FLAG
    )
