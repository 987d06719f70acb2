"""enzyme_py differentiates Numba kernels with the real Enzyme pass, at LLVM-IR level.

Ordinary Python over NumPy arrays in, exact derivatives out, forward and reverse:

    import enzyme_py as enzyme

    @enzyme.jit
    def energy(x): ...

    enzyme.grad(energy)(x)
"""

import importlib
from typing import TYPE_CHECKING

import enzyme_py.frontend.functions.captures  # noqa: F401  (Numba rewrites closures before it looks at names)
from enzyme_py.finished.numbas_cache import watch_cache
from enzyme_py.foundations.versions import VERSION
from enzyme_py.frontend.target.teaching import teach, watch_numba

if TYPE_CHECKING:
    from enzyme_py import cluster as cluster
    from enzyme_py import errors as errors
    from enzyme_py import inspect as inspect
    from enzyme_py import rules as rules
    from enzyme_py import sparse as sparse
    from enzyme_py import testing as testing
    from enzyme_py.annotations import Active as Active
    from enzyme_py.annotations import BatchDuplicated as BatchDuplicated
    from enzyme_py.annotations import BatchDuplicatedNoNeed as BatchDuplicatedNoNeed
    from enzyme_py.annotations import Const as Const
    from enzyme_py.annotations import Duplicated as Duplicated
    from enzyme_py.annotations import DuplicatedNoNeed as DuplicatedNoNeed
    from enzyme_py.annotations import make_zero as make_zero
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
    from enzyme_py.calls.tuning import autotune as autotune
    from enzyme_py.custom.jax_form import custom_jvp as custom_jvp
    from enzyme_py.custom.jax_form import custom_vjp as custom_vjp
    from enzyme_py.custom.link_ir import link_ir as link_ir
    from enzyme_py.doors.door import cfunc as cfunc
    from enzyme_py.doors.exporting import export as export
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

__version__ = VERSION

# Where the names are found when they are first used: whoever runs finished machine code imports no more than that takes.
_NAMES = {
    "annotations": "Active BatchDuplicated BatchDuplicatedNoNeed Const Duplicated DuplicatedNoNeed make_zero",
    "calls.annotated_calls": "autodiff",
    "calls.checkpointing.checkpoints": "checkpoint remat",
    "calls.fused": "fused",
    "calls.jacobians": "hessian hvp hvp_and_gradient jacfwd jacobian jacrev vhp",
    "calls.jit": "jit",
    "calls.mapping": "vmap",
    "calls.operators": "grad gradient jvp linearize output_of value_and_grad vjp",
    "calls.precompiling": "add_precompiled precompile record_precompiled",
    "calls.thunks": "autodiff_thunk Tape",
    "calls.tuning": "autotune",
    "custom.jax_form": "custom_jvp custom_vjp",
    "custom.link_ir": "link_ir",
    "doors.door": "cfunc",
    "doors.exporting": "export",
    "errors": "EnzymeError",
    "modes": "Forward ForwardWithPrimal Reverse ReverseHolomorphic ReverseHolomorphicWithPrimal ReverseSplitNoPrimal ReverseSplitWithPrimal ReverseWithPrimal set_runtime_activity set_strong_zero",
    "settings": "config set_verbose_errors",
    "transforms.values.stop": "ignore_derivatives stop_gradient",
}
_PLACES = {name: f"enzyme_py.{module}" for module, names in _NAMES.items() for name in names.split()}
_MODULES = ("cluster", "errors", "inspect", "rules", "sparse", "testing")
_COMPILING = ("custom", "doors", "inspect", "rules", "sparse", "testing", "tuning")  # import much of the package themselves

__all__ = ["errors", *sorted(_PLACES)]  # noqa: PLE0604  (the names are written above, as texts)

watch_numba()
watch_cache()


def __getattr__(name: str) -> object:
    if name in _PLACES:
        module = _imported(_PLACES[name])
        found = globals()[name] = getattr(module, name)
        return found
    if name in _MODULES:
        return _imported(f"enzyme_py.{name}")
    message = f"module 'enzyme_py' has no attribute {name!r}"
    raise AttributeError(message)


def _imported(module: str) -> object:
    if any(part in _COMPILING for part in module.split(".")):
        teach()
    return importlib.import_module(module)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES, *_MODULES})
