"""Merges of whole records, and their loads and stores, field by field.

Symptom: "Cannot deduce adding type of: %x = phi { ptr, ptr, i64, ... }": a refusal, of `np.ascontiguousarray` of an
array with four dimensions, and of whatever else returns one of two arrays.

Cause: Numba's arrays are records, and LLVM leaves a phi of records whole where records come from calls that were
inlined late. Enzyme's type analysis has one type for the whole of such a value: that of a pointer beside
that of an integer is none. Nor has it a shadow for half of a record. Loads and stores of whole records LLVM leaves where
there are gaps between their fields: "what the memory of a insertvalue holds", of an array that may be None, in the
result of a function that calls itself.

Cure: a phi, select, freeze, load or store of records becomes one for each field; what used the record, takes the fields.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Constant, Function, Instruction, Load, Phi, Store, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.reading.body import read_instruction
from enzyme_py.passes.base import Draft, Pass

Path = tuple[int, ...]
_MERGES = ("phi", "select", "freeze")
_MOST = 64  # fields of a record that is loaded or stored: what has more is an array


class SplitAggregates(Pass):
    """A phi, select, freeze, load or store for each field of a record, in place of one of the whole."""

    name = "split aggregates"

    def run(self, draft: Draft) -> None:
        """Split all records of all functions."""
        for function in draft.code.functions:
            if function.is_edited or _may_merge(function.body_text):
                _split(function)


def _may_merge(text: str) -> bool:
    merges = (f" {opcode} {bracket}" for opcode in (*_MERGES, "load", "store") for bracket in "{[")
    return " select i1 " in text or any(one in text for one in merges)


def _split(function: Function) -> None:
    merges = [one for one in function.instructions if _is_merge(one)]
    stores = [one for one in function.instructions if isinstance(one, Store) and _is_moved(one, one.value.type)]
    fields = _Fields(set(merges))
    for one in merges:
        fields.begin(one)
    for one in merges:
        if isinstance(one, Phi):
            fields.fill_phis(one)
    records = {store.value for store in stores}
    for store in stores:
        fields.replace_store(store)
    for one in merges:
        fields.replace_uses(one)
    for one in merges:  # nothing but each other uses them any more
        for user, index in one.uses:
            user.set_operand(index, function.constant(one.type, "poison"))
    for one in merges:
        one.erase()
    for record in records:
        _erase_unused(record)


def _erase_unused(record: Value) -> None:
    """Erase what put a record together, if nobody uses it: type analysis would ask what all its fields are."""
    if isinstance(record, Instruction) and record.opcode == "insertvalue" and not record.is_used:
        parts = record.operands
        record.erase()
        for one in parts:
            _erase_unused(one)


class _Fields:
    """The fields of records that are split, and of those that go into them or are stored."""

    def __init__(self, merges: set[Instruction]) -> None:
        self._merges = merges
        self._known: dict[tuple[int, Path], Value] = {}

    def begin(self, one: Instruction) -> None:
        """Put a phi of each field, without edges yet, beside a phi of records; or a load in front of their load."""
        for type_, path in kinds.leaves(one.type):
            if isinstance(one, Phi):
                self._known[id(one), path] = Builder(one).phi(type_, [], _named(one, path))
            elif isinstance(one, Load):
                at = Builder(one, keeps_location=True)
                place, align = _place(at, one, one.type, path)
                self._known[id(one), path] = at.load(type_, place, _named(one, path), align=align)

    def replace_store(self, store: Store) -> None:
        """Store each field in place of a record."""
        at = Builder(store, keeps_location=True)
        for type_, path in kinds.leaves(store.value.type):
            field = self.field(store.value, path, type_, at)
            place, align = _place(at, store, store.value.type, path)
            at.store(field, place, align=align)
        store.erase()

    def fill_phis(self, phi: Phi) -> None:
        """Give the phi of each field its edges."""
        for type_, path in kinds.leaves(phi.type):
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
        for type_, path in kinds.leaves(one.type):
            field = self.field(one, path, type_, at)
            where = ", ".join(map(str, path))
            text = f"insertvalue {one.type} {whole.ref}, {type_} {field.ref}, {where}"
            whole = _made(at, text, f"{one.name}.whole")
        return whole


def _is_merge(one: Instruction) -> bool:
    """Tell whether an instruction makes a record that is split."""
    if isinstance(one, Load):
        return _is_moved(one, one.type)
    return one.opcode in _MERGES and _is_record(one.type)


def _is_moved(access: Load | Store, type_: str) -> bool:
    """Tell whether a load or store moves a record that is split."""
    if not _is_record(type_) or access.is_volatile or access.is_atomic or kinds.size_of(type_) is None:
        return False
    return len(list(kinds.leaves(type_))) <= _MOST


def _place(at: Builder, access: Load | Store, type_: str, path: Path) -> tuple[Value, int]:
    """Return where a field of the record lies that is loaded or stored, and to how many bytes that is aligned."""
    offset = kinds.offset_of(type_, path)
    assert offset is not None
    align = access.alignment or 1
    if not offset:
        return access.pointer, align
    return at.gep("i8", access.pointer, [offset], "field", flags="inbounds nuw"), min(align, offset & -offset)


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
