#!/bin/sh
# From a bare machine to every test: environment, install, Enzyme, lint, pytest.
# Arguments go to pytest: `sh ci/test.sh --full` runs every scenario in every way.
set -eu
cd "$(dirname "$0")/.."
sh ci/setup.sh test
sh ci/lint.sh
# Three workers on two cores: one alone waits for the pass and for other processes a fifth of its time.
exec "${ENZYME_PY_VENV:-.venv}/bin/python" -m pytest -n 3 --dist loadgroup "$@"
