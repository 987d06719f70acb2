"""Types that a module has given names: written out where memory is made and where fields are addressed.

    %struct.pair = type { i64, double }        getelementptr %struct.pair, ptr %p, i64 %i, i32 1

Numba's code has none; that of C has one for each record.
"""

from __future__ import annotations

import re

_NAME = r'%(?:"[^"\n]+"|[\w.$-]+)'
_DEFINED = re.compile(rf"^({_NAME}) = type (<?\{{.*\}}>?)$", re.MULTILINE)
_USED = re.compile(r"^ .*(?:getelementptr|alloca) .*$", re.MULTILINE)


def written_out(text: str) -> str:
    """Return a module whose `getelementptr` and `alloca` say what records are made of."""
    known = dict(_DEFINED.findall(text)) if " = type " in text else {}
    if not known:
        return text
    name = re.compile("|".join(rf"{re.escape(one)}(?![\w.$-])" for one in sorted(known, key=len, reverse=True)))

    def expanded(type_: str) -> str:
        return name.sub(lambda found: expanded(known[found[0]]), type_)

    return _USED.sub(lambda line: expanded(line[0]), text)
