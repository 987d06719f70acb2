"""Rules: what Enzyme lacks, as tables of data, and the door for who writes rules."""

import importlib

# Made of later stages than this one, so it is looked up when it is asked for.
_MADE_ELSEWHERE = {"implicit": "enzyme_py.implicit"}


def __getattr__(name: str) -> object:
    if name in _MADE_ELSEWHERE:
        return getattr(importlib.import_module(_MADE_ELSEWHERE[name]), name)
    message = f"module 'enzyme_py.rules' has no attribute {name!r}"
    raise AttributeError(message)
