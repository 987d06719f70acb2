"""The handler that XLA calls (jax_handler.c): compiled once in a process, with the user's C compiler, against JAX's headers."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.ffi

from enzyme_py.doors import failures

TARGET = "enzyme_py_door"
OTHER_SHAPE = (
    "a result has another shape than it has for arguments of ones; say it: wrap(f, shapes=...)"
)
_SOURCE = Path(__file__).with_name("jax_handler.c")


@functools.cache
def is_there() -> bool:
    """Tell whether XLA can call a door without Python; the first time, the handler is made and registered."""
    library = _compiled()
    if library is None:
        return False
    library.enzyme_py_set_teller(_TELLER)
    jax.ffi.register_ffi_target(
        TARGET, jax.ffi.pycapsule(library.enzyme_py_handler), platform="cpu"
    )
    return True


def _compiled() -> Any:
    """Return the loaded library; None where there is no compiler, or it does not take the headers."""
    command = (os.environ.get("CC") or "cc").split()
    program = shutil.which(command[0])
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "handler.so"
        options = ["-shared", "-fPIC", "-O2", "-fvisibility=hidden", f"-I{jax.ffi.include_dir()}"]
        done = subprocess.run(
            [program, *command[1:], *options, str(_SOURCE), "-o", str(file)], capture_output=True
        )
        return ctypes.CDLL(str(file)) if done.returncode == 0 else None


def _tell(number: int, status: int, text: int, size: int) -> None:
    """Write what a kernel raised, for XLA's error."""
    if status == failures.OTHER_SIZES:
        said = OTHER_SHAPE
    else:
        error = failures.take(number)
        said = (
            f"{type(error).__name__}: {error}"
            if error is not None
            else f"a kernel ended with status {status}"
        )
    ctypes.memmove(text, said.encode()[: size - 1] + b"\0", min(len(said.encode()), size - 1) + 1)


_TELLER = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64)(
    _tell
)
