#!/bin/sh
# Build the site of the documentation into build/site, in the environment that `sh ci/setup.sh test` made.
# A warning fails: a link to nothing, a heading that is not there, a page in no group.
set -eu
cd "$(dirname "$0")/.."
export NO_MKDOCS_2_WARNING=1 # an advertisement of the theme's
exec "${ENZYME_PY_VENV:-.venv}/bin/python" -m mkdocs build --strict --clean --config-file ci/docs/mkdocs.yml "$@"
