"""Attributes on the functions that a module only declares, from the rule tables."""

from __future__ import annotations

import re

from enzyme_py.assembly.call import HINT
from enzyme_py.rules.inactive import INACTIVE

_DECLARATION = re.compile(r'^declare\b.*@"?([-a-zA-Z$._0-9]+)"?\(.*\).*$', re.MULTILINE)

# It must seem to do something, or O2 deletes it before the pass has read it.
_HINT_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite) "
    '"enzyme_inactive" "enzyme_nofree"'
)


def with_attributes(ir: str) -> str:
    """Return the module's text with the table's attributes on its declarations."""

    def annotate(found: re.Match[str]) -> str:
        if found.group(1).startswith(HINT):
            return f"{found.group(0)} {_HINT_ATTRIBUTES}"
        row = INACTIVE.get(found.group(1))
        return found.group(0) if row is None else f"{found.group(0)} {row.attributes}"

    return _DECLARATION.sub(annotate, ir)
