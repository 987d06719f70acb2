"""What others could put in the way: folders, links, names, the environment; and what runs short."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import host
from enzyme_py.errors import DerivativeError, HostCrashed, HostError, HostTimedOut
from enzyme_py.host import crash_files
from enzyme_py.host.process import environment, forkserver, oneshot
from enzyme_py.host.process.client import keeper
from enzyme_py.host.process.environment import host_environment
from enzyme_py.settings import config
from tests.host.host_modules import REVERSE, a_module
from tests.host.host_programs import ROOT, ask, compile_c, make_build

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the server is for Linux")


@pytest.fixture(scope="module")
def fake_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fake")
    return compile_c(folder / "fake_host", str(ROOT / "tests/csrc/fake_host.c"))


# ---- the environment ----

HOSTILE = {
    "LD_PRELOAD": "/nowhere/evil.so",
    "LD_AUDIT": "/nowhere/audit.so",
    "GLIBC_TUNABLES": "glibc.malloc.check=3",
    "GCONV_PATH": "/nowhere",
    "MALLOC_PERTURB_": "5",
    "LLVM_PROFILE_FILE": "/nowhere/profile",
    "SECRET_TOKEN": "hunter2",
    "TMPDIR": "/nowhere",
    "PYTHONPATH": "/nowhere",
}


def test_the_host_gets_named_variables_only(monkeypatch: pytest.MonkeyPatch) -> None:
    before = host.differentiate(a_module(REVERSE)).ir
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    host.close()
    assert host.differentiate(a_module(REVERSE)).ir == before
    (server,) = keeper._servers.values()
    seen = Path(f"/proc/{server.hello.pid}/environ").read_bytes().split(b"\0")
    names = {variable.partition(b"=")[0].decode() for variable in seen if variable}
    assert names & set(HOSTILE) == {"LD_PRELOAD"}  # ours
    assert b"LD_PRELOAD=" + str(forkserver.shim_path()).encode() in seen
    monkeypatch.undo()
    host.close()


def test_library_folders_are_handed_on_if_nobody_else_can_fill_them(tmp_path: Path) -> None:
    own, shared = tmp_path / "own", tmp_path / "shared"
    own.mkdir(mode=0o755)
    shared.mkdir()
    shared.chmod(0o777)
    given = f"{own}:{shared}::relative:{tmp_path}/none"
    kept = host_environment({"LD_LIBRARY_PATH": given, "LC_ALL": "C", "HOME": "/h", "X": "y"})
    assert kept == {
        "LD_LIBRARY_PATH": str(own),
        "LC_ALL": "C",
        "HOME": "/h",
        "LLVM_DISABLE_SYMBOLIZATION": "1",
    }
    assert environment.SEARCHED not in host_environment({"LD_LIBRARY_PATH": str(shared)})


# ---- names ----


@pytest.mark.parametrize(
    "name", ["with spaces", "Ordner \u00fc \u65e5\u672c", "a:b", "quo'te\"$HOME"]
)
def test_folders_of_any_name(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    build = make_build(folder, "plain")
    server = build.start()
    try:
        assert ask(server, "copy the result").output == "the result"
        assert ask(server, "environment").output == "none none"
    finally:
        server.close()


def test_a_cache_folder_of_any_name(tmp_path: Path) -> None:
    x = np.array([1.0, 2.0])
    with config(cache_dir=tmp_path / "ein Ordner \u00fc:\n", cache=True):
        assert np.array_equal(enzyme.grad(lambda y: np.sum(y * y * 61.0))(x), 122.0 * x)
        assert list((tmp_path / "ein Ordner \u00fc:\n" / "derivatives").glob("*.derivative"))


# ---- folders and links of others ----


def test_a_crash_is_not_saved_where_others_can_write(fake_host: Path, tmp_path: Path) -> None:
    folder = tmp_path / "crashes"
    folder.mkdir()
    folder.chmod(0o777)
    with config(host=str(fake_host), cache_dir=tmp_path), pytest.raises(HostCrashed) as caught:
        host.differentiate(a_module("segv"))
    assert "saved" not in str(caught.value)
    assert list(folder.iterdir()) == []


def test_a_link_in_the_place_of_a_saved_module_is_replaced(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    with config(cache_dir=tmp_path):
        saved = crash_files.save_module("some ir", "")
        assert saved is not None
        saved.unlink()
        saved.symlink_to(victim)
        assert crash_files.save_module("some ir", "") == saved
    assert victim.read_text() == "mine"
    assert not saved.is_symlink()
    assert saved.read_text() == "some ir"


def test_a_temporary_folder_where_others_rename(
    fake_host: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("enzyme_py.host.process.client.can_serve", lambda executable: False)
    monkeypatch.setattr(oneshot.tempfile, "tempdir", str(tmp_path))
    with config(host=str(fake_host), cache_dir=tmp_path / "cache"):
        tmp_path.chmod(0o777)
        with pytest.raises(HostError, match="lets others replace our files") as caught:
            host.differentiate(a_module("copy x"))
        assert "TMPDIR" in caught.value.remedy
        tmp_path.chmod(0o1777)
        with pytest.raises(DerivativeError, match="code generation was reached"):  # so it ran
            host.differentiate(a_module("copy x"))


# ---- what runs short ----


def test_a_time_limit_saves_the_module(fake_host: Path, tmp_path: Path) -> None:
    with (
        config(host=str(fake_host), cache_dir=tmp_path, time_limit=0.2),
        pytest.raises(HostTimedOut, match="the module was saved as") as caught,
    ):
        host.differentiate(a_module("hang on"))
    (saved,) = (tmp_path / "crashes").iterdir()
    assert str(saved) in str(caught.value)
    assert "hang on" in saved.read_text()


@pytest.fixture
def few_descriptors() -> Iterator[Callable[[], None]]:
    """Take all descriptors but three of a low limit."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []

    def take() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
        while len(taken) < 256:
            try:
                taken.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:  # none is left
                break
        for _ in range(3):
            os.close(taken.pop())

    yield take
    for descriptor in taken:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.parametrize("runs", [True, False], ids=["with a server", "without one"])
