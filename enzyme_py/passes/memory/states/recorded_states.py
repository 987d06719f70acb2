"""The states of a recurrence, written down once in place of twice.

    h = np.tanh(W @ h + U @ x[t] + b)

Symptom: reverse mode takes two arrays for each iteration where a hand-written adjoint takes one.

Cause: the adjoint needs the state twice: the older one for the product, the newer one for tanh, whose derivative is
(1 - y) (1 + y) by its result y. Enzyme takes the slope of tanh from its argument, and caches both.

Cure: both read one record, which has a row for each iteration (rules/recurrences.py). What is rewritten is a loop that
hoisted_buffers.py has gone over: a state in one buffer, made anew in each iteration and copied there at its end. It needs

* to be made in front of the loop: the loop counts its iterations, and is in no other;
* to have one number of elements a row, known there too;
* what its readers take for unchanged to be so: the state is written by that copy only, and the matrix of the product is
  an argument that the kernel does not write (untouched_arguments.py).

Then every product that takes the state, and the tanh of whose results it is made, read the record; only where there are
both: otherwise Enzyme caches one array an iteration itself. States that stay alive are their own record
(states_in_place.py). Only first derivatives in reverse mode: rules cannot be differentiated twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from enzyme_py.llvm import (
    Branch,
    Call,
    Compare,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Phi,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.llvm.analyses.points_to import derived
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.merged_pointers import MergedPointers
from enzyme_py.passes.memory.states.state_loop import (
    Product,
    Result,
    StateLoop,
    given_to,
    in_order,
    steps_from,
)
from enzyme_py.passes.memory.states.state_record import IterationCount, Record
from enzyme_py.passes.memory.states.states_in_place import read_in_place
from enzyme_py.passes.module.requests import Requests
from enzyme_py.rules import blas, copies
from enzyme_py.symbols import HINT, INTO_BUFFER

_FLOATS = ("double", "float")


class RecordedStates(Pass):
    """Let products and tanh of a recurrence read one record of its states."""

    name = "recorded states"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module has a tanh, and asks for one reverse mode in one piece."""
        code = draft.code
        has_tanh = code.get("tanh") is not None or code.get("tanhf") is not None
        names = [one.name for one in code.declarations]
        is_asked = any(one.startswith("__enzyme_autodiff") for one in names)
        return has_tanh and is_asked and code.get("enzyme_runtime_activity") is None

    def run(self, draft: Draft) -> None:
        """Rewrite the function that is differentiated, if just one is."""
        function = _differentiated(draft.code)
        if function is None or not function.analysis(ControlFlow).is_plain:
            return
        constant: set[Value] = {
            one for one in function.arguments if {"noalias", "readonly"}.issubset(one.attributes)
        }
        number = 0
        while (record := next(_records(function, constant, number), None)) is not None:
            record.apply(function)
            number += 1
        read_in_place(function, constant)


def _differentiated(code: Module) -> Function | None:
    """Return the function of the module's only request, if that is a reverse one of one lane."""
    requests = Requests(code).all()
    if len(requests) != 1:
        return None
    (request,) = requests
    found = code.get(request.target)
    is_plain = request.is_reverse and request.width == 1
    is_defined = isinstance(found, Function) and not found.is_declaration
    return found if is_plain and is_defined else None  # type: ignore[return-value]


def _records(function: Function, constant: set[Value], number: int) -> Iterator[Record]:
    """Yield the states of a function that can have a record."""
    loops, flow = function.analysis(Loops).loops, function.analysis(ControlFlow)
    for copied in function.calls:
        letter = copied.callee.removeprefix(INTO_BUFFER)
        if not copied.callee.startswith(INTO_BUFFER) or letter not in copies.FLOATS:
            continue
        simple = (one for one in loops if one.latch is copied.block and one.preheader is not None)
        loop = next(simple, None)
        if loop is not None and loop.preheader and not flow.is_repeated(loop.preheader):
            record = _State(function, loop, letter, copied).record(constant, number)
            if record is not None:
                yield record


