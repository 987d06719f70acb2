#!/bin/sh
# The types of the public names, by mypy and pyright: tests/typed/uses.py, and programs that both must refuse.
# In the environment that `sh ci/setup.sh test` made. Pyright fetches its own program on first use (npm).
set -eu
cd "$(dirname "$0")/.."
bin=${ENZYME_PY_VENV:-.venv}/bin
"$bin/python" -m pip install --quiet --disable-pip-version-check pyright
exec "$bin/python" -m tests.typed
