#!/usr/bin/env bash
# Installs the suite into an environment of its own. Reads SUITE_PYTHON, SUITE_SOURCE; step output: command.
set -euo pipefail
environment="$RUNNER_TEMP/ticdc-conformance"
"$SUITE_PYTHON" -m venv "$environment"
bin="$environment/bin"
[ -d "$bin" ] || bin="$environment/Scripts" # Windows
"$bin/python" -m pip install --quiet --disable-pip-version-check "$SUITE_SOURCE"
"$bin/ticdc-conformance" --version
echo "command=$bin/ticdc-conformance" >>"$GITHUB_OUTPUT"
