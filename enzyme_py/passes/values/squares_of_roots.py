"""Squares of roots have the derivatives of what the root is taken of.

    %q = ...                                               %q = ...
    %n = call double @llvm.sqrt.f64(double %q)             %n = call double @llvm.sqrt.f64(double %q)
    %r = call double @enzyme_py_root.double(%n, %q, 0.0) ->    %s = fmul double %n, %n
    %s = fmul double %r, %r                                %s.constant = call double @enzyme_py_inactive.double(double %s)
                                                           %s.picked = call double @enzyme_py_slope.pick.double(double %q, %s.constant)

Symptom: at zero the second derivatives of `np.linalg.norm(x)**2`, `np.hypot(x, y)**2` and `abs(z)**2` were 0, without a word: the Hessian of a sum of
`abs(psi)**2` had nothing in the rows of amplitudes that are zero. They are 2.

Cause: a norm has no derivative at zero, where its gradient is zero by choice. The product of two such gradients is zero, too.

Cure: the rules of roots, norms and sizes mark them with their squares (rules/numbers/roots.py). Here a product that has such a factor twice is
its own value with the derivatives of the other factors times the square; also where the root was multiplied or divided before it
was squared: `(r / s)**2`, `k * r * r`. What is chosen between such a factor and something else is marked with the choice of their squares:
`if r > most: r = most`. All marks are taken away: what is not squared has the infinite second derivatives of a norm at zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from enzyme_py.llvm import (
    Alloca,
    Arithmetic,
    Builder,
    Call,
    Constant,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.points_to import origins
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.written_results import calling_themselves, may_inline
from enzyme_py.passes.values.picks import as_constant, pick
from enzyme_py.rules.numbers.roots import ROOT

MARKS = tuple(f"{ROOT}{kind}" for kind in ("double", "float"))
_DEPTH = 6  # of products of products
_ZERO = "0.000000e+00"
_PRODUCTS = ("fmul", "fdiv", "fneg")


class RootsReturned(Pass):
    """Ask for functions to be inlined that return roots: what squares them must see the mark."""

    name = "roots returned"

    def applies(self, draft: Draft) -> bool:
        """Tell whether rules marked anything."""
        return SquaresOfRoots().applies(draft)

    def run(self, draft: Draft) -> None:
        """Mark such functions, but those that call themselves."""
        own = [one for one in draft.code.functions if one.linkage == "internal" and may_inline(one)]
        names = set[str]()
        while more := [one for one in own if one.name not in names and _returns_root(one, names)]:
            names |= {one.name for one in more}
        endless = calling_themselves(draft.code) if names else set()
        for function in own:
            if function.name in names - endless:
                function.add_attribute("alwaysinline")


def _returns_root(function: Function, names: set[str]) -> bool:
    """Tell whether a root, or a product with one, comes back, as Numba's functions leave their results, or LLVM's; a root is what `names` return, too."""
    called = function.callees() & names
    if not (called or function.mentions(ROOT)):
        return False
    products = _leading_from([*function.calls_of(*MARKS), *_results(function, called)], {*_PRODUCTS, "phi", "select"})
    place = function.arguments[0] if function.arguments else None
    return any(
        user.opcode in ("ret", "insertvalue") or (isinstance(user, Store) and origins(user.pointer) == {place})
        for one in products
        for user in one.users
    )


def _results(function: Function, names: set[str]) -> Iterator[Value]:
    """Yield what calls of some functions return: by a number, or in a variable."""
    for call in function.calls_of(*names):
        yield call
        if call.arguments and isinstance(call.arguments[0], Alloca):
            yield from (one for one in call.arguments[0].users if isinstance(one, Load))


def _leading_from(starts: Iterable[Value], opcodes: Collection[str]) -> set[Value]:
    """Return some values, and what some instructions make of them."""
    found, pending = set[Value](), list(starts)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            pending += (one for one in value.users if one.opcode in opcodes)
    return found


class SquaresOfRoots(Pass):
    """Derivatives of squares of roots, without the root's."""

    name = "squares of roots"

    def applies(self, draft: Draft) -> bool:
        """Tell whether rules marked anything."""
        return any(draft.code.get(mark) is not None for mark in MARKS)

    def run(self, draft: Draft) -> None:
        """Rewrite products, and take the marks away."""
        for function in draft.code.functions:
            if not function.mentions(ROOT):
                continue
            _Choices(function).mark()
            products = _leading_from(function.calls_of(*MARKS), _PRODUCTS)
            found = [one for one in function.instructions if one in products]
            squares = [(one, square) for one in found if (square := _square_in(one, products)) is not None]
            for one, square in squares:
                _rewrite(one, square)
            for mark in function.calls_of(*MARKS):
                mark.replace_all_uses_with(_steep(mark))
                mark.erase()


