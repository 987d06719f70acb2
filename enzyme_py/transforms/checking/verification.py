"""The comparison of a new derivative with finite differences of its kernel, at its first call.

    verify(dispatcher, entry, arguments, attempts) -> whether it is settled

`enzyme_py.config(check=True)` asks for it; docs/checking.md is its contract. Everything runs on copies:
neither the arguments nor NumPy's global generator are touched. A disagreement is a CheckError. What
cannot be compared (draws, printing) is told once as an UncheckedWarning; where the differences are
inconclusive, as at a kink, the next calls are tried, and the last of ATTEMPTS tells. What compares doubtful
answers alone stands in doubtful.py.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import typeof
from numba.core import dispatcher as numba_dispatcher
from numba.typed import List

from enzyme_py.errors import CheckError, EnzymeError, UncheckedWarning
from enzyme_py.foundations.arrays.differences import (
    Slope,
    copy_of,
    is_float,
    leaves_of,
    moved,
    precision_of,
    slope_along,
)
from enzyme_py.foundations.places import argument_names, behind, where_is
from enzyme_py.frontend.codegen.library import with_callees
from enzyme_py.frontend.functions.bound_types import with_held
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.symbols import RULED
from enzyme_py.transforms.checking.claims import Claim, NotChecked, Setting, claim_of, makes_claims

ATTEMPTS = 3
MARGIN = 8.0  # of the error that the differences say they have
REMEDY = (
    "enzyme_py.testing.check_grads finds out more; if a rule, or a part marked inactive, is meant to "
    "differ, call it under enzyme_py.config(check=False)"
)
REMEDY_FOR_DOUBTS = (
    "do not use it: ask in the other mode (Forward in place of Reverse, or the other way round), and report the kernel "
    "with what `python -m enzyme_py inspect` says; if a rule, or a part marked inactive, is meant to differ, make the "
    "first call under enzyme_py.config(check=False)"
)
REMEDY_FOR_NAN = (
    "enzyme_py.testing.find_nan names the line at which the first NaN or infinity is made"
)

_DRAWS = {"numba_get_np_random_state", "numba_get_py_random_state"}
_PRINTS = {"puts", "printf", "PySys_FormatStdout", "PyObject_Print"}
_MESSAGES = f"{RULED}mpi."  # the rules of enzyme_py/mpi/


class KernelRaised(Exception):
    """The kernel raised at one of the points."""


def verify(
    dispatcher: Any, entry: Any, args: Sequence[Any], attempts: int, reasons: Sequence[str] = ()
) -> bool:
    """Compare, and return whether nothing is left to find out at a later call; `reasons` why the answer is doubtful."""
    plan = dispatcher.plan
    if plan is None or not makes_claims(plan):
        return True
    call = Call(dispatcher, entry, args)
    try:
        setting = call.setting()
        claim = claim_of(plan, setting)
        stops = look_at_effects(plan, claim)
        verify_inner(claim)
        finding = finding_of(claim, call)
        if finding.is_wrong:
            return refuse(plan, setting, call, finding, stops=stops, reasons=reasons)
    except KernelRaised:
        return False  # the call itself will raise it
    except NotChecked as reason:
        warn(plan, str(reason))
        return True
    if not finding.is_telling and attempts + 1 >= ATTEMPTS:
        warn(plan, "finite differences are inconclusive at the points that were tried")
    return finding.is_telling or attempts + 1 >= ATTEMPTS


@dataclass(frozen=True)
class Finding:
    """What the derivative says and what the differences say of one claim."""

    claim: Claim
    got: float
    slope: Slope

    @property
    def is_telling(self) -> bool:
        """Whether the differences say enough to find a wrong derivative."""
        size = max(abs(self.slope.value), abs(self.got) if math.isfinite(self.got) else 0.0)
        allowed = max(0.1 * size, 1e-3 * self.slope.size)
        return self.slope.is_conclusive and self.slope.error <= allowed

    @property
    def is_wrong(self) -> bool:
        if not self.slope.is_conclusive:
            return False
        if not math.isfinite(self.got):
            return self.is_telling
        rounding = precision_of(self.claim.arguments) ** 0.4
        allowed = rounding * max(abs(self.slope.value), abs(self.got))
        return bool(abs(self.got - self.slope.value) > MARGIN * self.slope.error + allowed)


class Call:
    """The derivative at hand, called as Numba's dispatcher would call it."""

    def __init__(self, dispatcher: Any, entry: Any, args: Sequence[Any]) -> None:
        self._entry = entry
        self._given = list(args)
        self._flat = list(dispatcher._flattened(tuple(args)))
        self._defaults = frozenset(
            n for n, one in enumerate(args) if isinstance(one, numba_dispatcher.OmittedArg)
        )

    def setting(self) -> Setting:
        arguments = tuple(map(copy_of, self._flat))
        for leaf in leaves_of(arguments):
            if isinstance(leaf, np.ndarray) and 0 in leaf.strides and leaf.size > 1:
                raise NotChecked("an argument is a view that repeats its elements")
        return Setting(arguments, self._defaults, np.random.default_rng(0), returned_by)

    def run(self, *flat: Any, keep: bool = False) -> Any:
        """Run the derivative, on copies unless the arguments are to be looked at afterwards."""
        own = list(flat if keep else map(copy_of, flat))
        given = list(self._given)
        for number in self._defaults:
            own[number] = given[number]
        if len(own) != len(given) or (
            given
            and isinstance(given[-1], tuple)
            and (own[-1] is not given[-1] and not _is_same_form(own[-1], given[-1]))
        ):
            count = len(given) - 1
            own = [*own[:count], tuple(own[count:])]
        try:
            return self._entry(*own)
        except EnzymeError:
            raise
        except Exception as error:
            raise KernelRaised from error


