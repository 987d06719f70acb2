#!/bin/sh
# Make the environment that the other scripts run in, and install the project into it.
#
#   sh ci/setup.sh            the package, as a user has it
#   sh ci/setup.sh test       the package from the working tree, with what tests and lint need
#
# Settings: PYTHON names the interpreter, ENZYME_PY_VENV the folder of the environment.
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "ci/setup.sh: $1" >&2
    exit 1
}

is_right_version() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null
}

find_python() {
    for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11; do
        if is_right_version "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

venv=${ENZYME_PY_VENV:-.venv}
if [ ! -x "$venv/bin/python" ]; then
    python=$(find_python)
    [ -n "$python" ] || fail "needs Python 3.11 to 3.14; set PYTHON to one"
    "$python" -m venv "$venv" ||
        fail "$python cannot make an environment; on Debian and Ubuntu install python3-venv"
fi
is_right_version "$venv/bin/python" ||
    fail "$venv holds another Python than 3.11 to 3.14; remove it, or set ENZYME_PY_VENV"
command -v "${CC:-cc}" >/dev/null 2>&1 ||
    fail "needs a C compiler; install gcc or clang, or set CC"
# CMake and Ninja need not be there: the build takes them from the package registry.

case "${1:-}" in
test) set -- --no-compile --editable '.[test]' ;; # to bytecode, that is: most of what is installed for tests is never imported
"") set -- . ;;
*) fail "unknown argument $1" ;;
esac
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
# Libraries of enzyme_py.bridges, enzyme_py.cluster and docs/coming-from: their tests are skipped where one is not to be had. Of PyTorch
# only builds for the processor, which some indexes have: the default one brings gigabytes for GPUs.
case "$*" in
*test*)
    # With our Numba named beside them, since some would bring an older one.
    numba=$("$venv/bin/python" -c 'import importlib.metadata as m; print("numba==" + m.version("numba"))')
    optional() { "$venv/bin/python" -m pip install --no-compile --quiet --disable-pip-version-check --only-binary :all: "$@" "$numba" 2>/dev/null; }
    set -- autograd jax blackjax iminuit torch==2.13.0+cpu nutpie pymc casadi lmfit 'dask[array,distributed]' zarr
    mpi='numba-mpi mpi4py mpich'
    if ! optional "$@" $mpi; then # at once, or each for itself where one is not to be had
        for library in "$@"; do
            optional "$library" || echo "ci/setup.sh: without $library, its tests are skipped" >&2
        done
        optional $mpi || echo "ci/setup.sh: without $mpi, tests/mpi is skipped" >&2
    fi
    "$venv/bin/python" -m pip install --no-compile --quiet --disable-pip-version-check mkdocs-material 2>/dev/null ||
        echo "ci/setup.sh: without the tools of the site, sh ci/docs.sh and its test do not run" >&2
    ;;
esac
if [ -z "${ENZYME_PY_HOST:-}${ENZYME_PY_PLUGIN:-}" ]; then
    "$venv/bin/python" -m enzyme_py install
fi
