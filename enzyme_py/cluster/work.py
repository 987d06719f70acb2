"""What a worker does with one piece: get the function, compile it once, run it, say which piece an error is of.

The function comes as bytes, which are only opened where the versions are the same: bytecode of another Python, or plans of
another version of this package, could do anything. What was opened is kept, so that a process compiles once.
"""

from __future__ import annotations

import functools
import importlib.metadata
import pickle
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from enzyme_py.calls.jacobians import hessian, jacfwd, jacrev
from enzyme_py.calls.operators import grad, value_and_grad
from enzyme_py.calls.precompiling import precompile
from enzyme_py.cluster.compiled_once import first_in_folder
from enzyme_py.cluster.sums import Nodes, Nothing, joined
from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.trees import as_trees, as_tuples
from enzyme_py.foundations.versions import OWN, VERSION, version_of
from enzyme_py.frontend.functions.bound import differentiable
from enzyme_py.modes import Forward, ForwardWithPrimal, Reverse
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.jacobians.products import Product, product_runner
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import positional_runner

_TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": grad,
    "value_and_grad": value_and_grad,
    "hessian": hessian,
    "jacfwd": jacfwd,
    "jacrev": jacrev,
}
_COUNTED = ("numba", "llvmlite", "numpy")  # beside Python and this package


@dataclass(frozen=True)
class Wanted:
    """What is computed of a function, and by which arguments."""

    name: str
    argnums: int | Sequence[int] = 0

    @property
    def has_direction(self) -> bool:
        """Whether a direction stands behind the first argument."""
        return self.name in ("hvp", "jvp")

    @property
    def is_sum(self) -> bool:
        """Whether results are added up, of whatever form they are."""
        return self.name in ("grad", "value_and_grad", "hvp", "hessian")

    @property
    def by(self) -> tuple[int, ...]:
        """The arguments that it is a derivative by."""
        if self.name == "value":
            return ()
        return (self.argnums,) if isinstance(self.argnums, (int, np.integer)) else tuple(self.argnums)


@dataclass(frozen=True)
class Job:
    """What every piece of a call has in common, but for the arguments."""

    wanted: Wanted
    function: bytes
    label: str  # the kernel's name
    over: tuple[int, ...]  # the arguments that are data
    holds_many: bool
    versions: tuple[tuple[str, str], ...]


@functools.cache
def versions() -> tuple[tuple[str, str], ...]:
    """Return what must be the same on both sides: names, and versions."""
    own = f"{VERSION} (files {version_of(OWN)[:12]})"
    found = [(one, importlib.metadata.version(one)) for one in _COUNTED]
    return ("Python", ".".join(platform.python_version_tuple()[:2])), ("enzyme_py", own), *found


def check_versions(
    theirs: Iterable[tuple[str, str]], who: str, found: Iterable[tuple[str, str]] | None = None
) -> None:
    """Raise where versions differ from those found, which are those of this process if none are given."""
    ours = dict(versions() if found is None else found)
    different = [
        f"{name} {ours.get(name, 'none')} on {who}, {version} where the derivative was asked for"
        for name, version in theirs
        if ours.get(name) != version
    ]
    if different:
        message = "versions differ: " + "; ".join(different)
        remedy = "install the same versions on all machines (pip freeze on one, pip install -r on the others), and start the workers again"
        raise EnzymeError(message, remedy=remedy)


def on_piece(job: Job, shared: tuple[Any, ...], number: int, *pieces: Any) -> Any:
    """Return the result of one piece, on a worker of Dask's."""
    check_versions(job.versions, "this worker")
    return one_piece(_opened(job.function, job.wanted), job, shared, number, pieces)


