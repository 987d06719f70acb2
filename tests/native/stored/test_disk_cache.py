"""The disk cache: found again, told apart, damaged, unwritable, shared, limited."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from enzyme_py import native
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import CacheWarning, UnresolvedSymbolError
from enzyme_py.foundations.files import trusted_files
from enzyme_py.native import machine
from enzyme_py.native.stored import disk_cache, shelf
from enzyme_py.settings import config, settings
from tests.native.modules import TRIPLE, CountingHost, before_the_pass, call_scalar, differentiated

MODULE = before_the_pass(options=("--enzyme-fast-math=0",))
IDENTITY = "host 1"
is_root = os.geteuid() == 0


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(trusted_files, "_warned", set())
    monkeypatch.setattr(shelf, "budget", shelf.Budget())
    with config(cache_dir=tmp_path / "cache", cache=True):
        yield tmp_path / "cache" / "derivatives"


def compiled(module: DiffModule = MODULE, identity: str | None = IDENTITY) -> int:
    """Compile, check the answer, and return how often the host was asked."""
    host = CountingHost()
    function = native.compile(module, host, identity)
    assert call_scalar(function.addresses["entry"], 2.0) == 6.0
    assert function.profile.is_from_cache == (host.calls == 0)
    return host.calls


def only_file(folder: Path) -> Path:
    (found,) = folder.iterdir()
    return found


def test_the_second_time_the_host_is_not_asked(folder: Path) -> None:
    assert [compiled(), compiled()] == [1, 0]
    assert disk_cache.summary().files == 1


def test_another_process_finds_it() -> None:
    assert compiled() == 1
    program = (
        "from tests.native.stored.test_disk_cache import MODULE, IDENTITY\n"
        "from tests.native.modules import call_scalar, refuse\n"
        "from enzyme_py import native\n"
        "f = native.compile(MODULE, refuse, IDENTITY)\n"
        "print(call_scalar(f.addresses['entry'], 2.0))\n"
    )
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": str(settings.cache_dir)}
    run = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert run.stdout == "6.0\n", run.stderr


@pytest.mark.parametrize(
    "changed",
    [
        replace(MODULE, ir=TRIPLE.replace("%y", "%z")),
        replace(MODULE, ir=TRIPLE + "\n"),
        replace(MODULE, options=()),
        replace(MODULE, options=("--enzyme-fast-math=0", "--enzyme-print")),
        replace(MODULE, options=("--enzyme-fast-math=0--enzyme-print",)),
    ],
)
def test_a_changed_module_is_another(changed: DiffModule) -> None:
    assert disk_cache.key(changed, IDENTITY) != disk_cache.key(MODULE, IDENTITY)
    assert [compiled(), compiled(changed)] == [1, 1]


def test_entries_and_options_are_told_apart() -> None:
    first = before_the_pass("", "a", "b", options=("c",))
    second = before_the_pass("", "a", options=("b", "c"))
    third = before_the_pass("", "ab", options=("c",))
    assert len({disk_cache.key(module, IDENTITY) for module in (first, second, third)}) == 3


def test_another_host_is_another() -> None:
    assert [compiled(), compiled(identity="host 2")] == [1, 1]


def test_an_unnamed_host_is_not_cached(folder: Path) -> None:
    assert [compiled(identity=None), compiled(identity=None)] == [1, 1]
    assert not folder.exists()


@pytest.mark.parametrize("part", ["triple", "name", "features"])
def test_another_processor_is_another(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = disk_cache.key(MODULE, IDENTITY)
    other = replace(machine.host_cpu(), **{part: "other"})
    monkeypatch.setattr(disk_cache, "host_cpu", lambda: other)
    assert disk_cache.key(MODULE, IDENTITY) != before


def test_another_llvm_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    before = disk_cache.key(MODULE, IDENTITY)
    monkeypatch.setattr(disk_cache, "llvm_identity", lambda: "LLVM 23")
    assert disk_cache.key(MODULE, IDENTITY) != before


def test_switched_off(folder: Path) -> None:
    with config(cache=False):
        assert [compiled(), compiled()] == [1, 1]
    assert not folder.exists()


@pytest.mark.parametrize(
    "address", ["inttoptr (i64 140421337 to ptr)", "inttoptr (i64 -93824992231 to ptr)"]
)
def test_code_with_addresses_of_this_process_is_not_kept(folder: Path, address: str) -> None:
    module = before_the_pass(TRIPLE + f"@there = internal global ptr {address}\n")
    assert [compiled(module), compiled(module)] == [1, 1]
    assert not folder.exists()


def test_small_numbers_are_no_addresses() -> None:
    module = before_the_pass(TRIPLE + "@there = internal global ptr inttoptr (i64 1 to ptr)\n")
    assert [compiled(module), compiled(module)] == [1, 0]


@pytest.mark.parametrize("position", [0, 5, 30, 60, 200, -1])
def test_a_damaged_file_is_made_anew(folder: Path, position: int) -> None:
    compiled()
    path = only_file(folder)
    content = bytearray(path.read_bytes())
    content[position] ^= 0x10
    path.write_bytes(content)
    assert [compiled(), compiled()] == [1, 0]


@pytest.mark.parametrize("kept", [0, 10, 40, 100, -1])
def test_a_truncated_file_is_made_anew(folder: Path, kept: int) -> None:
    compiled()
    path = only_file(folder)
    path.write_bytes(path.read_bytes()[:kept])
    assert [compiled(), compiled()] == [1, 0]


def test_a_damaged_file_is_removed(folder: Path) -> None:
    compiled()
    path = only_file(folder)
    path.write_bytes(b"nonsense")
    assert disk_cache.find(path.stem) is None
    assert not path.exists()


def test_files_are_the_owners_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        compiled()
    finally:
        os.umask(before)
    assert only_file(folder).stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("culprit", ["file", "folder"])
def test_what_others_can_write_is_not_run(folder: Path, culprit: str) -> None:
    compiled()
    (only_file(folder) if culprit == "file" else folder).chmod(0o777)
    with pytest.warns(CacheWarning, match="others"):
        assert compiled() == 1


@pytest.mark.skipif(not is_root, reason="only root can give a file to somebody else")
def test_what_another_user_wrote_is_not_run(folder: Path) -> None:
    compiled()
    os.chown(only_file(folder), 12345, 12345)
    with pytest.warns(CacheWarning, match="others"):
        assert compiled() == 1


def test_an_unwritable_folder_costs_one_warning(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with config(cache_dir=blocked):
        with pytest.warns(CacheWarning, match="goes on without"):
            assert compiled() == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert compiled() == 1


@pytest.mark.skipif(is_root, reason="root writes everywhere")
def test_a_read_only_folder_is_still_read(folder: Path) -> None:
    compiled()
    folder.chmod(0o500)
    try:
        assert compiled() == 0
        with pytest.warns(CacheWarning):
            assert compiled(identity="host 2") == 1
    finally:
        folder.chmod(0o700)


def test_a_failed_write_leaves_nothing_behind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(CacheWarning, match="No space"):
        assert compiled() == 1
    assert list(folder.iterdir()) == []


def test_code_that_does_not_load_is_not_kept(folder: Path) -> None:
    ir = TRIPLE.replace("fmul double %x, 3.0", "call double @nobody_has_this(double %x)")
    module = before_the_pass(ir + "declare double @nobody_has_this(double)\n")
    for _ in range(2):
        with pytest.raises(UnresolvedSymbolError):
            native.compile(module, CountingHost(), IDENTITY)
    assert not folder.exists()


def test_kept_code_whose_symbols_are_gone_is_made_anew() -> None:
    good = native.optimise(differentiated(TRIPLE))
    disk_cache.keep(disk_cache.key(MODULE, IDENTITY), replace(good, symbols=("gone",)))
    assert [compiled(), compiled()] == [1, 0]


def variant(number: int) -> DiffModule:
    return replace(MODULE, ir=TRIPLE + f"; {number}\n")


def test_the_least_recently_used_go_first(folder: Path) -> None:
    for number in range(8):
        compiled(variant(number))
    size = disk_cache.summary().bytes // 8
    by_number = {n: folder / f"{disk_cache.key(variant(n), IDENTITY)}.derivative" for n in range(8)}
    for number, path in by_number.items():
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    assert compiled(variant(0)) == 0  # used again: now the most recent
    with config(cache_limit=6 * size):
        compiled(variant(8))
        left = disk_cache.summary()
    assert left.bytes <= 6 * size
    assert by_number[0].exists()
    assert by_number[7].exists()
    assert not by_number[1].exists()


def test_what_a_killed_writer_left_is_cleared(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled()
    left, fresh = folder / "killed.part", folder / "writing.part"
    for path in (left, fresh):
        path.write_bytes(b"x" * 100_000)
    os.utime(left, (1_000_000, 1_000_000))
    with config(cache_limit=150_000):
        monkeypatch.setattr(shelf, "budget", shelf.Budget())  # a process begins
        compiled(variant(1))
    assert not left.exists()
    assert fresh.exists()
    assert disk_cache.clear() == 2
    assert fresh.exists()


def test_clear_removes_everything(folder: Path) -> None:
    compiled()
    compiled(variant(1))
    assert disk_cache.clear() == 2
    assert disk_cache.summary().files == disk_cache.summary().bytes == 0
    assert disk_cache.clear() == 0
    assert compiled() == 1


def test_many_writers_of_one_key(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: compiled(), range(40)))
    assert answers[-1] == 0
    assert only_file(folder).suffix == ".derivative"


def test_many_processes_share_one_folder(folder: Path) -> None:
    program = (
        "import sys\n"
        "from tests.native.stored.test_disk_cache import IDENTITY, variant\n"
        "from tests.native.modules import CountingHost, call_scalar\n"
        "from enzyme_py import native\n"
        "for i in range(60):\n"
        "    f = native.compile(variant(i % 6), CountingHost(), IDENTITY)\n"
        "    assert call_scalar(f.addresses['entry'], 2.0) == 6.0\n"
        "    if i % 20 == 7: native.stored.disk_cache.clear()\n"
    )
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": str(settings.cache_dir)}
    running = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, b"")
    assert not list(folder.glob("*.part"))


def test_an_entry_under_another_name_is_not_run(folder: Path) -> None:
    """Whole and sound, but of another module: it would be a wrong derivative."""
    compiled()
    path = only_file(folder)
    other = replace(MODULE, ir=TRIPLE.replace("3.0", "5.0"))
    function = native.compile(other, CountingHost(), IDENTITY)
    assert call_scalar(function.addresses["entry"], 2.0) == 10.0
    (foreign,) = set(folder.iterdir()) - {path}
    path.write_bytes(foreign.read_bytes())
    assert [compiled(), compiled()] == [1, 0]


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    compiled()
    path = only_file(folder)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.warns(CacheWarning, match="cannot read"):
        assert compiled() == 1
    assert not path.is_symlink()  # replaced
    assert compiled() == 0


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_passed_over(folder: Path, make: Callable[[Path], None]) -> None:
    compiled()
    path = only_file(folder)
    path.unlink()
    make(path)
    with pytest.warns(CacheWarning):
        assert compiled() == 1
