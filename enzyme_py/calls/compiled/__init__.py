"""What users call, in compiled code: importing this package teaches Numba the public names.

It is the last room of derivatives, and may import all others.
"""

from enzyme_py.calls.compiled import checkpoints as checkpoints
from enzyme_py.calls.compiled import jacobian_overloads as jacobian_overloads
from enzyme_py.calls.compiled import linearize as linearize
from enzyme_py.calls.compiled import mapping as mapping
from enzyme_py.calls.compiled import overloads as overloads
from enzyme_py.calls.compiled import python_alone as python_alone
from enzyme_py.calls.compiled import requests as requests
from enzyme_py.calls.compiled import tile as tile
from enzyme_py.calls.compiled import tree_keys as tree_keys
from enzyme_py.calls.compiled import tree_methods as tree_methods
from enzyme_py.calls.compiled import vjp as vjp
from enzyme_py.transforms.derivatives import forward_gradient_code as forward_gradient_code
from enzyme_py.transforms.jacobians import jacobian_code as jacobian_code
from enzyme_py.transforms.jacobians import product_code as product_code
from enzyme_py.transforms.plans import binding as binding
from enzyme_py.transforms.values import copies_lowering as copies_lowering
from enzyme_py.transforms.values import functions as functions
from enzyme_py.transforms.values import stop_lowering as stop_lowering
