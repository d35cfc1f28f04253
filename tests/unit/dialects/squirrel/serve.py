"""The harness of Squirrel's implementation: the reference, with the dialect added."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4]))

from conformance.cli.main import main
from tests.unit.dialects.squirrel import SQUIRREL, add

if __name__ == "__main__":
    add()
    sys.exit(main(["serve-reference", "--protocol", SQUIRREL.name]))
