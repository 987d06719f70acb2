"""The care of the cache: what is in it, what is thrown out, caches that are shared, and what goes wrong with them."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from enzyme_py import native
from enzyme_py.__main__ import main
from enzyme_py.errors import CacheWarning
from enzyme_py.foundations.files import own_files, trusted_files
from enzyme_py.native.stored import about, disk_cache, holdings, shelf
from enzyme_py.native.stored.holdings import Wanted
from enzyme_py.native.stored.shelf import Shelf
from enzyme_py.settings import config, read_environment, settings
from tests.native.modules import CountingHost, before_the_pass, call_scalar

IDENTITY = "host 1"
MODULE = replace(before_the_pass(), name="reverse_of_score", types="float64")
is_root = os.geteuid() == 0
needs_root = pytest.mark.skipif(not is_root, reason="only root can give files to somebody else")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(trusted_files, "_warned", set())
    monkeypatch.setattr(shelf, "budget", shelf.Budget())
    with config(cache_dir=tmp_path / "cache", cache=True, shared_caches=[]):
        yield tmp_path / "cache" / "derivatives"


def compiled(kernel: str = "score", factor: str = "3.0") -> int:
    """Compile a derivative of a kernel, check the answer, and return how often the host was asked."""
    host = CountingHost()
    module = replace(MODULE, ir=MODULE.ir.replace("3.0", factor), where=replace(MODULE.where, kernel=kernel))
    function = native.compile(module, host, IDENTITY)
    assert call_scalar(function.addresses["entry"], 2.0) == 2.0 * float(factor)
    del function
    return host.calls


def aged(kernel: str, *, unused: float = 0.0, made: float = 0.0, **changes: Any) -> Path:
    """Put an entry there that was used and made so many days ago."""
    number = len(list(shelf.files()))
    facts = {**about.about(MODULE.where, "reverse of it", "float64"), "kernel": kernel, **changes}
    facts["made"] = time.time() - made * holdings.DAY
    path = disk_cache.folder() / disk_cache.SHELF.file_name(f"{number:064x}")
    disk_cache.SHELF.keep(path.stem, {"about": facts}, b"x" * 1000)
    used = time.time() - unused * holdings.DAY
    os.utime(path, (used, used))
    return path


def cache(*arguments: str) -> int:
    return main(["cache", *arguments])


# -- what is there


def test_a_file_says_what_it_is(folder: Path) -> None:
    compiled()
    (file,) = holdings.listed()
    told = holdings.facts_of(file)
    assert (told["kernel"], told["derivative"], told["types"]) == ("score", "reverse of score", "float64")
    assert told["place"] == "model.py:41"
    assert told["kind"] == "derivatives"
    assert told["usable"] is True
    assert told["bytes"] == file.path.stat().st_size
    assert abs(told["made"] - time.time()) < 100


def test_real_derivatives_say_which_they_are() -> None:
    import enzyme_py as enzyme

    def cubes(x):
        return x * x * x

    assert enzyme.grad(cubes)(2.0) == 12.0
    kinds = {file.kind: holdings.facts_of(file) for file in holdings.listed()}
    derivative = kinds["derivatives"]
    assert (derivative["kernel"], derivative["derivative"]) == ("cubes", "reverse of cubes")
    assert derivative["types"] == "float64, float64"
    assert derivative["place"].startswith(__file__)
    assert kinds["entries"]["kernel"] == "cubes"
    assert kinds["entries"]["derivative"] == "grad_of_cubes"


def test_a_list_has_the_last_used_first(capsys: pytest.CaptureFixture[str]) -> None:
    for kernel, days in (("older", 40), ("newer", 1), ("other", 10)):
        aged(kernel, unused=days, made=50)
    assert cache("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["kernel", "newer", "other", "older"]
    assert "50 days ago" in lines[1]
    assert lines[3].endswith("40 days ago")
    assert cache("list", "--kernel", "o*", "--by", "kernel") == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["kernel", "older", "other"]


def test_a_list_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    aged("loss", by="another version")
    assert cache("list", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kernel"] == "loss"
    assert told["usable"] is False


def test_sizes_by_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    for kernel in ("small", "large", "large"):
        aged(kernel)
    assert cache("size") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [(line[2], line[-1]) for line in lines[:2]] == [("2", "large"), ("1", "small")]
    assert lines[2][2] == "3"


def test_a_summary(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    aged("loss")
    with config(shared_caches=[tmp_path / "nowhere"]):
        assert cache() == 0
    told = capsys.readouterr().out
    assert f"{settings.cache_dir}: 1 derivatives, 0 entries" in told
    assert f"{tmp_path / 'nowhere'} (only read): there is no such folder" in told


def test_files_that_say_nothing_are_listed_too(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "old.derivative").write_bytes(b"enzyme_py derivative 1\nnonsense")
    (folder / "link.derivative").symlink_to(folder / "old.derivative")
    os.mkfifo(folder / "pipe.derivative")
    assert [dict(file.about) for file in holdings.listed()] == [{}, {}, {}]


# -- what goes


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (["--unused", "30"], {"young", "foreign", "stale", "used"}),
        (["--older", "30"], {"young", "foreign", "stale"}),
        (["--kernel", "[uo]*"], {"young", "foreign", "stale"}),
        (["--kernel", "used", "--unused", "30"], {"young", "foreign", "stale", "used", "old"}),
        (["--stale"], {"young", "foreign", "used", "old"}),
        (["--foreign"], {"young", "stale", "used", "old"}),
        (["--damaged"], {"young", "foreign", "stale", "used"}),
    ],
)
def test_pruning_takes_what_meets_all_conditions(
    wanted: list[str], left: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    aged("young")
    aged("used", made=90)
    path = aged("old", made=90, unused=60)
    path.write_bytes(path.read_bytes()[:-1] + b"y")
    os.utime(path, (time.time() - 60 * holdings.DAY,) * 2)
    aged("stale", by="enzyme_py 0.0")
    aged("foreign", processor="riscv64 sifive")
    everything = {"young", "used", "old", "stale", "foreign"}
    gone = everything - left
    assert cache("prune", "--dry-run", *wanted) == 0
    assert capsys.readouterr().out.startswith(f"would remove {len(gone)} files")
    assert {file.about["kernel"] for file in holdings.listed()} == everything
    assert cache("prune", *wanted) == 0
    assert capsys.readouterr().out.startswith(f"removed {len(gone)} files")
    assert {file.about["kernel"] for file in holdings.listed()} == left


def test_pruning_to_a_size_takes_the_least_recently_used(capsys: pytest.CaptureFixture[str]) -> None:
    for days in range(5):
        aged(f"unused_{days}", unused=days)
    one = holdings.listed()[0].size
    for words in (["--dry-run"], []):
        assert cache("prune", "--size", str(3 * one + 100), *words) == 0
    assert capsys.readouterr().out.splitlines() == [f"would remove 2 files, {2 * one / 1e6:.1f} MB", f"removed 2 files, {2 * one / 1e6:.1f} MB"]  # fmt: skip
    assert [file.about["kernel"] for file in holdings.listed()] == ["unused_0", "unused_1", "unused_2"]


def test_pruning_nothing_in_particular_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    aged("loss")
    assert cache("prune") == 2
    assert "prune what?" in capsys.readouterr().out
    assert len(holdings.listed()) == 1


@pytest.mark.parametrize(
    ("text", "size"), [("1000", 1000), ("500MB", 500_000_000), ("2g", 2_000_000_000), ("1.5 K", 1500)]
)
def test_sizes_as_people_write_them(text: str, size: int) -> None:
    assert holdings.size_of(text) == size


@pytest.mark.parametrize("text", ["", "much", "-1MB", "MB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(SystemExit):
        cache("prune", f"--size={text}")


@pytest.mark.parametrize("words", [["clear"], ["--clear"]])
def test_clearing(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    aged("loss")
    assert cache(*words) == 0
    assert "removed 1 files" in capsys.readouterr().out
    assert not list(shelf.files())


def test_the_limit_counts_files_of_all_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = Shelf("entries", b"enzyme_py entry 1\n")
    for number in range(4):
        for one in (entries, disk_cache.SHELF):
            one.keep(f"{number:064x}", {}, bytes(1000))
            when = 1_000_000 + number
            os.utime(one.folder / one.file_name(f"{number:064x}"), (when, when))
    size = sum(file.size for file in shelf.files()) // 8
    with config(cache_limit=5 * size):
        monkeypatch.setattr(shelf, "budget", shelf.Budget())
        entries.keep("f" * 64, {}, bytes(1000))
    left = {(file.kind, file.name[-1]) for file in shelf.files()}
    assert left == {("entries", "f"), ("entries", "3"), ("derivatives", "3"), ("entries", "2")} or left == {("entries", "f"), ("entries", "3"), ("derivatives", "3"), ("derivatives", "2")}  # fmt: skip


# -- shared


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A cache that somebody has filled and exported; this user's own is empty."""
    compiled()
    assert cache("export", str(tmp_path / "shared")) == 0
    disk_cache.clear()
    return tmp_path / "shared"


