"""A parallel loop as LLVM code: a driver that calls a chunk once for each part of the range.

    n   = enzyme_py_parts()                 how many parts, or 1 where threads might meet in memory
    one = enzyme_py_inactive.i64(1)
    driver(n, one, start, total, ...):  for k in 0..n: chunk(n, one, k, start, total, ...)
    chunk(n, one, k, ...):              for _ in 0..one: body(from start + total * k / n, to ..., ...)

Both are internal and not inlined, so that Enzyme makes functions of the same form of them, whose loops passes/threads/
forks.py can turn into forks. They run serially as they are: the right answer, on one thread.

The loop over `one`, which no optimiser knows, is needed: without it numbers come onto the tape by value, and reverse over
reverse drops their adjoint without a word (measured). For the same reason floats are passed by an array with one cell
for each part, which the caller fills: passed by value, their adjoint would be a sum carried from one part to the next.

A loop over several indices, of an array expression, is shared out by the first. Where it is light, each part has LIGHT
iterations or more, and where there are too few for two the body is called as it is, without a driver. Its arrays may be views of one,
some steps of the first axis apart (`x[1:] - x[:-1]`): how many is seen while running, and the margin of its pieces is 0 where they are not.

Behind Numba's own outlining (parfor_lowering.py), which gives the body as a function of a range, its parameters and
the rows of its reductions. Of those part k owns row k, and is shown that row alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.parfors import parfor_lowering

from enzyme_py.frontend.parallel.apart import Apart, Given, array_of
from enzyme_py.frontend.parallel.pieces import Pieces, enough
from enzyme_py.frontend.parallel.rows import (
    cells,
    copies,
    declared,
    numbas,
    rows_kind,
    rows_of_parts,
)
from enzyme_py.frontend.parallel.sharing import Sharing
from enzyme_py.symbols import BARRIER, CHUNK, COPIED, DRIVER, PARTS

_INT = ir.IntType(64)
_BYTE = ir.IntType(8).as_pointer()
# Made for the loop: no other parameter is the same memory. So what else is read need not be kept on the tape.
_SHARED = {"copied": COPIED, "near": f"{COPIED}.near"}  # parameters that are only read: see checks/read_only.py
_FRESH = frozenset(("row", "cell"))
LIGHT = 8192  # iterations of an array expression that are worth a part: some 10 microseconds


def lower_loop(lowerer: Any, parfor: Any) -> None:
    """Lower one loop that `sharing.look_at` has understood; Numba calls it in the place of its own lowering."""
    sharing: Sharing = parfor.enzyme_py_sharing

    def call(_: Any, *given: Any) -> None:
        _Loop(lowerer, sharing, parfor.loc.line, *given).lower()

    with numbas(parfor_lowering, "call_parallel_gufunc", call), rows_of_parts():
        parfor_lowering._lower_parfor_parallel_std(lowerer, parfor)


class _Loop:
    """One loop, where it is called. The parameters are those of Numba's `call_parallel_gufunc`."""

    def __init__(
        self,
        lowerer: Any,
        sharing: Sharing,
        line: int,
        body: Any,
        shapes: Any,
        sig: Any,
        names: Sequence[str],
        kinds: Any,
        ranges: Sequence[Any],
        reductions: Sequence[str],
        reduced: Any,
        rows: dict[str, Any],
        start_block: Any,
        index_kind: Any,
        races: Any,
        tuple_parts: dict[str, tuple[str, int]],
    ) -> None:
        self._lowerer, self._context, self._builder = lowerer, lowerer.context, lowerer.builder
        self._sharing, self._line = sharing, line
        self._reach = sharing.reach  # 0: the range is gone through once
        self._body, self._kinds = body, list(sig.args)
        self._names, self._ranges = list(names[1:]), ranges
        self._reductions, self._rows = list(reductions), rows
        self._index_kind, self._tuple_parts = index_kind, tuple_parts

    def lower(self) -> None:
        """Emit everything behind the loop's own preparation."""
        self._context.add_linking_libs([self._body.library])
        start, total = self._start_and_total(self._ranges[0])
        inner = [self._start_and_total(one) for one in self._ranges[1:]]
        self._inner = [one for both in inner for one in both]
        given = self._given()
        if not self._sharing.is_light:
            self._lower(given, start, total)
            return
        most = total
        for _, count in inner:
            most = self._builder.mul(most, count)
        most = self._builder.sdiv(most, _INT(LIGHT))
        are_few = self._builder.icmp_signed("<", most, _INT(2))
        with self._builder.if_else(are_few) as (few, many):
            with few:
                self._run(self._as_they_are(given), start, total, self._inner)
            with many:
                self._lower(given, start, total, most)

    def _start_and_total(self, bounds: Any) -> tuple[ir.Value, ir.Value]:
        start, stop = (self._bound(one) for one in bounds[:2])
        return start, self._larger(self._builder.sub(stop, start), _INT(0))

    def _as_they_are(self, given: Sequence[Given]) -> list[ir.Value]:
        """Return the values of the body's parameters where nothing is shared out: the first rows of reductions."""
        only, first = _INT(1), _INT(0)
        return [
            self._in_part(one, first, iter(self._flat([one], only))) if one.role == "row" else one.value
            for one in given
        ]

    def _lower(
        self, given: Sequence[Given], start: ir.Value, total: ir.Value, most: ir.Value | None = None
    ) -> None:
        """Emit the calls of the driver, with so many parts at most."""
        rows = [one for one in given if one.role == "row"]
        parts = (
            self._builder.extract_value(self._array(rows[0]).shape, 0)
            if rows
            else self._call(PARTS, [])
        )
        parts = self._larger(parts, _INT(1))
        if most is not None:
            is_less = self._builder.icmp_signed("<", most, parts)
            parts = self._builder.select(is_less, most, parts)
        apart, margin = Apart(self._context, self._builder), _INT(self._reach)
        within = self._reach if self._sharing.is_light else 0
        is_apart = apart.tell(given, start, may_wrap=self._index_kind.signed, within=within)
        if within:
            margin = apart.steps_between_views(given)
        if is_apart is not None:
            parts = self._builder.select(is_apart, parts, _INT(1))
        if self._reach:
            parts = enough(self._builder, total, parts, margin)
        one = self._call(f"{BARRIER}.i64", [_INT(1)])
        parts = self._call(f"{BARRIER}.i64", [parts])
        driver = self._driver(given)
        if self._reach:
            flat = self._flat(given, parts)
            both = self._call(f"{BARRIER}.i64", [_INT(2)])
            self._builder.call(driver, [parts, one, start, total, *self._inner, margin, _INT(0), *flat])
            self._builder.call(driver, [parts, both, start, total, *self._inner, margin, _INT(1), *flat])
            return
        common = [one, start, total, *self._inner]
        if not any(each.role == "copied" for each in given):
            self._builder.call(driver, [parts, *common, *self._flat(given, parts)])
            return
        is_several = self._builder.icmp_signed(">", parts, _INT(1))
        with self._builder.if_else(is_several) as (several, single):
            with several:
                copied = [self._with_copies(each, parts) for each in given]
                self._builder.call(driver, [parts, *common, *self._flat(copied, parts)])
            with single:
                alone = self._call(f"{BARRIER}.i64", [_INT(1)])
                flat = self._flat([self._as_one_row(each) for each in given], alone)
                self._builder.call(driver, [alone, *common, *flat])

    # -- what is given ------------------------------------------------------------------------------

    def _bound(self, given: Any) -> ir.Value:
        if not hasattr(given, "name"):
            return _INT(int(given))
        value = self._lowerer.loadvar(given.name)
        return value if value.type == _INT else self._builder.sext(value, _INT)

    def _larger(self, value: ir.Value, least: ir.Value) -> ir.Value:
        return self._builder.select(self._builder.icmp_signed(">", value, least), value, least)

    def _call(self, name: str, given: list[ir.Value]) -> ir.Value:
        kind = ir.FunctionType(_INT, [_INT] * len(given))
        return self._builder.call(declared(self._builder.module, name, kind), given)

    def _given(self) -> list[Given]:
        kinds = self._kinds[1:]
        inputs = len(self._names) - len(self._reductions)
        found = []
        for name, kind in zip(self._names[:inputs], kinds[:inputs], strict=True):
            value, root = self._value(name), self._tuple_parts.get(name, (name,))[0]
            found.append(Given(kind, self._role(root, kind), name, value))
        for name, kind in zip(self._reductions, kinds[inputs:], strict=True):
            value = self._lowerer.loadvar(self._rows[name].name)
            found.append(Given(kind, "row", name, value))
        return found

    def _value(self, name: str) -> ir.Value:
        if name not in self._tuple_parts:
            return self._lowerer.loadvar(name)
        whole, place = self._tuple_parts[name]
        return self._builder.extract_value(self._lowerer.loadvar(whole), place)

    def _role(self, root: str, kind: Any) -> str:
        if isinstance(kind, types.Float | types.Complex):
            return "cell"
        if isinstance(kind, types.Array):
            is_active = isinstance(kind.dtype, types.Float | types.Complex)
            if is_active and root in self._sharing.copied:
                return "copied"
            if is_active and root in self._sharing.near:
                return "near"
            if is_active and root in self._sharing.disjoint:
                return "disjoint"
        return "other"

    def _array(self, given: Given) -> Any:
        return array_of(self._context, self._builder, given)

    # -- the call ------------------------------------------------------------------------------------

    def _with_copies(self, given: Given, parts: ir.Value) -> Given:
        if given.role != "copied":
            return given
        sig = signature(rows_kind(given.kind), types.intp, given.kind)
        value = self._context.compile_internal(self._builder, copies, sig, [parts, given.value])
        return Given(given.kind, "copied", given.name, value)

    def _as_one_row(self, given: Given) -> Given:
        if given.role != "copied":
            return given
        build, whole = self._builder, self._array(given)
        rows = self._context.make_array(rows_kind(given.kind))(self._context, build)
        shape = cgutils.unpack_tuple(build, whole.shape)
        strides = cgutils.unpack_tuple(build, whole.strides)
        self._fill(rows, whole.data, whole.itemsize, [_INT(1), *shape], [_INT(0), *strides])
        return Given(given.kind, "copied", given.name, rows._getvalue())

    def _fill(
        self, array: Any, data: ir.Value, size: ir.Value, shape: list[Any], strides: list[Any]
    ) -> None:
        build = self._builder
        count = shape[0]
        for one in shape[1:]:
            count = build.mul(count, one)
        array.data, array.itemsize, array.nitems = data, size, count
        array.shape = cgutils.pack_array(build, shape)
        array.strides = cgutils.pack_array(build, strides)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)

    def _flat(self, given: Sequence[Given], parts: ir.Value) -> list[ir.Value]:
        """Return what the driver takes for the parameters."""
        values: list[ir.Value] = []
        for one in given:
            if one.role == "cell":
                sig = signature(types.Array(one.kind, 1, "C"), types.intp, one.kind)
                made = self._context.compile_internal(
                    self._builder, cells, sig, [parts, one.value]
                )
                kind = sig.return_type
                array = self._context.make_array(kind)(self._context, self._builder, value=made)
                values.append(array.data)
            elif isinstance(one.kind, types.Array):
                rows = (
                    one if one.role != "copied" else Given(rows_kind(one.kind), "", "", one.value)
                )
                array = self._array(rows)
                values.append(array.data)
                values += cgutils.unpack_tuple(self._builder, array.shape)
                values += cgutils.unpack_tuple(self._builder, array.strides)
            else:
                packer = self._context.get_arg_packer([one.kind])
                values += list(packer.as_arguments(self._builder, [one.value]))
        return values

    # -- driver and chunk ----------------------------------------------------------------------------

    def _driver(self, given: Sequence[Given]) -> ir.Function:
        names, kinds = [], []
        for one in given:
            for name, kind in self._parameters(one):
                names.append(name)
                kinds.append(kind)
        module = self._builder.module
        inner = [f"{word}.{place}" for place in range(1, len(self._ranges)) for word in ("start", "total")]
        heads = ["n", "one", "start", "total", *inner, *(["margin", "edges"] if self._reach else [])]
        driver = self._function(module, DRIVER, heads, kinds, names)
        chunk = self._function(module, CHUNK, [*heads[:2], "k", *heads[2:]], kinds, names)
        build = ir.IRBuilder(driver.append_basic_block("entry"))
        with cgutils.for_range(build, driver.args[0], intp=_INT) as loop:
            build.call(chunk, [*driver.args[:2], loop.index, *driver.args[2:]])
        build.ret_void()
        self._fill_chunk(chunk, given)
        return driver

    def _function(
        self,
        module: ir.Module,
        base: str,
        heads: list[str],
        kinds: list[Any],
        names: list[str],
    ) -> ir.Function:
        name = module.get_unique_name(f"{base}_{self._line}")
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [*[_INT] * len(heads), *kinds]), name)
        function.linkage = "internal"
        function.attributes = ir.values.FunctionAttributes(("noinline",))
        for parameter, own in zip(function.args, [*heads, *names], strict=True):
            parameter.name = own
            if own in _FRESH:
                parameter.add_attribute("noalias")
        return function

    def _parameters(self, given: Given) -> Iterator[tuple[str, ir.Type]]:
        if given.role == "cell":
            yield "cell", self._context.get_data_type(given.kind).as_pointer()
        elif isinstance(given.kind, types.Array):
            rank = given.kind.ndim + (given.role == "copied")
            base = _SHARED.get(given.role, given.role)
            yield base, self._context.get_data_type(given.kind.dtype).as_pointer()
            for word in ("shape", "stride"):
                for _ in range(rank):
                    yield word, _INT
        else:
            for kind in self._context.get_arg_packer([given.kind]).argument_types:
                yield "number", kind

    def _fill_chunk(self, chunk: ir.Function, given: Sequence[Given]) -> None:
        outer, self._builder = self._builder, ir.IRBuilder(chunk.append_basic_block("entry"))
        build = self._builder
        try:
            parts, one, number, start, total = chunk.args[:5]
            behind_inner = 5 + len(self._inner)
            with cgutils.for_range(build, one, intp=_INT) as loop:
                parameters = iter(chunk.args[behind_inner + 2 * bool(self._reach) :])
                values = [self._in_part(each, number, parameters) for each in given]
                pieces = Pieces(build, parts, number, start, total)
                if self._reach:
                    margin, edges = chunk.args[behind_inner : behind_inner + 2]
                    first, behind = pieces.piece(edges, loop.index, margin)
                else:
                    first, behind = pieces.whole()
                self._run(values, first, build.sub(behind, first), chunk.args[5:behind_inner])
            build.ret_void()
        finally:
            self._builder = outer

    def _run(self, values: Sequence[ir.Value], start: ir.Value, total: ir.Value, inner: Sequence[ir.Value]) -> None:
        """Call the body for a range of the first index, and all of the others."""
        starts, totals = [start, *inner[::2]], [total, *inner[1::2]]
        build, kinds = self._builder, tuple(self._kinds)
        lasts = [build.sub(build.add(*both), _INT(1)) for both in zip(starts, totals, strict=True)]
        kind = self._context.call_conv.get_function_type(types.none, kinds)
        callee = declared(build.module, self._body.fndesc.llvm_func_name, kind)
        given = [self._schedule([*starts, *lasts]), *values]
        self._context.call_conv.call_function(build, callee, types.none, kinds, given)

    def _schedule(self, ends: Sequence[ir.Value]) -> ir.Value:
        """Return Numba's array of the ranges: where they begin, and where they end."""
        build, count = self._builder, len(ends)
        place = cgutils.alloca_once(build, ir.ArrayType(_INT, count))
        for number, one in enumerate(ends):
            build.store(one, cgutils.gep_inbounds(build, place, 0, number))
        array = self._context.make_array(self._kinds[0])(self._context, build)
        data = build.bitcast(place, array.data.type)
        self._fill(array, data, _INT(8), [_INT(count)], [_INT(8)])
        return array._getvalue()

    def _in_part(self, given: Given, number: ir.Value, parameters: Iterator[ir.Value]) -> ir.Value:
        """Return the value of a body's parameter in part `number`."""
        build, context = self._builder, self._context
        if given.role == "cell":
            place = build.gep(next(parameters), [number])
            return context.unpack_value(build, given.kind, place)
        if not isinstance(given.kind, types.Array):
            packer = context.get_arg_packer([given.kind])
            flat = [next(parameters) for _ in packer.argument_types]
            return packer.from_arguments(build, flat)[0]
        rank = given.kind.ndim + (given.role == "copied")
        data = next(parameters)
        shape = [next(parameters) for _ in range(rank)]
        strides = [next(parameters) for _ in range(rank)]
        if given.is_row:
            offset = build.mul(number, strides[0])
            place = build.gep(build.bitcast(data, _BYTE), [offset])
            data = build.bitcast(place, data.type)
            shape, strides = shape[1:], strides[1:]
            if given.role == "row":
                shape, strides = [_INT(1), *shape], [offset.type(0), *strides]
        array = context.make_array(given.kind)(context, build)
        size = _INT(context.get_abi_sizeof(context.get_data_type(given.kind.dtype)))
        if given.role == "row":  # the length of its first axis is 1: any step will do
            strides[0] = size
        self._fill(array, data, size, shape, strides)
        return array._getvalue()

