"""The names of functions that generated code calls and that passes know: marks, barriers, raises.

What makes them stands in frontend/ and rules/; what reads them, in passes/ and native/. Here are only the names.
"""

from __future__ import annotations

from collections.abc import Iterator

# A call that does nothing and whose parameter carries a type tree (frontend/codegen/type_hints.py).
HINT = "enzyme_py_hint"
HINT_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite) "
    '"enzyme_inactive" "enzyme_nofree"'
)

# A function that passes its argument on and has no derivative. It stays external until Enzyme has seen it;
# the native stage gives it its body.
BARRIER = "enzyme_py_inactive"
# And the type behind it: one that gets constants, and is called again wherever its result is needed.
BARRIER_OF_CONSTANTS = f"{BARRIER}.again_"
# LLVM's, around what is compared for equality: of constants it is computed, and nothing is learned through it.
CANONICAL = "llvm.canonicalize."
BARRIER_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(none) "
    '"enzyme_inactive" "enzyme_no_escaping_allocation"'
)

OF_INTEGER = '"enzyme_type"="{[-1]:Integer}"'  # the attribute of an integer, for Enzyme
INACTIVE_VALUE = "enzyme_inactive_val"  # the attribute of a call whose result has no derivative, for Enzyme
TYPES = "enzyme_py"  # the root of the tree of types that tags of loads and stores name

RAISE = "enzyme_py_raise"  # does not return (frontend/codegen/calling_convention.py)
RULED = "enzyme_py_ruled."  # functions with derivatives that we tell Enzyme (frontend/external/ruled.py)
# What a rule of ours runs, outside of the module where Enzyme need not see it (frontend/external/rule_code.py).
RULE_CODE = "enzyme_py_rule_code."
PYTHON = "enzyme_py_python."  # functions that only Python can run (frontend/external/python_calls.py)
# Functions of scipy.special as kernels call them, and their derivatives, of constants (special/generated.py).
SPECIAL = "enzyme_py_special."
SPECIAL_SLOPE = "enzyme_py_special_slope."
SPECIAL_OUTSIDE = (
    "enzyme_py_special_c.",  # SciPy's function itself: `enzyme_py_special_c.jv.dd`
    "enzyme_py_special_loop.",  # the inner loop of a ufunc: `enzyme_py_special_loop._zeta.dd`
    "enzyme_py_special_data.",  # what that loop is given beside the numbers
)
SPECIAL_NONE = "enzyme_py_special_none."  # a derivative that has no closed form: found nowhere
TABLE_OPERATION = "enzyme_py_table_operation"  # on tables and texts, in functions of their own (frontend/codegen/outlining.py)
OWN = "enzyme_py_own"  # stores into memory that the kernel made itself (frontend/arrays/growing/grown_arrays.py)
# In the symbol of a function whose reverse does nothing for cotangents of zero: it may call itself.
SILENT = "_silent"
DOOR = "enzyme_py_door"  # the attribute of a dispatcher with the function that kernels call in its place
REQUEST = "__enzyme_"  # the names of functions that ask Enzyme for a derivative begin so
INACTIVE = "enzyme_inactive"  # metadata and attribute of what has no derivative
WHOLE = "whole"  # the type of what reads or writes an integer, by the language (frontend/codegen/named_integers.py): Enzyme does not know it
BIT_VIEWS = f"{HINT}.bits"  # a call in kernels that look at the bits of floats
CACHED = f"{HINT}.kept"  # a call that seems to keep its pointer (passes/memory/cache_marks.py)
WRITTEN = (
    f"{HINT}.written"  # a call that seems to use an address (passes/memory/written_pointers.py)
)
INTO_BUFFER = (
    "enzyme_py_into_buffer_"  # copies one array into another (passes/memory/hoisted_buffers.py)
)

# Parallel loops (frontend/parallel/drivers.py), the forks that they become (passes/threads/forks.py).
PARTS = "enzyme_py_parts"
FORK = "enzyme_py_fork"
DRIVER = "threads_driver"
CHUNK = "threads_chunk"
COPIED = "copied"  # the parameter of a chunk of which each part has a copy

MUST_CACHE = "enzyme_mustcache"  # metadata of a load
NO_RECOMPUTING = "--enzyme-rematerialize=0"  # an option of Enzyme: no memory is made again

_HEXADECIMAL = frozenset("0123456789abcdef")
_DIGITS_OF_ADDRESS = 6  # at least


def plain_name(name: str) -> str:
    """Return a name with nothing in it but letters, digits and underscores."""
    return "".join(one if one.isalnum() or one == "_" else "_" for one in name)


def plain_symbol(name: str) -> str:
    """Return a name with nothing in it but letters, digits and underscores of ASCII, for a symbol."""
    return "".join(one if one.isascii() else "_" for one in plain_name(name))


def without_addresses(text: str) -> str:
    """Return a text without the addresses that Numba puts into some names: `_0x7f3c52a01d90`."""
    parts, done = list[str](), 0
    at = text.find("0x")
    while at >= 0:
        end = at + 2
        while text[end : end + 1] in _HEXADECIMAL:
            end += 1
        if end - at - 2 < _DIGITS_OF_ADDRESS:
            end = at + 1
        else:
            has_mark = at > done and text[at - 1] == "_"
            parts.append(text[done : at - has_mark])
            done = end
        at = text.find("0x", end)
    return "".join([*parts, text[done:]])


def readable(symbol: str) -> str:
    """Return the last part of the Python name in a mangled symbol, or the symbol itself."""
    parts = list(components(symbol.removeprefix("shim.")))
    return plain_name(without_addresses(parts[-1] if parts else symbol))


def without_number(symbol: str) -> str:
    """Return a symbol without the number that stable_names.py has put in front of it."""
    first, _, rest = symbol.partition(".")
    return rest if rest and first[:1] == "k" and first[1:].isdecimal() else symbol


def is_kernel(symbol: str) -> bool:
    """Tell whether a symbol is that of a kernel, or one that Enzyme made of it (passes/module/stable_names.py)."""
    before, *parts = symbol.split(".")
    for part in parts:
        digits = len(before) - len(before.rstrip("0123456789"))
        if (
            digits
            and before[: len(before) - digits].endswith("k")
            and not part.startswith("enzyme_py")
        ):
            return True
        before = part
    return False


def components(symbol: str) -> Iterator[str]:
    """Yield the names in `_ZN<length><name>...`, up to the first that is no name."""
    rest = symbol[3:] if symbol.startswith("_ZN") else ""
    while rest[:1].isdecimal():
        start = len(rest) - len(rest.lstrip("0123456789"))
        end = start + int(rest[:start])
        yield rest[start:end]
        rest = rest[end:]

ANY_ORDER = "any order"  # beside the words of `fastmath`: adjoints may be summed so (native/rewrites/sums/reverse_sums.py)
