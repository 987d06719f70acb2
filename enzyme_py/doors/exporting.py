"""export: derivatives as a shared library and a C header, for programs without Python.

The library holds the machine code that a door runs in this process (native/code.py), under other names where objects of several
derivatives would meet. What that calls is found in three places: the C libraries, the C runtime of this package, of which a copy lies beside the
library, and exported.c, which the user's compiler compiles. Code that needs more (Python, an address of this
process) is refused.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from enzyme_py.doors.door import Door, cfunc
from enzyme_py.doors.failures import FAILED
from enzyme_py.errors import EnzymeError, UnresolvedSymbolError, UnsupportedTypeError
from enzyme_py.native.blas import blas_address
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.layouts import allocator_of
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.loading import rules
from enzyme_py.native.runtime import library_path, runtime_addresses
from enzyme_py.native.stored import disk_cache
from enzyme_py.native.symbols import EXCEPTION_MEMORY, STAND_INS
from enzyme_py.native.vector_library import vector_address
from enzyme_py.rules.inactive import CONSTANT_PREFIX
from enzyme_py.special.addresses import special_name

RUNTIME = "libenzyme_py_runtime.so"
_SOURCE = Path(__file__).with_name("exported.c")
_DEFINED = frozenset(
    (FAILED, "PyExc_RuntimeError", *re.findall(r"\b((?:NRT_|Py|numba_)\w+)\b", _SOURCE.read_text()))
)
_FORWARDS = "enzyme_py_forward_"
_ALLOCATORS = {
    "malloc": ("void *", "size_t size", "size"),
    "calloc": ("void *", "size_t count, size_t size", "count, size"),
    "realloc": ("void *", "void *memory, size_t size", "memory, size"),
    "free": ("void", "void *memory", "memory"),
    "aligned_alloc": ("void *", "size_t alignment, size_t size", "alignment, size"),
    "posix_memalign": (
        "int",
        "void **memory, size_t alignment, size_t size",
        "memory, alignment, size",
    ),
}


class Exported(NamedTuple):
    """The files that were written; a program needs both libraries, in one folder."""

    library: Path
    header: Path
    runtime: Path


class _Object(NamedTuple):
    """An object file to be, with the new names of its symbols, and those that others may see."""

    binary: bytes
    names: Mapping[str, str]
    seen: tuple[str, ...]
    needs: tuple[str, ...]


def export(
    library: str | os.PathLike[str],
    functions: Mapping[str, tuple[Callable[..., Any], Any]],
    *,
    libraries: Sequence[str] = (),
) -> Exported:
    """Write a shared library and a C header: `export("libmodel", {"slope": (grad(f), "(float64[::1],)")})`.

    `functions` maps C names to a kernel or transform and its signature, as `cfunc` takes them. Written are `libmodel.so`,
    `model.h`, and beside them a copy of the C runtime of this package. `libraries` are linked too: "openblas", say, where a kernel
    multiplies matrices. It needs a C compiler (CC, or cc) and objcopy, and is for this system and processor.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     slope = enzyme.grad(lambda x: x**3)
        ...     made = enzyme.export(os.path.join(folder, "libcube"), {"slope": (slope, "float64,")})
        ...     "cube.h" in os.listdir(folder)
        True
    """
    path = Path(library)
    path = path if path.suffix == ".so" else path.with_name(path.name + ".so")
    for name in functions:
        if not (name.isascii() and name.isidentifier()):
            message = f"{name!r} is no name of a C function"
            raise UnsupportedTypeError(message, remedy="take letters, digits and underscores")
    doors = [
        cfunc(function, signature, name=name) for name, (function, signature) in functions.items()
    ]
    objects = _objects(doors, has_libraries=bool(libraries))
    path.parent.mkdir(parents=True, exist_ok=True)
    runtime = path.with_name(RUNTIME)
    shutil.copyfile(library_path(RUNTIME), runtime)
    with tempfile.TemporaryDirectory() as folder:
        _linked(Path(folder), path, objects, tuple(functions), libraries)
    header = path.with_name(path.stem.removeprefix("lib") + ".h")
    header.write_text(_header(header.stem, doors))
    return Exported(path, header, runtime)


# -- what goes in


def _objects(doors: Sequence[Door], *, has_libraries: bool) -> list[_Object]:
    found: dict[str, _Object] = {}
    for door in doors:
        code = door.library.code
        if code is None or door.library.holds_addresses():
            raise _not_exportable(door, "an address of this process stands in its code")
        _check_names(
            door, code.symbols, has_libraries=has_libraries, derivatives=door.library.derivatives()
        )
        found[f"door {door.name}"] = _Object(code.binary, {}, (door.name,), code.symbols)
        for one in door.library.derivatives():
            _add_derivative(door, one, found, has_libraries=has_libraries)
    return list(found.values())


def _add_derivative(
    door: Door, one: NativeFunction, found: dict[str, _Object], *, has_libraries: bool
) -> None:
    code = disk_cache.find(one.key) if one.key else None
    if code is None:
        why = (
            "an address of this process stands in its code"
            if not one.key
            else "its code is not in the disk cache"
        )
        raise _not_exportable(door, why)
    for symbol in one.rules:
        _add_rule(door, symbol, found, has_libraries=has_libraries)
    _check_names(door, code.symbols, has_libraries=has_libraries, derivatives=())
    found[one.key] = _Object(
        code.binary,
        {**_renamed(code, len(found)), **one.symbols},
        tuple(one.symbols.values()),
        code.symbols,
    )


def _add_rule(door: Door, symbol: str, found: dict[str, _Object], *, has_libraries: bool) -> None:
    if symbol in found:
        return
    rule = rules[symbol]
    code = disk_cache.find(rule.key) if rule.key else None
    if code is None:
        raise _not_exportable(door, "the code of a rule cannot be found by another process")
    _check_names(door, code.symbols, has_libraries=has_libraries, derivatives=())
    found[symbol] = _Object(code.binary, _renamed(code, len(found)), (symbol,), code.symbols)
    for needed in rule.needs:
        _add_rule(door, needed, found, has_libraries=has_libraries)


def _renamed(code: ObjectCode, number: int) -> dict[str, str]:
    """Return other names for what a derivative calls under a name that means something else in a program.

    Allocators have many names, one for each line that calls them. No two may become one, so each leads to a function of its
    own (`_forwarders`).
    """
    found = {}
    for place, name in enumerate(code.symbols):
        allocator = allocator_of(name)
        if allocator in STAND_INS:
            found[name] = f"{_FORWARDS}{number}_{place}_{allocator}"
        elif _real(name) != name:
            found[name] = _real(name)
    return found


def _forwarders(objects: Iterable[_Object]) -> str:
    """Return the C code of all names that `_renamed` made of allocators."""
    lines = ["#include <stddef.h>"]
    for one in objects:
        for name in one.names.values():
            if name.startswith(_FORWARDS):
                allocator = name.split("_", 5)[-1]
                kind, parameters, given = _ALLOCATORS[allocator]
                called = f"enzyme_py_{allocator}"
                lines.append(f"{kind} {called}({parameters});")
                lines.append(f"{kind} {name}({parameters}) {{ return {called}({given}); }}")
    return "\n".join(lines) + "\n"


def _real(name: str) -> str:
    """Return the name under which a program has what a derivative calls."""
    plain = allocator_of(name)
    if plain in STAND_INS:
        return f"enzyme_py_{plain}"
    return EXCEPTION_MEMORY.get(plain, plain).removeprefix(CONSTANT_PREFIX)


def _check_names(
    door: Door, names: Iterable[str], *, has_libraries: bool, derivatives: Iterable[NativeFunction]
) -> None:
    """Refuse names that no C program has."""
    own = {symbol for one in derivatives for symbol in one.symbols.values()}
    missing = [name for name in map(_real, names) if name not in own and not _is_found(name)]
    of_blas = [name for name in missing if blas_address(name)]
    if of_blas and not has_libraries:
        remedy = 'name the library that has them, as in export(..., libraries=["openblas"])'
        raise _unresolved(door, of_blas, remedy)
    of_scipy = sorted({one for name in missing if (one := special_name(name))})
    if of_scipy:
        raise _unresolved(door, of_scipy, "call it by enzyme.cfunc, in a process that has Python")
    others = [name for name in missing if name not in of_blas]
    if others:
        raise _unresolved(door, others, "compute what it gives outside of the kernel")


def _is_found(name: str) -> bool:
    return (
        name in _DEFINED
        or name in runtime_addresses()
        or name in rules
        or bool(vector_address(name))
        or any(hasattr(one, name) for one in _c_libraries())
    )


@functools.cache
def _c_libraries() -> tuple[ctypes.CDLL, ...]:
    return tuple(map(ctypes.CDLL, ("libc.so.6", "libm.so.6", "libgcc_s.so.1")))


def _unresolved(door: Door, names: Sequence[str], remedy: str) -> UnresolvedSymbolError:
    listed = ", ".join(f"`{name}`" for name in names[:5])
    message = f"`{door.name}` calls {listed}, which a program without Python does not have"
    return UnresolvedSymbolError(message, remedy=remedy)


def _not_exportable(door: Door, why: str) -> EnzymeError:
    message = f"`{door.name}` cannot be written to a library: {why}"
    return EnzymeError(
        message, remedy="pass C functions and arrays as arguments, and switch the disk cache on"
    )


# -- how it is linked


def _linked(
    folder: Path,
    path: Path,
    objects: Sequence[_Object],
    names: Sequence[str],
    libraries: Sequence[str],
) -> None:
    files = [_written(folder / f"{number}.o", one) for number, one in enumerate(objects)]
    forwarders = folder / "forwarders.c"
    forwarders.write_text(_forwarders(objects))
    exports = folder / "exports"
    exports.write_text("{ global: " + " ".join(f"{name};" for name in names) + " local: *; };\n")
    needs_vectors = any(vector_address(name) for one in objects for name in one.needs)
    _run(
        *(os.environ.get("CC") or "cc").split(),
        *("-shared", "-fPIC", "-O2", "-o", str(path), str(_SOURCE), str(forwarders), *files),
        *(f"-L{path.parent}", "-lenzyme_py_runtime", "-Wl,-rpath,$ORIGIN", "-Wl,-z,defs"),
        *("-Wl,--version-script", str(exports), *(f"-l{one}" for one in libraries)),
        *(("-lmvec",) if needs_vectors else ()),
        *("-lm", "-lgcc_s", "-lc"),
    )


def _written(file: Path, one: _Object) -> str:
    """Write an object file under its new names; what it defines beside these is hidden."""
    file.write_bytes(one.binary)
    renames = file.with_suffix(".names")
    renames.write_text("".join(f"{old} {new}\n" for old, new in one.names.items()))
    kept = [f"--keep-global-symbol={name}" for name in one.seen]
    _run("objcopy", f"--redefine-syms={renames}", str(file))
    _run("objcopy", *kept, str(file))
    return str(file)


def _run(*command: str) -> None:
    program = shutil.which(command[0])
    if program is None:
        message = f"`{command[0]}` is not to be found, which writing a library takes"
        raise EnzymeError(
            message, remedy="install a C compiler and binutils (CC names the compiler)"
        )
    done = subprocess.run((program, *command[1:]), capture_output=True, text=True)
    if done.returncode:
        message = f"`{command[0]}` could not write the library: {done.stderr.strip()[:500]}"
        remedy = "look at what the program says: a flag, or a library that is not there"
        raise EnzymeError(message, remedy=remedy, detail=done.stderr)


def _header(name: str, doors: Sequence[Door]) -> str:
    guard = "".join(one if one.isalnum() else "_" for one in name.upper()) + "_H"
    declared = "\n".join(one.declaration for one in doors)
    return f"""/* Written by enzyme_py. Every function returns 0; 1 where the computation raised an exception; 2 where a result
 * has other sizes than its memory. Arrays are contiguous, the last index fastest, their sizes stand behind them. */
#ifndef {guard}
#define {guard}

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

{declared}

#ifdef __cplusplus
}}
#endif

#endif
"""


__all__ = ["Exported", "export"]
