"""The reference: a line `::: name` of a page becomes the signature and the docstring of that name.

mkdocstrings does the same with more, but has to be told where names lie that are found when they are first used, and
reads the whole package for it: half of the time of a build.
"""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from typing import Any

DIRECTIVE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)
EXAMPLES = re.compile(r"^Examples:\n((?:    .*\n?|\n)+)", re.MULTILINE)
LAID_OUT = re.compile(
    r"((?:^ *\"\w+\" {2,}.*\n?|^ {4,}\S.*\n?)+)", re.MULTILINE
)  # tables by spaces
LONGEST = 88


def on_page_markdown(markdown: str, **_: Any) -> str:
    return DIRECTIVE.sub(lambda found: entry(found[1]), markdown)


def entry(name: str) -> str:
    """A heading, the signature, the text, and the example behind it."""
    thing = found(name)
    text = inspect.getdoc(thing)
    if not text:
        message = f"{name} has no docstring"
        raise ValueError(message)
    short = name.removeprefix("enzyme_py.").replace("modes.", "")
    return f"## `{short}`\n\n{signature(short, thing)}\n{formatted(text)}\n"


def found(name: str) -> Any:
    """Look up a name from the package on; modules on the way are imported."""
    first, *rest = name.split(".")
    thing: Any = importlib.import_module(first)
    for part in rest:
        thing = getattr(thing, part)
    return thing


def signature(name: str, thing: Any) -> str:
    shown = inspect.signature(thing)
    plain = [p.replace(annotation=p.empty) for p in shown.parameters.values()]
    text = name + str(shown.replace(parameters=plain, return_annotation=shown.empty))
    if len(text) > LONGEST:
        text = re.sub(r", (?=[\w*]+(?:[=,)]|$))", ",\n    ", text.replace("(", "(\n    ", 1))
        text = text.removesuffix(")") + ",\n)"
    return f"```python\n{text}\n```\n"


def formatted(text: str) -> str:
    """Docstring to Markdown: what is laid out by spaces stays so, examples are code."""
    example = EXAMPLES.search(text)
    prose = text[: example.start()] if example else text
    prose = LAID_OUT.sub(lambda one: f"```text\n{textwrap.dedent(one[0]).rstrip()}\n```\n", prose)
    if example is None:
        return prose
    return f"{prose.rstrip()}\n\n```pycon\n{textwrap.dedent(example[1]).strip()}\n```\n"
