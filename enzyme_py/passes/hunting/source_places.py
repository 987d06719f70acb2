"""Files and lines of Python that instructions come from, by the debug information of their module."""

from __future__ import annotations

from collections.abc import Iterable

from enzyme_py.llvm import Module

# Numba says that the function which it makes of an array expression begins in line 1.
_MADE_BY_NUMBA = "numba_array_expr"
_SCOPES = ("DISubprogram", "DILexicalBlock")

Place = tuple[str, int]


class SourcePlaces:
    """The places that locations (`!5` behind `!dbg`) stand for."""

    def __init__(self, code: Module) -> None:
        self._code = code
        self._read: dict[str, tuple[Place | None, str | None]] = {}
        self._files: dict[str, str] = {}

    def of(self, locations: Iterable[str]) -> tuple[Place, ...]:
        """Return files and lines of locations, each followed by those it was inlined at."""
        found = list[Place]()
        for start in locations:
            location: str | None = start
            while location is not None:
                place, location = self._place(location)
                if place is not None:
                    found.append(place)
        return tuple(dict.fromkeys(found))

    def innermost(self, location: str) -> Place | None:
        """Return the place of a location itself, not of what it was inlined at."""
        return self._place(location)[0]

    def _place(self, ref: str) -> tuple[Place | None, str | None]:
        """Return the place of one location, and the location it was inlined at."""
        if ref not in self._read:
            kind, fields = self._node(ref)
            if kind != "DILocation":
                return None, None
            file, line = self._file_of_scope(fields["scope"]), int(fields.get("line", 0))
            place = (file, line) if file and line else None
            self._read[ref] = place, fields.get("inlinedAt")
        return self._read[ref]

    def _file_of_scope(self, ref: str) -> str:
        if ref not in self._files:
            self._files[ref] = ""
            kind, fields = self._node(ref)
            if kind.startswith(_SCOPES) and _MADE_BY_NUMBA not in fields.get("name", ""):
                _, file = self._node(fields.get("file", ""))
                if "filename" in file:
                    folder, name = (
                        file.get(one, "").strip('"') for one in ("directory", "filename")
                    )
                    self._files[ref] = f"{folder}/{name}"
        return self._files[ref]

    def _node(self, ref: str) -> tuple[str, dict[str, str]]:
        node = self._code.metadata.get(ref)
        return ("", {}) if node is None else (node.kind, node.fields)
