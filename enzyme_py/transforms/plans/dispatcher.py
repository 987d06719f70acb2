"""The Numba dispatcher behind every derivative: errors of ours arrive as they were raised.

A derivative is compiled at its first call, so what the user did wrong is found beneath some twenty
frames of Numba. This dispatcher takes the error out of there and raises it anew, from the user's
own call; `enzyme_py.set_verbose_errors(True)` keeps every frame. Calls of compiled code do not pass
through here: Numba's C dispatcher asks for a compilation only where it has no code.

Making one imports nothing of typing, lowering or Enzyme; its first call does (`_compiled_entry`).
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import warnings
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from numba.core import dispatcher, errors, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from enzyme_py.errors import EnzymeError, LoweringError, UnsupportedTypeError, Where, own_error
from enzyme_py.finished.search import Search
from enzyme_py.foundations.keeping import released
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.progress import line as _line  # noqa: F401  (draws while there are stages)
from enzyme_py.foundations.stages import stage
from enzyme_py.foundations.trees import holds_tree, over_results, over_trees, written_part
from enzyme_py.foundations.watcher import watcher
from enzyme_py.frontend.functions.bound_types import BoundKernelType
from enzyme_py.frontend.functions.function_arguments import TakesFunctions, function_type
from enzyme_py.frontend.functions.result_kernels import holds_structure
from enzyme_py.frontend.target.collecting import seldom_collected
from enzyme_py.frontend.target.defaults import tell_defaults_apart
from enzyme_py.frontend.target.registries import protect_numba
from enzyme_py.frontend.target.teaching import teach
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.python_calls import c_function
from enzyme_py.settings import DOUBTFUL, settings, when_checking
from enzyme_py.transforms.plans.plans import Plan
from enzyme_py.transforms.plans.runner_compiler import RunnerCompiler

CAN_BE_TAKEN = (
    "pass numbers, arrays, tuples, lists, dicts or dataclasses of these, or a numba.typed.List of "
    "numbers or of arrays; "
    "make any other object in the kernel, from its parts, or let the kernel capture what Numba lets it"
)


class DerivativeDispatcher(TakesFunctions, CPUDispatcher):  # type: ignore[misc]
    """A CPU dispatcher, in every respect, whose errors are the user's to read."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        released(self)
        tell_defaults_apart(self)
        _dispatchers.add(self)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        if any(map(holds_tree, self._flattened(args))):
            return self._entry_for_trees
        try:
            with self._at_work():
                self._check_arguments(args)
                search = Search.of(self, args)
                with stage("cache"):
                    entry = None if search.kinds in self.overloads else search.finished()
                if entry is not None:
                    if search.returns_trees:
                        entry = c_function(over_results(entry))
                    self._finished.append(entry)
                    if self._compared(entry, args, search.kinds, search.behind):
                        self._insert(search.codes, entry)
                    return entry
                protect_numba()
                with seldom_collected():
                    entry = self._compiled_entry(args, kws)
                with stage("cache"):
                    search.keep(self.overloads)
                return self._for_python(self._verified(entry, args))
        except (EnzymeError, errors.NumbaError) as error:
            if settings.verbose and isinstance(error, EnzymeError):
                raise
            found = self._told(error)
        # Outside of the handler, so that the error does not drag Numba's along.
        raise found.with_traceback(None)

    def _compiled_entry(self, args: tuple[Any, ...], kws: Any) -> Any:
        """Return what Numba's C dispatcher calls, made by compiling. What that takes is imported here."""
        teach()
        self._compile_ahead(args)
        return super()._compile_for_args(*args, **kws)

    def compile(self, sig: Any) -> Any:
        """Compile an overload, for a call from Python or from compiled code."""
        with self._at_work():
            teach()
            return super().compile(sig)

    def _at_work(self) -> contextlib.AbstractContextManager[None]:
        """Be in the stage that makes what Python calls; what is compiled on the way counts itself."""
        kernel = getattr(self.plan, "kernel", None)
        name = "" if kernel is None else kernel.py_func.__name__
        own = self.py_func.__name__
        title = own.replace(f"_of_{name}", f" of {name}") if own.endswith(f"_of_{name}") else f"{own} of {name}"
        return stage("entry", name, title)

    def _verified(self, entry: Any, args: tuple[Any, ...]) -> Any:
        """Return an entry, after a comparison with differences if that is asked for (transforms/checking/).

        Where it is not done yet, or failed, Numba's C dispatcher does not learn of the entry: then the
        next call comes through here again.
        """
        overload = next((o for o in self.overloads.values() if o.entry_point is entry), None)
        if overload is None:
            return entry
        kinds = tuple(overload.signature.args)
        if settings.check and not self._settled[kinds]:
            from enzyme_py.transforms.plans.unloading import derivatives_of

            behind = tuple(derivatives_of(overload.library))
            if _is_to_compare(behind):
                self._clear()
            if not self._compared(entry, args, kinds, behind):
                return entry
        self._insert([kind._code for kind in kinds], entry, overload.objectmode)
        return entry

    def _compared(
        self, entry: Any, args: tuple[Any, ...], kinds: tuple[Any, ...], behind: Sequence[NativeFunction]
    ) -> bool:
        """Compare an entry, if that is asked for; tell whether nothing is left to find out at a later call."""
        if self._settled[kinds] or not _is_to_compare(behind):
            return True
        from enzyme_py.transforms.checking.asking import compared

        doubtful = [one for one in behind if one.doubts]
        with stage("checking"):
            self._settled[kinds] = compared(self, entry, args, self._attempts[kinds], doubtful)
        self._attempts[kinds] += 1
        return self._settled[kinds]

    def _insert(self, codes: Iterable[int], entry: Any, objectmode: bool = False) -> None:
        """Let the C dispatcher learn of an entry, once: of a signature given twice it would find neither."""
        codes, mine = tuple(codes), object()
        if self._known.setdefault(codes, mine) is mine:  # one of several threads, at once
            super()._insert(codes, self._for_python(entry), objectmode)

    def add_overload(self, cres: Any) -> None:
        """Know an overload before the C dispatcher learns of its entry."""
        self.overloads[tuple(cres.signature.args)] = cres
        super().add_overload(cres)

    def _for_python(self, entry: Any) -> Any:
        """Return what Python calls for an entry: one that makes dicts, lists and dataclasses of its results, if it has some."""
        known = self._over_results.get(id(entry))
        if known is not None:
            return known
        overload = next((o for o in self.overloads.values() if o.entry_point is entry), None)
        if overload is None or not holds_structure(overload.signature.return_type):
            return entry
        return self._over_results.setdefault(id(entry), c_function(over_results(entry)))

    @functools.cached_property
    def _over_results(self) -> dict[int, Any]:
        """What Python calls, by the identity of the entry, which its overload holds."""
        return {}

    def _clear(self) -> None:
        self._known.clear()
        super()._clear()

    @functools.cached_property
    def _finished(self) -> list[Any]:
        """Entries that were not compiled here: the C dispatcher does not hold what it calls."""
        return []

    @functools.cached_property
    def _known(self) -> dict[tuple[int, ...], object]:
        """The signatures that the C dispatcher has."""
        return {}

    def verify(self, args: tuple[Any, ...]) -> None:
        """Compare the derivative for arguments of these types with differences, if that is still to do."""
        self._compile_for_args(*args)

    @functools.cached_property
    def _settled(self) -> dict[Any, bool]:
        """Whether an overload was compared, by its types."""
        return collections.defaultdict(bool)

    @functools.cached_property
    def _attempts(self) -> dict[Any, int]:
        return collections.defaultdict(int)

    def ask_again(self) -> None:
        """Let the next call of every overload come through here."""
        if self._finished or any(not self._settled[tuple(kinds)] for kinds in self.overloads):
            self._clear()

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Type a call in compiled code, which is not compared: a call from Python still is."""
        found = super().get_call_template(args, kws)
        if settings.check:
            self.ask_again()
        return found

    def _compile_ahead(self, args: tuple[Any, ...]) -> None:
        """Compile the derivative before Numba takes its lock for the whole of this dispatcher.

        So other threads compile while this one waits for Enzyme. Numba finds what was made; of what
        it would refuse nothing is said here.
        """
        from enzyme_py.assembly.marker import request_signature
        from enzyme_py.compiling import compiled

        plan = self.plan
        is_watched = watcher.get() is not None  # the watcher compiles for itself
        if plan is None or is_watched or not _runs_plan(self.py_func):
            return
        if global_compiler_lock.is_locked():
            return
        kinds = [_type_of(value) for value in self._flattened(args)]
        try:
            with global_compiler_lock:
                bound = plan.bind(kinds)
                _, given = request_signature(bound.request, bound.request_types)
            compiled(bound.request, tuple(given))
        except (errors.NumbaError, TypeError):
            return

    @functools.cached_property
    def _entry_for_trees(self) -> Any:
        """What Numba's C dispatcher calls with arguments that hold dicts or lists.

        It calls back to Python, where the trees become tuples and the dispatcher is called again.
        """
        return c_function(over_trees(self._call_flattened))

    def _call_flattened(self, *args: Any) -> Any:
        return self(*self._flattened(args))

    def _told(self, error: Exception) -> EnzymeError:
        own = own_error(error)
        if own is None:
            own = self._unexplained(error)
        own.__cause__ = own.__context__ = None
        return own

    @functools.cached_property
    def plan(self) -> Plan | None:
        """The plan that the runner was made from."""
        if hasattr(self.py_func, "plan"):
            return self.py_func.plan  # type: ignore[no-any-return]
        code, cells = self.py_func.__code__, self.py_func.__closure__ or ()
        captured = dict(zip(code.co_freevars, cells, strict=True))
        return captured["plan"].cell_contents if "plan" in captured else None

    def _check_arguments(self, args: tuple[Any, ...]) -> None:
        """Refuse an argument that no derivative can take, before Numba speaks of its own code."""
        for number, value in enumerate(self._flattened(args)):
            kind = _type_of(value)
            changing = _changes_its_parts(kind)
            if is_passable(kind) and changing is None:
                continue
            label = str(number) if self.plan is None else self.plan.argument_label(number)
            if changing is not None:
                message = f"argument `{label}` holds a {changing.__name__}, a named tuple whose __new__ would change its slopes, too"
                remedy = "pass tuple(x), or a named tuple without a __new__ of its own"
                raise UnsupportedTypeError(message, where=self._where(label), remedy=remedy)
            part, found = _refused_part(label, value)
            message = f"argument `{part}` is {_say(found)}, which a derivative cannot take"
            from enzyme_py.frontend.target.mpi_calls import remedy_for

            remedy = remedy_for(found) or CAN_BE_TAKEN
            raise UnsupportedTypeError(message, where=self._where(label), remedy=remedy)

    def _flattened(self, args: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the arguments as the user counts them: those of *args come as one tuple."""
        code = self.py_func.__code__
        if code.co_flags & inspect.CO_VARARGS and len(args) > code.co_argcount:
            args = (*args[: code.co_argcount], *args[code.co_argcount])
        for value in args:
            yield value.value if isinstance(value, dispatcher.OmittedArg) else value

    def _unexplained(self, error: Exception) -> EnzymeError:
        message = f"Numba cannot compile `{self.__name__}`: {str(error).strip()}"
        remedy = "the kernel itself must compile with numba.njit for arguments of these types"
        return LoweringError(message, where=self._where(None), remedy=remedy)

    def _where(self, argument: str | None) -> Where | None:
        kernel = getattr(self.plan, "kernel", None)
        return None if kernel is None else where_is(kernel, argument)


