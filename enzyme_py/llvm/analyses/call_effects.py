"""What a call may do with memory: what attributes say of it, and what is known of functions by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Flag
from functools import cached_property

from enzyme_py.llvm.instructions import Call
from enzyme_py.llvm.types import is_pointer, split
from enzyme_py.llvm.values import Constant, attribute_name, attribute_value


class Access(Flag):
    """What may be done with memory."""

    NONE = 0
    READ = 1
    WRITE = 2
    BOTH = 3


_WORDS = {"none": Access.NONE, "read": Access.READ, "write": Access.WRITE, "readwrite": Access.BOTH}
_PARAMETER = {"readnone": Access.NONE, "readonly": Access.READ, "writeonly": Access.WRITE}
_ALLOCATORS = frozenset(("malloc", "calloc", "aligned_alloc"))


@dataclass(frozen=True)
class Known:
    """What a function does with its arguments, by their numbers; it touches nothing else and keeps no pointer."""

    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    frees: tuple[int, ...] = ()
    makes: bool = False  # memory, which is the result


# By name, or, with a point at the end, by how the name begins.
KNOWN: Mapping[str, Known] = {
    "free": Known(frees=(0,)),
    "malloc": Known(),
    "calloc": Known(),
    "llvm.memcpy.": Known(reads=(1,), writes=(0,)),
    "llvm.memmove.": Known(reads=(1,), writes=(0,)),
    "llvm.memset.": Known(writes=(0,)),
    "llvm.lifetime.": Known(),
    "llvm.assume": Known(),
    "llvm.prefetch.": Known(reads=(0,)),
    "llvm.experimental.noalias.scope.decl": Known(),
    "llvm.masked.load.": Known(reads=(0,)),
    "llvm.masked.expandload.": Known(reads=(0,)),
    "llvm.dbg.": Known(),
}


@dataclass(frozen=True)
class CallEffects:
    """The effects of one call; `known` are functions of which more is known than their attributes say."""

    call: Call
    known: Mapping[str, Known] = field(default_factory=lambda: KNOWN)

    @cached_property
    def _by_name(self) -> Known | None:
        name = self.call.callee
        if not name:
            return None
        if name in self.known:
            return self.known[name]
        parts = name.split(".")
        starts = (".".join([*parts[:count], ""]) for count in range(len(parts) - 1, 0, -1))
        return next((self.known[one] for one in starts if one in self.known), None)

    @cached_property
    def _attributes(self) -> dict[str, str]:
        """What is said of the call, or else of its callee."""
        callee = getattr(self.call.target, "attributes", ())
        found = self.call.module.expanded([*callee, *self.call.attributes])
        return {attribute_name(one): attribute_value(one) for one in found}

    @cached_property
    def memory(self) -> dict[str, Access]:
        """What is done with which memory, by `memory(...)`: `argmem`, ..., and `other` for what is not listed."""
        if self._by_name is not None:
            return {"argmem": Access.BOTH, "other": Access.NONE}
        for word, access in _PARAMETER.items():
            if word in self._attributes:
                return {"other": access}
        text = self._attributes.get("memory")
        if text is None:
            return {"other": Access.BOTH}
        found = {"other": Access.NONE}
        for one in split(text):
            place, colon, word = one.rpartition(": ")
            found[place if colon else "other"] = _WORDS[word]
        return found

    @property
    def other(self) -> Access:
        """What is done with memory that no argument leads to and that others can see."""
        return self.memory["other"] | self.memory.get("errnomem", Access.NONE)

    @property
    def is_pure(self) -> bool:
        """Whether neither memory is touched nor anything else done that could be seen."""
        return all(one is Access.NONE for one in self.memory.values()) and not self.may_not_return

    @property
    def keeps_nothing(self) -> bool:
        """Whether numbers that are handed over are in nothing but the result afterwards."""
        return self._by_name is not None or self.is_pure

    @property
    def may_not_return(self) -> bool:
        """Whether the call may throw, or end the program, or run forever."""
        return not ("willreturn" in self._attributes and "nounwind" in self._attributes)

    @property
    def never_returns(self) -> bool:
        """Whether whatever stands behind the call is never come to."""
        return "noreturn" in self._attributes

    @property
    def is_allocation(self) -> bool:
        """Whether the result is memory that nothing else leads to, and in which nothing was stored yet."""
        made_by_name = self._by_name is not None and self._by_name.makes
        if made_by_name or self.call.callee in _ALLOCATORS:
            return True
        words = [*self.call.flags, *getattr(self.call.target, "return_attributes", ())]
        kind = self._attributes.get("allockind", "realloc")
        return "noalias" in words and "realloc" not in kind

    def through(self, index: int) -> Access:
        """Return what is done with the memory that an argument leads to."""
        if not is_pointer(self.call.arguments[index].type):
            return Access.NONE
        if (known := self._by_name) is not None:
            frees = index in known.frees
            reads = Access.READ if index in known.reads else Access.NONE
            return reads | (Access.WRITE if frees or index in known.writes else Access.NONE)
        access = self.memory.get("argmem", self.memory["other"])
        for word, allowed in _PARAMETER.items():
            if self.call.argument_has(index, word):
                access &= allowed
        return access

    def may_capture(self, index: int) -> bool:
        """Tell whether anybody may know the memory behind an argument afterwards who did not before.

        That the address is looked at is no matter: nobody reaches memory by what he has seen of an address.
        """
        if self._by_name is not None or isinstance(self.call.arguments[index], Constant):
            return False
        if self.call.argument_has(index, "nocapture"):
            return False
        said = self.call.argument_attributes(index)
        declared = getattr(self.call.target, "parameter_attributes", None)
        said = [*said, *(declared(index) if declared else ())]
        captured = [attribute_value(one) for one in said if attribute_name(one) == "captures"]
        return not any(one in ("none", "address", "address_is_null") for one in captured)

    def may_free(self, index: int) -> bool:
        """Tell whether the memory behind an argument may be freed."""
        if self._by_name is not None:
            return index in self._by_name.frees
        if "nofree" in self._attributes or self.call.argument_has(index, "nofree"):
            return False
        return Access.WRITE in self.through(index) or Access.WRITE in self.other
