"""Finding Const arrays into which a kernel writes what should have been differentiated.

Enzyme takes memory without a shadow at its word: what is written there is constant, and so is what
is read back. A workspace passed as Const therefore makes a gradient zero without a word. Here the
code is read before the pass: at each call of the pass, which arrays of floats are constant, and
whether the kernel stores into one of them a value that depends on anything active.

A value counts only if it is not made of constants, of integers and of constant memory alone. A pointer that
can come from nowhere else is told as written; one that may be another array's too (`p = w if flag else v`, `rows[i]`)
as one that may be. A write through a pointer that a callee puts into memory is missed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import llvmlite.binding as llvm

from enzyme_py.assembly.held_pointers import HeldPointers
from enzyme_py.assembly.inlining import inline_all
from enzyme_py.assembly.ir_text import (
    Call,
    Function,
    bare,
    call_in,
    functions_in,
    split_operands,
    value_of,
    values_in,
)
from enzyme_py.assembly.lost import Lost
from enzyme_py.assembly.memory_writes import Write, writes_in
from enzyme_py.assembly.pass_calls import CONST, PRIMITIVE, arguments_of, function_of, is_forward
from enzyme_py.assembly.pointer_origins import PHI_VALUE, origins
from enzyme_py.frontend.llvm_modules import Modules, run_once
from enzyme_py.frontend.type_hints import HINT

_HOLDS_FLOATS = re.compile(r'"enzyme_type"="[^"]*\[-1,-1\]:Float')
# A typed list of arrays (to one of numbers writes are refused at run time), or what has no type at
# all: any other list, a dict or an object that a kernel hands on.
_HOLDS_ARRAYS = re.compile(r'"enzyme_type"="[^"]*\[-1,\d+\]:Pointer\}"|^ptr (?!.*"enzyme_type")')
_ARGUMENT = re.compile(r"^%arg\.([^.\"]+)")
_HARMLESS = (
    "llvm.",
    "free",
    HINT,
    "enzyme_py_copy",
    "enzyme_py_clear",
)  # copies are looked at as writes
_ALLOCATIONS = ("malloc", "calloc", "realloc", "NRT_")
# Results that carry no derivative, whatever they are made from.
_PLAIN = ("icmp", "fcmp", "sitofp", "uitofp", "fptosi", "fptoui", "ptrtoint", "alloca")


def lost_writes(ir: str) -> tuple[Lost, ...]:
    """Return every Const array of floats, or list of such, that takes active values, or may take some.

    All calls of the pass in the module are looked at; the code is what the pass reads, or what
    `simplified` made of it.
    """
    functions = {function.name: function for function in functions_in(ir)}
    found = dict[tuple[str, str], bool]()
    for is_certain in (False, True):
        reader = _Reader(functions, is_certain)
        for function in functions.values():
            for _, call in function.calls:
                if call.callee.startswith(PRIMITIVE):
                    found |= dict.fromkeys(_lost_at(reader, function, call), is_certain)
    return tuple(sorted(Lost(*one, is_certain) for one, is_certain in found.items()))


def has_constant_arrays(ir: str) -> bool:
    """Tell whether any call of the pass in a module takes a Const array of floats, or a Const list."""
    return any(labels for _, labels in _constants_in(ir))


def _constants_in(ir: str) -> Iterator[tuple[Function, dict[str, frozenset[str]]]]:
    functions = {function.name: function for function in functions_in(ir)}
    for function in functions.values():
        for line in function.lines:
            if f"@{PRIMITIVE}" in line and (call := call_in(line)) is not None:
                for shim, labels, _ in _constants_at(functions, function, call):
                    yield shim, labels


def simplified(ir: str) -> str:
    """Return the module with its local variables in registers, all that reading it needs.

    Of lists the functions that return their items are inlined: see `HeldPointers`.
    """
    has_lists = any(
        _HOLDS_ARRAYS.search(declared)
        for shim, labels in _constants_in(ir)
        for name, declared in zip(shim.parameters, shim.declared, strict=True)
        if name in labels
    )
    with Modules() as modules:
        module = modules.parsed(ir)
        if has_lists:
            inline_all(module)
        return _in_registers(module)


def _in_registers(module: llvm.ModuleRef) -> str:
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options())
    run_once(passes, module, builder)
    return str(module)


def _machine() -> llvm.TargetMachine:
    return llvm.Target.from_default_triple().create_target_machine()


def _lost_at(reader: _Reader, caller: Function, call: Call) -> Iterator[tuple[str, str]]:
    for shim, labels, quiet in _constants_at(reader.functions, caller, call):
        kernel = shim.name.split(".", 1)[-1]
        asked = labels
        if reader.is_certain:  # of the arrays of a list nothing is
            asked = {one: found for one, found in labels.items() if _is_array(shim, one)}
        for argument in reader.written(shim, asked, quiet) if asked else ():
            yield kernel, argument


def _constants_at(
    functions: dict[str, Function], caller: Function, call: Call
) -> Iterator[tuple[Function, dict[str, frozenset[str]], frozenset[str]]]:
    """Yield the function that a call of the pass is about, if anything there is active.

    With it come its constant arrays of floats and lists of arrays, labelled by argument, and all that is constant.
    """
    shim = function_of(functions, caller, call)
    if shim is None:
        return
    markers = [given.marker for given in arguments_of(caller, call)]
    if len(markers) != len(shim.parameters) or set(markers) == {CONST}:
        return
    constant = [number for number, marker in enumerate(markers) if marker == CONST]
    labels = {
        shim.parameters[number]: frozenset({found.group(1)})
        for number in constant
        if (found := _ARGUMENT.match(shim.parameters[number].replace('"', "")))
        and any(kind.search(shim.declared[number]) for kind in (_HOLDS_FLOATS, _HOLDS_ARRAYS))
    }
    yield shim, labels, frozenset(shim.parameters[number] for number in constant)


def _is_array(shim: Function, parameter: str) -> bool:
    return bool(_HOLDS_FLOATS.search(shim.declared[shim.parameters.index(parameter)]))


@dataclass
class _Reader:
    """Reads functions, each for every way in which constants come into it."""

    functions: dict[str, Function]
    is_certain: bool
    _seen: dict[object, frozenset[str]] = field(default_factory=dict)

    def written(
        self,
        function: Function,
        labels: dict[str, frozenset[str]],
        quiet: frozenset[str],
        loud: frozenset[str] = frozenset(),
    ) -> frozenset[str]:
        """Return the labels of parameters through which something active is written.

        Memory that has a label is constant, unless it is `loud`.
        """
        key = (function.name, frozenset(labels.items()), quiet, loud)
        if key not in self._seen:
            self._seen[key] = frozenset()  # for recursion
            self._seen[key] = frozenset(_Body(self, function, labels, quiet, loud).written())
        return self._seen[key]


class _Body:
    """One function, with some parameters constant memory and some constant values."""

    def __init__(
        self,
        reader: _Reader,
        function: Function,
        labels: dict[str, frozenset[str]],
        quiet: frozenset[str],
        loud: frozenset[str],
    ) -> None:
        self.reader = reader
        self.function = function
        self.labels = labels
        self.quiet = quiet
        self.loud = loud
        self._origins_of: dict[str, frozenset[str]] = {}
        self._is_object_active: dict[str, bool] = {}

    def written(self) -> Iterator[str]:
        """Yield the labels of memory into which something active is written."""
        for write in writes_in(self.function):
            is_other = write.is_own or write.is_pointer
            labels = frozenset() if is_other else self._labels(write.target)
            if labels and self._is_write_active(write):
                yield from labels
        for _, call in self.function.calls:
            if call.callee in self.reader.functions:
                own = {value: self._labels(value) for value in _pointers(call)}
                yield from self._written_below(call, own)
            elif call.callee.startswith(PRIMITIVE):
                yield from self._written_by_pass(call, self._labels)

    def _written_below(self, call: Call, labels: dict[str, frozenset[str]]) -> Iterable[str]:
        """Return the labels that a callee writes, with its pointers labelled as given."""
        callee = self.reader.functions[call.callee]
        if not any(labels.values()) or len(callee.parameters) != len(call.values):
            return ()
        below, quiet, loud = {}, set(), set()
        for parameter, operand, value in zip(
            callee.parameters, call.operands, call.values, strict=True
        ):
            is_pointer = operand.startswith("ptr")
            if is_pointer and labels.get(value):
                below[parameter] = labels[value]
                if self._memory_is_active(value):
                    loud.add(parameter)
            elif not (self._memory_is_active if is_pointer else self.is_active)(value):
                quiet.add(parameter)
        return self.reader.written(callee, below, frozenset(quiet), frozenset(loud))

    def _written_by_pass(self, call: Call, label: Callable[[str], frozenset[str]]) -> Iterable[str]:
        """Return the labels of memory that a derivative in this function writes something active to.

        Both modes write where the function itself does; to shadows reverse mode adds slopes, and forward mode
        writes where the function writes.
        """
        shim = function_of(self.reader.functions, self.function, call)
        given = list(arguments_of(self.function, call))
        if shim is None or len(given) != len(shim.parameters):
            return frozenset()
        pairs = list(zip(shim.parameters, given, strict=True))
        primals = {name: found for name, one in pairs if (found := label(one.primal))}
        shadows = {name: found for name, one in pairs if (found := _union(map(label, one.shadows)))}
        if not primals and not shadows:
            return frozenset()
        active = {
            name
            for name, one in pairs
            if self.is_active(one.primal) or self._memory_is_active(one.primal)
        }
        if shadows and active and not is_forward(call):
            return _union([*shadows.values(), self._written_inside(shim, primals, active)])
        below = {name: _union([primals.get(name, ()), shadows.get(name, ())]) for name, _ in pairs}
        return self._written_inside(shim, below, active)

    def _written_inside(
        self, shim: Function, labels: dict[str, frozenset[str]], active: set[str]
    ) -> frozenset[str]:
        below = {name: found for name, found in labels.items() if found}
        if not below:
            return frozenset()
        quiet = frozenset(shim.parameters) - active - set(below)
        return self.reader.written(shim, below, quiet, frozenset(active & set(below)))

    def _origins(self, pointer: str) -> frozenset[str]:
        """Return everything that a pointer can be an offset from."""
        found = self._origins_of.get(pointer)
        if found is None:
            found = frozenset(self._begins(pointer)) - {"undef", "poison"}
            self._origins_of[pointer] = found
        return found

    def _begins(self, pointer: str) -> Iterable[str]:
        found = set(origins(self.function, pointer))
        if self.reader.is_certain or not any(map(self._is_loaded, found)):
            return found
        return self._held.origins(pointer)

    @functools.cached_property
    def _held(self) -> HeldPointers:
        return HeldPointers(self.function)

    def _is_loaded(self, origin: str) -> bool:
        return self.function.definitions.get(origin, "").startswith("load ")

    def _labels(self, pointer: str) -> frozenset[str]:
        """Return the constant arguments that a pointer points into, certainly, or perhaps if that is asked."""
        origins = self._origins(pointer)
        known = origins & self.labels.keys()
        if self.reader.is_certain and known != origins:
            return frozenset()
        return _union(self.labels[origin] for origin in known)

    def _is_write_active(self, write: Write) -> bool:
        check = self._memory_is_active if write.is_copy else self.is_active
        return check(write.source)

    def is_active(self, value: str) -> bool:
        """Tell whether a value depends on anything but constants."""
        seen, pending = set[str](), [value]
        while pending:
            current = pending.pop()
            if current in seen or not current.startswith("%"):
                continue
            seen.add(current)
            definition = self.function.definitions.get(current)
            if definition is None:
                if current not in self.quiet and current not in self.labels:
                    return True
                continue
            if any(map(self._memory_is_active, _memory_read(definition))):
                return True
            pending += _sources(definition)
        return False

    def _memory_is_active(self, pointer: str) -> bool:
        return any(map(self._object_is_active, self._origins(pointer)))

    def _object_is_active(self, origin: str) -> bool:
        """Tell whether memory may hold anything active; memory of this function is looked into."""
        if origin in self.loud:
            return True
        if origin in self.labels or origin in self.quiet or not origin.startswith("%"):
            return False
        if not _is_own_memory(self.function.definitions.get(origin, "")):
            return True
        if origin not in self._is_object_active:
            self._is_object_active[origin] = False  # for what is copied in a circle
            self._is_object_active[origin] = self._is_filled(origin)
        return self._is_object_active[origin]

    def _is_filled(self, origin: str) -> bool:
        """Tell whether anything active is written into memory of this function."""
        for write in writes_in(self.function):
            if origin in self._origins(write.target) and self._is_write_active(write):
                return True
        return any(self._fills(call, origin) for _, call in self.function.calls)

    def _fills(self, call: Call, origin: str) -> bool:
        given = {value for value in _pointers(call) if origin in self._origins(value)}
        if not given or call.callee.startswith(_HARMLESS):
            return False
        if call.callee.startswith(PRIMITIVE):
            mine = frozenset({"?"})
            return "?" in self._written_by_pass(
                call, lambda one: mine if origin in self._origins(one) else frozenset()
            )
        if call.callee not in self.reader.functions:
            return True
        asked = {value: frozenset({"?"} if value in given else ()) for value in _pointers(call)}
        return "?" in self._written_below(call, asked)


def _union(sets: Iterable[Iterable[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _pointers(call: Call) -> list[str]:
    pairs = zip(call.operands, call.values, strict=True)
    return [value for operand, value in pairs if operand.startswith("ptr")]


def _memory_read(definition: str) -> list[str]:
    """Return the pointers through which an instruction may read."""
    if definition.startswith("load "):
        return [value_of(split_operands(definition)[1])]
    call = call_in(definition)
    return [] if call is None else _pointers(call)


def _sources(definition: str) -> list[str]:
    """Return the values that the result of an instruction depends on."""
    if definition.startswith((*_PLAIN, "load ")):
        return []
    if definition.startswith("phi "):
        return [value_of(one) for one in PHI_VALUE.findall(definition)]
    call = call_in(definition)
    if call is not None:
        pairs = zip(call.operands, call.values, strict=True)
        return [value for operand, value in pairs if not operand.startswith(("i", "ptr"))]
    values = values_in(bare(definition))
    return values[1:] if definition.startswith("select i1 %") else values


def _is_own_memory(definition: str) -> bool:
    if definition.startswith("alloca"):
        return True
    call = call_in(definition)
    return call is not None and call.callee.startswith(_ALLOCATIONS)
