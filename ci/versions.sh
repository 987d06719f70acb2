#!/bin/sh
# The core of the tests with the oldest Numba that pyproject.toml allows, and with the newest that there is.
#
#   sh ci/versions.sh              both, each in an environment of its own
#   sh ci/versions.sh oldest       one of them
#   PYTHON=python3.13 sh ci/versions.sh newest
#
# What runs: kernels, closures and functions as arguments, second orders, what a second process finds, threads, linear algebra,
# rules of users. Ten minutes on two busy cores.
set -eu
cd "$(dirname "$0")/.."
tests="tests/frontend/test_kernels.py tests/frontend/test_closures.py tests/frontend/test_function_arguments.py
tests/calls/test_hessian.py tests/finished/test_found.py tests/threads tests/linalg/test_linalg.py tests/custom/test_custom_rules.py"
oldest() { sed -n "s/^dependencies = .*\"$1>=\([0-9.]*\)\".*/\1/p" pyproject.toml; }
python=${PYTHON:-python3}

try() { # name, then what pip is told beside the package
    name=$1
    shift
    venv=build/versions/$name-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check pytest pytest-xdist hypothesis . "$@"
    "$venv/bin/python" -m enzyme_py install >/dev/null
    "$venv/bin/python" - <<END
from importlib.metadata import version
import platform
print("$name: Python", platform.python_version(), *(f"{one} {version(one)}" for one in ("numba", "llvmlite", "numpy", "scipy")))
END
    # shellcheck disable=SC2086
    "$venv/bin/python" -P -m pytest -q --import-mode=append $tests
}

case "${1:-both}" in
oldest | both) try oldest "numba==$(oldest numba)" "llvmlite==$(oldest llvmlite)" ;;
newest) ;;
*) echo "ci/versions.sh: say oldest, newest or nothing" >&2; exit 1 ;;
esac
case "${1:-both}" in
newest | both) try newest --upgrade --upgrade-strategy eager ;;
esac
