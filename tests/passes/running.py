"""Running one pass over a small module, with what LLVM says of the result."""

from __future__ import annotations

from collections.abc import Callable

import llvmlite.binding as llvm

from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft, Pass
from tests.llvm.corpus import verified


def ran(one: Pass, text: str) -> Draft:
    """Return what a pass makes of a module; LLVM verifies the module before and behind it."""
    llvm.parse_assembly(text).verify()
    draft = Draft(Module(text))
    if one.applies(draft):
        one.run(draft)
    verified(draft.code)
    return draft


def is_left_alone(one: Pass, text: str) -> bool:
    """Tell whether a pass changes nothing of a module."""
    draft = ran(one, text)
    return str(draft.code) == text and draft.options == ()


def with_line(text: str, old: str, new: str) -> str:
    """Return a text with one of its parts changed, which must be there once."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def tag_of(code: Module, name: str, function: str = "f") -> str:
    """Return the type that the tag of an access names, nothing if it has none."""
    node = code.function(function)[name].metadata.get("tbaa")  # type: ignore[attr-defined]
    if node is None:
        return ""
    return code.metadata[code.metadata[node].operands[0]].operands[0].strip('!"')


def verifier(every: int = 1) -> Callable[[str, str], None]:
    """Return what verifies the code behind one change in so many, and names the pass of what is invalid."""
    count = 0

    def verify(name: str, text: str) -> None:
        nonlocal count
        count += 1
        if count % every:
            return
        try:
            llvm.parse_assembly(text, llvm.create_context()).verify()
        except RuntimeError as error:
            message = f"the pass `{name}` left invalid code: {error}"
            raise AssertionError(message) from error

    return verify
