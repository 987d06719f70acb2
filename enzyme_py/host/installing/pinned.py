"""The one place that names the wheel, its versions and its hashes."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass

from enzyme_py.errors import ProvisionError

PROJECT = "pennylane-catalyst"
VERSION = "0.15.0"
ENZYME_VERSION = "0.0.238"
LLVM_VERSION = "22"
MEMBER = f"pennylane_catalyst-{VERSION}.data/data/bin/catalyst"
INSTALLED_MEMBER = "bin/catalyst"  # below the prefix, where pip puts it


@dataclass(frozen=True)
class Pin:
    """What one platform gets. The executable's own hash is known where it could be looked at."""

    platform: str  # as pip spells it
    wheel_sha256: str
    executable_sha256: str | None
    wheel_bytes: int  # about; for the progress bar and the room that is needed
    executable_bytes: int
    project: str = PROJECT
    version: str = VERSION
    member: str = MEMBER

    @property
    def bytes_needed(self) -> int:
        """Disk space while installing: the wheel, the executable, and its stripped copy."""
        return self.wheel_bytes + 2 * self.executable_bytes


PINS = {
    ("linux", "x86_64"): Pin(
        platform="manylinux_2_28_x86_64",
        wheel_sha256="cb0d35c84974d11b702805f7c0b9b6ceb31ba34f080100dee1de23067705c073",
        executable_sha256="e5d329f13e928d388c5be6e1f54a2ccb47895ef44203eed31a32d2df8173ca89",
        wheel_bytes=87_838_929,
        executable_bytes=320_349_928,
    ),
    ("linux", "aarch64"): Pin(
        platform="manylinux_2_28_aarch64",
        wheel_sha256="9d1b29801a2a7d78bbc710ec4b8ff362e1d6fa9cfe7ad4867ddbde826a456341",
        executable_sha256="c8369df02e0c547391df18263b7512179ed4ef9b3eab17e0177abfe029e04c12",
        wheel_bytes=87_961_292,
        executable_bytes=330_239_112,
    ),
    ("darwin", "arm64"): Pin(
        platform="macosx_13_0_arm64",
        wheel_sha256="507b1302801dd127a8fdfa7a4b4ac14be976e3a9da1616a29501506d3dedf1cb",
        executable_sha256="25252cc392e3bf40641e5d015ab5d13393112218f3f0a9f136fda7dfd617850d",
        wheel_bytes=82_218_513,
        executable_bytes=386_480_776,
    ),
}


def pin_of_this_platform() -> Pin:
    """The pin for the machine that runs, or an error that lists the others."""
    key = (sys.platform, platform.machine())
    if key in PINS:
        return PINS[key]
    known = ", ".join(f"{system} {machine}" for system, machine in PINS)
    message = f"there is no Enzyme executable for {key[0]} {key[1]}"
    remedy = f"wheels exist for {known}; elsewhere, point ENZYME_PY_PLUGIN at an Enzyme plugin"
    raise ProvisionError(message, remedy=remedy)
