"""The heap keeps freed arrays of some megabytes: a call of a derivative does not begin with page faults."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COUNT = """
import ctypes, resource
if {is_kept}:
    from enzyme_py.native.heap import keep_freed_memory
    keep_freed_memory()
library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]

def call():
    blocks = [library.malloc(900_000) for _ in range(6)]
    for one in blocks:
        ctypes.memset(one, 1, 900_000)
    for one in blocks:
        library.free(one)

for _ in range(3):
    call()
begun = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    call()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - begun)
"""


def faults(*, is_kept: bool, **variables: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", COUNT.format(is_kept=is_kept)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="of glibc")
def test_freed_blocks_are_used_again() -> None:
    """Six blocks of 220 pages in ten calls: 13,000 faults if nothing is kept."""
    assert faults(is_kept=False) > 5_000
    assert faults(is_kept=True) < 500


@pytest.mark.skipif(sys.platform != "linux", reason="of glibc")
def test_what_the_user_has_set_stays() -> None:
    assert faults(is_kept=True, MALLOC_TRIM_THRESHOLD_="131072") > 5_000