def one_piece(
    run: Callable[..., Any], job: Job, shared: tuple[Any, ...], number: int, pieces: Sequence[Any]
) -> Any:
    """Return the result of one piece, or of all items of a partition."""
    if not job.holds_many:
        return _noted(run, job, shared, pieces, f"piece {number}")
    (partition,) = pieces
    items = (
        _noted(run, job, shared, (item,), f"item {place} of partition {number}")
        for place, item in enumerate(partition)
    )
    if not job.wanted.is_sum:
        found = list(items)
        return joined(found) if found else Nothing()
    nodes, count = Nodes(), 0
    for one in items:
        nodes.add(0, count, one)
        count += 1
    return nodes.total(count) if count else Nothing()


def _noted(run: Any, job: Job, shared: tuple[Any, ...], pieces: Sequence[Any], which: str) -> Any:
    """Run the function on one piece; errors get a note of which."""
    arguments = list(shared)
    for place, piece in zip(job.over, pieces, strict=True):
        arguments[place] = piece
    try:
        return run(arguments)
    except Exception as error:
        error.add_note(f"in {which} of the data of `{job.label}`")
        raise


@functools.lru_cache(maxsize=8)  # of functions that captured other arrays each is another
def _opened(function: bytes, wanted: Wanted) -> Callable[[list[Any]], Any]:
    """Return what runs a derivative of a function that came as bytes."""
    try:
        f = pickle.loads(function)  # noqa: S301  (the engine runs whatever the caller sends; this is what it is for)
    except ImportError as error:
        message = f"this worker has no module `{error.name}`, which the kernel is of"
        remedy = "install it on the workers, send it (client.upload_file), or let it travel: cloudpickle.register_pickle_by_value(module)"
        raise EnzymeError(message, remedy=remedy) from error
    return running(f, wanted, function)


def running(f: Any, wanted: Wanted, name: object) -> Callable[[list[Any]], Any]:
    """Return what runs a derivative on all arguments of a piece; by `name`, processes know the same function."""
    seen: set[Any] = set()

    def run(arguments: list[Any]) -> Any:
        made, given, place = runner(f, wanted, _lent(arguments, wanted))
        kinds = tuple(map(numba.typeof, given))
        if kinds not in seen:
            with first_in_folder(name, wanted, kinds, versions()):
                precompile(made, *given)
            seen.add(kinds)
        found = as_trees(made(*given))
        if wanted.name == "jvp":
            return found[1], found[0]
        return found if place is None else found[place]

    return run


def runner(f: Any, wanted: Wanted, given: Sequence[Any]) -> tuple[Any, Sequence[Any], int | None]:
    """Return what is called, with which arguments, and which part of its result is meant."""
    if wanted.name in _TRANSFORMS:
        return _TRANSFORMS[wanted.name](f, wanted.argnums), given, None
    kernel, held = differentiable(f)
    if wanted.name == "value":
        return positional_runner(Primal(kernel), len(held) + len(given)), [*held, *given], None
    x, v, *others = given
    if wanted.name == "hvp":
        made = product_runner(Product(kernel, Forward, Reverse, len(held), False))
        return made, [x, v, *held, *others], 0
    kinds = [Activity.CONST] * len(held) + [Activity.DUPLICATED] + [Activity.CONST] * len(others)
    plan = Annotated(kernel, ForwardWithPrimal, tuple(kinds), skipped=len(held))
    return positional_runner(plan, len(held) + len(given)), [*held, x, v, *others], None


def _lent(arguments: Sequence[Any], wanted: Wanted) -> list[Any]:
    """Return arguments as a kernel gets them: copies of what it is a derivative by, all others not to be written to.

    The engine keeps what it handed over, for other pieces and for a second try.
    """
    copies = {*wanted.by, 0, 1} if wanted.has_direction else set(wanted.by)
    return [
        over_arrays(as_tuples(value), np.copy if number in copies else _not_written)
        for number, value in enumerate(arguments)
    ]


def _not_written(array: Any) -> Any:
    view = np.asarray(array)[...]
    view.flags.writeable = False
    return view


def over_arrays(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value with its arrays changed."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, tuple):
        parts = [over_arrays(one, change) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
