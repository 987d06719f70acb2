"""What the site has beyond the pages of docs/: its navigation, and the files of the project that pages link to.

docs/index.md is the table of contents. Its headings are the groups of the navigation, its links the entries; a link to
the index of a folder brings what that index links to. A page that it does not name is an error. Documents
and sources outside of docs/ become pages under `project/`, so that every link leads somewhere, without a network.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
UNSEARCHED = "---\nsearch: {exclude: true}\n---\n"
FENCED = re.compile(r"^(```|~~~~).*?^\1`*$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)
# A link, its text and its target; or code, where what looks like one is none.
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)|`[^`]+`")
INDEXES = ("index.md", "README.md")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.nav = navigation(DOCS)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files outside of docs/ that pages link to, and those that these link to."""
    waiting = [DOCS / file.src_uri for file in files.documentation_pages()]
    seen = set(waiting)
    while waiting:
        page = waiting.pop()
        for target in outside(page):
            if target not in seen:
                seen.add(target)
                files.append(page_of(target, config))
                if target.suffix == ".md":
                    waiting.append(target)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links at the pages that stand for what lies outside of docs/."""
    here = page.file.src_uri
    written = source_of(here)

    def led(link: str) -> str:
        name, mark, heading = link.partition("#")
        if "://" in link or not name:
            return link
        target = (written.parent / name).resolve()
        return posixpath.relpath(uri_of(target), posixpath.dirname(here) or ".") + mark + heading

    if here.endswith(".py.md"):
        return markdown
    return with_links(markdown, lambda text, link: f"[{text}]({led(link)})")


# The navigation


def navigation(docs: Path) -> list[Any]:
    """Return the groups of the table of contents, with their pages."""
    parts = HEADING.split(prose_of(docs / "index.md"))[1:]
    groups = [
        {title: list(entries(docs / "index.md", text))}
        for title, text in zip(*[iter(parts)] * 2, strict=True)
    ]
    return [{"Home": "index.md"}, *groups]


def entries(index: Path, text: str) -> Iterator[Any]:
    """The pages that an index links to, in their order; folders with what is in them."""
    for text_of_link, link in links_of(text):
        title = sentence(text_of_link.replace("`", ""))
        target = (index.parent / link).resolve()
        if "://" in link or "#" in link:
            continue
        if target.name in INDEXES and target.is_relative_to(DOCS):
            below = [one for one in entries(target, prose_of(target)) if is_below(one, target)]
            yield {title: [uri_of(target), *below]}
        elif target != index:
            yield {title: uri_of(target)}


def is_below(entry: dict[str, Any], index: Path) -> bool:
    return all(
        isinstance(one, str) and one.startswith(f"{index.parent.name}/") for one in entry.values()
    )


def sentence(title: str) -> str:
    return title[:1].upper() + title[1:]


# Files outside of docs/


def outside(page: Path) -> Iterator[Path]:
    """The files and folders outside of docs/ that a page links to."""
    for _, link in links_of(prose_of(page)):
        target = (page.parent / link.partition("#")[0]).resolve()
        if "://" not in link and not target.is_relative_to(DOCS):
            if not target.exists():
                message = f"{page.relative_to(ROOT)} links to {link}, which is not there"
                raise PluginError(message)
            yield target


def uri_of(target: Path) -> str:
    """Where a file of the project lies in the site."""
    if target.is_relative_to(DOCS):
        return target.relative_to(DOCS).as_posix()
    name = target.relative_to(ROOT).as_posix()
    return f"project/{name}" if name.endswith(".md") else f"project/{name}.md"


def source_of(uri: str) -> Path:
    """The file of the project that a page was made of."""
    name = uri.removeprefix("project/")
    return DOCS / uri if name == uri else ROOT / name


def page_of(target: Path, config: MkDocsConfig) -> File:
    """A page with a file outside of docs/: a document as it is, code as code, a folder as a list."""
    name = target.relative_to(ROOT).as_posix()
    if target.suffix == ".md":
        content = target.read_text()
    elif target.is_dir():
        listed = sorted(p.name for p in target.iterdir() if p.is_file())
        content = f"{UNSEARCHED}# {name}/\n\n" + "\n".join(f"* `{one}`" for one in listed)
    else:
        content = f"{UNSEARCHED}# {name}\n\n~~~~text\n{target.read_text()}~~~~\n"  # colours take a third of a build
    return File.generated(
        config, uri_of(target), content=content, inclusion=InclusionLevel.NOT_IN_NAV
    )


# Markdown


def prose_of(page: Path) -> str:
    return FENCED.sub("", page.read_text())


def links_of(text: str) -> Iterator[tuple[str, str]]:
    return ((title, link) for title, link in LINK.findall(text) if link)


def with_links(markdown: str, change: Callable[[str, str], str]) -> str:
    """Return a text with other links; code stays as it is."""
    made, at = [], 0
    for fence in [*FENCED.finditer(markdown), None]:
        end = fence.start() if fence else len(markdown)
        made.append(LINK.sub(lambda m: change(m[1], m[2]) if m[2] else m[0], markdown[at:end]))
        if fence:
            made.append(fence.group())
            at = fence.end()
    return "".join(made)
