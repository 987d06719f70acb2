"""Functions that find an order of numbers, or their extremes: constants to every derivative, with no body for Enzyme.

    enzyme_py_order.KIND.TYPE(ptr values, i64 n, ptr order)                 an order that sorts
    enzyme_py_select.NAN.TYPE(ptr values, i64 n, i64 k, i64 low, i64 high, ptr order)
                                        an order in which the k-th of low..high stands where it belongs
    enzyme_py_search.SIDE.TYPE(ptr sorted, i64 n, ptr values, i64 m, ptr places)
                                        where m values would stand among the sorted ones
    enzyme_py_scan.KIND.TYPE(ptr values, i64 n) -> i64
                                        where the first of the largest (max) or smallest (min) stands, or of NaN;
                                        whether one (any) or each (all) is true

The values are contiguous and are only read; orders and places are integers of 64 bits. The native stage
compiles the functions when it meets their names (native/orders.py); scans are in csrc/scans.c.
"""

from __future__ import annotations

from enzyme_py.symbols import OF_INTEGER

ORDER = "enzyme_py_order"
SELECT = "enzyme_py_select"
SEARCH = "enzyme_py_search"
SCAN = "enzyme_py_scan"
TYPES = frozenset(
    "float64 float32 complex128 complex64 int64 int32 int16 int8 uint64 uint32 uint16 uint8 bool".split()
)
_VALUES = 'ptr readonly captures(none) "enzyme_type"="{[-1]:Pointer, [-1,-1]:%s}"'
_CONTENT = {
    "float64": "Float@double",
    "complex128": "Float@double",
    "float32": "Float@float",
    "complex64": "Float@float",
}
_FOUND = 'ptr captures(none) "enzyme_type"="{[-1]:Pointer, [-1,-1]:Integer}"'
_PLACE = f"{OF_INTEGER} i64"
# Else a size that a function is called with could be a float's bits, and what is computed from it is refused.
_COUNT = f"i64 {OF_INTEGER}"
_PARAMETERS = {
    ORDER: (_VALUES, _COUNT, _FOUND),
    SELECT: (_VALUES, _COUNT, _COUNT, _COUNT, _COUNT, _FOUND),
    SEARCH: (_VALUES, _COUNT, _VALUES, _COUNT, _FOUND),
    SCAN: (_VALUES, _COUNT),
}
_ATTRIBUTES = 'nounwind willreturn nofree nosync memory(argmem: %s) "enzyme_inactive" "enzyme_no_escaping_allocation"'


def is_order(name: str) -> bool:
    """Tell whether a symbol is one of these functions."""
    return name.split(".", 1)[0] in _PARAMETERS


def declaration(name: str) -> str:
    """Return the declaration that tells Enzyme what such a function does."""
    family = name.split(".", 1)[0]
    content = _CONTENT.get(name.rpartition(".")[2], "Integer")
    parameters = ", ".join(one % content if one is _VALUES else one for one in _PARAMETERS[family])
    result, touched = (_PLACE, "read") if family == SCAN else ("void", "readwrite")
    return f'declare {result} @"{name}"({parameters}) {_ATTRIBUTES % touched}'