def _is_same_form(own: Any, given: Any) -> bool:
    return isinstance(own, tuple) and len(own) == len(given)


def returned_by(kernel: Any, *arguments: Any) -> Any:
    try:
        return kernel(*map(copy_of, arguments))
    except EnzymeError:
        raise
    except Exception as error:
        raise KernelRaised from error


def finding_of(claim: Claim, call: Call) -> Finding:
    slope = _slope(claim)
    with np.errstate(all="ignore"):
        return Finding(claim, claim.ask(call.run), slope)


def _slope(claim: Claim) -> Slope:
    """Return the slope of what the kernel leaves behind, along the claim's direction."""
    units: list[float] = []

    def left(step: float) -> float:
        pairs = zip(claim.arguments, claim.tangents, strict=True)
        arguments = tuple(moved(value, tangent, step) for value, tangent in pairs)
        try:
            result = claim.kernel(*arguments)
            units.append(precision_of(result))
        except EnzymeError:
            raise
        except Exception as error:
            if step == 0.0:
                raise KernelRaised from error
            return math.nan  # the differences are inconclusive
        return claim.weigh(result, arguments)

    with np.errstate(all="ignore"):
        here = left(0.0)
        if math.isfinite(here) and here != left(0.0):
            raise NotChecked("the kernel gives another result at each call")
        precision = max(precision_of(claim.arguments), *units)
        return slope_along(lambda step: left(step) if step else here, precision)


def verify_inner(claim: Claim) -> None:
    """Compare a derivative that is differentiated here, if it never was."""
    kernel, arguments = claim.kernel, claim.arguments
    pairs = getattr(kernel, "pairs", None)
    if pairs is not None:
        kernel, arguments = pairs, arguments[1:]
    if hasattr(kernel, "verify"):
        kernel.verify(tuple(map(copy_of, arguments)))


def look_at_effects(plan: Any, claim: Claim) -> bool:
    """Refuse kernels that draw or print; return whether one stops derivatives on purpose."""
    kinds = with_held([typeof(value) for value in claim.arguments], getattr(plan, "skipped", 0))
    libraries = list(with_callees(compile_kernel(claim.kernel, tuple(kinds)).library))
    called = {name for library in libraries for name in library.functions}
    if called & _DRAWS:
        raise NotChecked(
            "the kernel draws random numbers, and a comparison would draw more of them"
        )
    if called & _PRINTS:
        raise NotChecked("the kernel prints, and a comparison would print more often")
    if any(name.startswith(_MESSAGES) for name in called):
        raise NotChecked(
            "the kernel calls MPI, and differences on one rank are no derivative of what all compute; "
            "compare with a serial program"
        )
    return any(library.stops for library in libraries)


def refuse(
    plan: Any, setting: Setting, call: Call, found: Finding, *, stops: bool, reasons: Sequence[str] = ()
) -> bool:
    """Raise the error that a disagreement deserves; warn, where it is meant."""
    kernel = behind(plan.kernel)
    name = kernel.py_func.__name__
    numbers = (
        f"the derivative of `{name}` is {found.got:.12g} along a random direction, where finite "
        f"differences of `{name}` say {found.slope.value:.12g} (good to {found.slope.error:.1g})"
    )
    if stops:
        warn(plan, f"it stops derivatives on purpose (stop_gradient): {numbers}")
        return True
    argument = _argument_at_fault(plan, setting, call)
    directions = ", ".join(
        f"{plan_argument(plan, n)}: {_short(tangent)}"
        for n, tangent in enumerate(found.claim.tangents)
        if tangent is not None
    )
    what = f"{numbers}\n  the direction is {directions}"
    for reason in reasons:
        what += f"\n  the answer carries a doubt: {reason}"
    remedy = REMEDY if math.isfinite(found.got) else REMEDY_FOR_NAN
    if reasons:
        remedy = REMEDY_FOR_DOUBTS
    raise CheckError(what, where=where_is(kernel, argument), remedy=remedy)


def _argument_at_fault(plan: Any, setting: Setting, call: Call) -> str | None:
    """Return the name of the one argument by which the derivative is wrong, if it is one."""
    count = len(claim_of(plan, setting).tangents)
    wrong = []
    for number in range(count):
        claim = claim_of(plan, replace(setting, only=number, random=np.random.default_rng(0)))
        if claim.tangents[number] is not None and finding_of(claim, call).is_wrong:
            wrong.append(number)
    return plan_argument(plan, wrong[0]) if len(wrong) == 1 else None


def plan_argument(plan: Any, number: int) -> str:
    """Return the name of an argument of the function that moves."""
    names = argument_names(behind(plan.kernel))
    place = number - 1 if getattr(plan.kernel, "pairs", None) is not None else number
    return names[place] if 0 <= place < len(names) else str(place)


def _short(tangent: Any) -> str:
    if isinstance(tangent, np.ndarray):
        return np.array2string(tangent, precision=3, threshold=6, edgeitems=2).replace("\n", "")
    if isinstance(tangent, (tuple, List)):
        return f"({', '.join(map(_short, tangent))})"
    return f"{tangent:.3g}" if is_float(tangent) else str(tangent)


def warn(plan: Any, reason: str) -> None:
    where = where_is(behind(plan.kernel))
    message = f"a derivative is not checked: {reason}\n  {where}"
    warnings.warn(message, UncheckedWarning, stacklevel=2)
