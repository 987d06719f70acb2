"""Finding the executable, what makes it trusted, and the commands that tell of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from enzyme_py.__main__ import main
from enzyme_py.errors import ProvisionError
from enzyme_py.host.installing import locate, provision, store
from enzyme_py.host.installing.pinned import pin_of_this_platform
from enzyme_py.inspect.doctor import examine
from enzyme_py.settings import config, settings
from tests.host.fake_registry import METADATA, PROGRAM, a_pin, registry, the_wheel, use_pin
from tests.host.host_programs import ROOT

__all__ = ["registry"]


# ---- order of search ----


def test_the_setting_comes_first(registry: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.write_bytes(PROGRAM)
    mine.chmod(0o755)
    with config(host=str(mine)):
        assert locate.find_executable() == mine


def test_an_installed_wheel_comes_before_the_cache(
    registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision.install()
    monkeypatch.undo()
    use_pin(monkeypatch, a_pin(the_wheel(registry)))
    executable = _pretend_installed(tmp_path, monkeypatch, "0.15.0")
    assert locate.find_executable() == executable
    monkeypatch.setattr(locate, "sha256_of", None)  # the hash is remembered
    assert locate.find_executable() == executable


@pytest.mark.parametrize(("version", "program"), [("0.14.0", PROGRAM), ("0.15.0", b"another")])
def test_another_installed_wheel_is_passed_over(
    registry: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    program: bytes,
) -> None:
    stored = provision.install()
    monkeypatch.undo()
    use_pin(monkeypatch, a_pin(the_wheel(registry)))
    _pretend_installed(tmp_path, monkeypatch, version, program)
    assert locate.find_executable() == stored


def _pretend_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, program: bytes = PROGRAM
) -> Path:
    """A distribution as pip leaves it, in a folder on sys.path."""
    site = tmp_path / "prefix" / "site-packages"
    info = site / f"pennylane_catalyst-{version}.dist-info"
    info.mkdir(parents=True)
    executable = tmp_path / "prefix" / "bin" / "catalyst"
    executable.parent.mkdir()
    executable.write_bytes(program)
    executable.chmod(0o755)
    (info / "METADATA").write_text(METADATA.replace("0.15.0", version))
    (info / "RECORD").write_text("../bin/catalyst,,\n")
    monkeypatch.syspath_prepend(str(site))
    return executable


# ---- that it is not fooled ----


def test_a_changed_executable_is_not_run_but_replaced(registry: Path) -> None:
    path = provision.install()
    path.write_bytes(PROGRAM[:-1] + b"!")
    os.utime(path, ns=(0, 0))
    assert store.stored_executable(pin_of_this_platform()) is None
    assert locate.find_executable().read_bytes() == PROGRAM


def test_a_change_that_keeps_size_and_time_is_seen_by_the_doctor(registry: Path) -> None:
    path = provision.install()
    before = path.stat()
    path.write_bytes(PROGRAM[:-1] + b"!")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not store.hash_matches(pin_of_this_platform())
    (finding,) = [finding for finding in examine() if finding.name == "host"]
    assert not finding.is_good
    assert "wrong SHA-256" in finding.text


@pytest.mark.parametrize("name", ["", "manifest.json", "catalyst"])
def test_what_others_can_write_is_not_run(registry: Path, name: str) -> None:
    path = provision.install()
    (path.parent / name).chmod(0o770)
    assert "can be written by others" in str(store.objection_to_stored(pin_of_this_platform()))
    assert locate.find_executable() == path
    assert store.objection_to_stored(pin_of_this_platform()) is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_another_user_is_not_run(registry: Path) -> None:
    path = provision.install()
    os.chown(path, 12345, -1)
    assert "belongs to another user" in str(store.objection_to_stored(pin_of_this_platform()))
    assert store.stored_executable(pin_of_this_platform()) is None


def test_a_symbolic_link_is_not_followed(registry: Path, tmp_path: Path) -> None:
    path = provision.install()
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    assert "symbolic link" in str(store.objection_to_stored(pin_of_this_platform()))


def test_nothing_is_installed_where_others_can_write(registry: Path) -> None:
    store.host_folder().mkdir(parents=True)
    store.host_folder().chmod(0o777)
    with pytest.raises(ProvisionError, match="others could change it"):
        provision.install()


def test_a_broken_manifest_means_not_installed(registry: Path) -> None:
    path = provision.install()
    (path.parent / "manifest.json").write_text("{")
    assert "not the manifest" in str(store.objection_to_stored(pin_of_this_platform()))


# ---- the doctor ----


def test_the_doctor_without_an_executable(
    registry: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "FAIL host" in told
    assert "python -m enzyme_py install" in told
    assert "ok   python" in told
    assert not store.folder_of(pin_of_this_platform()).exists()  # it looks, and fetches nothing


def test_the_doctor_with_the_real_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    told = capsys.readouterr().out
    for fragment in (
        "numba 0.",
        "llvmlite 0.",
        "LLVM version 22",
        "sha256",
        "at 3 is 6",
        str(settings.cache_dir),
    ):
        assert fragment in told
    assert "FAIL" not in told


def test_the_doctor_finds_a_host_without_enzyme(capsys: pytest.CaptureFixture[str]) -> None:
    with config(host="/bin/true"):
        assert main(["doctor"]) == 1
    assert "/bin/true has no Enzyme in it" in capsys.readouterr().out


def test_cache(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with config(cache_dir=tmp_path):
        assert main(["cache"]) == 0
        assert main(["cache", "--clear"]) == 0
    told = capsys.readouterr().out
    assert "0 derivatives" in told
    assert "removed 0 files" in told


def test_an_error_on_the_command_line_is_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "enzyme_py", "install", "--wheel", str(tmp_path / "none.whl")],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ENZYME_PY_CACHE_DIR": str(tmp_path / "c")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("enzyme_py: there is no file")
    assert "Traceback" not in done.stderr
