"""A planet found in the velocities of its star: code in C that solves Kepler's equation, differentiated as it is.

`c_code/orbit.c` computes the velocities of a star in an orbit, with a loop of Newton's method in it. The compiler's own LLVM code of it is
linked into a Numba kernel, and Enzyme differentiates both as one program: a fit of six elements gets its exact Jacobian, and the
eccentricity of the orbit comes out with its error. With clang of LLVM 22 or older the C file is compiled; without one `c_code/orbit.ll`
is taken, which was made of it for Linux on x86-64.
"""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import enzyme_py as enzyme

HERE = Path(__file__).with_name("c_code")
TRUE = np.array([59.0, 111.4, 20.0, 0.93, 5.25, 4.0])  # as of HD 80606 b, whose orbit is a long ellipse
NOISE = 1.5  # m/s
SIGNATURE = "void(float64[::1], float64[::1], float64[::1], int64)"


def compiler():
    """Return the command of a C compiler that writes LLVM code, or None."""
    for name in ("clang-22", "clang"):
        if shutil.which(name):
            return [name]
    return [sys.executable, "-m", "ziglang", "cc"] if importlib.util.find_spec("ziglang") else None


def linked():
    """Return the C function as one that kernels call."""
    command = compiler()
    if command is None:
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            message = "this program needs clang here; on Linux and x86-64 it would have its LLVM code"
            raise RuntimeError(message)
        return enzyme.link_ir(HERE / "orbit.ll", "velocities", SIGNATURE)
    with tempfile.TemporaryDirectory() as folder:
        bitcode = Path(folder) / "orbit.bc"
        options = ["-O1", "-g0", "-fno-vectorize", "-fno-slp-vectorize", "-emit-llvm", "-c"]
        subprocess.run([*command, *options, str(HERE / "orbit.c"), "-o", str(bitcode)], check=True)
        return enzyme.link_ir(bitcode, "velocities", SIGNATURE)


def computed(velocities):
    """Return the kernel of the six elements and of times that calls the code in C."""

    @enzyme.jit
    def model(p, times):
        out = np.empty(times.size)
        velocities(p, times, out, times.size)
        return out

    return model


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Fit the orbit to velocities that were measured with some noise."""
    model = computed(linked())
    jacobian = enzyme.jacfwd(model)
    random = np.random.default_rng(8)
    times = np.sort(random.uniform(0.0, 400.0, 60 if short else 200))
    times = np.concatenate([times, 20.0 + TRUE[1] + np.linspace(-2.0, 2.0, 30)])  # a busy night
    measured = model(TRUE, times) + NOISE * random.normal(size=times.size)
    start = TRUE * np.array([0.9, 1.0005, 1.01, 0.98, 1.01, 0.0])
    found = least_squares(
        lambda p: (model(p, times) - measured) / NOISE,
        start,
        jac=lambda p: jacobian(p, times) / NOISE,
        x_scale=np.array([1.0, 0.01, 0.01, 0.001, 0.01, 1.0]),
        bounds=([0.0, 0.0, -np.inf, 0.0, -np.inf, -np.inf], [np.inf, np.inf, np.inf, 0.999, np.inf, np.inf]),
    )
    errors = np.sqrt(np.diag(np.linalg.inv(found.jac.T @ found.jac)))
    pulls = (found.x - TRUE) / errors
    print(
        f"c_orbit: period {found.x[1]:.3f} +- {errors[1]:.3f} days, eccentricity {found.x[3]:.4f} +- {errors[3]:.4f} "
        f"(true: {TRUE[1]}, {TRUE[3]}); chi2 {2 * found.cost / (times.size - 6):.2f}"
    )
    if picture is not None:
        _draw(picture, model, found.x, times, measured)
    slopes = jacobian(TRUE, times)
    steps = 1e-6 * np.eye(6) * np.maximum(1.0, abs(TRUE))
    differences = np.stack([(model(TRUE + h, times) - model(TRUE - h, times)) / (2 * h.sum()) for h in steps], axis=1)
    wrong = float(np.max(np.abs(slopes - differences) / np.max(np.abs(differences), axis=0)))
    return {"pull": float(np.max(np.abs(pulls))), "chi2": float(2 * found.cost / (times.size - 6)), "wrong": wrong}


def _draw(picture, model, found, times, measured):
    from examples.gallery import drawing

    figure, (left, right) = drawing.axes(2)
    phase = (times - found[2]) / found[1] % 1.0
    grid = np.linspace(0.0, 1.0, 2000)
    curve = model(found, found[2] + grid * found[1])
    left.plot(phase, measured, ".", ms=3, color=drawing.BLUE)
    left.plot(grid, curve, color=drawing.ORANGE, lw=1)
    left.set(xlabel="part of the period", ylabel="velocity of the star, m/s")
    near = np.linspace(-3.0, 3.0, 400)
    right.plot((times - found[2] + found[1] / 2) % found[1] - found[1] / 2, measured, ".", color=drawing.BLUE, ms=4)
    right.plot(near, model(found, found[2] + near), color=drawing.ORANGE)
    right.set(xlim=(-3.0, 3.0), xlabel="days around the nearest point")
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
