"""Finding the program that runs Enzyme. In this order:

1. ENZYME_PY_PLUGIN / `settings.plugin`: a real plugin, run by an `opt` of LLVM 22;
2. ENZYME_PY_HOST / `settings.host`: an executable that the user vouches for;
3. an installed wheel of the pinned version, if its executable is the pinned one, byte for byte;
4. the store under `cache_dir`;
5. the registry, through pip, into the store.

What was found is kept until the settings change; `forget` makes the next request look again.
"""

from __future__ import annotations

import json
import os
import shutil
from importlib import metadata
from pathlib import Path

from enzyme_py.errors import HostNotFound, ProvisionError
from enzyme_py.host.installing import pinned
from enzyme_py.host.installing.pinned import Pin, pin_of_this_platform
from enzyme_py.host.installing.provision import install
from enzyme_py.host.installing.store import (
    folder_of,
    host_folder,
    objection_to,
    objection_to_stored,
    sha256_of,
    stored_executable,
)
from enzyme_py.host.process.toolchain import Catalyst, PluginOpt, Toolchain
from enzyme_py.settings import settings

OPT_NAMES = ("opt-22", "opt")

_found: dict[tuple[object, ...], Toolchain] = {}


def find_toolchain() -> Toolchain:
    """The program that runs Enzyme, by the settings; fetched if there is none."""
    key = (settings.plugin, settings.host, settings.cache_dir)
    toolchain = _found.get(key)
    if toolchain is None:
        toolchain = _find_plugin() if settings.plugin else Catalyst(find_executable())
        _found[key] = toolchain
    return toolchain


def forget() -> None:
    """Look again at the next request."""
    _found.clear()


def find_executable() -> Path:
    """Steps 2 to 5."""
    if settings.host:
        return _given_executable(settings.host)
    pin = pin_of_this_platform()
    return installed_executable(pin) or stored_executable(pin) or _install(pin)


def _install(pin: Pin) -> Path:
    """From the registry. If that fails, a stored copy that is not trusted explains why it must be."""
    objection = objection_to_stored(pin) if folder_of(pin).exists() else None
    try:
        return install()
    except ProvisionError as error:
        if objection is not None:
            error.what += f"; the copy in the cache is not used, since {objection}"
        raise


def _given_executable(text: str) -> Path:
    path = Path(text).expanduser().absolute()
    if path.is_file() and os.access(path, os.X_OK):
        return path
    problem = "is not executable" if path.is_file() else "is not a file"
    remedy = "correct the setting `host`, or unset it to have the executable found or fetched"
    raise HostNotFound(f"ENZYME_PY_HOST names {path}, which {problem}", remedy=remedy)


def _find_plugin() -> PluginOpt:
    plugin = Path(str(settings.plugin)).expanduser().absolute()
    if not plugin.is_file():
        message = f"ENZYME_PY_PLUGIN names {plugin}, which is not a file"
        raise HostNotFound(message, remedy="correct the setting `plugin`, or unset it")
    for name in OPT_NAMES:
        program = shutil.which(name)
        if program is not None:
            return PluginOpt(Path(program), plugin)
    message = "ENZYME_PY_PLUGIN is set, but there is no `opt` of LLVM 22 on the PATH"
    raise HostNotFound(message, remedy="install LLVM 22's tools, or unset ENZYME_PY_PLUGIN")


def installed_executable(pin: Pin) -> Path | None:
    """The executable of an installed wheel, if it is the one that is pinned here."""
    try:
        distribution = metadata.distribution(pinned.PROJECT)
    except metadata.PackageNotFoundError:
        return None
    if distribution.version != pin.version or pin.executable_sha256 is None:
        return None
    for file in distribution.files or ():
        if file.as_posix().endswith(pinned.INSTALLED_MEMBER):
            path = Path(str(distribution.locate_file(file))).resolve()
            return path if _is_pinned(path, pin) else None
    return None


def _is_pinned(path: Path, pin: Pin) -> bool:
    """Hash the file, once: the answer is kept as long as the file's identity stays the same."""
    try:
        status = path.stat()
    except OSError:
        return False
    identity = [str(path), status.st_ino, status.st_size, status.st_mtime_ns]
    known = {"identity": identity, "sha256": pin.executable_sha256}
    if _read_note() == known:
        return True
    if sha256_of(path) != pin.executable_sha256:
        return False
    _write_note(known)
    return True


def _note() -> Path:
    return host_folder() / "installed-wheel.json"


def _read_note() -> object:
    if objection_to(host_folder()) or objection_to(_note()):
        return None
    try:
        return json.loads(_note().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write_note(known: object) -> None:
    """Without a note the file is hashed again next time; that is all."""
    temporary = _note().with_suffix(f".{os.getpid()}")
    try:
        host_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.write_text(json.dumps(known), encoding="utf-8")
        temporary.replace(_note())
    except OSError:
        return
