"""What each format carries, as `explain carry` says it to people."""

from __future__ import annotations

from conformance.oracle import ORACLES
from tests.snapshots.snapshot import assert_snapshot


def test_what_each_format_carries_is_said_as_it_was_reviewed() -> None:
    rows = [f"{protocol}: {what}: {how}\n" for protocol in ORACLES for what, how in ORACLES[protocol].carried]
    assert_snapshot("carried.txt", "".join(rows))
