"""Every exception of enzyme_py: one tree under `EnzymeError`, data in fields, one text.

A message has three short parts: what happened, where (kernel, Python line, argument), and what
to do about it. Enzyme's own text and the IR hang on the exception as `detail`; they are shown
only under `enzyme.set_verbose_errors(True)` or ENZYME_PY_VERBOSE=1.
"""

from __future__ import annotations

import linecache
import re
import sys
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from enzyme_py.settings import settings

if TYPE_CHECKING:
    from enzyme_py.native.faults.refusals import Refusal

MOST_OF_A_LINE = 100
STYLE = re.compile("\x1b\\[[0-9;]*m")  # of a terminal: bold, colours


@dataclass(frozen=True)
class Where:
    """The place an error speaks of; any part may be unknown."""

    kernel: str | None = None
    file: str | None = None
    line: int | None = None
    argument: str | None = None

    def __str__(self) -> str:
        parts = []
        if self.kernel is not None:
            place = f" ({self.file}:{self.line})" if self.file and self.line else ""
            parts.append(f"in kernel `{self.kernel}`{place}")
        elif self.file and self.line:
            parts.append(f"at {self.file}:{self.line}")
        if self.argument is not None:
            parts.append(f"argument `{self.argument}`")
        text = ", ".join(parts)
        return f"{text}:\n    {self.statement}" if self.statement else text

    @property
    def statement(self) -> str:
        """The line of source meant, unless it only begins the kernel."""
        source = linecache.getline(self.file, self.line).strip() if self.file and self.line else ""
        return "" if source.startswith(("@", "def ")) else source[:MOST_OF_A_LINE]


def calling_place() -> Where | None:
    """Return the line of the user's code that is being run: outside of this package, of Numba, and of what dispatches for both."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  (inspect.stack reads every source file on the way)
    while frame is not None:
        name = frame.f_globals.get("__name__", "").split(".")[0]
        file = frame.f_code.co_filename
        if name not in ("enzyme_py", "numba", "llvmlite", "functools") and not file.startswith("<"):
            return Where(file=file, line=frame.f_lineno)
        frame = frame.f_back
    return None


class EnzymeError(Exception):
    """Base of everything enzyme_py raises by itself.

    `what` happened, `where` it happened, the `remedy` that the user can apply, and `detail`: the
    raw text (Enzyme's, Numba's, or IR), shown on request. Where no kernel is known, the place is the
    line of the user's that was being run.

    Examples:
        >>> try:
        ...     enzyme.Duplicated(3, 1)
        ... except enzyme.EnzymeError as error:
        ...     error.remedy
        'pass it as Const, or convert it to float first'
    """

    usual_remedy = ""  # of a class, for errors raised where only their text can be said
    tried: tuple[
        str, ...
    ] = ()  # what was tried before it was raised, and what came of each attempt

    def __init__(
        self, what: str, *, where: Where | None = None, remedy: str = "", detail: str = ""
    ) -> None:
        super().__init__(what)
        self.what = what
        self.where = where or calling_place()
        self.remedy = remedy or self.usual_remedy
        self.detail = detail

    @property
    def knows_kernel(self) -> bool:
        """Whether the place is one in a kernel, and not just the line being run."""
        return self.where is not None and self.where.kernel is not None

    def __reduce__(self) -> tuple[object, ...]:
        made = (type(self), self.what, self.where, self.remedy, self.detail)
        notes = getattr(self, "__notes__", None)
        return (_rebuild, made, {"__notes__": notes}) if notes else (_rebuild, made)

    def __str__(self) -> str:
        lines = [self.what]
        if self.where is not None and str(self.where):
            lines.append(f"  {self.where}")
        if self.remedy:
            lines.append(f"  {self.remedy}")
        if self.tried and settings.verbose:
            lines += ["  tried:", *(f"    {one}" for one in self.tried)]
        if self.detail:
            if settings.verbose:
                lines.append(self.detail)
            else:
                lines.append("  (enzyme_py.set_verbose_errors(True) shows the full detail)")
        return "\n".join(lines)


def _rebuild(
    kind: type[EnzymeError], what: str, where: Where | None, remedy: str, detail: str
) -> EnzymeError:
    return kind(what, where=where, remedy=remedy, detail=detail)


def own_error(error: BaseException | None) -> EnzymeError | None:
    """Return the exception of ours that is, caused, or stood behind a foreign one, or None."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, EnzymeError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


class AnnotationError(EnzymeError, TypeError):
    """An annotation does not fit its value: an Active array, an integer Duplicated, ..."""


class ShadowError(AnnotationError, ValueError):
    """A shadow does not fit its primal: shape, dtype, strides, or overlapping memory."""

    usual_remedy = (
        "make it with enzyme_py.make_zero(x), which keeps dtype, shape, strides and length"
    )


