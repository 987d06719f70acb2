"""One state of a recurrence in its loop: the products that read it, and the tanh of whose results it consists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme_py.llvm import (
    Arithmetic,
    Block,
    Call,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Phi,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.rules import blas, copies

_ONES = ("1.000000e+00", "1.0")
_ZEROS = ("0.000000e+00", "0.0")


@dataclass(frozen=True)
class Product:
    """A product `y = a x` whose x is the state."""

    call: Call

    @property
    def given(self) -> tuple[Value, ...]:
        """The operands, as gemv has them."""
        return self.call.arguments

    @property
    def length(self) -> Value:
        """How many elements of the state it reads."""
        is_plain = self.given[1].ref == str(blas.NOT_TRANSPOSED)
        return self.given[3 if is_plain else 2]


@dataclass(frozen=True)
class Result:
    """A tanh whose result becomes an element of the next state."""

    call: Call
    index: Value

    @property
    def given(self) -> Value:
        """The argument of tanh."""
        return self.call.arguments[0]


class StateLoop:
    """A loop, and the memory that it makes in each iteration for the next state."""

    def __init__(self, function: Function, loop: Loop, letter: str, new: Value) -> None:
        self.function, self.loop = function, loop
        self.letter, self.new = letter, new
        self.real = copies.FLOATS[letter]

    def products(self, state: Value) -> Iterator[Product]:
        """Yield the products in the loop that take the state as their vector, and are `y = a x` of whole vectors."""
        symbol = blas.ROUTINES["gemv"].symbol(self.letter)
        for user in in_order(state.users, self.function):
            if isinstance(user, Call) and user.callee == symbol and user in self.loop:
                product = Product(user)
                if product.given[7] is state and _is_plain(product):
                    yield product

    def result_of(self, store: Instruction) -> Result | None:
        """Return the tanh that a store puts into the new state, if it is one for each element."""
        if not isinstance(store, Store):
            return None
        value, place = store.value, store.pointer
        if not isinstance(value, Call) or value.callee not in ("tanh", "tanhf"):
            return None
        if not isinstance(place, GetElementPtr) or place.pointer is not self.new:
            return None
        is_element = place.source_type == self.real == value.type and len(place.indices) == 1
        if not is_element or isinstance(value.arguments[0], Constant):
            return None
        # It is stored wherever it is computed.
        is_one_each = value.block is store.block and self._runs_through(place.indices[0], value)
        return Result(value, place.indices[0]) if is_one_each else None

    def _runs_through(self, index: Value, value: Instruction) -> bool:
        """Tell whether a loop just inside ours counts the index, so that each comes once an iteration."""
        around = self.function.analysis(Loops).all_around(value)
        inside = [one for one in around if one.blocks < self.loop.blocks]
        if not isinstance(index, Phi) or len(inside) != 1 or index not in inside[0]:
            return False
        if not self.function.analysis(Dominators).dominates(index.home, value.home):
            return False
        (inner,) = inside
        repeated = inner.carried(index)
        return len(repeated) == 1 and len(index.values) == 2 and steps_from(repeated[0]) is index


def steps_from(value: Value) -> Value | None:
    """Return what an integer is one more than."""
    if isinstance(value, Arithmetic) and value.opcode == "add" and value.type == "i64":
        base, step = value.operands
        return base if isinstance(step, Constant) and step.integer == 1 else None
    return None


def given_to(phi: Phi, first: Block, second: Block) -> tuple[Value, Value] | None:
    """Return what a phi is behind two blocks, if it has just these edges."""
    given = {block: value for value, block in phi.incoming}
    if len(phi.incoming) != 2 or set(given) != {first, second}:
        return None
    return given[first], given[second]


def in_order(users: list[Instruction], function: Function) -> list[Instruction]:
    """Return instructions in the order of the code."""
    blocks = {block: place for place, block in enumerate(function.blocks)}
    return sorted(users, key=lambda one: (blocks[one.home], one.home.place_of(one)))


def _is_plain(product: Product) -> bool:
    """Tell whether a product is `y = a x` of what lies side by side, a transposed or not."""
    layout, transposed, _, _, alpha, _, _, _, step, beta, _, other = (
        one.ref for one in product.given
    )
    return (
        (layout, step, other) == (str(blas.COLUMN_MAJOR), "1", "1")
        and transposed in (str(blas.NOT_TRANSPOSED), str(blas.TRANSPOSED))
        and alpha in _ONES
        and beta in _ZEROS
    )
