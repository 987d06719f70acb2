"""The comparison of those derivatives alone that carry a doubt (passes/journal.py), under `config(check="doubtful")`.

    settled(dispatcher, entry, arguments, attempts, reasons) -> whether it is settled, and what came of it

Contract (docs/checking.md, "Doubtful answers"):

* Differences are asked first, as by `check=True`: of all opinions they alone owe nothing to Enzyme. A disagreement that they
  are sure of is a CheckError. They know how good they are, so a kink, a jump and noise accuse nobody.
* Where they are inconclusive, reverse mode is compared with forward mode at the very arguments: it has no tape, so hardly any
  of the cures is in it. Where both disagree along two directions, one of them is wrong, or the kernel magnifies its own rounding:
  that is a warning with both numbers.
* What cannot be asked stays as it is, without a word; `enzyme.inspect.doubts` says why. No fault of a comparison reaches the
  user: his call goes on as if it had not been made.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from enzyme_py.annotations import make_zero
from enzyme_py.errors import CheckError, EnzymeError, UncheckedWarning
from enzyme_py.foundations.arrays.differences import copy_of, precision_of
from enzyme_py.foundations.places import behind, where_is
from enzyme_py.modes import Forward
from enzyme_py.request import Activity
from enzyme_py.transforms.checking.claims import Claim, NotChecked, Setting, claim_of, makes_claims
from enzyme_py.transforms.checking.verification import (
    ATTEMPTS,
    REMEDY_FOR_DOUBTS,
    Call,
    Finding,
    KernelRaised,
    finding_of,
    look_at_effects,
    refuse,
    verify_inner,
)
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.jacobians.jacobian import Jacobian
from enzyme_py.transforms.jacobians.products import Product
from enzyme_py.transforms.plans.plans import Plan
from enzyme_py.transforms.plans.runners import positional_runner

Verdict = tuple[bool, str]


def settled(
    dispatcher: Any, entry: Any, args: Sequence[Any], attempts: int, reasons: Sequence[str]
) -> Verdict:
    """Compare; return whether nothing is left to find out at a later call, and what came of it."""
    plan = dispatcher.plan
    if plan is None or not makes_claims(plan):
        return True, "not compared: it is part of another derivative"
    try:
        return _compared(plan, Call(dispatcher, entry, args), attempts, reasons)
    except CheckError:
        raise
    except KernelRaised:
        return attempts + 1 >= ATTEMPTS, "not compared: the kernel raises"  # as the call itself will
    except NotChecked as reason:
        return True, f"not compared: {reason}"
    except Exception as error:  # noqa: BLE001  (a comparison that cannot be made is nothing to the user)
        return True, f"not compared: {type(error).__name__}: {_first_line(error)}"


def _compared(plan: Plan, call: Call, attempts: int, reasons: Sequence[str]) -> Verdict:
    setting = call.setting()
    claim = claim_of(plan, setting)
    if all(tangent is None for tangent in claim.tangents):
        raise NotChecked("no argument is a floating point number or an array of them")
    if look_at_effects(plan, claim):
        raise NotChecked("it stops derivatives on purpose (stop_gradient)")
    verify_inner(claim)
    finding = finding_of(claim, call)
    if finding.is_wrong:
        refuse(plan, setting, call, finding, stops=False, reasons=reasons)
    if finding.is_telling:
        numbers = f"{finding.got:.9g} beside {finding.slope.value:.9g}, good to {finding.slope.error:.1g}"
        return True, f"agrees with differences: {numbers}"
    return _beside_forward_mode(plan, setting, call, finding, attempts + 1 >= ATTEMPTS)


def _beside_forward_mode(
    plan: Plan, setting: Setting, call: Call, finding: Finding, is_last: bool
) -> Verdict:
    """Compare with forward mode, where differences are inconclusive."""
    unsure = "differences are inconclusive at the arguments of the first calls"
    if not _is_reverse(plan):
        return is_last, f"not compared: {unsure}"
    try:
        pushed = _pushed(finding.claim)
        numbers = f"{finding.got:.9g} beside {pushed:.9g}"
        if _are_close(finding.claim, finding.got, pushed):
            return True, f"agrees with forward mode: {numbers}; differences are inconclusive"
        other = claim_of(plan, replace(setting, random=np.random.default_rng(1)))
        with np.errstate(all="ignore"):
            got, again = other.ask(call.run), _pushed(other)
    except EnzymeError as refusal:
        return is_last, f"not compared: {unsure}, and forward mode says: {_first_line(refusal)}"
    if not all(map(math.isfinite, (finding.got, pushed, got, again))):
        return is_last, f"not compared: {unsure}, and not all is finite"
    if _are_close(other, got, again):  # the first sum had lost its digits
        return True, f"agrees with forward mode: {got:.9g} beside {again:.9g}; differences are inconclusive"
    _warn(plan, numbers)
    return True, f"differs from forward mode: {numbers}; differences are inconclusive"


def _is_reverse(plan: Plan) -> bool:
    if isinstance(plan, Gradient):
        return True
    if isinstance(plan, Annotated | Jacobian):
        return not plan.mode.is_forward
    return isinstance(plan, Product) and not plan.outer.is_forward


def _are_close(claim: Claim, one: float, other: float) -> bool:
    allowed = precision_of(claim.arguments) ** 0.4 * max(abs(one), abs(other))
    return bool(abs(one - other) <= allowed)


def _pushed(claim: Claim) -> float:
    """Return the number of a claim by forward mode: what is left behind is weighed linearly, so tangents can be."""
    activities = tuple(Activity.CONST if t is None else Activity.DUPLICATED for t in claim.tangents)
    skipped = getattr(claim.kernel, "skipped", 0)
    plan = Annotated(claim.kernel, Forward, activities, skipped=skipped, constants_are_said=True)
    shadows = [None if t is None else copy_of(t) for t in claim.tangents]
    parts: list[Any] = []
    for value, shadow in zip(claim.arguments, shadows, strict=True):
        parts += [copy_of(value)] if shadow is None else [copy_of(value), shadow]
    with np.errstate(all="ignore"):
        returned = positional_runner(plan, len(parts))(*parts)
    after = tuple(
        make_zero(value) if shadow is None else shadow
        for value, shadow in zip(claim.arguments, shadows, strict=True)
    )
    return claim.weigh(returned[0] if returned else None, after)


def _warn(plan: Any, numbers: str) -> None:
    kernel = behind(plan.kernel)
    what = (
        f"the derivative of `{kernel.py_func.__name__}` is {numbers} of forward mode, along one direction; finite "
        "differences are inconclusive there. One of both is wrong, or the kernel magnifies its own rounding"
    )
    where = where_is(kernel)
    message = f"{what}\n  {where}\n  {REMEDY_FOR_DOUBTS}"
    warnings.warn_explicit(message, UncheckedWarning, where.file or "<unknown>", where.line or 1)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).split("\n", 1)[0]
