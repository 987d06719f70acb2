"""A Python callable as the C function that Numba's C dispatcher wants in the place of compiled code.

That dispatcher takes nothing but built-in functions. This one calls back, with the arguments as they are; it is a call in
ten bytes of machine code, so nothing of Numba's compiler is needed for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba import _dynfunc

from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.loading import link
from enzyme_py.native.machine import emit_object, initialise_llvm
from enzyme_py.native.symbols import shared_address

_ENTRY = "enzyme_py_call"
_CALL = "PyObject_Call"
_TEXT = """
declare ptr @PyObject_Call(ptr, ptr, ptr)
define ptr @enzyme_py_call(ptr %closure, ptr %arguments, ptr %named) {{
  %result = call ptr @PyObject_Call(ptr inttoptr (i64 {address} to ptr), ptr %arguments, ptr %named)
  ret ptr %result
}}
"""


def c_function(function: Callable[..., Any]) -> Any:
    """Return the built-in function that calls a Python callable, which it holds."""
    initialise_llvm()
    with Modules() as modules:
        parsed = modules.parsed(_TEXT.format(address=id(function)))
        parsed.triple = llvm.get_process_triple()
        code = ObjectCode(emit_object(parsed), (_ENTRY,), (_CALL,))
    linked, addresses = link(code, shared_address)
    name = getattr(function, "__name__", _ENTRY)
    module = sys.modules[__name__]
    environment = _dynfunc.Environment({})
    return _dynfunc.make_function(
        module, name, "", addresses[_ENTRY], environment, (function, linked)
    )
