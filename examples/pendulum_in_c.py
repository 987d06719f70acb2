"""How hard to push a pendulum written in C: Newton's method on code of another language.

Needs clang, of the LLVM version that llvmlite has or of an older one.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import enzyme_py as enzyme


def linked(clang):
    with tempfile.TemporaryDirectory() as folder:
        bitcode = Path(folder) / "pendulum.bc"
        source = Path(__file__).with_name("pendulum.c")
        options = ["-O1", "-fno-vectorize", "-fno-slp-vectorize", "-emit-llvm"]
        subprocess.run([clang, *options, "-c", str(source), "-o", str(bitcode)], check=True)
        return enzyme.link_ir(bitcode, "final_angle", "float64(float64, float64, int64)")


def aimed(final_angle):
    miss_and_slope = enzyme.value_and_grad(lambda rate: final_angle(0.0, rate, 200) - 1.0)
    rate = 0.5
    for _ in range(8):
        miss, slope = miss_and_slope(rate)
        rate -= miss / slope
    return rate


clang = shutil.which("clang-22") or shutil.which("clang")
if clang is None:
    print("this example needs clang")
else:
    final_angle = linked(clang)
    rate = aimed(final_angle)
    print(f"a push of {rate:.12f} takes it to an angle of {final_angle(0.0, rate, 200):.12f}")
