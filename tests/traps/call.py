"""Calling what the pass made of a trap, in this process: it reads JSON and prints JSON (trap.py asks).

Also the second opinion: extrapolated differences of the function whose derivative it is.
"""

from __future__ import annotations

import copy
import ctypes
import itertools
import json
import os
import re
import sys
from typing import Any

import llvmlite.binding as llvm

_STEP = 2.0**-8
_CLOSE = 1e-6

Values = dict[str, Any]


_LIBC = ctypes.CDLL(None)
_LIBC.malloc.restype = ctypes.c_void_p
_LIBC.malloc.argtypes = [ctypes.c_size_t]
_MOST = 2**30


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)
def _malloc(size: int) -> int:
    """Allocate memory full of NaN, so that nothing is right by luck; who asks for less than none is ended."""
    if size > _MOST:
        os.abort()
    memory = _LIBC.malloc(max(1, size))
    ctypes.memset(memory, 0xFF, size)
    return int(memory)


@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
def _realloc(memory: int | None, size: int) -> int:
    """Likewise for memory that grows: what is new of it is full of NaN."""
    grown = int(_malloc(size))
    if memory:
        ctypes.memmove(grown, memory, min(size, _LIBC.malloc_usable_size(ctypes.c_void_p(memory))))
    return grown


class Code:
    """The machine code of a module."""

    def __init__(self, ir: str, *, is_optimised: bool) -> None:
        self._void = set(re.findall(r"^define [^@\n]*\bvoid @(\w+)\(", ir, re.MULTILINE))
        self._engine = _engine(ir, is_optimised=is_optimised)

    def call(self, name: str, arguments: Values) -> Values:
        """Call a function, and return what its arguments hold afterwards, and its result."""
        given = {key: _given(value) for key, value in arguments.items()}
        passed = [
            ctypes.byref(one) if isinstance(one, ctypes.Array) else one for one in given.values()
        ]
        address = self._engine.get_function_address(name)
        if not address:
            raise SystemExit(f"the pass left no function @{name}")
        function = ctypes.CFUNCTYPE(None if name in self._void else ctypes.c_double)(address)
        result = function(*passed)
        found = {k: list(v) if isinstance(v, ctypes.Array) else v.value for k, v in given.items()}
        return {**found, "result": 0.0 if result is None else result}


def _engine(ir: str, *, is_optimised: bool) -> llvm.ExecutionEngine:
    llvm.add_symbol("malloc", ctypes.cast(_malloc, ctypes.c_void_p).value)
    llvm.add_symbol("realloc", ctypes.cast(_realloc, ctypes.c_void_p).value)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(ir)
    module.triple = llvm.get_process_triple()
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    if is_optimised:
        tuning = llvm.create_pipeline_tuning_options(speed_level=3)
        builder = llvm.create_pass_builder(machine, tuning)
        builder.getModulePassManager().run(module, builder)
    return llvm.create_mcjit_compiler(module, machine)


def _given(value: Any) -> Any:
    if isinstance(value, list):
        kind = ctypes.c_int64 if all(isinstance(one, int) for one in value) else ctypes.c_double
        return (kind * max(1, len(value)))(*value)
    return ctypes.c_int64(value) if isinstance(value, int) else ctypes.c_double(value)


def objection(code: Code, of: str, arguments: Values, right: Values) -> str:
    """Return what differences of a function have to say against the answer that is said to be right."""
    name, mode = (part.strip() for part in of.split(","))
    shadows = {key for key in arguments if key[0] == "d" and key[1:] in arguments}
    primals = {key: value for key, value in arguments.items() if key not in shadows}
    seeds = {key[1:]: arguments[key] for key in shadows}
    differ = _of_tangents if mode == "forward" else _of_adjoints
    told = []
    for key, slope in differ(code, name, primals, seeds).items():
        if key in right:
            said = right[key] if isinstance(right[key], list) else [right[key]]
            if not all(_near(a, b) for a, b in zip(said, slope, strict=True)):
                told.append(f"{key} = {slope}")
    return ", ".join(told)


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= _CLOSE * max(1.0, abs(one))


def _of_adjoints(code: Code, name: str, primals: Values, seeds: Values) -> Values:
    """Return the shadows after reverse mode: the slopes of the result and of <seed, argument afterwards>."""

    def height(moved: Values) -> list[float]:
        after = code.call(name, moved)
        pairs = (
            zip(seed, after[key], strict=True)
            for key, seed in seeds.items()
            if isinstance(primals[key], list)
        )
        return [after["result"] + sum(a * b for pair in pairs for a, b in pair)]

    return {
        f"d{key}": [
            _slope(lambda h, key=key, place=place: height(_moved(primals, {key: (place, h)})))[0]
            for place in range(len(primals[key]) if isinstance(primals[key], list) else 1)
        ]
        for key in seeds
    }


def _of_tangents(code: Code, name: str, primals: Values, seeds: Values) -> Values:
    """Return the tangents after forward mode, and that of the result."""
    lengths = {
        key: len(value)
        for key, value in primals.items()
        if key in seeds and isinstance(value, list)
    }

    def along(h: float) -> list[float]:
        moved = copy.deepcopy(primals)
        for key, seed in seeds.items():
            if key in lengths:
                moved[key] = [x + h * v for x, v in zip(moved[key], seed, strict=True)]
            else:
                moved[key] += h * (seed[0] if isinstance(seed, list) else seed)
        after = code.call(name, moved)
        return [after["result"], *(x for key in lengths for x in after[key])]

    slopes = iter(_slope(along))
    return {"result": [next(slopes)]} | {
        f"d{k}": [next(slopes) for _ in range(n)] for k, n in lengths.items()
    }


def _moved(values: Values, moves: dict[str, tuple[int, float]]) -> Values:
    moved = copy.deepcopy(values)
    for key, (place, h) in moves.items():
        if isinstance(moved[key], list):
            moved[key][place] += h
        else:
            moved[key] += h
    return moved


def _slope(heights: Any) -> list[float]:
    """Central differences, extrapolated (Ridders' rows): exact for polynomials up to the tenth degree."""
    rows = []
    for k in range(5):
        h = _STEP / 2**k
        rows.append([(a - b) / (2 * h) for a, b in zip(heights(h), heights(-h), strict=True)])
    for order in range(1, 5):
        rows = [
            [(4**order * b - a) / (4**order - 1) for a, b in zip(one, other, strict=True)]
            for one, other in itertools.pairwise(rows)
        ]
    return rows[0]


def main() -> None:
    """Answer one question, in two lines: the call of the derivative may end this process."""
    asked = json.load(sys.stdin)
    code = Code(asked["ir"], is_optimised=asked["keys"].get("behind") == "O3")
    of = asked["keys"].get("of")
    differences = objection(code, of, asked["arguments"], asked["right"]) if of else ""
    print(json.dumps({"differences": differences}), flush=True)
    print(json.dumps({"found": code.call("derivative", asked["arguments"])}))


if __name__ == "__main__":
    main()
