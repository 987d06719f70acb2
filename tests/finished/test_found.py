"""Derivatives that another process has compiled: found, right, and without anything being compiled."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from enzyme_py.finished import entries
from enzyme_py.native.stored.shelf import KINDS
from enzyme_py.settings import config
from tests.finished.programs import run, run_again, started, told_by, write

SUFFIX = KINDS[entries.SHELF.name]
MANY = """
import numpy as np
import enzyme_py as enzyme

def f(x):
    return np.sum(np.sin(x) * x)

def g(p, s):
    return p["a"] * np.sum(p["b"] ** 2) * s[0]

w = np.array([1.0, 2.0])
x = np.array([1.0, 2.0])

def h(x):
    return np.sum(w * x**2)

def loop(x, n):
    total = 0.0
    for i in range(n):
        if x[i] < 0.0:
            raise ValueError("negative", i)
        total += x[i] ** 3
    return total

shadow = np.zeros(2)
answer = {
    "grad": enzyme.grad(f)(x).tolist(),
    "value": [float(enzyme.value_and_grad(f)(x)[0])],
    "gradient": enzyme.gradient(f, x)[0].tolist(),
    "closure": enzyme.grad(lambda x: np.sum(w * x))(x).tolist(),
    "dict": enzyme.grad(g)({"a": 3.0, "b": x}, [2.0])["b"].tolist(),
    "jvp": [float(v) for v in enzyme.jvp(f, (x,), (x,))],
    "hvp": enzyme.hvp(h, x, x).tolist(),
    "hessian": enzyme.hessian(h)(x).tolist(),
    "jacobian": enzyme.jacobian(lambda x: x**2, x)[0].tolist(),
    "vjp": enzyme.vjp(lambda x: x**2, x)[1](x)[0].tolist(),
    "autodiff": [float(enzyme.autodiff(enzyme.Forward, lambda t: t**3, enzyme.Duplicated(2.0, 1.0))[0])],
    "vmap": enzyme.vmap(lambda t: t**3)(x).tolist(),
}
enzyme.autodiff(enzyme.Reverse, f, enzyme.Duplicated(x, shadow))
answer["shadow"] = shadow.tolist()
loss = enzyme.grad(loop)
for _ in range(3):
    answer["loop"] = loss(x, 2).tolist()
try:
    loss(-x, 2)
except ValueError as error:
    answer["error"] = list(error.args)
"""
X = np.array([1.0, 2.0])
W = np.array([1.0, 2.0])
SLOPE = np.sin(X) + X * np.cos(X)
ANSWERS = {
    "grad": SLOPE,
    "value": [np.sum(np.sin(X) * X)],
    "gradient": SLOPE,
    "closure": W,
    "dict": 3.0 * 2.0 * X * 2.0,
    "jvp": [np.sum(np.sin(X) * X), np.sum(SLOPE * X)],
    "hvp": 2.0 * W * X,
    "hessian": np.diag(2.0 * W),
    "jacobian": np.diag(2.0 * X),
    "vjp": 2.0 * X * X,
    "autodiff": [12.0],
    "vmap": X**3,
    "shadow": SLOPE,
    "loop": 3.0 * X**2,
}


def test_all_transforms_in_a_second_process(tmp_path: Path) -> None:
    cold, warm = (run(MANY, tmp_path / "cache", tmp_path) for _ in range(2))
    assert set(cold["outcomes"]) <= {"kept", "found"}  # one gradient may serve two calls
    assert set(warm["outcomes"]) == {"found"}
    assert len(warm["outcomes"]) >= len(ANSWERS) - 1
    assert warm["heavy"] == []
    for name, expected in ANSWERS.items():
        np.testing.assert_allclose(warm["answer"][name], expected, rtol=1e-14)
    assert warm["answer"] == cold["answer"]  # to the last bit
    assert warm["answer"]["error"] == ["negative", 0]


SMALL = """
import numpy as np
import enzyme_py as enzyme

rate = {rate}

def f(x):
    return np.sum(x**2) * rate

