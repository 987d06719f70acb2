"""What stands for the calls of special functions up to Enzyme, linked into a module: bodies and derivatives (generated.py)."""

from __future__ import annotations

import llvmlite.binding as llvm

from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.frontend.codegen.library import linked_module
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.special.calls import KINDS, flat, result_of, returned
from enzyme_py.symbols import SPECIAL, SPECIAL_SLOPE

_BODY = "alwaysinline"
# Enzyme takes it for constant; LLVM may drop it where nobody uses it, and call it once for the same numbers.
_DERIVATIVE = (
    "noinline nounwind willreturn nofree nosync memory(none) "
    '"enzyme_inactive" "enzyme_nofree" "enzyme_no_escaping_allocation"'
)


def link_bodies(module: llvm.ModuleRef, modules: Modules, *, order: int) -> None:
    """Define the special functions that a module calls, with derivatives up to an order."""
    done = set[str]()
    while True:
        called = [
            one.name
            for one in module.functions
            if one.is_declaration
            and one.name.startswith((SPECIAL, SPECIAL_SLOPE))
            and one.name not in done
        ]
        if not called:
            return
        for name in called:
            done.add(name)
            module.link_in(_definition(name, order, modules))


def _definition(symbol: str, order: int, modules: Modules) -> llvm.ModuleRef:
    # Not imported by who has no such functions.
    from enzyme_py.special.generated import body_of, function_of
    from enzyme_py.special.table import TABLE

    is_body = symbol.startswith(SPECIAL)
    name, _, letters = symbol.removeprefix(SPECIAL if is_body else SPECIAL_SLOPE).rpartition(".")
    if is_body:
        function = body_of(TABLE[name], letters, order)
    else:
        function = function_of(name, is_complex="D" in letters)
    kernel = compile_kernel(function, tuple(KINDS[letter] for letter in letters))
    module = modules.parsed(
        _wrapper(symbol, kernel.symbol, letters, _BODY if is_body else _DERIVATIVE)
    )
    module.link_in(linked_module(kernel.library, modules))
    return module


def _wrapper(symbol: str, kernel: str, letters: str, attributes: str) -> str:
    """Return the definition of a function of numbers that calls a kernel of Numba's."""
    kinds = [str(one) for one in flat(letters)]
    numbers = ", ".join(f"{kind} %x{i}" for i, kind in enumerate(kinds))
    types = ", ".join(["ptr", "ptr", *kinds])
    kind = str(returned(letters))
    zero = "0.0" if result_of(letters) == "d" else "zeroinitializer"
    given = f", {numbers}" if kinds else ""
    return (
        f'declare i32 @"{kernel}"({types})\n'
        f'define linkonce_odr {kind} @"{symbol}"({numbers}) {attributes} {{\n'
        f"  %result = alloca {kind}\n  %info = alloca ptr\n  store {kind} {zero}, ptr %result\n"
        f'  %status = call i32 @"{kernel}"(ptr %result, ptr %info{given})\n'
        f"  %value = load {kind}, ptr %result\n  ret {kind} %value\n}}\n"
    )
