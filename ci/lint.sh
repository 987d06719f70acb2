#!/bin/sh
# Style and types, in the environment that `sh ci/setup.sh test` made.
set -eu
cd "$(dirname "$0")/.."
bin=${ENZYME_PY_VENV:-.venv}/bin
"$bin/python" -m ruff check .
"$bin/python" -m mypy enzyme_py
