"""How much of ordinary streams `compare --live` settles once both sides are beyond it, and what it says before."""

from __future__ import annotations

import pytest

from conformance.cli.live import is_waiting_for_changes
from differential.align.alignment import WINDOW
from differential.live.journal import Progress
from differential.model import Status
from tests.amounts import ordinarily
from tests.unit.differential import generated
from tests.unit.differential.building import pairs_for
from tests.unit.differential.test_live import Run

EXTENDED = {"enable_tidb_extension": "true"}
PAIRS = {
    "canal-json beside canal": (("canal-json", EXTENDED), ("canal", {})),
    "canal-json beside canal with GTIDs": (("canal-json", EXTENDED), ("canal", {"gtid": "true"})),
    "debezium beside the connector 2.4": (("debezium", {}), ("debezium-connector", {"version": "2.4.0"})),
    "debezium beside the connector 3.6": (("debezium", EXTENDED), ("debezium-connector", {"version": "3.6.1"})),
    "canal-json beside open-protocol": (("canal-json", EXTENDED), ("open-protocol", {})),
    "debezium beside open-protocol": (("debezium", EXTENDED), ("open-protocol", {})),
}
PATIENCE, ROUND = 3_000, 1_000  # milliseconds; a stream of the generator lasts some ten seconds
SHARE = 0.95


# A row that is always in doubt, as the hot one is beside Canal without GTIDs, waits for a window of its changes.
IN_DOUBT = {"shop": 0, "types": 0, "hot": WINDOW}


CHANGES = ordinarily(450, 600)
WITH_OTHERS = ordinarily(("canal-json beside canal with GTIDs", "debezium beside the connector 3.6"), tuple(PAIRS))
"""Pairs that are tried with every preset; what settles depends on clocks and transactions, not on types."""
TRIED = [(pair, preset) for pair in PAIRS for preset in IN_DOUBT if pair in WITH_OTHERS or preset == "hot"]


@pytest.mark.parametrize(("pair", "preset"), TRIED)
def test_of_the_changes_that_both_sides_have_gone_on_beyond_nearly_all_are_settled(pair: str, preset: str) -> None:
    sides = [
        generated.side(name, dialect, preset, **options)
        for name, (dialect, options) in zip(("left", "right"), PAIRS[pair], strict=True)
    ]
    streams = [generated.sent(side, generated.transactions(preset, CHANGES, 4)) for side in sides]
    times = sorted(record.timestamp or 0 for stream in streams for record in stream)
    run, rounds = Run(sides, pairs_for(sides), PATIENCE), 0
    for begin in range(times[0], times[-1] + 1, ROUND):
        run.take([[r for r in stream if begin <= (r.timestamp or 0) < begin + ROUND] for stream in streams])
        run.take([[], []])
        due = min(run.newest.values()) - PATIENCE
        beyond = sum(1 for time in times if time <= due)
        waiting = sum(1 for row in run.waiting if row.time is not None and row.time <= due)
        rounds += beyond > 0
        assert waiting <= (1 - SHARE) * beyond + IN_DOUBT[preset]
    assert rounds > 2
    assert {d.status for d in run.outcome.differences if d.divergence} <= {Status.DOCUMENTED, Status.UNDOCUMENTED}


def test_a_run_in_which_both_sides_have_messages_and_all_changes_wait_has_settled_nothing_yet() -> None:
    assert is_waiting_for_changes(Progress(newest={0: 1, 1: 2}, waiting={0: 3}), 2)


@pytest.mark.parametrize("progress", [Progress(newest={0: 1}, waiting={0: 3}), Progress(newest={0: 1, 1: 2})])
def test_a_run_with_a_silent_side_or_without_a_waiting_change_is_not_one_that_settles_later(progress: Progress) -> None:
    assert not is_waiting_for_changes(progress, 2)
