"""Small wheels in the place of the real one, a folder in the place of the registry."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from enzyme_py.host.installing import locate, pinned, store
from enzyme_py.host.installing.pinned import Pin, pin_of_this_platform
from enzyme_py.settings import config

PROGRAM = b"#!/bin/sh\necho 'LLVM version 22.0.0git'\n" + b"#" * 100_000
METADATA = "Metadata-Version: 2.1\nName: pennylane-catalyst\nVersion: 0.15.0\n"


def write_wheel(folder: Path, platform: str, program: bytes = PROGRAM) -> Path:
    """A wheel that pip accepts, with `program` as its executable."""
    wheel = folder / f"pennylane_catalyst-0.15.0-cp312-abi3-{platform}.whl"
    info = "pennylane_catalyst-0.15.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(pinned.MEMBER, program)
        archive.writestr(f"{info}/METADATA", METADATA)
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nTag: cp312-abi3-{platform}\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def a_pin(wheel: Path, program: bytes = PROGRAM) -> Pin:
    """The pin that fits a wheel."""
    return Pin(
        platform=pin_of_this_platform().platform,
        wheel_sha256=store.sha256_of(wheel),
        executable_sha256=hashlib.sha256(program).hexdigest(),
        wheel_bytes=wheel.stat().st_size,
        executable_bytes=len(program),
    )


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that pip takes for the registry, with one good wheel; an empty cache folder."""
    folder = tmp_path / "registry"
    folder.mkdir()
    pin = a_pin(write_wheel(folder, pin_of_this_platform().platform))
    use_pin(monkeypatch, pin)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setattr(locate, "installed_executable", lambda pin: None)
    locate.forget()
    with config(host=None, plugin=None, cache_dir=tmp_path / "cache"):
        yield folder
    locate.forget()


def use_pin(monkeypatch: pytest.MonkeyPatch, pin: Pin) -> None:
    for key in pinned.PINS:
        monkeypatch.setitem(pinned.PINS, key, pin)


def the_wheel(registry: Path) -> Path:
    (wheel,) = registry.glob("*.whl")
    return wheel
