"""Rewrites of how arguments come in: in another order, copied, as parts of larger arrays, as lists, tuples and numbers."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.metamorphic.forms import Arguments, Form, chosen, statements
from tests.numba_suite.recording import has_floats
from tests.numba_suite.trees import mapped

JUNK = 3.0  # what lies around a part
MOST_NUMBERS = 8  # that come one by one
COPIES = ("{0}.copy()", "np.copy({0})", "{0} * 1.0", "np.ascontiguousarray({0})", "{0}[:]")
PARTS = ("{0}[1:-1]", "{0}[::2]", "{0}[::-1]", "{0}[1:]", "{0}[1]", "{0}[..., 1]", "{0}[..., ::-1]")


def permuted(form: Form, drawn: random.Random) -> bool:
    """Take the arguments in another order."""
    count = len(form.parameters)
    order = list(range(count))
    drawn.shuffle(order)
    if order == list(range(count)):
        return False
    form.function.args.args = [form.function.args.args[n] for n in order]
    form.there.append(lambda given: tuple(given[n] for n in order))
    form.back.append(lambda found: tuple(found[order.index(n)] for n in range(count)))
    return True


def copied(form: Form, drawn: random.Random) -> bool:
    """Copy an array, or look at it by another view, before use."""
    place = _array(form, drawn)
    if place is None:
        return False
    name = form.parameters[place]
    _begin(form, f"{name} = {drawn.choice(COPIES).format(name)}")
    return True


def part(form: Form, drawn: random.Random) -> bool:
    """Take an array as a part of a larger one."""
    place = _array(form, drawn)
    if place is None:
        return False
    text = drawn.choice(PARTS)
    seen = eval(f"lambda whole: {text.format('whole')}")  # one of PARTS

    def whole(array: Any) -> Any:
        shape = list(array.shape)
        if text == "{0}[1]":
            shape = [3, *shape]
        elif text == "{0}[..., 1]":
            shape = [*shape, 2]
        else:
            shape[0] += {"{0}[1:-1]": 2, "{0}[1:]": 1}.get(text, 0)
            shape[0] = 2 * shape[0] if text == "{0}[::2]" else shape[0]
        made = np.full(shape, JUNK, array.dtype)
        seen(made)[...] = array
        return made

    _renamed(form, place, text)
    _way(form, place, whole, seen)
    return True


def flattened(form: Form, drawn: random.Random) -> bool:
    """Take an array as a row of numbers, or a row of numbers as a matrix."""
    place = _array(form, drawn)
    if place is None:
        return False
    shape = form.arguments(form.origin.arguments)[place].shape
    if len(shape) == 1:
        _renamed(form, place, "{0}.reshape({0}.size)")
        _way(form, place, lambda one: one.reshape(1, -1).copy(), lambda one: one.reshape(-1))
    else:
        _renamed(form, place, f"{{0}}.reshape({shape})")
        _way(form, place, lambda one: one.reshape(-1).copy(), lambda one: one.reshape(shape))
    return True


def as_list(form: Form, drawn: random.Random) -> bool:
    """Take a vector as a list; the kernel reads it as it is, if it only asks for numbers."""
    place = _vector(form, drawn)
    if place is None:
        return False
    if not _asks_for_numbers(form.function, form.parameters[place]):
        _renamed(form, place, "np.array({0})")
    _way(form, place, lambda one: one.tolist(), np.array)
    return True


def as_tuple(form: Form, drawn: random.Random) -> bool:
    """Take a vector as a tuple."""
    place = _vector(form, drawn)
    if place is None:
        return False
    _renamed(form, place, "np.array({0})")
    _way(form, place, lambda one: tuple(one.tolist()), np.array)
    return True


def as_numbers(form: Form, drawn: random.Random) -> bool:
    """Take the numbers of a vector one by one."""
    place = _vector(form, drawn)
    if place is None:
        return False
    name = form.parameters[place]
    count = form.arguments(form.origin.arguments)[place].size
    names = [form.fresh(name) for _ in range(count)]
    form.function.args.args[place : place + 1] = [ast.arg(one) for one in names]
    _begin(form, f"{name} = np.array([{', '.join(names)}])")

    def there(given: Arguments) -> Arguments:
        return (*given[:place], *given[place].tolist(), *given[place + 1 :])

    def back(found: Arguments) -> Arguments:
        vector = np.array(found[place : place + count])
        return (*found[:place], vector, *found[place + count :])

    form.there.append(there)
    form.back.append(back)
    return True


def other_order(form: Form, drawn: random.Random) -> bool:
    """Lay arrays out in the other order: matrices by columns, vectors with gaps."""
    given = form.arguments(form.origin.arguments)
    if not any(isinstance(one, np.ndarray) and one.ndim for one in given):
        return False

    def there(given: Arguments) -> Arguments:
        return tuple(
            _laid_out(one) if isinstance(one, np.ndarray) and one.ndim else one for one in given
        )

    form.there.append(there)
    return True


def single(form: Form, drawn: random.Random) -> bool:
    """Take float32 in place of float64."""
    if form.is_single:
        return False

    def leaf(one: Any) -> Any:
        kind = np.complex64 if np.iscomplexobj(one) else np.float32
        return one.astype(kind) if isinstance(one, np.ndarray) else kind(one)

    form.is_single = True
    form.there.insert(
        0, lambda given: tuple(mapped(leaf, one, lambda other: other) for one in given)
    )
    return True


def _laid_out(array: Any) -> Any:
    if array.ndim > 1:
        return np.array(array, order="F")
    wide = np.full(2 * array.size, JUNK, array.dtype)
    wide[::2] = array
    return wide[::2]


def _asks_for_numbers(function: ast.FunctionDef, name: str) -> bool:
    """Tell whether a vector is only asked for numbers by their place, and for its length."""
    uses = sum(isinstance(one, ast.Name) and one.id == name for one in ast.walk(function))
    plain = 0
    for one in ast.walk(function):
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name):
            is_read = isinstance(one.ctx, ast.Load)
            is_number = not isinstance(one.slice, (ast.Slice, ast.Tuple))
            plain += one.value.id == name and is_read and is_number
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id == "len":
            plain += any(isinstance(given, ast.Name) and given.id == name for given in one.args)
    return uses == plain


def _array(form: Form, drawn: random.Random) -> int | None:
    """Return the place of an array of floats that the kernel does not write."""
    given = form.arguments(form.origin.arguments)
    written = {form.parameters[n] for n in form.written()}
    return chosen(
        drawn,
        [
            n
            for n, one in enumerate(given)
            if isinstance(one, np.ndarray)
            and one.ndim
            and one.size
            and has_floats(one)
            and form.parameters[n] not in written
        ],
    )


def _vector(form: Form, drawn: random.Random) -> int | None:
    """Return the place of a short vector that the kernel does not write."""
    place = _array(form, drawn)
    if place is None:
        return None
    one = form.arguments(form.origin.arguments)[place]
    fits = one.ndim == 1 and one.size <= MOST_NUMBERS and not form.is_single
    return place if fits else None


def _renamed(form: Form, place: int, text: str) -> None:
    """Take an argument by another name, and make the old one from it."""
    name = form.parameters[place]
    new = form.fresh(name)
    form.function.args.args[place].arg = new
    _begin(form, f"{name} = {text.format(new)}")


def _begin(form: Form, text: str) -> None:
    form.function.body.insert(0, statements(text)[0])


def _way(form: Form, place: int, there: Callable[[Any], Any], back: Callable[[Any], Any]) -> None:
    def at(change: Callable[[Any], Any]) -> Callable[[Arguments], Arguments]:
        return lambda given: (*given[:place], change(given[place]), *given[place + 1 :])

    form.there.append(at(there))
    form.back.append(at(back))


ARGUMENT_REWRITES = {
    "permuted": permuted,
    "copied": copied,
    "part": part,
    "flattened": flattened,
    "list": as_list,
    "tuple": as_tuple,
    "numbers": as_numbers,
    "other order": other_order,
    "single": single,
}
