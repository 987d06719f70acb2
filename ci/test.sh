#!/bin/sh
# From a bare machine to every test: environment, install, Enzyme, lint, pytest.
# Arguments go to pytest: `sh ci/test.sh --full` runs every scenario in every way.
set -eu
cd "$(dirname "$0")/.."
sh ci/setup.sh test
sh ci/lint.sh
exec "${ENZYME_PY_VENV:-.venv}/bin/python" -m pytest -n 2 --dist loadgroup "$@"
