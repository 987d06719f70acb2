"""Rules: what Enzyme lacks, as tables of data, and the door for who writes rules."""

import importlib
from typing import Any

import enzyme_py.rules.inactive  # noqa: F401  # the table; its name here is the function's below

# Made of later stages than this one, so it is looked up when it is asked for.
_MADE_ELSEWHERE = {
    "augmented_primal": "enzyme_py.custom.enzyme_form",
    "forward": "enzyme_py.custom.enzyme_form",
    "implicit": "enzyme_py.calls.implicit",
    "inactive_type": "enzyme_py.custom.simple",
    "partials": "enzyme_py.custom.simple",
    "python": "enzyme_py.custom.python",
    "reverse": "enzyme_py.custom.enzyme_form",
    "ruled": "enzyme_py.custom.enzyme_form",
}


def inactive(function: Any, *, arguments: Any = ()) -> Any:
    """Return the function as one that is constant, or constant in the named arguments; see custom/simple.py.

    Examples:
        >>> nearest = enzyme.rules.inactive(lambda x: round(x))
        >>> enzyme.grad(lambda x: x * nearest(x))(2.2)
        2.0
    """
    return importlib.import_module("enzyme_py.custom.simple").inactive(
        function, arguments=arguments
    )


def __getattr__(name: str) -> object:
    if name in _MADE_ELSEWHERE:
        return getattr(importlib.import_module(_MADE_ELSEWHERE[name]), name)
    message = f"module 'enzyme_py.rules' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MADE_ELSEWHERE})
