"""Gives functions of numbers the bodies of frontend/numpy_functions/special.py, before Enzyme sees the module."""

from __future__ import annotations

import llvmlite.binding as llvm

from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.frontend.codegen.library import linked_module
from enzyme_py.frontend.external.complex_numbers import link_complex_functions
from enzyme_py.frontend.external.linked_blas import link_linked_blas
from enzyme_py.frontend.numpy_functions.special import SPECIAL, Special
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.rules.numbers.elementary import bodies
from enzyme_py.rules.numbers.integer_powers import POWER, power
from enzyme_py.special.linking import link_bodies

_LLVM_TYPES = {
    "float64": "double",
    "float32": "float",
    "complex128": "double",
    "complex64": "float",
}


def link_special_functions(
    module: llvm.ModuleRef, modules: Modules, *, order: int = 1, is_forward: bool = False
) -> None:
    """Define the functions of the tables that a module calls, for so many derivatives within each other."""
    link_bodies(module, modules, order=order)
    link_complex_functions(module, modules)
    link_linked_blas(module, modules, order=order, is_forward=is_forward)
    for name in [one.name for one in module.functions if one.is_declaration and one.name.startswith(POWER)]:
        module.link_in(modules.parsed(power(name.removeprefix(POWER), order)))
    known = bodies(order, is_forward=is_forward)
    for function in [one for one in module.functions if one.is_declaration and one.name in known]:
        function.name = known[function.name].own_name
    own = {row.own_name: row for row in known.values()}
    while needed := [own[one.name] for one in module.functions if one.is_declaration and one.name in own]:
        for row in needed:  # which may call others
            module.link_in(modules.parsed(row.ir))
    called = [one.name for one in module.functions if one.is_declaration and one.name in SPECIAL]
    for name in called:
        module.link_in(_definition(SPECIAL[name], modules))


def _definition(row: Special, modules: Modules) -> llvm.ModuleRef:
    """Return a module, one of the given, that defines a symbol by its compiled Python function."""
    compiled = compile_kernel(row.function, (row.type,) * row.arity)
    write = _by_address if row.by_address else _by_value
    module = modules.parsed(write(row, compiled.symbol))
    module.link_in(linked_module(compiled.library, modules))
    return module


def _by_value(row: Special, symbol: str) -> str:
    kind = _LLVM_TYPES[str(row.type)]
    parameters = ", ".join(f"{kind} %x{i}" for i in range(row.arity))
    types = ", ".join(["ptr", "ptr", *[kind] * row.arity])
    return (
        f'declare i32 @"{symbol}"({types})\n'
        f"define linkonce_odr {kind} @{row.symbol}({parameters}) alwaysinline {{\n"
        f"  %result = alloca {kind}\n  %info = alloca ptr\n  store {kind} 0.0, ptr %result\n"
        f'  %status = call i32 @"{symbol}"(ptr %result, ptr %info, {parameters})\n'
        f"  %value = load {kind}, ptr %result\n  ret {kind} %value\n}}\n"
    )


def _by_address(row: Special, symbol: str) -> str:
    """As `_by_value`, of complex numbers behind pointers."""
    kind = _LLVM_TYPES[str(row.type)]
    types = ", ".join(["ptr", "ptr", *[kind] * (2 * row.arity)])
    addresses = ", ".join(f"ptr %x{i}" for i in range(row.arity))
    loads, given = "", []
    for i in range(row.arity):
        for part in range(2):
            own = f"%x{i}.{part}"
            loads += f"  {own}.at = getelementptr {kind}, ptr %x{i}, i64 {part}\n"
            loads += f"  {own} = load {kind}, ptr {own}.at\n"
            given.append(f"{kind} {own}")
    return (
        f'declare i32 @"{symbol}"({types})\n'
        f"define linkonce_odr void @{row.symbol}({addresses}, ptr %result) alwaysinline {{\n"
        f"  %info = alloca ptr\n{loads}"
        f'  %status = call i32 @"{symbol}"(ptr %result, ptr %info, {", ".join(given)})\n'
        "  ret void\n}\n"
    )
