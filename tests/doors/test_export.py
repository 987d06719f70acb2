"""Libraries for programs without Python: a C program calls them, and gets the answers of mathematics."""

from __future__ import annotations

import os
import shutil
import subprocess

import numpy as np
import pytest

import enzyme_py as enzyme

HAS_TOOLS = shutil.which("cc") and shutil.which("objcopy")
needs_tools = pytest.mark.skipif(not HAS_TOOLS, reason="needs a C compiler and objcopy")


def energy(x, k):
    """Sum of k x^3 / 3 with a temporary array; its gradient is k x^2, its Hessian diag(2 k x)."""
    if k < 0:
        raise ValueError("negative")
    if k > 100:
        raise IndexError("too large", k)
    y = x * x
    total = 0.0
    for i in range(x.size):
        total += k * y[i] * x[i] / 3.0
    return total


PROGRAM = r"""
#include <stdio.h>
#include "model.h"

int main(void) {
    double x[3] = {1.0, -2.0, 3.0}, value, slope, gradient[3], hessian[9];
    int status = value_and_slopes(x, 3, 1.5, &value, gradient, 3, &slope);
    printf("%d %.17g %.17g %.17g %.17g %.17g\n", status, value, gradient[0], gradient[1], gradient[2], slope);
    status = curvature(x, 3, 0.5, hessian, 3, 3);
    printf("%d", status);
    for (int i = 0; i < 9; i++) printf(" %.17g", hessian[i]);
    printf("\n%d", value_and_slopes(x, 3, -1.0, &value, gradient, 3, &slope));
    printf(" %d", value_and_slopes(x, 3, 200.0, &value, gradient, 3, &slope));
    printf(" %d", value_and_slopes(x, 3, 1.0, &value, gradient, 2, &slope));
    printf(" %d", plain(x, 3, 3.0, &value));
    printf(" %.17g\n", value);
    return 0;
}
"""


def ran(folder, *options):
    """Return what the program prints, with nothing of Python around it."""
    (folder / "program.c").write_text(PROGRAM)
    subprocess.run(
        ["cc", "-Wall", "-Werror", "program.c", "-o", "program", "-L.", "-lmodel", "-Wl,-rpath,$ORIGIN"],
        cwd=folder, check=True,
    )  # fmt: skip
    done = subprocess.run([folder / "program"], capture_output=True, text=True, env={}, check=True)
    return done.stdout.splitlines()


@needs_tools
def test_a_c_program_calls_derivatives(tmp_path):
    made = enzyme.export(
        tmp_path / "libmodel",
        {
            "value_and_slopes": (
                enzyme.value_and_grad(energy, argnums=(0, 1)),
                "(float64[::1], float64)",
            ),
            "curvature": (enzyme.hessian(energy), "(float64[::1], float64)"),
            "plain": (energy, "(float64[::1], float64)"),
        },
    )
    assert [one.name for one in made] == ["libmodel.so", "model.h", "libenzyme_py_runtime.so"]
    first, second, third = ran(tmp_path)
    assert list(map(float, first.split())) == pytest.approx(
        [0, 10.0, 1.5, 6.0, 13.5, 20.0 / 3.0], rel=1e-15
    )
    assert list(map(float, second.split())) == [0, *np.diag([1.0, -2.0, 3.0]).ravel()]
    assert third == "1 1 2 0 20"
    exported = subprocess.run(
        ["nm", "-D", "--defined-only", made.library], capture_output=True, text=True, check=True
    )
    assert [line.split()[-1] for line in exported.stdout.splitlines()] == [
        "curvature",
        "plain",
        "value_and_slopes",
    ]
    needed = subprocess.run(["ldd", made.library], capture_output=True, text=True, check=True)
    assert "python" not in needed.stdout


@needs_tools
def test_products_need_a_library(tmp_path):
    def of_inverse(a):
        return np.sum(np.linalg.inv(a))

    with pytest.raises(enzyme.errors.UnresolvedSymbolError, match="libraries="):
        enzyme.export(
            tmp_path / "libinverse", {"slope": (enzyme.grad(of_inverse), "float64[:, ::1],")}
        )


def test_names_of_c(tmp_path):
    with pytest.raises(
        enzyme.errors.UnsupportedTypeError, match="'a slope' is no name of a C function"
    ):
        enzyme.export(
            tmp_path / "libmodel", {"a slope": (enzyme.grad(energy), "(float64[::1], float64)")}
        )


def test_python_in_a_kernel_is_refused(tmp_path):
    def talks(x):
        print("hello")  # noqa: T201
        return x * x

    with pytest.raises(
        enzyme.errors.UnresolvedSymbolError, match="a program without Python does not have"
    ):
        enzyme.export(tmp_path / "libtalks", {"talks": (talks, "float64,")})


def test_no_compiler_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(os.environ, "CC", "there-is-no-such-compiler")
    monkeypatch.setitem(os.environ, "PATH", "/usr/bin:/bin")
    with pytest.raises(enzyme.EnzymeError, match="`there-is-no-such-compiler` is not to be found"):
        enzyme.export(
            tmp_path / "libmodel", {"slope": (enzyme.grad(energy), "(float64[::1], float64)")}
        )