def _is_to_compare(behind: Sequence[NativeFunction]) -> bool:
    """Tell whether what calls some derivatives is compared at its first call."""
    return settings.check is True or (settings.check == DOUBTFUL and any(one.doubts for one in behind))


_dispatchers: weakref.WeakSet[DerivativeDispatcher] = weakref.WeakSet()


@when_checking.append
def _ask_all_again() -> None:
    for one in list(_dispatchers):
        one.ask_again()


def _runs_plan(function: Any) -> bool:
    """Tell whether a function hands all its arguments to its plan."""
    return "transform" in function.__code__.co_names


def derivative_dispatcher(function: Any, plan: Any) -> DerivativeDispatcher:
    """Return the dispatcher of a function that runs a plan; without the lock, if the kernel is."""
    options = {"nopython": True}
    if plan.kernel.targetoptions.get("nogil"):
        options["nogil"] = True
    return DerivativeDispatcher(function, targetoptions=options, pipeline_class=RunnerCompiler)


def is_passable(kind: Any) -> bool:
    """Tell whether a value of this type can go into a derivative.

    What Numba's runtime manages behind a pointer (lists, dicts, sets, jitclasses) cannot: inside a
    derivative that runtime is another one, see assembly/runtime_ir.py. Typed lists of numbers and of
    arrays can: they are read where they lie (frontend/containers/typed_lists.py).
    """
    if not isinstance(kind, types.Type) or not kind.is_precise():
        return False
    if isinstance(kind, types.BaseTuple):
        return all(map(is_passable, kind))
    if isinstance(kind, BoundKernelType):
        return all(map(is_passable, kind.kinds))
    if isinstance(kind, types.ListType):
        return isinstance(kind.item_type, (types.Number, types.Boolean, types.Array))
    return not isinstance(kind, _MANAGED)