class _State(StateLoop):
    """One carried state in a buffer."""

    def __init__(self, function: Function, loop: Loop, letter: str, copied: Call) -> None:
        self._buffer, new, self._count = copied.arguments[:3]
        super().__init__(function, loop, letter, new)
        self._copied = copied
        assert loop.preheader is not None
        assert loop.latch is not None
        self._preheader, self._latch = loop.preheader, loop.latch

    def record(self, constant: set[Value], number: int) -> Record | None:
        """Return what is to be rewritten, or None."""
        iterations, state = self._iterations(), self._carrier()
        if iterations is None or state is None or not self._is_left_at_its_end():
            return None
        products = [one for one in self.products(state) if self._fits(one, constant)]
        results = list(self._results())
        if not products or not results or not self._is_only_read(state):
            return None
        return Record(
            number, self.letter, self._buffer, self._count, iterations, self._preheader,
            self.loop.header, self._copied, products, results,
        )  # fmt: skip

    # -- the loop ------------------------------------------------------------------------------------

    def _iterations(self) -> IterationCount | None:
        end = self._latch.terminator
        if not isinstance(end, Branch) or not isinstance(end.condition, Compare):
            return None
        kind, (moved, bound) = end.condition.predicate, end.condition.operands
        if kind not in ("eq", "ne") or end.successors[kind == "eq"] is not self.loop.header:
            return None
        counter = steps_from(moved)
        if not isinstance(counter, Phi) or counter.block is not self.loop.header:
            return None
        given = given_to(counter, self._preheader, self._latch)
        if given is None or given[1] is not moved or not self._is_known_before(bound):
            return None
        return IterationCount(counter, given[0], bound)

    def _is_known_before(self, value: Value) -> bool:
        return self.function.analysis(Dominators).is_available(value, self._preheader)

    def _is_left_at_its_end(self) -> bool:
        """Tell whether nothing but a raise leaves the loop before its latch."""
        return all(
            block is self._latch or target.terminator.opcode == "unreachable"
            for block, target in self.loop.exiting_edges
        )

    def _carrier(self) -> Phi | None:
        """Return the phi that is the state at the beginning of an iteration, if there is one."""
        found = [one for one in self.loop.phis if self._buffer in one.values]
        is_known = len(found) == 1 and given_to(found[0], self._preheader, self._latch)
        return found[0] if is_known else None

    # -- who reads and who writes --------------------------------------------------------------------

    def _fits(self, product: Product, constant: set[Value]) -> bool:
        pointers = self.function.analysis(MergedPointers)
        return (
            pointers.origins(product.given[5]) <= constant
            and pointers.origins(product.given[10]) <= pointers.roots
            and self._is_known_before(product.length)
        )

    def _is_only_read(self, state: Phi) -> bool:
        """Tell whether the state is written by nothing but the copy at the end of an iteration."""
        known = derived(state, self._buffer)
        users = {user for one in known for user in one.users if user in self.loop}
        return all(_reads(user, known) for user in users - {self._copied, state})

    def _results(self) -> Iterator[Result]:
        """Yield the tanh that makes the new state, if nothing else does."""
        known = derived(self.new)
        users = list({user for one in known for user in one.users} - {self._copied})
        stores = []
        for user in in_order(users, self.function):
            if isinstance(user, Store) and user.pointer in known and user.value.type in _FLOATS:
                stores.append(user)
            elif not _reads(user, known) and not _is_call_of(user, "free"):
                return
        if len(stores) == 1 and _is_call_of(self.new, *ALLOCATORS):
            result = self.result_of(stores[0])
            yield from () if result is None else (result,)


def _is_call_of(one: Value, *names: str) -> bool:
    return isinstance(one, Call) and one.callee in names


def _reads(user: Instruction, known: Collection[Value]) -> bool:
    """Tell whether an instruction that uses pointers only reads through them."""
    if isinstance(user, Load):
        return user.type in _FLOATS
    if isinstance(user, GetElementPtr):
        return True
    if not isinstance(user, Call):
        return False
    if user.callee.startswith(HINT):
        return True
    if user.callee.endswith(blas.SUFFIX):
        return [one for one in user.arguments if one.type == "ptr"][-1] not in known
    return copies.is_body(user.callee) and user.arguments[0] not in known
