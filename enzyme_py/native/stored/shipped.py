"""Differentiated modules that packages bring with them, so that their users need no host.

What is kept is the IR behind Enzyme, which is the same for all processors of one platform; the native stage makes
code of it on the user's machine, and keeps that in the disk cache. A file is found by everything that Enzyme read (IR,
entries, options), the version of LLVM that reads the IR, and this package's own sources, by content. Where source files lie
does not count. It stands in debug information, which nobody reads, and in the messages of exceptions, which are taken
from the module that is asked for. What Enzyme refused as a question of activity is kept too, since another request is
made of that.

Files: a head line, the hash of the rest, and the rest, compressed: a line of JSON, then the IR. A damaged file
is passed over with a warning. The folders are as trusted as the package that names them: their content is run.
"""

from __future__ import annotations

import functools
import hashlib
import json
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import ActivityError, CacheWarning, RuleError
from enzyme_py.foundations.files.trusted_files import write_whole
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.llvm import GlobalVariable, Module
from enzyme_py.native.machine import llvm_identity
from enzyme_py.native.stored.disk_cache import digest_of, is_portable, options_of
from enzyme_py.passes.checks.lost import Lost
from enzyme_py.settings import settings

HEAD = b"enzyme_py differentiated module 2\n"
SUFFIX = ".module"
_DIGEST_SIZE = hashlib.sha256().digest_size
# Exceptions are constants: a pickle, its hash, and a record of both; Numba puts the hash into their names.
_EXCEPTIONS = ("._const_pickledata_", "._const_picklebuf_")
_HASH = "_sha1"
_DIGITS = 40

Differentiate = Callable[[DiffModule], DifferentiatedModule]


def with_shipped(differentiate: Differentiate, way: str = "") -> Differentiate:
    """Return a function that asks the folders first; `way` tells apart ways to differentiate one module."""

    def run(module: DiffModule) -> DifferentiatedModule:
        is_known = bool(settings.precompiled) and not settings.plugin and is_portable(module)
        found = _find(module, _key(module, way)) if is_known else None
        return found or differentiate(module)

    return run


def recorded(differentiate: Differentiate, folder: Path, way: str = "") -> Differentiate:
    """Return a function that keeps in a folder what it makes of modules."""

    def run(module: DiffModule) -> DifferentiatedModule:
        if not is_portable(module):  # it holds an address of this process
            return differentiate(module)
        name = _key(module, way)
        try:
            done = differentiate(module)
        except RuleError:
            raise
        except ActivityError as refusal:
            _keep(folder, name, {"refused": refusal.what, "remedy": refusal.remedy}, "")
            raise
        facts: dict[str, object] = {"entries": done.entries, "lost": done.lost, "doubts": done.doubts}
        _keep(folder, name, facts, str(_placeless(done.ir)))
        return done

    return run


def _key(module: DiffModule, way: str) -> str:
    code = without_exceptions(module.ir)
    parts = [str(code), *module.entries, "", *options_of(module), "", way]
    parts += [llvm_identity(), _own_content()]
    return digest_of(parts)


def without_exceptions(text: str) -> Module:
    """Return a module in which nothing tells where a source file lies, nor what exceptions say."""
    code = _placeless(text)
    for one in _exceptions(code):
        one.define_as(f"{one.ref} = external global i8")
    return code


def _placeless(text: str) -> Module:
    """Return a module in which no name tells where a source file lies."""
    code = Module(text)
    for node in code.metadata.values():
        if "!DIFile(" in node.text:
            place = node.fields
            told = f"filename: {place['filename']}, directory: {place['directory']}"
            node.set_content(node.content.replace(told, 'filename: "", directory: ""', 1))
    names = {one: _without_hash(one.name) for one in code.variables}
    code.rename_all({one: name for one, name in names.items() if name != one.name})
    return code


def _without_hash(name: str) -> str:
    for mark in _EXCEPTIONS:
        before, found, behind = name.partition(mark)
        if found and set(behind[:_DIGITS]) <= set("0123456789abcdef") and len(behind) >= _DIGITS:
            return f"{before}{found}{behind[_DIGITS:]}"
    return name


def _exceptions(code: Module) -> list[GlobalVariable]:
    """Return what a module without hashes in its names knows of exceptions."""
    return [one for one in code.variables if one.name.removesuffix(_HASH).endswith(_EXCEPTIONS)]


def _with_exceptions(text: str, module: DiffModule) -> str:
    """Return a differentiated module with the exceptions of the module that is asked for."""
    own = {one.name: one.text for one in _exceptions(_placeless(module.ir))}
    code = Module(text)
    for one in _exceptions(code):
        one.define_as(own[one.name])
    return str(code)


@functools.cache
def _own_content() -> str:
    """Stand for this package's own code, wherever and whenever it was installed."""
    root = Path(__file__).parent.parent.parent
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(str(file.relative_to(root)).encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _find(module: DiffModule, name: str) -> DifferentiatedModule | None:
    for folder in settings.precompiled:
        path = folder / (name + SUFFIX)
        try:
            content = path.read_bytes()
        except OSError:
            continue
        body = content[len(HEAD) + _DIGEST_SIZE :]
        is_whole = content == HEAD + hashlib.sha256(body).digest() + body
        if not is_whole:
            message = f"{path} is damaged; enzyme_py goes on without"
            warnings.warn(message, CacheWarning, stacklevel=2)
            continue
        head, _, text = zlib.decompress(body).decode().partition("\n")
        facts = json.loads(head)
        if "refused" in facts:
            raise ActivityError(facts["refused"], where=module.where, remedy=facts["remedy"])
        lost = tuple(Lost(*one) for one in facts["lost"])
        text = _with_exceptions(text, module)
        entries = tuple(facts["entries"])
        return DifferentiatedModule(
            text, entries, module.where, 0.0, "", lost, tuple(facts["doubts"]), module.fast_math
        )
    return None


def _keep(folder: Path, name: str, facts: dict[str, object], text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    body = zlib.compress(f"{json.dumps(facts)}\n{text}".encode(), 9)
    path = folder / (name + SUFFIX)
    write_whole(path, HEAD + hashlib.sha256(body).digest() + body)
    path.chmod(0o644)  # others install it


__all__ = ["recorded", "with_shipped"]
