"""The reference as a harness that hangs in its 40th case while a file is there, and tells so over a named pipe.

Arguments: the file, the pipe.
"""

from __future__ import annotations

import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.cli.serve_stdio import serve
from conformance.reference_harness import ReferenceHarness

harness, numbers = ReferenceHarness(protocols=["canal-json"]), count(1)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer of the reference, sooner or never."""
    if request["op"] == "encode" and next(numbers) == 40 and Path(sys.argv[1]).exists():
        Path(sys.argv[2]).write_text("here", encoding="utf-8")
        time.sleep(600)
    return harness.answer(request)


serve(answer)
