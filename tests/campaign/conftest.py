"""The streams that are mutated are those of the tests of the comparison."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "unit" / "differential"))
