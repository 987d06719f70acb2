#!/bin/sh
# From a bare machine to a checked derivative: environment, install, Enzyme, examples/demo.py.
set -eu
cd "$(dirname "$0")/.."
sh ci/setup.sh
exec "${ENZYME_PY_VENV:-.venv}/bin/python" examples/demo.py
