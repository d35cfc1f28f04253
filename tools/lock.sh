#!/usr/bin/env bash
# Write requirements/lock.txt anew: everything that tox installs, pinned. Run it with the oldest Python supported.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -m venv .tox/lock
.tox/lock/bin/pip install --quiet pip-tools
.tox/lock/bin/pip-compile --quiet --strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header --no-annotate \
    --allow-unsafe --upgrade --extra spark --extra live --extra allure --extra completion --extra docs --output-file requirements/lock.txt requirements/tools.in pyproject.toml
sed -i.old '/^ticdc-conformance @/d' requirements/lock.txt  # extras that name others name the project itself
rm requirements/lock.txt.old
