"""`python -m enzyme_py doctor`: what this installation consists of, and whether it works.

Each check is a row: a name, and a function that returns what it found or raises. Nothing is fetched.

With `--json` the same comes as one JSON object, to be put into a bug report and to be read by programs; docs/installing.md
has its keys. The home folder is written `~` there, and settings that are as they come are left out.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any

from enzyme_py import errors
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import HostNotFound, Where
from enzyme_py.foundations.versions import VERSION
from enzyme_py.host.installing import pinned, store
from enzyme_py.host.installing.locate import find_toolchain, forget, installed_executable
from enzyme_py.host.process.forkserver import ForkServer, shim_path
from enzyme_py.settings import Settings, read_environment, settings

SCHEMA = 1  # of the JSON: grows when a key changes its meaning or goes; new keys leave it
PACKAGES = ("numba", "llvmlite", "numpy", "scipy", "cffi", "jax", "torch", "nutpie", "pymc", "casadi")
INSTALL = "run `python -m enzyme_py install`"


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    name: str
    text: str
    is_good: bool


def examine() -> list[Finding]:
    """Run every check; none of them stops the others."""
    return [_run(name, check) for name, check in CHECKS]


def _run(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, check(), True)
    except errors.EnzymeError as error:
        return Finding(name, str(error), False)
    except Exception as error:  # noqa: BLE001  (the doctor reports, whatever it is)
        return Finding(name, f"{type(error).__name__}: {error}", False)


def report(findings: list[Finding]) -> str:
    """The findings as text, one line each and more where something is broken."""
    width = max(len(finding.name) for finding in findings)
    lines = []
    for finding in findings:
        mark = "ok  " if finding.is_good else "FAIL"
        text = finding.text.rstrip().replace("\n", "\n" + " " * (width + 7))
        lines.append(f"{mark} {finding.name:<{width}}  {text}")
    return "\n".join(lines)


def _python() -> str:
    return f"{platform.python_version()} on {platform.system()} {platform.machine()}"


def _numba() -> str:
    versions = [f"{name} {metadata.version(name)}" for name in ("numba", "llvmlite", "numpy")]
    from enzyme_py.native.machine import llvm_identity

    return ", ".join((*versions, llvm_identity().rpartition(", ")[2]))


def _shim() -> str:
    path = shim_path()
    if not path.is_file():
        remedy = "reinstall enzyme_py: its C library was not built, or not installed"
        raise HostNotFound(f"{path} is missing", remedy=remedy)
    return str(path)


def _executable() -> Path:
    """The one that the next request would use, without fetching one."""
    if settings.plugin or settings.host:
        return find_toolchain().executable
    pin = pinned.pin_of_this_platform()
    path = installed_executable(pin) or store.stored_executable(pin)
    if path is None:
        objection = store.objection_to_stored(pin)
        raise HostNotFound(f"no Enzyme executable: {objection}", remedy=INSTALL)
    return path


def _host() -> str:
    path = _executable()
    if settings.plugin:
        return f"{path} with the plugin {settings.plugin}"
    if settings.host:
        return f"{path} (ENZYME_PY_HOST), sha256 {store.sha256_of(path)}"
    if path.parent != store.folder_of(pinned.pin_of_this_platform()):
        return f"{path} (installed {pinned.PROJECT} {pinned.VERSION}), its hash is the pinned one"
    if not store.hash_matches(pinned.pin_of_this_platform()):
        raise HostNotFound(f"{path} is not what was installed: wrong SHA-256", remedy=INSTALL)
    manifest = store.read_manifest(path.parent)
    return f"{path}, sha256 {manifest.sha256 if manifest else 'unknown'} as installed"


def _versions() -> str:
    path = _executable()
    done = subprocess.run(
        [str(path), "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    lines = [line.strip() for line in done.stdout.splitlines()]
    llvm = next((line for line in lines if "LLVM version" in line), "LLVM of unknown version")
    if settings.plugin or settings.host:
        return f"{llvm}; Enzyme of unknown version"
    return f"{llvm}, Enzyme {pinned.ENZYME_VERSION}"


def _fork_server() -> str:
    server = ForkServer(_executable())
    server.close()
    if not server.hello.has_enzyme and not settings.plugin:
        raise HostNotFound(f"{server.executable} has no Enzyme in it", remedy=INSTALL)
    return "starts, and speaks our protocol"


SQUARE = """
@enzyme_dup = external global i32
declare double @__enzyme_fwddiff(ptr, ...)
define double @square(double %x) {
  %y = fmul double %x, %x
  ret double %y
}
define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
  %d = call double (ptr, ...) @__enzyme_fwddiff(ptr @square, ptr @enzyme_dup, double %x, double 1.0)
  store double %d, ptr %ret
  ret i32 0
}
"""


def _derivative() -> str:
    _executable()  # the doctor does not fetch
    from enzyme_py import host, native

    module = DiffModule(SQUARE, ("entry",), (), Where("square"))
    differentiated = host.differentiate(module)
    function = native.load(native.optimise(differentiated))
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double)
    result = ctypes.c_double()
    status = kind(function.addresses["entry"])(ctypes.addressof(result), None, 3.0)
    if status != 0 or result.value != 6.0:
        message = f"the derivative of x*x at 3 came out as {result.value}, not 6"
        raise errors.HostError(message, remedy=INSTALL)
    milliseconds = differentiated.seconds * 1000
    return f"the derivative of x*x at 3 is 6; {milliseconds:.0f} ms in the pass"


def _cache() -> str:
    folder = settings.cache_dir
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass
    from enzyme_py.native.stored import disk_cache

    found = disk_cache.summary()
    free = os.statvfs(folder)
    megabytes = free.f_bavail * free.f_frsize / 1e6
    held = f"{found.files} files of {found.bytes / 1e6:.1f} MB"
    return f"{folder}, writable, {megabytes:.0f} MB free, holds {held}"


CHECKS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("python", _python),
    ("numba", _numba),
    ("library", _shim),
    ("host", _host),
    ("versions", _versions),
    ("server", _fork_server),
    ("derivative", _derivative),
    ("cache", _cache),
)


def diagnosis() -> tuple[str, bool]:
    """The report, and whether everything works."""
    forget()
    findings = examine()
    return report(findings), all(finding.is_good for finding in findings)


def as_json() -> tuple[str, bool]:
    """The findings and their surroundings as JSON, and whether everything works."""
    forget()
    findings = examine()
    is_well = all(finding.is_good for finding in findings)
    found = {
        "schema": SCHEMA,
        "ok": is_well,
        "enzyme_py": VERSION,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()).strip(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "packages": {name: version for name in PACKAGES if (version := _version_of(name))},
        "enzyme": {"version": pinned.ENZYME_VERSION, "wheel": f"{pinned.PROJECT} {pinned.VERSION}"},
        "settings": _changed_settings(),
        "checks": [{"name": one.name, "ok": one.is_good, "text": one.text} for one in findings],
    }
    return json.dumps(_without_home(found), indent=2), is_well


def _version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _changed_settings() -> dict[str, str]:
    """What the environment or the program set, as text."""
    places = {name: text for name in ("XDG_CACHE_HOME",) if (text := os.environ.get(name))}
    usual = read_environment(places)
    now = {field.name: getattr(settings, field.name) for field in fields(Settings)}
    return {name: str(value) for name, value in now.items() if value != getattr(usual, name)}


def _without_home(value: Any) -> Any:
    """A path below the home folder tells somebody's name."""
    if isinstance(value, dict):
        return {key: _without_home(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_home(one) for one in value]
    home = str(Path.home())
    return value.replace(home, "~") if isinstance(value, str) and home != "/" else value
