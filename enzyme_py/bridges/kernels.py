"""Kernels as a library of tensors wants them: flat arguments, flat results, and derivatives that are such kernels again.

    kernel                     f(x...) -> y...
    kernel.pushed(which)       (x..., t...) -> tangents of y...          t: one for each argument of `which`
    kernel.pulled(which)       (x..., c...) -> gradients by `which`      c: one for each result

Each is made for arguments of given types. So all orders of a derivative are found by going on: the pullback of a pullback is
`kernel.pulled(...).pulled(...)`. Arguments are never written to: arrays come as read-only types, and a kernel that writes is
refused by Numba where it is compiled.
"""

from __future__ import annotations

import dataclasses
import functools
import keyword
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import from_dtype, types

from enzyme_py.calls.operators import grad
from enzyme_py.doors.door import Door, cfunc, compiled_result, fixed_values
from enzyme_py.doors.slots import Slot, result_slots
from enzyme_py.errors import EnzymeError, UnsupportedTypeError
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.frontend.target.teaching import teach
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.derivatives.pullback import paired
from enzyme_py.transforms.plans.runners import positional_runner

DTYPES = (
    "float64",
    "float32",
    "complex128",
    "complex64",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
)


def missing(library: str, extra: str) -> str:
    """Return what is said where a library is not installed."""
    return f'enzyme_py.bridges needs {library}, which is not installed: pip install "enzyme_py[{extra}]"'


