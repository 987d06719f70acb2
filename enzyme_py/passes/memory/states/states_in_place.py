"""States that every iteration of a loop makes anew and nobody changes afterwards: they are their own record.

    states = [h]
    for t in range(n):
        h = np.tanh(W @ h + U @ x[t] + b)
        states.append(h)

Here the arrays of all iterations stay alive, so recorded_states.py, which needs one buffer, has nothing to do. But
Enzyme cannot see that they stay as they are: it caches a copy of each for the adjoint of the product, and the slope of
each tanh besides. What it can be told is that product and tanh find in the array itself, in the reverse sweep, what was
there in the forward sweep. That is so if

* the array is private to the function, and is written in the iteration that makes it only, by the pointer that this
  iteration's allocation gave;
* what the first iteration begins with is not written any more once the loop has begun, or is an argument that the kernel
  does not write;
* the reverse sweep has it: it is cached (allocations.py), not made again;
* the product's matrix is an argument that the kernel does not write.

The loop may count its iterations or not, and stand in others. As with records, it needs both a product and a tanh.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from enzyme_py.llvm import Builder, Call, Function, Instruction, Value
from enzyme_py.llvm.analyses.call_effects import KNOWN, Known
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.llvm.analyses.points_to import PointsTo, derived
from enzyme_py.passes.memory.states.state_loop import Product, Result, StateLoop, given_to
from enzyme_py.passes.memory.states.state_record import Callees
from enzyme_py.rules import blas, copies
from enzyme_py.symbols import CACHED, HINT, RAISE


def read_in_place(function: Function, constant: Collection[Value]) -> None:
    """Let products and tanh read such states where they are.

    `constant` are the parameters behind which nothing is written while the function runs.
    """
    cached = {call.arguments[0] for call in function.calls_of(CACHED)}
    if not cached:
        return
    memory = PointsTo(function, known_calls(function))
    found = list(_found(function, memory, cached, constant))
    done = set[Value]()
    for one in found:
        one.apply(done)


def known_calls(function: Function) -> dict[str, Known]:
    """Return what the functions that the package itself makes do with their pointers, as far as one is called."""
    known = dict(KNOWN)
    for call in function.calls:
        name = call.callee
        pointers = tuple(place for place, one in enumerate(call.arguments) if one.type == "ptr")
        if name.startswith((HINT, RAISE)):
            known[name] = Known()
        elif name.endswith(blas.SUFFIX):
            known[name] = Known(reads=pointers, writes=pointers[-1:])
        elif copies.is_body(name):
            known[name] = Known(reads=pointers[1:], writes=pointers[:1])
    return known


def _found(
    function: Function, memory: PointsTo, cached: set[Value], constant: Collection[Value]
) -> Iterator[_Rewritten]:
    for loop in function.analysis(Loops).loops:
        if loop.latch is None or loop.predecessor is None:
            continue
        for phi in loop.phis:
            given = given_to(phi, loop.predecessor, loop.latch) if phi.type == "ptr" else None
            for letter in copies.FLOATS if given else ():
                state = _State(function, loop, letter, given[1])  # type: ignore[index]
                if state.is_its_own_record(memory, cached, constant, given[0]):  # type: ignore[index]
                    products = [
                        one
                        for one in state.products(phi)
                        if memory.targets(one.given[5]) <= set(constant)
                    ]
                    results = list(state.results(memory))
                    if products and results:
                        yield _Rewritten(function, state, products, results)


class _State(StateLoop):
    """The array that one iteration makes for the next."""

    def is_its_own_record(
        self, memory: PointsTo, cached: set[Value], constant: Collection[Value], start: Value
    ) -> bool:
        """Tell whether the array stays as it was made, and what the first iteration begins with too."""
        if memory.targets(self.new) != {self.new} or self.new not in cached:
            return False
        if not self._is_made_and_written_in_its_iteration(memory):
            return False
        begins = memory.targets(start) - {self.new} - set(constant)
        return all(one in cached and self._is_left_alone(one, memory) for one in begins)

    def _is_made_and_written_in_its_iteration(self, memory: PointsTo) -> bool:
        own = derived(self.new)
        return (
            memory.is_private(self.new)
            and not self.loop.is_invariant(self.new)
            and all(pointer in own and one in self.loop for one, pointer in memory.writes(self.new))
        )

    def _is_left_alone(self, start: Value, memory: PointsTo) -> bool:
        """Tell whether an allocation is not written once the loop has begun, until it is made again."""
        if not isinstance(start, Instruction) or not memory.is_private(start):
            return False
        later = self.function.analysis(ControlFlow).reached(self.loop.header, [start.home])
        own = derived(start)
        return all(
            pointer in own and one.home not in later for one, pointer in memory.writes(start)
        )

    def results(self, memory: PointsTo) -> Iterator[Result]:
        """Yield the tanh that makes the state, if there is no other write to it."""
        writes = [one for one, _ in memory.writes(self.new)]
        result = self.result_of(writes[0]) if len(writes) == 1 else None
        if result is not None and isinstance(self.new, Call):
            available = self.function.analysis(Dominators).is_available(self.new, result.call)
            if available:
                yield result


@dataclass(frozen=True)
class _Rewritten:
    """One array that is read where it is."""

    function: Function
    state: _State
    products: list[Product]
    results: list[Result]

    def apply(self, done: set[Value]) -> None:
        """Put in place of products and tanh what reads the array; `done` are those that have been replaced."""
        call, array = Callees(self.function, self.state.letter), self.state.new
        for product in self.products:
            if product.call not in done:
                done.add(product.call)
                call.product(product, product.given[7])
        for result in self.results:
            if result.call not in done:
                done.add(result.call)
                self._read(call, array, result)

    @staticmethod
    def _read(call: Callees, array: Value, one: Result) -> None:
        """Let a tanh put its result into the array, and take its slope from there.

        The array has it from here on, so reading is right in either sweep.
        """
        at, name = Builder(one.call, keeps_location=True), f"state.{array.name}"
        value = call.value(at, one, name)
        place = at.gep(call.real, array, [one.index], f"{name}.place")
        at.store(value, place)
        cached = call(at, "read", [array, one.index], f"{name}.cached")
        call.slope(at, one, value, cached, name)
