#!/bin/sh
# The aarch64 wheel, and a gradient from it in emulation, on a Debian system of x86-64. What came of it: docs/releasing.md.
#
#   sh ci/aarch64.sh          needs qemu-user-static (apt-get install), gcc, and 10 to 25 minutes
#
# Nothing of the system is changed: Debian's arm64 packages are unpacked into build/aarch64, with lists of their own.
# Settings: PYTHON names the interpreter that builds.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
work=$root/build/aarch64
debian=$work/debian
qemu=$(command -v qemu-aarch64-static) || {
    echo "ci/aarch64.sh: needs an emulator; apt-get install qemu-user-static" >&2
    exit 1
}
catalyst=pennylane-catalyst==$(sed -n 's/^VERSION = "\(.*\)"/\1/p' enzyme_py/host/installing/pinned.py)
quiet="--quiet --disable-pip-version-check"

[ -x "$work/tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$work/tools"
tools=$work/tools/bin/python
# shellcheck disable=SC2086
"$tools" -m pip install $quiet build ziglang

# Our own wheel, cross-compiled.
printf '#!/bin/sh\nexec "%s" -m ziglang cc -target aarch64-linux-gnu.2.28 "$@"\n' "$tools" >"$work/zig-cc"
chmod +x "$work/zig-cc"
rm -rf "$work/ours" "$work/site"
CC=$work/zig-cc _PYTHON_HOST_PLATFORM=linux-aarch64 \
    SKBUILD_CMAKE_ARGS="-DCMAKE_SYSTEM_NAME=Linux;-DCMAKE_SYSTEM_PROCESSOR=aarch64" \
    "$tools" -m build --wheel --outdir "$work/ours" . >"$work/build.log" 2>&1 || { tail -30 "$work/build.log"; exit 1; }

# A Python for arm64, of Debian.
if [ ! -x "$debian/usr/bin/python3.11" ]; then
    mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/packages" "$debian"
    : >"$work/apt/status"
    apt() {
        apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$work/apt/lists" \
            -o Dir::State::status="$work/apt/status" -o Dir::Cache="$work/apt" "$@"
    }
    apt update >/dev/null
    wanted=$(apt install --no-install-recommends -y --print-uris python3.11 libstdc++6 libgcc-s1 zlib1g libbz2-1.0 |
        sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p")
    # shellcheck disable=SC2086
    (cd "$work/packages" && apt download $wanted >/dev/null 2>&1)
    for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$debian"; done
fi

# What it imports, and Enzyme's executable.
fetch() { # python, abi, folder, packages
    "$tools" -m pip download --quiet --disable-pip-version-check --only-binary :all: --implementation cp --python-version "$1" --abi "$2" \
        --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 -d "$3" $4
}
fetch 3.11 cp311 "$work/wheels" "numba llvmlite numpy scipy cffi"
fetch 3.12 abi3 "$work/host" "--no-deps $catalyst"
for wheel in "$work"/wheels/*.whl "$work"/ours/*.whl; do "$tools" -m zipfile -e "$wheel" "$work/site"; done

cat >"$work/python" <<END
#!/bin/sh
exec env PYTHONPATH="$work/site" ENZYME_PY_CACHE_DIR="$work/cache" OPENBLAS_NUM_THREADS=1 \
    "$qemu" -L "$debian" "$debian/usr/bin/python3.11" "\$@"
END
chmod +x "$work/python"
stored=$("$work/python" -m enzyme_py install --wheel "$work"/host/*.whl)

# The system cannot start programs for arm64: this one is started instead, and starts the executable in the emulator.
cat >"$work/host.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **given) {
    char **all = calloc(count + 4, sizeof *all);
    all[0] = QEMU, all[1] = "-L", all[2] = ROOT, all[3] = HOST;
    for (int i = 1; i < count; i++)
        all[3 + i] = given[i];
    execv(QEMU, all);
    return 127;
}
END
gcc -static -O1 -DQEMU="\"$qemu\"" -DROOT="\"$debian\"" -DHOST="\"$stored\"" "$work/host.c" -o "$work/host-in-emulator"
export ENZYME_PY_HOST="$work/host-in-emulator"

"$work/python" -m enzyme_py doctor
"$tools" - "$work/start.py" <<'END'
import re
import sys

first, second, *_ = re.findall(r"^```python\n(.*?)^```", open("README.md").read(), re.DOTALL | re.MULTILINE)
says = """
print("gradient", dx.tolist(), dk)
for one in enzyme.inspect.finished():
    print("  ", one.derivative, one.outcome)
"""
open(sys.argv[1], "w").write(first + second + says)
END
for process in first second; do
    begun=$(date +%s)
    "$work/python" "$work/start.py"
    echo "the $process process: $(($(date +%s) - begun)) s"
done
