#!/bin/sh
# The benchmark of the whole trip; `sh ci/bench.sh --write` also renews docs/benchmarks.md.
set -eu
cd "$(dirname "$0")/.."
sh ci/setup.sh
exec "${ENZYME_PY_VENV:-.venv}/bin/python" benchmarks/whole_trip.py "$@"
