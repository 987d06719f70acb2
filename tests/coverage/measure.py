"""One row of the table, in every order: what comes out, compared with what should."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, HostCrashed
from tests.coverage.oracle import Slope, differences, slope
from tests.coverage.row import Draw, Edge, Row
from tests.coverage.total import inner, total, total_of_complex

ORDERS = {
    "R": "reverse",
    "F": "forward",
    "FoR": "forward over reverse",
    "RoR": "reverse over reverse",
    "RoF": "reverse over forward",
}
ALL_ORDERS = ORDERS | {"FoF": "forward over forward"}
RAW = ("Enzyme refused the kernel", "Enzyme cannot tell", "Enzyme has no derivative for")


@dataclass(frozen=True)
class Finding:
    """What one order of one row gave."""

    name: str
    order: str
    status: str  # works, wrong, refused, raw, crashed, uncompiled, broken
    detail: str = ""

    def as_json(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)


class Case:
    """A row with its arguments drawn, and the functions that are differentiated."""

    def __init__(self, row: Row) -> None:
        self.row = row
        random = np.random.default_rng(zlib.crc32(row.name.encode()))
        self.places = [i for i, arg in enumerate(row.args) if isinstance(arg, Draw)]
        self.args = [arg.draw(random) if isinstance(arg, Draw) else arg for arg in row.args]
        draws = [row.args[i] for i in self.places]
        self.u = [
            one.direction(random, self.args[i]) for one, i in zip(draws, self.places, strict=True)
        ]
        self.v = [
            one.direction(random, self.args[i]) for one, i in zip(draws, self.places, strict=True)
        ]
        self.kernel = numba.njit(row.kernel)
        self.loss = _compiled(
            "def loss({args}):\n    return total(kernel({args}))", self.names, kernel=self.kernel
        )

    @property
    def names(self) -> list[str]:
        """The names of the parameters."""
        return [f"a{i}" for i in range(len(self.row.args))]

    def wide(self) -> list[Any]:
        """The arguments in double precision."""
        return [_wide(arg) if i in self.places else arg for i, arg in enumerate(self.args)]

    @property
    def is_complex(self) -> bool:
        """Whether complex numbers come in or out."""
        given = any(np.iscomplexobj(self.args[i]) for i in self.places)
        return given or bool(np.iscomplexobj(self._plain(self.wide())))

    def _plain(self, args: list[Any]) -> Any:
        with np.errstate(all="ignore"):
            if self.row.numba:
                return self.kernel(*args)
            return (self.row.plain or self.row.kernel)(*[_copied(arg) for arg in args])

    def value(self) -> float:
        """The loss as Python computes it."""
        return float(self._total(self.wide(), is_complex=self.is_complex))

    def _total(self, args: list[Any], *, is_complex: bool) -> Any:
        result = self._plain(args)
        return total_of_complex(result) if is_complex else total(result)

    def first(self) -> Slope:
        """The slope of the loss along u."""
        return self._first(self.wide())

    def _first(self, args: list[Any]) -> Slope:
        is_complex = self.is_complex
        may_step = not is_complex and not self.row.numba
        return slope(
            lambda t: self._total(self._moved(args, self.u, t), is_complex=is_complex),
            is_analytic=may_step,
        )

    def second(self, gradient: Callable[..., Any]) -> Slope:
        """The slope along v of the slope along u, whose values a gradient that is right may give."""
        exact = self._first(self.wide()).exact

        def along(t: float) -> float:
            moved = self._moved(self.wide(), self.v, t)
            if exact:
                found = np.imag(self._total(self._moved(moved, self.u, 1e-40j), is_complex=False))
                return float(found / 1e-40)
            return _dot(gradient(*moved), self.u)  # in double precision

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return differences(along)

    def _moved(self, args: list[Any], direction: list[Any], step: Any) -> list[Any]:
        moved = list(args)
        for i, tangent in zip(self.places, direction, strict=True):
            moved[i] = moved[i] + step * _wide(tangent)
        return moved


def measure(row: Row, orders: tuple[str, ...] = tuple(ORDERS)) -> Iterator[Finding]:
    """Yield what each order of a row gives."""
    try:
        case = Case(row)
        want, value = case.first(), case.value()
    except Exception as error:
        yield from (Finding(row.name, order, "broken", _line(error)) for order in orders)
        return
    places = tuple(case.places)
    gradient = enzyme.grad(case.loss, argnums=places)
    valued = enzyme.value_and_grad(case.loss, argnums=places)
    second: list[Slope] = []
    for order in orders:
        if order == "R":

            def ask() -> float:
                got, found = valued(*map(_copied, case.args))
                _compare(got, Slope(value, 1e-12 * (1 + abs(value)), exact=True), row, "value")
                return _dot(found, case.u)
        elif order == "F":

            def ask() -> float:
                return _pushed(case.loss, case.args, places, case.u)
        else:
            try:
                want = second[0] if second else case.second(gradient)
                second.append(want)
            except Exception:
                want = Slope(float("nan"), float("inf"), exact=False)
            along = _jvp(case) if order.endswith("oF") else _along(gradient, case)
            vs = [_copied(one) for one in case.v]
            if order.startswith("F"):

                def ask() -> float:
                    return _pushed(along, [*case.args, *vs], places, case.u)
            else:
                # By v too: a row that writes to its arguments writes tangents there.
                behind = len(case.args)
                active = (*places, *range(behind, behind + len(vs)))
                active = active if order == "RoF" else places

                def ask() -> float:
                    found = enzyme.grad(along, argnums=active)(*map(_copied, case.args), *vs)
                    found = found if isinstance(found, tuple) else (found,)
                    return _dot(found[: len(places)], case.u)

        finding = _asked(case, order, ask, want)
        yield finding
        if finding.status == "uncompiled":
            yield from (
                Finding(row.name, other, "uncompiled", finding.detail)
                for other in orders[orders.index(order) + 1 :]
            )
            return


class Mismatch(Exception):
    """Two numbers that should agree do not."""


def _asked(case: Case, order: str, ask: Callable[[], float], want: Slope) -> Finding:
    try:
        got = ask()
        _compare(got, want, case.row, "slope")
    except Mismatch as error:
        return Finding(case.row.name, order, "wrong", str(error))
    except HostCrashed as error:
        return Finding(case.row.name, order, "crashed", _line(error))
    except EnzymeError as error:
        text = _line(error)
        if "Numba cannot compile" in str(error) and not _compiles(case):
            return Finding(case.row.name, order, "uncompiled", text)
        raw = any(text.startswith(one) for one in RAW)
        return Finding(case.row.name, order, "raw" if raw else "refused", text)
    except Exception as error:
        status = "broken" if _compiles(case) else "uncompiled"
        return Finding(case.row.name, order, status, _line(error))
    return Finding(case.row.name, order, "works")


def _compare(got: float, want: Slope, row: Row, what: str) -> None:
    scale = 1.0 + abs(want.value)
    natural = 3e-3 if row.single else (1e-10 if want.exact else 1e-8)
    allowed = natural * scale + (0.0 if want.exact else 20 * want.error)
    if not want.error <= 1e-4 * scale:
        message = (
            f"the oracle itself is unsure: {want.value:.6g} +- {want.error:.2g}, got {got:.6g}"
        )
        raise Mismatch(message)
    if not abs(got - want.value) <= allowed:
        message = f"{what} {got:.10g}, should be {want.value:.10g} (allowed {allowed:.2g})"
        raise Mismatch(message)


def _along(gradient: Any, case: Case) -> Any:
    """Return the slope along v, as a kernel of the arguments and v."""
    vs = [f"v{i}" for i in case.places]
    terms = " + ".join(f"inner(g[{k}], {name})" for k, name in enumerate(vs))
    body = f"    g = gradient({{args}})\n    return {terms}"
    return _compiled(
        f"def along({{args}}, {', '.join(vs)}):\n{body}", case.names, gradient=gradient
    )


def _jvp(case: Case) -> Any:
    """Return the slope along v by forward mode, as a kernel of the arguments and v."""
    given = ", ".join(
        f"Duplicated({name}, v{i})" if i in case.places else f"Const({name})"
        for i, name in enumerate(case.names)
    )
    vs = ", ".join(f"v{i}" for i in case.places)
    body = f"    return autodiff(Forward, loss, Duplicated, {given})[0]"
    return _compiled(
        f"def slope({{args}}, {vs}):\n{body}",
        case.names,
        loss=case.loss,
        autodiff=enzyme.autodiff,
        Forward=enzyme.Forward,
        Duplicated=enzyme.Duplicated,
        Const=enzyme.Const,
    )


def _pushed(f: Any, args: list[Any], places: tuple[int, ...], u: list[Any]) -> float:
    tangents: list[Any] = [None] * len(args)
    for i, one in zip(places, u, strict=True):
        tangents[i] = _copied(one)
    for i, tangent in enumerate(tangents):
        if tangent is None and np.asarray(args[i]).dtype.kind in "fc":
            tangents[i] = args[i] * 0.0
    primals = tuple(map(_copied, args))
    for i, tangent in enumerate(tangents):
        if tangent is not None and np.isnan(np.asarray(tangent)).any():
            tangents[i] = np.zeros_like(args[i])
    return float(enzyme.jvp(f, primals, tuple(tangents))[1])


def _compiled(template: str, names: list[str], **scope: Any) -> Any:
    scope.update(total=total, inner=inner)
    exec(template.format(args=", ".join(names)), scope)
    name = template.split("(", maxsplit=1)[0].removeprefix("def ")
    return enzyme.jit(scope[name])


def _dot(found: Any, u: list[Any]) -> float:
    found = found if isinstance(found, tuple) else (found,)
    return sum(inner(one, _wide(other)) for one, other in zip(found, u, strict=True))


def _compiles(case: Case) -> bool:
    try:
        case.kernel(*map(_copied, case.args))
    except Exception:
        return False
    return True


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def _wide(value: Any) -> Any:
    kind = np.complex128 if np.iscomplexobj(value) else np.float64
    return value.astype(kind) if isinstance(value, np.ndarray) else kind(value).item()


def _line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    first = text.splitlines()[0]
    return first if isinstance(error, EnzymeError) else f"{type(error).__name__}: {first}"[:300]


def measure_edge(edge: Edge) -> Iterator[Finding]:
    """Yield what reverse and forward mode give at an edge."""
    kernel = enzyme.jit(edge.kernel)
    places = tuple(i for i, one in enumerate(edge.gradient) if one is not None)
    want = [edge.gradient[i] for i in places]

    def reverse() -> list[Any]:
        return list(enzyme.grad(kernel, argnums=places)(*map(_copied, edge.args)))

    def forward() -> list[Any]:
        return [_columns(kernel, edge, i) for i in places]

    for order, ask in (("R", reverse), ("F", forward)):
        try:
            got = ask()
        except Exception as error:
            yield Finding(edge.name, order, "refused", _line(error))
            continue
        fits = all(
            np.allclose(a, b, rtol=1e-12, atol=1e-300, equal_nan=True)
            for a, b in zip(got, want, strict=True)
        )
        detail = "" if fits else f"{got}, should be {want}"
        yield Finding(edge.name, order, "works" if fits else "wrong", detail)


def _columns(kernel: Any, edge: Edge, place: int) -> Any:
    """Return the gradient by one argument, by one product per entry."""
    like = np.asarray(edge.args[place])
    found = np.zeros(like.shape)
    for index in np.ndindex(like.shape):
        unit = np.zeros(like.shape)
        unit[index] = 1.0
        tangents = [
            np.zeros_like(arg)
            if isinstance(arg, np.ndarray) and arg.dtype.kind == "f"
            else (0.0 if isinstance(arg, float) else None)
            for arg in edge.args
        ]
        tangents[place] = unit if like.shape else 1.0
        found[index] = enzyme.jvp(kernel, tuple(map(_copied, edge.args)), tuple(tangents))[1]
    return found
