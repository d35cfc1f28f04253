"""A harness that is right, wrong, slow, dead or unwilling, as the id of a case decides: the same in every session."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.cli.serve_stdio import serve
from conformance.reference_harness import ReferenceHarness

harness = ReferenceHarness(protocols=["canal-json"])


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The answer of the reference, spoilt for some cases."""
    op = request["op"]
    number = int(str(request["case"])[:4], 16) if op in ("encode", "decode") else 0
    chance = number % 40
    if chance == 1:
        os._exit(3)
    if number % 80 == 2:  # half as often: each is waited for
        time.sleep(60)
    if chance == 3:
        return {"id": request["id"], "unsupported": "not today"}
    if chance == 4:
        return {"id": request["id"], "rejected": {"class": "range", "message": "no"}}
    if chance == 5:
        return {"id": request["id"], "error": "it broke"}
    given = harness.answer(request)
    if chance in (6, 7) and "ok" in given:
        for kind in ("records", "events"):
            if kind in given["ok"]:
                given["ok"][kind] = given["ok"][kind][chance - 6 :] * (8 - chance)
    if op == "hello":
        given["ok"]["protocols"]["canal-json"]["column_types"] = ["int", "bigint", "varchar", "decimal"]
    return given


serve(answer)