class Kernel:
    """A kernel of arguments of given types, and what is made of it; see the module."""

    def __init__(self, dispatcher: Any, kinds: tuple[Any, ...], where: Any) -> None:
        self.dispatcher = dispatcher
        self.kinds = kinds
        self._where = where
        returned = compiled_result(dispatcher, kinds)
        self.is_tuple = isinstance(returned, types.BaseTuple)
        self.results: tuple[Slot, ...] = result_slots(returned, where)
        if any(len(one.path) > 1 for one in self.results):
            message = "a result holds tuples in tuples"
            raise UnsupportedTypeError(
                message, where=where, remedy="return arrays and numbers, or one tuple of these"
            )
        self._made: dict[Any, Kernel] = {}

    @property
    def floats(self) -> tuple[int, ...]:
        """The places of the arguments that can have derivatives."""
        return tuple(place for place, kind in enumerate(self.kinds) if is_active(kind))

    @functools.cached_property
    def door(self) -> Door:
        """Its C function."""
        return cfunc(self.dispatcher, self.kinds)

    def pushed(self, which: tuple[int, ...]) -> Kernel:
        """Return the kernel of arguments, then tangents of some: its results are the tangents of the results."""
        if (known := self._made.get(("pushed", which))) is not None:
            return known
        self._check_results()
        count = len(self.kinds)
        scope: dict[str, Any] = {
            "jvp": positional_runner(Jvp(self.dispatcher), 2 * count),
            "zeros": np.zeros_like,
        }
        tangents = []
        for place, kind in enumerate(self.kinds):
            if place in which:  # a library may hand over the primal's own memory as its tangent
                tangents.append(
                    f"t{place}.copy()" if isinstance(kind, types.Array) else f"t{place}"
                )
            elif is_active(kind):
                scope[f"zero{place}"] = None if isinstance(kind, types.Array) else _zero(kind)
                tangents.append(
                    f"zeros(x{place})" if isinstance(kind, types.Array) else f"zero{place}"
                )
            else:
                tangents.append(f"x{place}")  # nobody reads it
        names = _names(count)
        body = f"jvp({', '.join([*names, *tangents])})[1]"
        parameters = [*names, *(f"t{place}" for place in which)]
        kinds = (*self.kinds, *(self.kinds[place] for place in which))
        return self._make(("pushed", which), parameters, body, scope, kinds)

    def pulled(self, which: tuple[int, ...]) -> Kernel:
        """Return the kernel of arguments, then cotangents of all results: its results are gradients by some arguments."""
        if (known := self._made.get(("pulled", which))) is not None:
            return known
        self._check_results()
        back = grad(paired(self.dispatcher), argnums=tuple(1 + place for place in which))
        names = _names(len(self.kinds))
        cotangents = [f"c{number}" for number in range(len(self.results))]
        structure = f"({', '.join(cotangents)},)" if self.is_tuple else cotangents[0]
        body = f"back({', '.join([structure, *names])})"
        kinds = (*self.kinds, *(_read_only(one) for one in self.results))
        return self._make(("pulled", which), [*names, *cotangents], body, {"back": back}, kinds)

    def shapes(self, sizes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return the shapes of the results for arguments of given shapes: by a run on ones, where arrays are returned."""
        if not any(one.is_array for one in self.results):
            return [() for _ in self.results]
        given = [_ones(kind, size) for kind, size in zip(self.kinds, sizes, strict=True)]
        try:
            found = self(*given)
        except EnzymeError:
            raise
        except Exception as error:
            message = f"the shapes of the results were asked of the kernel by a run on ones, which raised {error!r}"
            raise UnsupportedTypeError(
                message, where=self._where, remedy="say them: wrap(f, shapes=...)"
            ) from error
        return [np.shape(one) for one in found]

    def __call__(self, *given: Any) -> tuple[Any, ...]:
        """Run it from Python on NumPy's arrays; returns the results in a tuple."""
        returned = self.dispatcher(*map(_unwritten, given))
        if not self.is_tuple:
            return (returned,)
        return tuple(returned[one.path[0]] for one in self.results)

    def _check_results(self) -> None:
        if all(is_active(one.kind) for one in self.results):
            return
        message = "a result is an integer or a flag, which has no derivative"
        raise UnsupportedTypeError(
            message, where=self._where, remedy="return it as a float, or from a kernel of its own"
        )

    def _make(
        self,
        key: Any,
        parameters: Sequence[str],
        body: str,
        scope: dict[str, Any],
        kinds: tuple[Any, ...],
    ) -> Kernel:
        dispatcher = _written(f"{key[0]}_{self.dispatcher.__name__}", parameters, body, scope)
        return self._made.setdefault(key, Kernel(dispatcher, kinds, self._where))


def kernels_of(f: Callable[..., Any]) -> Kernels:
    """Return the kernels of a function: of one that captured nothing always the same, so that they are compiled once."""
    teach()
    dispatcher, held = opened(f)
    if held:
        return Kernels(f)
    known = getattr(dispatcher, _KEPT, None)  # kept with the dispatcher, and gone with it
    if known is None:
        known = Kernels(f)
        setattr(dispatcher, _KEPT, known)
    assert isinstance(known, Kernels)
    return known


_KEPT = "_enzyme_py_kernels"


class Kernels:
    """The kernels of one function, by the types of the arguments."""

    def __init__(self, f: Callable[..., Any]) -> None:
        teach()
        self._f = f
        self.__name__ = getattr(f, "__name__", type(f).__name__)
        dispatcher, held = opened(f)
        self._held = fixed_values(held, where_is(dispatcher))
        self._dispatcher = dispatcher
        self._known: dict[Any, Kernel] = {}
        self._flat = functools.cache(self._flattened)  # of this object, and gone with it

    def of(self, kinds: tuple[Any, ...]) -> Kernel:
        """Return the kernel of arguments of these types."""
        if kinds not in self._known:
            where = where_is(self._dispatcher)
            self._known[kinds] = Kernel(self._flat(len(kinds)), kinds, where)
        return self._known[kinds]

    def _flattened(self, count: int) -> Any:
        """Return the function without what it captured."""
        if not self._held:
            return self._dispatcher
        scope: dict[str, Any] = {f"held{place}": value for place, value in enumerate(self._held)}
        names = _names(count)
        given = ", ".join([*scope, *names])
        scope["call"] = self._dispatcher
        return _written(self.__name__, names, f"call({given})", scope)


class Function:
    """A kernel with the shapes of its results, and the way in which a library calls it.

    Two are equal that mean the same, so that a library compiles it once. `said` are the shapes that a user says (`said_shapes`).
    """

    def __init__(
        self, kernel: Kernel, said: Any = None, way: Any = None, shapes: Any = None
    ) -> None:
        self.kernel = kernel
        self.shapes: Callable[[Sequence[Any]], list[Any]] = shapes or said or kernel.shapes
        self.way = way
        self._meaning = kernel, said, way

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self._meaning == other._meaning

    def __hash__(self) -> int:
        return hash(self._meaning)

    def pushed(self, which: tuple[int, ...]) -> Function:
        """Return the function of tangents; its results have the shapes of the results."""
        count = len(self.kernel.kinds)
        return self._made(self.kernel.pushed(which), lambda sizes: self.shapes(sizes[:count]))

    def pulled(self, which: tuple[int, ...]) -> Function:
        """Return the function of cotangents; its results have the shapes of the arguments."""
        return self._made(
            self.kernel.pulled(which), lambda sizes: [sizes[place] for place in which]
        )

    def _made(self, kernel: Kernel, shapes: Any) -> Function:
        _, said, way = self._meaning
        return Function(kernel, said, way, shapes)

    @functools.cached_property
    def dtypes(self) -> list[Any]:
        """The dtypes of the results."""
        return [one.dtype for one in self.kernel.results]


def said_shapes(shapes: Callable[..., Any] | None) -> Any:
    """Return the shapes that a user says, as `Function` takes them: a shape, or a tuple of shapes."""
    if shapes is None:
        return None

    def of(sizes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        found = shapes(*sizes)
        is_one = not found or not isinstance(found[0], tuple | list)
        return [tuple(one) for one in ([found] if is_one else found)]

    return of


def kind_of(dtype: Any, ndim: int, name: str) -> Any:
    """Return the Numba type of a tensor: a number where it has no axis; raises for a dtype that kernels do not take."""
    if str(dtype) not in DTYPES:
        message = f"{name} is of {dtype}, which kernels do not take"
        raise UnsupportedTypeError(
            message, remedy="convert it to float64 or float32, an integer or a flag"
        )
    item = from_dtype(np.dtype(str(dtype)))
    return types.Array(item, ndim, "C", readonly=True) if ndim else item


def check_no_structure(value: Any, name: str) -> None:
    """Raise for an argument that is no tensor and no number."""
    if value is None or isinstance(value, (dict, set, str, bytes)) or dataclasses.is_dataclass(value):
        message = f"{name} is a {type(value).__name__}, and functions of tensors take tensors"
        remedy = "pass what it holds as arguments of their own: wrap(lambda x, w, b: ...), called with x, p['w'], p['b']"
        raise UnsupportedTypeError(message, remedy=remedy)


def is_active(kind: Any) -> bool:
    """Tell whether values of a type have derivatives."""
    item = kind.dtype if isinstance(kind, types.Array) else kind
    return isinstance(item, types.Float | types.Complex)


def _written(name: str, parameters: Sequence[str], body: str, scope: dict[str, Any]) -> Any:
    """Return the dispatcher of a function that is written here, since Numba is best at parameters with names."""
    title = name if name.isidentifier() and not keyword.iskeyword(name) else "function"
    exec(f"def {title}({', '.join(parameters)}): return {body}", scope)  # noqa: S102  (made of names of ours)
    return opened(scope[title])[0]


def _names(count: int) -> list[str]:
    return [f"x{place}" for place in range(count)]


def _zero(kind: Any) -> Any:
    return np.dtype(str(kind)).type(0)


def _read_only(slot: Slot) -> Any:
    return types.Array(slot.item, slot.ndim, "C", readonly=True) if slot.ndim else slot.item


def _ones(kind: Any, size: tuple[int, ...]) -> Any:
    item = kind.dtype if isinstance(kind, types.Array) else kind
    dtype = np.dtype(str(item)) if item != types.boolean else np.dtype(bool)
    return np.ones(size, dtype) if isinstance(kind, types.Array) else dtype.type(1)


def _unwritten(value: Any) -> Any:
    """Return an argument as what nobody may write to, and C-contiguous."""
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim == 0:
        return value[()]
    seen = np.ascontiguousarray(value).view()
    seen.flags.writeable = False
    return seen