def test_no_descriptors_are_left(
    fake_host: Path, tmp_path: Path, few_descriptors: Callable[[], None], runs: bool
) -> None:
    with config(host=str(fake_host), cache_dir=tmp_path):
        module = a_module("copy define i32 @entry() { ret i32 0 }")
        host.differentiate(module)
        if not runs:
            host.close()
        before = len(os.listdir("/proc/self/fd"))
        few_descriptors()
        for _ in range(3):
            with pytest.raises(HostError, match="Too many open files") as caught:
                host.differentiate(module)
            assert "ulimit -n" in caught.value.remedy
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        assert host.differentiate(module).ir.startswith("define i32 @entry(")
        host.close()
        assert len(os.listdir("/proc/self/fd")) - before in range(200, 256)


FULL = """
import resource, sys, warnings
from pathlib import Path
import numpy as np
import enzyme_py as enzyme
from enzyme_py.errors import CacheWarning, HostError
from enzyme_py.native.stored import disk_cache
from enzyme_py.settings import settings
x = np.array([1.0, 2.0])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    for factor in (3.0, 4.0):
        got = enzyme.grad(enzyme.jit(lambda y: np.sum(factor * y * y)))(x)
        assert np.array_equal(got, 2 * factor * x)
assert [one.category for one in told] == [CacheWarning], told
assert "No space" in str(told[0].message), told[0].message
assert not list(disk_cache.folder().glob("*.part"))
print("right")
"""


def test_a_full_disk_costs_one_warning(tmp_path: Path) -> None:
    """A real one: a file system of 8 kB."""
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k,mode=700", "tmpfs", str(small)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no right to mount a small file system")
    try:
        done = _run(FULL, ENZYME_PY_CACHE_DIR=str(small))
        assert done.stdout == "right\n", done.stderr
    finally:
        subprocess.run(["umount", str(small)], check=True)


SMALL_FILES = """
import resource, pytest
import numpy as np
import enzyme_py as enzyme
from enzyme_py.errors import HostError
limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
gradient = enzyme.grad(lambda y: np.sum(y * y * 67.0))
x = np.array([1.0, 2.0])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit))
with pytest.raises(HostError, match="File too large") as caught:
    gradient(x)
assert "ulimit -f" in caught.value.remedy
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
assert np.array_equal(gradient(x), 134.0 * x)
print("right")
"""


def test_files_that_must_be_small(tmp_path: Path) -> None:
    done = _run(SMALL_FILES, ENZYME_PY_CACHE_DIR=str(tmp_path))
    assert done.stdout == "right\n", done.stderr


def _run(program: str, **changes: str) -> subprocess.CompletedProcess[str]:
    path = f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, **changes},
        capture_output=True,
        text=True,
        timeout=120,
    )
