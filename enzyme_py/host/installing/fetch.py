"""Fetching the one wheel through pip, and saying what went wrong if that fails.

pip runs as the user's own: with the user's index, proxy, certificates and cache. It fetches this one
wheel without dependencies; nothing of it is installed or run. Whether it is the right one is for
`provision` to decide.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from enzyme_py.errors import ProvisionError
from enzyme_py.host.installing.pinned import Pin
from enzyme_py.host.installing.progress import ProgressBar

OFFLINE = (
    "fetch the wheel {wheel} elsewhere, and run `python -m enzyme_py install --wheel FILE`; "
    "or point ENZYME_PY_HOST at an executable"
)
LOOK_EVERY = 0.2  # seconds, for the progress bar


@dataclass(frozen=True)
class Row:
    """One way in which pip fails: words of its output, what they mean, what to do."""

    words: tuple[str, ...]
    what: str
    remedy: str


ROWS = (
    Row(("No module named pip",), "this Python has no pip", "run `python -m ensurepip`; or "),
    Row(
        ("No space left", "Errno 28", "Disk quota", "File too large"),
        "there is no room on the disk for the Enzyme executable",
        "free some, or set ENZYME_PY_CACHE_DIR to another disk; or ",
    ),
    Row(
        (
            "Connection",
            "connection",
            "Name or service not known",
            "Temporary failure in name resolution",
            "timed out",
            "ProxyError",
            "SSLError",
            "Network is unreachable",
        ),
        "the package registry cannot be reached",
        "check the network and pip's configuration (`pip config list`); or ",
    ),
    Row(
        ("(from versions: none)",),
        "the package registry cannot be reached, or does not know the project at all",
        "check the network and pip's configuration (`pip config list`); or ",
    ),
    Row(
        ("No matching distribution", "Could not find a version", "not a supported wheel"),
        "the package registry that pip is configured for does not have the wheel",
        "configure an index that has it; or ",
    ),
)


def fetch_wheel(pin: Pin, folder: Path) -> Path:
    """Fetch the wheel of `pin` into `folder`, which exists."""
    output = _run_pip(_command(pin, folder), folder, pin)
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise _failure(pin, output)
    return wheels[0]


def _command(pin: Pin, folder: Path) -> list[str]:
    options = ["--no-deps", "--only-binary=:all:", "--python-version", "3.12"]
    quiet = ["--progress-bar", "off", "--no-input", "--disable-pip-version-check"]
    target = ["--platform", pin.platform, "--dest", str(folder)]
    requirement = f"{pin.project}=={pin.version}"
    python = sys.executable or "python3"  # an embedded interpreter has no name
    # -P: a pip.py in the current folder is not pip
    return [python, "-P", "-m", "pip", "download", *options, *quiet, *target, requirement]


def _run_pip(command: list[str], folder: Path, pin: Pin) -> str:
    """Run pip to its end; its output, or an error. Interrupted, it is ended too."""
    scratch = folder / "scratch"
    scratch.mkdir()
    # pip writes what it fetches below TMPDIR first: on the disk that was checked for room, and seen
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    try:
        with ProgressBar("fetching the Enzyme executable", pin.wheel_bytes) as bar:
            output = _watch(process, lambda: bar.show(_largest_file(scratch)))
    except BaseException:
        process.kill()
        process.communicate()
        raise
    if process.returncode != 0:
        raise _failure(pin, output)
    return output


def _watch(process: subprocess.Popen[str], look: Callable[[], None]) -> str:
    while True:
        try:
            return process.communicate(timeout=LOOK_EVERY)[0]
        except subprocess.TimeoutExpired:
            look()


def _largest_file(folder: Path) -> int:
    largest = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                largest = max(largest, os.lstat(os.path.join(place, name)).st_size)
            except OSError:
                continue  # pip took it away while we looked
    return largest


def wheel_name(pin: Pin) -> str:
    """The file name that the wheel has in a registry."""
    return f"{pin.project.replace('-', '_')}-{pin.version}-cp312-abi3-{pin.platform}.whl"


def offline_remedy(pin: Pin) -> str:
    """What to do on a machine that cannot fetch."""
    return OFFLINE.format(wheel=wheel_name(pin))


def _failure(pin: Pin, output: str) -> ProvisionError:
    for row in ROWS:
        if any(word in output for word in row.words):
            remedy = row.remedy + offline_remedy(pin)
            return ProvisionError(row.what, remedy=remedy, detail=output)
    message = "pip could not fetch the Enzyme executable"
    return ProvisionError(message, remedy=offline_remedy(pin), detail=output)
