"""Public functions that compiled code cannot call, and what it calls instead."""

from __future__ import annotations

from enzyme_py.calls import precompiling, thunks, tuning
from enzyme_py.transforms.values.python_only import python_only

python_only(thunks.autodiff_thunk, "write `result, pull_back = enzyme.vjp(f, *args)`, whose pull_back is the reverse half; or autodiff with Reverse")
_OUTSIDE = "call it from Python, outside of compiled code"
for _function in (tuning.autotune, precompiling.precompile):
    python_only(_function, _OUTSIDE)
