"""enzyme_py differentiates Numba kernels with the real Enzyme pass, at LLVM-IR level.

Ordinary Python over NumPy arrays in, exact derivatives out, forward and reverse:

    import enzyme_py as enzyme

    @enzyme.jit
    def energy(x): ...

    enzyme.grad(energy)(x)
"""

import importlib

from enzyme_py import errors as errors
from enzyme_py import linalg as _linalg  # teaches the kernels' target NumPy's linear algebra
from enzyme_py.annotations import Active as Active
from enzyme_py.annotations import BatchDuplicated as BatchDuplicated
from enzyme_py.annotations import BatchDuplicatedNoNeed as BatchDuplicatedNoNeed
from enzyme_py.annotations import Const as Const
from enzyme_py.annotations import Duplicated as Duplicated
from enzyme_py.annotations import DuplicatedNoNeed as DuplicatedNoNeed
from enzyme_py.annotations import make_zero as make_zero
from enzyme_py.calls import compiled as _compiled  # teaches Numba the names below
from enzyme_py.calls.annotated_calls import autodiff as autodiff
from enzyme_py.calls.checkpointing.checkpoints import checkpoint as checkpoint
from enzyme_py.calls.checkpointing.checkpoints import remat as remat
from enzyme_py.calls.fused import fused as fused
from enzyme_py.calls.jacobians import hessian as hessian
from enzyme_py.calls.jacobians import hvp as hvp
from enzyme_py.calls.jacobians import hvp_and_gradient as hvp_and_gradient
from enzyme_py.calls.jacobians import jacfwd as jacfwd
from enzyme_py.calls.jacobians import jacobian as jacobian
from enzyme_py.calls.jacobians import jacrev as jacrev
from enzyme_py.calls.jacobians import vhp as vhp
from enzyme_py.calls.jit import jit as jit
from enzyme_py.calls.mapping import vmap as vmap
from enzyme_py.calls.operators import grad as grad
from enzyme_py.calls.operators import gradient as gradient
from enzyme_py.calls.operators import jvp as jvp
from enzyme_py.calls.operators import linearize as linearize
from enzyme_py.calls.operators import output_of as output_of
from enzyme_py.calls.operators import value_and_grad as value_and_grad
from enzyme_py.calls.operators import vjp as vjp
from enzyme_py.calls.precompiling import add_precompiled as add_precompiled
from enzyme_py.calls.precompiling import precompile as precompile
from enzyme_py.calls.precompiling import record_precompiled as record_precompiled
from enzyme_py.calls.thunks import Tape as Tape
from enzyme_py.calls.thunks import autodiff_thunk as autodiff_thunk
from enzyme_py.errors import EnzymeError as EnzymeError
from enzyme_py.modes import Forward as Forward
from enzyme_py.modes import ForwardWithPrimal as ForwardWithPrimal
from enzyme_py.modes import Reverse as Reverse
from enzyme_py.modes import ReverseHolomorphic as ReverseHolomorphic
from enzyme_py.modes import ReverseHolomorphicWithPrimal as ReverseHolomorphicWithPrimal
from enzyme_py.modes import ReverseSplitNoPrimal as ReverseSplitNoPrimal
from enzyme_py.modes import ReverseSplitWithPrimal as ReverseSplitWithPrimal
from enzyme_py.modes import ReverseWithPrimal as ReverseWithPrimal
from enzyme_py.modes import set_runtime_activity as set_runtime_activity
from enzyme_py.modes import set_strong_zero as set_strong_zero
from enzyme_py.settings import config as config
from enzyme_py.settings import set_verbose_errors as set_verbose_errors
from enzyme_py.transforms.values.stop import ignore_derivatives as ignore_derivatives
from enzyme_py.transforms.values.stop import stop_gradient as stop_gradient

__version__ = "0.1.0"

del _compiled, _linalg

_LATER = ("inspect", "sparse", "testing")  # modules that an ordinary run does not need
_ELSEWHERE = {
    "autotune": "enzyme_py.calls.tuning",
    "custom_jvp": "enzyme_py.custom.jax_form",
    "custom_vjp": "enzyme_py.custom.jax_form",
    "link_ir": "enzyme_py.custom.link_ir",
}


def __getattr__(name: str) -> object:
    if name in _ELSEWHERE:
        return getattr(importlib.import_module(_ELSEWHERE[name]), name)
    if name in _LATER:
        return importlib.import_module(f"enzyme_py.{name}")
    message = f"module 'enzyme_py' has no attribute {name!r}"
    raise AttributeError(message)
