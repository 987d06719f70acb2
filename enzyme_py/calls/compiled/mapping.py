"""vmap in compiled code: it makes its loop where Numba types the call."""

from enzyme_py.calls.compiled.jacobian_overloads import register_transformer
from enzyme_py.calls.mapping import vmap

register_transformer(vmap)
