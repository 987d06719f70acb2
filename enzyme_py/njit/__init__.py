"""Derivatives in compiled code: plans, the calls they make, and the overloads of the public names.

Importing this package teaches Numba both; it is the last stage and may import all others.
"""

from enzyme_py.njit import calls as calls
from enzyme_py.njit import checkpoints as checkpoints
from enzyme_py.njit import functions as functions
from enzyme_py.njit import jacobian_overloads as jacobian_overloads
from enzyme_py.njit import linearize as linearize
from enzyme_py.njit import mapping as mapping
from enzyme_py.njit import overloads as overloads
from enzyme_py.njit import stop as stop
from enzyme_py.njit import tile as tile
from enzyme_py.njit import tree_keys as tree_keys
from enzyme_py.njit import vjp as vjp