answer = enzyme.grad(f)(np.array([1.0, 2.0])).tolist()
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the derivative of SMALL."""
    folder = tmp_path_factory.mktemp("filled")
    assert run(SMALL.format(rate=2.0), folder / "cache", folder)["outcomes"] == ["kept"]
    return folder / "cache"


@pytest.fixture
def cache(filled: Path, tmp_path: Path) -> Path:
    shutil.copytree(filled, tmp_path / "cache")
    return tmp_path / "cache"


def test_a_global_that_changed_is_noticed(cache: Path, tmp_path: Path) -> None:
    told = run(SMALL.format(rate=5.0), cache, tmp_path)
    assert told["outcomes"] == ["kept"]
    assert told["answer"] == [10.0, 20.0]


def test_lines_and_folders_make_no_difference(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    told = run("# moved\n\n\n" + SMALL.format(rate=2.0), cache, tmp_path / "elsewhere")
    assert told["outcomes"] == ["found"]
    assert told["answer"] == [4.0, 8.0]


DAMAGES = {
    "a byte of the code": lambda file: _flip(file, -100),
    "a byte of the facts": lambda file: _flip(file, 100),
    "cut short": lambda file: file.write_bytes(file.read_bytes()[:-7]),
    "empty": lambda file: file.write_bytes(b""),
    "another's": lambda file: file.write_bytes(b"something else"),
}


def _flip(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 0x40
    file.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_entries_are_removed_and_not_believed(damage, cache: Path) -> None:
    with config(cache_dir=cache):
        (file,) = entries.SHELF.folder.glob("*" + SUFFIX)
        name = file.name.removesuffix(SUFFIX)
        assert entries.find(name) is not None
        damage(file)
        assert entries.find(name) is None
        assert not file.exists()


def test_an_entry_under_another_s_name_is_not_believed(cache: Path) -> None:
    with config(cache_dir=cache):
        (file,) = entries.SHELF.folder.glob("*" + SUFFIX)
        file.rename(file.with_name("0" * 64 + SUFFIX))
        assert entries.find("0" * 64) is None


def test_a_derivative_that_is_gone_is_made_anew(cache: Path, tmp_path: Path) -> None:
    shutil.rmtree(cache / "derivatives")
    told = run(SMALL.format(rate=2.0), cache, tmp_path)
    assert told["answer"] == [4.0, 8.0]
    assert told["outcomes"][-1] == "kept"
    assert "not in the cache any more" in told["outcomes"][0]
    assert run(SMALL.format(rate=2.0), cache, tmp_path)["outcomes"] == ["found"]


def test_a_file_that_others_can_write_is_not_run(cache: Path, tmp_path: Path) -> None:
    with config(cache_dir=cache):
        (file,) = entries.SHELF.folder.glob("*" + SUFFIX)
    file.chmod(0o666)
    told = run(SMALL.format(rate=2.0), cache, tmp_path)
    assert told["answer"] == [4.0, 8.0]
    assert "cannot trust its cache" in told["stderr"]


def test_an_address_of_this_process_is_not_kept(tmp_path: Path) -> None:
    source = """
    import ctypes
    import numpy as np
    import enzyme_py as enzyme

    cos = ctypes.CDLL(None).cos
    cos.restype, cos.argtypes = ctypes.c_double, [ctypes.c_double]
    unseen = enzyme.rules.inactive(lambda x: cos(x))

    def f(x):
        return x * x * unseen(0.0)

    answer = enzyme.grad(f)(3.0)
    """
    told = run(source, tmp_path / "cache", tmp_path)
    assert told["answer"] == 6.0
    assert "kept" not in told["outcomes"]


def test_a_global_that_changes_within_a_process_is_not_kept(tmp_path: Path) -> None:
    """Numba keeps the value that it found first: the entry would say another than it was made of."""
    source = """
    import numpy as np
    import enzyme_py as enzyme

    rate = 2.0

    @enzyme.jit
    def f(x):
        return x * x * rate

    enzyme.gradient(f, 1.0)
    rate = 5.0
    answer = [enzyme.grad(f)(3.0), enzyme.value_and_grad(f)(3.0)[1]]
    """
    told = run(source, tmp_path / "cache", tmp_path)
    assert told["outcomes"][0] == "kept"
    assert all("has changed since" in one for one in told["outcomes"][1:])
    fresh = run(source.replace("rate = 2.0", "rate = 5.0"), tmp_path / "cache", tmp_path)
    assert fresh["answer"] == [30.0, 30.0]


def test_two_processes_at_once(tmp_path: Path) -> None:
    write(SMALL.format(rate=3.0), tmp_path)
    both = [started(tmp_path / "cache", tmp_path) for _ in range(2)]
    assert [told_by(one)["answer"] for one in both] == [[6.0, 12.0]] * 2
    assert not list((tmp_path / "cache").rglob("*.part"))
    assert run_again(tmp_path / "cache", tmp_path)["outcomes"] == ["found"]


ERRORS = """
import enzyme_py as enzyme
from numba import njit
import numpy as np

class OwnError(Exception):
    pass

def made():
    class LocalError(Exception):
        pass

    def local(t):
        if t < 0.0:
            raise LocalError("below", 3)
        return t * t
    return local, LocalError

def fixed(t):
    if t < 0.0:
        raise OwnError("below", 3)
    return t * t

def told(t):
    if t < 0.0:
        raise OwnError("below", t)
    return t * t

local, LocalError = made()
answer = []
def ask(f, error, x):
    try:
        f(x)
    except error as raised:
        answer.append(raised.args)

ask(enzyme.grad(fixed), OwnError, -2.0)
ask(enzyme.grad(told), OwnError, -2.0)
ask(enzyme.vmap(fixed), OwnError, np.array([2.0, -2.0]))
ask(enzyme.grad(local), LocalError, -2.0)

class OwnError(Exception):  # as a notebook does whose cell is run again
    pass

def fixed(t):
    if t < 0.0:
        raise OwnError("below", 3)
    return t * t

ask(enzyme.grad(fixed), OwnError, -2.0)
"""


def test_exceptions_of_the_main_program_are_caught(tmp_path: Path) -> None:
    """In the first process and in the second, where the code comes from the disk: by their names, or compiled anew."""
    raised = [["below", 3], ["below", -2.0], ["below", 3], ["below", 3], ["below", 3]]
    first = run(ERRORS, tmp_path / "cache", tmp_path)
    assert first["answer"] == raised
    again = run_again(tmp_path / "cache", tmp_path)
    assert again["answer"] == raised
    assert again["outcomes"][:2] == ["found", "found"]
    assert not any(outcome in ("found", "kept") for outcome in again["outcomes"][2:])