def forget_what_is_loaded() -> None:
    import gc

    gc.collect()


def test_what_was_exported_is_found(shared: Path, folder: Path) -> None:
    forget_what_is_loaded()
    with config(shared_caches=[shared]):
        assert compiled() == 0
        assert not list(folder.iterdir())  # nothing is copied
        assert compiled(factor="5.0") == 1  # what is not there is made, and kept by the user himself
    assert len(list(folder.iterdir())) == 1
    assert len(list((shared / "derivatives").iterdir())) == 1


def test_others_can_read_what_was_exported_and_not_write_it(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        compiled()
        assert cache("export", str(tmp_path / "shared")) == 0
    finally:
        os.umask(before)
    (file,) = (tmp_path / "shared" / "derivatives").iterdir()
    assert file.stat().st_mode & 0o777 == 0o644
    assert file.parent.stat().st_mode & 0o777 == file.parent.parent.stat().st_mode & 0o777 == 0o755


def test_exporting_again_adds_what_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    compiled()
    compiled("loss", "5.0")
    damaged = aged("damaged")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    for wanted, count in ((["--kernel", "loss"], 1), ([], 1), ([], 0)):
        assert cache("export", str(tmp_path / "shared"), *wanted) == 0
        assert capsys.readouterr().out.startswith(f"copied {count} files")


def test_a_shared_cache_is_left_as_it_is(shared: Path) -> None:
    (file,) = (shared / "derivatives").iterdir()
    os.utime(file, (1_000_000, 1_000_000))
    forget_what_is_loaded()
    with config(shared_caches=[shared]):
        assert compiled() == 0
    assert file.stat().st_mtime == 1_000_000


def test_a_damaged_file_of_a_shared_cache_is_passed_over(shared: Path) -> None:
    (file,) = (shared / "derivatives").iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    forget_what_is_loaded()
    with config(shared_caches=[shared]):
        with pytest.warns(CacheWarning, match="is damaged.*prune --damaged"):
            assert compiled() == 1
        assert file.exists()


def test_several_shared_caches_are_asked_in_turn(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    forget_what_is_loaded()
    with config(shared_caches=[tmp_path / "empty", shared]):
        assert compiled() == 0


def test_a_shared_cache_that_is_not_there_is_told(tmp_path: Path) -> None:
    with config(shared_caches=[tmp_path / "nowhere"]):
        with pytest.warns(CacheWarning, match="there is no folder.*ENZYME_PY_CACHE_SHARED"):
            assert compiled() == 1
        assert compiled() == 0  # told once


@pytest.mark.parametrize("what", ["root", "folder", "file"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_can_write_is_not_run(shared: Path, what: str, mode: int) -> None:
    file = next((shared / "derivatives").iterdir())
    path = {"root": shared, "folder": shared / "derivatives", "file": file}[what]
    path.chmod(path.stat().st_mode | mode)
    forget_what_is_loaded()
    with config(shared_caches=[shared]), pytest.warns(CacheWarning, match="others can write.*chmod -R go-w"):
        assert compiled() == 1


@needs_root
def test_a_shared_cache_may_belong_to_somebody_else(shared: Path) -> None:
    """As a whole: who names the folder trusts its owner, and nobody beside him."""
    for path in (shared, *shared.rglob("*")):
        os.chown(path, 12345, 12345)
    forget_what_is_loaded()
    with config(shared_caches=[shared]):
        assert compiled() == 0
    os.chown(next((shared / "derivatives").iterdir()), 54321, 54321)
    forget_what_is_loaded()
    with config(shared_caches=[shared]), pytest.warns(CacheWarning, match="user 54321"):
        assert compiled() == 1


@needs_root
def test_an_own_cache_may_not_belong_to_somebody_else(folder: Path) -> None:
    compiled()
    os.chown(folder, 12345, 12345)
    forget_what_is_loaded()
    with pytest.warns(CacheWarning, match="user 12345.*What to do"):
        assert compiled() == 1


@pytest.mark.parametrize("what", ["folder", "file"])
def test_links_below_a_shared_cache_are_not_followed(shared: Path, what: str, tmp_path: Path) -> None:
    path = shared / "derivatives"
    if what == "file":
        (path,) = path.iterdir()
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    forget_what_is_loaded()
    with config(shared_caches=[shared]), pytest.warns(CacheWarning, match="cannot read"):
        assert compiled() == 1


def test_a_shared_cache_may_be_named_by_a_link(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shared)
    forget_what_is_loaded()
    with config(shared_caches=[str(tmp_path / "link")]):
        assert compiled() == 0


def test_how_shared_caches_are_named(tmp_path: Path) -> None:
    found = read_environment({"ENZYME_PY_CACHE_SHARED": f"{tmp_path}{os.pathsep}relative"})
    assert found.shared_caches == (tmp_path, Path.cwd() / "relative")
    with config(shared_caches=["~/there"]):
        assert settings.shared_caches == (Path.home() / "there",)
    with pytest.raises(TypeError, match="list of folders"):
        config(shared_caches="one")


# -- a disk that is full, or cannot be written


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "tiny"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k,mode=700", "tmpfs", str(place)]
    if not is_root or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_costs_a_warning_that_says_what_to_do(tiny_disk: Path) -> None:
    (tiny_disk / "derivatives").mkdir(mode=0o700)
    with contextlib.suppress(OSError), (tiny_disk / "else").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1024))
    with config(cache_dir=tiny_disk):
        with pytest.warns(CacheWarning, match=r"No space left.*make room \(`python -m enzyme_py cache prune`\)"):
            assert [compiled(), compiled()] == [1, 1]
        assert not list(shelf.files())
        (tiny_disk / "else").unlink()
        forget_what_is_loaded()
        assert [compiled(), compiled()] == [1, 0]


def test_a_full_disk_in_the_middle_of_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.fdopen

    def full(*given: Any, **named: Any) -> Any:
        file = usual(*given, **named)
        write = file.write

        class Full:
            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                file.close()

            def write(self, content: bytes) -> None:
                write(content[:10])
                raise OSError(errno.ENOSPC, "No space left on device")

        return Full()

    monkeypatch.setattr(trusted_files.os, "fdopen", full)
    with pytest.warns(CacheWarning, match="No space left.*make room"):
        assert compiled() == 1
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "remedy"),
    [(errno.EROFS, "ENZYME_PY_CACHE_DIR"), (errno.EACCES, "ENZYME_PY_CACHE_DIR"), (errno.EDQUOT, "make room")],
)
def test_what_cannot_be_written_says_what_to_do(
    number: int, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(trusted_files.tempfile, "mkstemp", refuse)
    with pytest.warns(CacheWarning, match=f"What to do: .*{remedy}"):
        assert compiled() == 1


def test_a_cache_that_goes_while_it_is_used(folder: Path) -> None:
    import shutil

    compiled()
    shutil.rmtree(settings.cache_dir)
    forget_what_is_loaded()
    assert [compiled(), compiled()] == [1, 0]
    shutil.rmtree(settings.cache_dir)
    assert holdings.listed() == []
    assert holdings.prune(Wanted(kernel="*")) == []


# -- the name of our own sources


@pytest.fixture
def other_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    root = tmp_path / "sources"
    (root / "room").mkdir(parents=True)
    (root / "room" / "one.py").write_text("a = 1\n")
    monkeypatch.setattr(own_files, "_ROOT", root)
    return own_files.fingerprint.__wrapped__


def test_the_same_sources_have_the_same_name(other_sources: Callable[[], str], tmp_path: Path) -> None:
    first = other_sources()
    path = tmp_path / "sources" / "room" / "one.py"
    os.utime(path, (1_000_000, 1_000_000))
    assert other_sources() == first
    path.write_text("a = 2\n")
    assert other_sources() != first


def test_the_name_of_sources_is_read_only_where_it_is_trusted(other_sources: Callable[[], str]) -> None:
    first = other_sources()
    (kept,) = (settings.cache_dir / "sources").iterdir()
    kept.write_text("0" * 64)
    assert other_sources() == "0" * 64
    kept.chmod(0o666)
    with pytest.warns(CacheWarning, match="trust"):
        assert other_sources() == first


def test_the_name_is_that_of_the_whole_package() -> None:
    import enzyme_py

    names = [name for name, _, _ in own_files._files(str(own_files._ROOT), "")]
    assert Path(enzyme_py.__file__).parent == own_files._ROOT
    assert {"__init__.py", "native/stored/shelf.py", "passes/pipeline.py"} <= set(names)