class _Choices:
    """Numbers of one function that are roots on one way, products with them, or something else."""

    def __init__(self, function: Function) -> None:
        self._function = function
        leading = _leading_from(function.calls_of(*MARKS), (*_PRODUCTS, "phi", "select"))
        found = [one for one in function.instructions if one in leading]
        self._found = [one for one in found if isinstance(one, (Phi, Select)) and f"{ROOT}{one.type}" in MARKS]
        self._squares: dict[Phi | Select, Value] = {}

    def mark(self) -> None:
        """Mark those of which products are made with their squares."""
        code = self._function.module
        for one in self._found:
            if any(isinstance(each, Arithmetic) and each.opcode == "fmul" for each in _leading_from([one], (*_PRODUCTS, "phi", "select"))):
                self._square(one)
        for one, square in self._squares.items():
            at = Builder.after(square if isinstance(square, Select) else one)
            mark = at.call(code.function(f"{ROOT}{one.type}"), [one, square, at.constant(one.type, _ZERO)], "chosen")
            one.replace_all_uses_with(mark)
            mark.set_operand(1, one)

    def _square(self, one: Phi | Select) -> Value:
        """Return the square of what is chosen: the choice of squares."""
        if one in self._squares:
            return self._squares[one]
        if isinstance(one, Phi):
            made = Builder(one).phi(one.type, one.incoming, "chosen.square")
            self._squares[one] = made
            made.set_incoming((self._square_of(value, Builder(block.terminator)), block) for value, block in one.incoming)
        else:
            at = Builder.after(one)
            yes, no = (self._square_of(value, at) for value in one.arms)
            self._squares[one] = at.select(one.condition, yes, no, "chosen.square")
        return self._squares[one]

    def _square_of(self, value: Value, at: Builder) -> Value:
        is_chosen = isinstance(value, (Phi, Select)) and value in self._found
        return self._square(value) if is_chosen else at.arithmetic("fmul", value, value, "square")  # type: ignore[arg-type]


@dataclass
class _Factors:
    """What a product is made of."""

    above: list[Value] = field(default_factory=list)
    below: list[Value] = field(default_factory=list)  # divisors
    is_negative: bool = False

    @property
    def has_roots(self) -> bool:
        """Whether a factor is marked."""
        return any(_marked(one) is not None for one in self.above)

    def with_squares(self) -> list[Value]:
        """Return the factors, a square in place of each pair of roots; of a single root the value, whose slope is bounded."""
        found, roots = list[Value](), dict[Value, Value]()
        for one in self.above:
            square = _marked(one)
            if square is None:
                found.append(one)
            elif roots.pop(square, None) is not None:
                found.insert(0, square)
            else:
                roots[square] = one
        return [*found, *(one.arguments[0] for one in roots.values() if isinstance(one, Call))]


def _square_in(product: Instruction, products: set[Value]) -> _Factors | None:
    """Return the factors of a product in which roots meet, with squares in place of pairs; None if there is no pair.

    Only such products with roots are taken apart.
    """
    if product.opcode != "fmul":
        return None
    left, right = (_factors_of(one, products, _DEPTH) for one in product.operands)
    if not (left.has_roots and right.has_roots):
        return None
    both = _Factors(left.above + right.above, left.below + right.below, left.is_negative != right.is_negative)
    above = both.with_squares()
    return _Factors(above, both.below, both.is_negative) if len(above) < len(both.above) else None


def _factors_of(value: Value, products: set[Value], depth: int) -> _Factors:
    """Take a product apart."""
    if not depth or value not in products or not isinstance(value, Instruction) or value.opcode not in _PRODUCTS:
        return _Factors([value])
    first, *others = (_factors_of(one, products, depth - 1) for one in value.operands)
    if not others:
        return _Factors(first.above, first.below, not first.is_negative)
    (second,) = others
    if value.opcode == "fdiv":
        second = _Factors(second.below, second.above, second.is_negative)
    return _Factors(first.above + second.above, first.below + second.below, first.is_negative != second.is_negative)


def _marked(value: Value) -> Value | None:
    """Return the square of what is marked, which roots of the same share; None if it is not."""
    return value.arguments[1] if isinstance(value, Call) and value.callee in MARKS else None


def _steep(mark: Call) -> Value:
    """Return what is marked, with infinite second derivatives where it is zero."""
    value, _, steep = mark.arguments
    return value if isinstance(steep, Constant) else Builder(mark, keeps_location=True).arithmetic("fadd", value, steep, "steep")


def _rewrite(product: Instruction, factors: _Factors) -> None:
    """Let a product have the derivatives of another one, and its own value."""
    after = product.next
    assert after is not None  # a product ends no block
    at = Builder(after, keeps_location=True)
    constant = as_constant(at, product, "square.constant")
    smooth, *others = factors.above
    for one in factors.below:
        smooth = at.arithmetic("fdiv", smooth, one, "square")
    for one in others:
        smooth = at.arithmetic("fmul", smooth, one, "square")
    if factors.is_negative:
        smooth = at.fneg(smooth, "square")
    picked = pick(at, smooth, constant, "square.picked")
    product.replace_all_uses_with(picked)
    constant.replace_operand(picked, product)