_MANAGED = (
    types.List,
    types.Set,
    types.DictType,
    types.ClassInstanceType,
    types.StructRef,
    types.DeferredType,
)


def _type_of(value: Any) -> Any:
    """Return the Numba type of a value, or None."""
    found = function_type(value)
    if found is not None:
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Numba's, on lists
        try:
            return dispatcher.typeof(value, dispatcher.Purpose.argument)
        except (errors.NumbaError, errors.NumbaValueError, ValueError):
            return None


def _changes_its_parts(kind: Any) -> type | None:
    """Return a class of named tuples, in a type, that makes other parts of those that it is given; None as a rule."""
    if not isinstance(kind, types.BaseTuple):
        return None
    owner = getattr(kind, "instance_class", None)
    made_by = getattr(getattr(owner, "__new__", None), "__globals__", {})
    if owner is not None and not str(made_by.get("__name__", "")).startswith("namedtuple_"):
        return owner  # type: ignore[no-any-return]
    return next(filter(None, map(_changes_its_parts, kind)), None)


def _refused_part(label: str, value: Any) -> tuple[str, Any]:
    """Return what of an argument no derivative can take, and how Python code asks for it."""
    if isinstance(value, tuple):
        for place, part in enumerate(value):
            if not is_passable(_type_of(part)):
                return _refused_part(label + written_part(value, place), part)
    return label, value


def _say(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    return f"of type {type(value).__name__}" + (f" of {dtype}" if dtype is not None else "")
