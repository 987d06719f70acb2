"""A C program descends along a gradient that was made here: no Python runs in it.

Needs a C compiler and objcopy.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import enzyme_py as enzyme


def misfit(parameters, times, seen):
    if times.size == 0:
        raise ValueError("no data")
    size, decay, frequency = parameters
    total = 0.0
    for i in range(times.size):
        modelled = size * np.exp(-decay * times[i]) * np.cos(frequency * times[i])
        total += (modelled - seen[i]) ** 2
    return total


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        enzyme.export(
            folder / "liboscillation",
            {
                "misfit_and_gradient": (
                    enzyme.value_and_grad(misfit),
                    "(float64[::1], float64[::1], float64[::1])",
                )
            },
        )
        source = Path(__file__).with_suffix(".c")
        options = ["-I.", "-L.", "-loscillation", "-lm", "-Wl,-rpath,$ORIGIN", "-o", "fit"]
        subprocess.run([shutil.which("cc"), str(source), *options], cwd=folder, check=True)
        done = subprocess.run([folder / "fit"], capture_output=True, text=True, check=True)
        print(done.stdout, end="")


if __name__ == "__main__":
    if shutil.which("cc") and shutil.which("objcopy"):
        main()
    else:
        print("this example needs a C compiler and objcopy")
