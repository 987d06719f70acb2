"""Functions of other languages: their LLVM IR is linked into kernels and differentiated there.

    clang -O1 -fno-vectorize -fno-slp-vectorize -emit-llvm -c model.c -o model.bc
    energy = enzyme.link_ir("model.bc", "energy", "float64(float64[::1], int64)")

The signature is Numba's. A number is handed over by value, an array as the pointer to its numbers (so it must
be contiguous, and its length is an argument of its own). The function can be called from Python, from jitted code
and from kernels. Outside of kernels it is compiled by llvmlite.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import sigutils, types

from enzyme_py.errors import RuleError
from enzyme_py.frontend.external.foreign import ForeignCode, foreign_call, read_foreign
from enzyme_py.native.symbols import REFUSED, address_of, code_generation_addresses
from enzyme_py.transforms.plans.structures import defined

_numbers = itertools.count()
_ALLOCATORS = {"_Znwm": "new", "_ZdlPv": "delete"}  # C++ calls them so


def link_ir(path: Any, name: str, signature: Any) -> Any:
    """Return the function `name` of a file with LLVM IR or bitcode, as a kernel.

    See the module's text for the signature. What the file only declares must be in a library that this
    process has loaded, and needs a derivative that Enzyme knows, as C's mathematical functions have.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = os.path.join(folder, "twice.ll")
        ...     with open(file, "w") as code:
        ...         print("define double @twice(double %x) {", file=code)
        ...         print("  %y = fadd double %x, %x", file=code)
        ...         print("  ret double %y", "}", sep=chr(10), file=code)
        ...     twice = enzyme.link_ir(file, "twice", "float64(float64)")
        >>> enzyme.grad(twice)(1.0)
        2.0
    """
    arguments, result = _signature(signature)
    file = Path(path)
    if not file.is_file():
        message = f"there is no file {file}"
        raise RuleError(message, remedy="give the path of an .ll or .bc file")
    code = read_foreign(file, name, arguments, result)
    _check_symbols(code)
    _tell_addresses(code)
    return _function(code, name)


def _signature(signature: Any) -> tuple[tuple[Any, ...], Any]:
    try:
        arguments, result = sigutils.normalize_signature(signature)
    except Exception as error:
        message = f"{signature!r} is no signature"
        remedy = 'write result and arguments as Numba does: "float64(float64, float64[::1])"'
        raise RuleError(message, remedy=remedy) from error
    result = types.none if result is None else result
    for i, kind in enumerate(arguments):
        is_array = isinstance(kind, types.Array) and kind.layout in "CF" and _is_plain(kind.dtype)
        if not is_array and not _is_plain(kind):
            message = f"argument {i} of the signature is {kind}"
            remedy = "it can be a float, an integer, or a contiguous array of these: float64[::1]"
            raise RuleError(message, remedy=remedy)
    if not isinstance(result, types.NoneType) and not _is_plain(result):
        message = f"the result of the signature is {result}"
        raise RuleError(message, remedy="it can be a float, an integer, or void")
    return tuple(arguments), result


def _is_plain(kind: Any) -> bool:
    return kind in (types.float32, types.float64) or isinstance(kind, types.Integer)


def _check_symbols(code: ForeignCode) -> None:
    allocators = [name for name in code.outside if name in REFUSED]
    if allocators:
        shown = ", ".join(f"`{_ALLOCATORS.get(one, one)}`" for one in allocators)
        message = f"{code.file} allocates by {shown}: such memory would be freed by another allocator"
        raise RuleError(message, remedy="use malloc and free there, or let arguments be the memory")
    missing = [name for name in code.outside if not address_of(name)]
    if missing:
        shown = ", ".join(f"`{one}`" for one in missing)
        message = f"{code.file} calls {shown}, which no library in this process has"
        remedy = "link the files of the other language first (llvm-link), or load the library by ctypes.CDLL(path, ctypes.RTLD_GLOBAL)"
        raise RuleError(message, remedy=remedy)


def _tell_addresses(code: ForeignCode) -> None:
    """Let LLVM know of what it does not find by itself, as helpers of compilers: a plain call would go to address 0."""
    known = {name: address_of(name) for name in code.outside}
    for name, address in {**code_generation_addresses(), **known}.items():
        if address and not llvm.address_of_symbol(name):
            llvm.add_symbol(name, address)


def _function(code: ForeignCode, name: str) -> Callable[..., Any]:
    names = ", ".join(f"argument_{i}" for i in range(len(code.arguments)))
    scope = {"call": foreign_call(code)}
    shown = name if name.isidentifier() else "linked"
    made = defined(f"def {shown}({names}):\n    return call(({names},))", shown, scope)
    return numba.njit(made)  # type: ignore[no-any-return]