class SharedMemoryError(ShadowError):
    """Two arguments share memory to which the kernel writes: a derivative takes them for two arrays.

    Generated code raises it with the names of all its arrays, and the C runtime tells which two are meant.
    """

    usual_remedy = "pass a copy of one"

    def __init__(
        self,
        what: str | tuple[str, ...],
        kernel: Where | None = None,
        *,
        where: Where | None = None,
        remedy: str = "",
        detail: str = "",
    ) -> None:
        if isinstance(what, tuple):
            from enzyme_py.native.faults.refusals import written_together

            told = written_together(what, kernel)
            what, where, remedy = told.what, told.where, told.remedy
        super().__init__(what, where=where, remedy=remedy, detail=detail)


class UnsupportedTypeError(EnzymeError, TypeError):
    """A value of a type that cannot carry a derivative was given one."""


class LoweringError(EnzymeError, TypeError):
    """Numba could not compile the kernel; its own message is part of the text."""

    def __init__(
        self, what: str, *, where: Where | None = None, remedy: str = "", detail: str = ""
    ) -> None:
        # Numba writes for terminals wherever colorama is installed.
        super().__init__(STYLE.sub("", what), where=where, remedy=remedy, detail=detail)


class DerivativeError(EnzymeError):
    """Enzyme refused the kernel."""


class NoDerivativeError(DerivativeError):
    """The kernel calls a function that has no derivative rule."""


class TypeAnalysisError(DerivativeError):
    """Enzyme could not tell floats from integers or pointers somewhere in the kernel."""


class ActivityError(DerivativeError):
    """Whether a value is active could not be decided, or an annotation contradicts the kernel."""


class CheckError(DerivativeError):
    """A derivative and finite differences of its kernel disagree; see docs/checking.md."""


class RuleError(EnzymeError, TypeError):
    """A rule does not fit its function: its arguments, its results, or what is made of it."""


class SparsityError(EnzymeError, ValueError):
    """A sparsity pattern does not fit: of another shape, no pattern at all, or entries are missing."""


class OutOfMemoryError(EnzymeError, MemoryError):
    """A derivative asked for memory that the system does not have.

    Generated code raises it without a text: then the C runtime tells what was asked for, and where.
    """

    def __init__(
        self,
        what: str | None = None,
        *,
        where: Where | None = None,
        remedy: str = "",
        detail: str = "",
    ) -> None:
        if what is None:
            told = self._told()
            what, where, remedy = told.what, told.where, told.remedy
        super().__init__(what, where=where, remedy=remedy, detail=detail)

    @staticmethod
    def _told() -> Refusal:
        from enzyme_py.native.faults.refusals import out_of_memory

        return out_of_memory()


class ImpossibleSizeError(OutOfMemoryError):
    """A derivative asked for a size that cannot be meant: a negative one, or more than can exist."""

    @staticmethod
    def _told() -> Refusal:
        from enzyme_py.native.faults.refusals import impossible_size

        return impossible_size()


class UnresolvedSymbolError(EnzymeError):
    """The finished derivative calls a function that has no address."""

    usual_remedy = "please report it, with the kernel and the detail"


class HostError(EnzymeError):
    """The Enzyme host process failed; the next request gets a fresh one."""

    usual_remedy = (
        "call again; if it comes back, `python -m enzyme_py doctor` looks at the installation"
    )


class HostNotFound(HostError):
    """No Enzyme executable could be found or provisioned."""


class ProvisionError(HostNotFound):
    """Fetching or installing the Enzyme executable failed."""


class HostCrashed(HostError):
    """Enzyme died (signal or assertion) on this one request."""


class HostTimedOut(HostError):
    """Enzyme ran past its time limit on this one request."""


class HostOutOfMemory(HostError):
    """Enzyme ran past its memory limit on this one request."""


class ProtocolError(HostError):
    """The host answered something that the protocol does not allow."""


class EnzymeWarning(UserWarning):
    """Base of the warnings of enzyme_py."""


class ConstWrittenWarning(EnzymeWarning):
    """A kernel writes an array that was annotated Const: its derivative is lost."""


class DrawnAgainWarning(EnzymeWarning):
    """A derivative takes several runs of a kernel that draws random numbers: each run draws others."""


class CompiledAgainWarning(EnzymeWarning):
    """A plain function is compiled again and again, since something that it names changes between its calls."""


class UncheckedWarning(EnzymeWarning):
    """A derivative could not be compared with finite differences, although that was asked for."""


class CacheWarning(EnzymeWarning):
    """The disk cache could not be read or written; compilation goes on without it."""
