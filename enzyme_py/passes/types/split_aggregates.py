"""Merges of whole records, field by field.

Symptom: "Cannot deduce adding type of: %x = phi { ptr, ptr, i64, ... }": a refusal, of `np.ascontiguousarray` of an
array with four dimensions, and of whatever else returns one of two arrays.

Cause: Numba's arrays are records, and LLVM leaves a phi of records whole where records come from calls that were
inlined late. Enzyme's type analysis has one type for the whole of such a value: that of a pointer beside
that of an integer is none. Nor has it a shadow for half of a record.

Cure: a phi, select or freeze of records becomes one for each field; what used the record, takes the fields.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Builder, Constant, Function, Instruction, Phi, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.reading.body import read_instruction
from enzyme_py.passes.base import Draft, Pass

Path = tuple[int, ...]
_MERGES = ("phi", "select", "freeze")


class SplitAggregates(Pass):
    """A phi, select or freeze for each field of a record, in place of one of the whole."""

    name = "split aggregates"

    def run(self, draft: Draft) -> None:
        """Split all records of all functions."""
        for function in draft.code.functions:
            if function.is_edited or _may_merge(function.body_text):
                _split(function)


def _may_merge(text: str) -> bool:
    merges = (f" {opcode} {bracket}" for opcode in _MERGES for bracket in "{[")
    return " select i1 " in text or any(one in text for one in merges)


def _split(function: Function) -> None:
    merges = [
        one for one in function.instructions if one.opcode in _MERGES and _is_record(one.type)
    ]
    if not merges:
        return
    fields = _Fields(set(merges))
    for one in merges:
        if isinstance(one, Phi):
            fields.add_phis(one)
    for one in merges:
        if isinstance(one, Phi):
            fields.fill_phis(one)
    for one in merges:
        fields.replace_uses(one)
    for one in merges:  # nothing but each other uses them any more
        for user, index in one.uses:
            user.set_operand(index, function.constant(one.type, "poison"))
    for one in merges:
        one.erase()


class _Fields:
    """The fields of records that are split, and of those that go into them."""

    def __init__(self, merges: set[Instruction]) -> None:
        self._merges = merges
        self._known: dict[tuple[int, Path], Value] = {}

    def add_phis(self, phi: Phi) -> None:
        """Put a phi of each field, without edges yet, beside a phi of records."""
        for path, type_ in _leaves(phi.type):
            self._known[id(phi), path] = Builder(phi).phi(type_, [], _named(phi, path))

    def fill_phis(self, phi: Phi) -> None:
        """Give the phi of each field its edges."""
        for path, type_ in _leaves(phi.type):
            found = self._known[id(phi), path]
            assert isinstance(found, Phi)
            found.set_incoming(
                (self.field(value, path, type_, Builder(block.terminator)), block)
                for value, block in phi.incoming
            )

    def field(self, value: Value, path: Path, type_: str, at: Builder) -> Value:
        """Return one field of a record: what was put there, or what is taken out of it.

        A constant is taken apart where the field is wanted.
        """
        while isinstance(value, Instruction) and value.opcode == "insertvalue":
            into, inserted = value.operands[0], value.operands[1]
            place = _indices(value)
            if path[: len(place)] == place:
                if path == place:
                    return inserted
                value, path = inserted, path[len(place) :]
            else:
                value = into
        known = self._known.get((id(value), path))
        if known is not None:
            return known
        made = self._made(value, path, type_, at)
        if not isinstance(value, Constant):
            self._known[id(value), path] = made
        return made

    def _made(self, value: Value, path: Path, type_: str, at: Builder) -> Value:
        if isinstance(value, Constant):
            if value.is_undefined or value.ref == "zeroinitializer":
                return Constant(type_, _constant(value.ref, type_))
            return _extracted(at, value, path)
        if isinstance(value, Instruction):
            if value.opcode == "freeze" and value in self._merges:
                one = self.field(value.operands[0], path, type_, Builder(value))
                return _made(Builder(value), f"freeze {type_} {one.ref}", _named(value, path))
            if value.opcode == "select" and value in self._merges:
                arms = [
                    self.field(arm, path, type_, Builder(value)) for arm in value.operands[1:]
                ]
                return Builder(value).select(
                    value.operands[0], arms[0], arms[1], _named(value, path)
                )
            return _extracted(Builder.after(value), value, path)
        return _extracted(Builder.at_start(at.function.blocks[0]), value, path)

    def replace_uses(self, one: Instruction) -> None:
        """Put the fields of a record in place of it: where one is taken out, that; elsewhere a record of them."""
        whole: Value | None = None
        for user in one.users:
            if user in self._merges:
                continue
            path = _indices(user) if user.opcode == "extractvalue" else ()
            if path and not _is_record(user.type):
                user.replace_with(self.field(one, path, user.type, Builder(user)))
                continue
            if whole is None:
                whole = self._put_together(one)
            user.replace_operand(one, whole)

    def _put_together(self, one: Instruction) -> Value:
        at = Builder.after(one)
        whole: Value = Constant(one.type, "poison")
        for path, type_ in _leaves(one.type):
            field = self.field(one, path, type_, at)
            where = ", ".join(map(str, path))
            text = f"insertvalue {one.type} {whole.ref}, {type_} {field.ref}, {where}"
            whole = _made(at, text, f"{one.name}.whole")
        return whole


def _extracted(at: Builder, value: Value, path: Path) -> Value:
    where = ", ".join(map(str, path))
    name = "field" if isinstance(value, Constant) else f"{value.name}.field"
    return _made(at, f"extractvalue {value.type} {value.ref}, {where}", name)


def _made(at: Builder, text: str, name: str) -> Instruction:
    return at.insert(read_instruction(text, at.function), name)


def _indices(one: Instruction) -> Path:
    """Return the path in a record that `extractvalue` and `insertvalue` name."""
    last = one.operands[-1].ref
    text = one.text.split(", !", 1)[0]
    return tuple(
        int(index) for index in text[text.rindex(f"{last}, ") + len(last) + 2 :].split(", ")
    )


def _named(one: Instruction, path: Path) -> str:
    return ".".join([one.name, *map(str, path)])


def _constant(text: str, type_: str) -> str:
    if text != "zeroinitializer":
        return text
    if kinds.is_pointer(type_):
        return "null"
    return "0.000000e+00" if kinds.is_float(type_) else "0" if kinds.is_integer(type_) else text


def _is_record(type_: str) -> bool:
    return kinds.is_struct(type_) or kinds.is_array(type_)


def _leaves(type_: str, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield path and type of each field of a record, those of records inside of it in their place."""
    if not _is_record(type_):
        yield path, type_
        return
    inner = kinds.fields(type_) if kinds.is_struct(type_) else None
    count, element = (len(inner), "") if inner is not None else kinds.counted(type_)
    for index in range(count):
        yield from _leaves(inner[index] if inner is not None else element, (*path, index))
