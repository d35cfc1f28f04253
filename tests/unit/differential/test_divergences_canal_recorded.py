"""What real Canal sent of a workload, and what TiCDC sends of the same rows: every difference has a name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import groupby

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.recordings import Recording, Workloads, read_recordings
from differential.local import Outcome
from differential.model import Difference, Status
from differential.sides import Side, codec_of
from reference_impl.column_types import Family
from reference_impl.model import Record, Table
from reference_impl.settings import Settings
from tests.unit.differential.building import numbered, outcome_of
from tests.unit.differential.reproducing import as_kept, names_in

FOLDER = fixtures_root() / "recorded" / "canal"
_TSO, _SECOND = 430_000_000_000_000_000, 1000 << 18


@cache
def recordings() -> dict[str, Recording]:
    return {one.name: one for one in read_recordings(FOLDER)}


@cache
def ticdc(name: str) -> tuple[tuple[Table, ...], list[Record]]:
    """The tables that TiDB can have and whose rows hold no time of the recording, and TiCDC's messages of them."""
    changes = [change for change in Workloads(FOLDER).truth_of(recordings()[name]).changes if change.op != "read"]
    left_out = {c.table.id for c in changes if c.now or any(x.type.family is Family.GEOMETRY for x in c.table.columns)}
    changes = [change for change in changes if change.table.id not in left_out]
    encoder = codec_of("canal-json").encoder()
    records: list[Record] = []
    for n, (_, transaction) in enumerate(groupby(changes, key=lambda change: change.transaction)):
        for table, of_table in groupby(transaction, key=lambda change: change.table):
            events = [replace(change.event(), commit_ts=_TSO + n * _SECOND) for change in of_table]
            for event in as_kept(events, table):
                records += encoder.encode([event], [table]).records
    return tuple(dict.fromkeys(c.table for c in changes)), records


def compared(name: str, old: bytes = b"", new: bytes = b"") -> Outcome:
    """The comparison, with `old` for `new` in the first recorded message that has it."""
    tables, records = ticdc(name)
    recorded = recordings()[name]
    canal = [replace(c.record, topic="t", partition=0, offset=c.n) for c in recorded.records if c.record]
    if old:
        at = next(n for n, record in enumerate(canal) if old in (record.value or b""))
        canal[at] = replace(canal[at], value=(canal[at].value or b"").replace(old, new, 1))
    settings = Settings(timezone=recorded.facts.timezone)
    sides = (
        Side("left", "canal", recorded.options, settings=settings, tables=tables),
        Side("right", "canal-json", tables=tables),
    )
    return outcome_of(sides, [canal, numbered(records)])


def unexplained(outcome: Outcome) -> list[Difference]:
    return [d for d in outcome.differences if d.status is Status.UNEXPLAINED]


VALUES = {"DV-40", "DV-41", "DV-42", "DV-43", "DV-44", "DV-45", "DV-55", "DV-70", "DV-71", "DV-101"}
JSON = {"DV-46", "DV-48", "DV-49", "DV-72", "DV-108"}
ROWS = {"DV-30", "DV-31", "DV-32", "DV-33"}
NAMED = {
    "mysql97": VALUES | JSON | ROWS | {"DV-54", "DV-105"},
    "mysql97_notsdb": VALUES | JSON | ROWS,
    "mysql97_zone8": VALUES | JSON | ROWS | {"DV-54", "DV-105"},
    "mariadb1011": VALUES | ROWS | {"DV-54", "DV-105", "DV-107"},
}


@pytest.mark.parametrize("name", NAMED)
def test_every_difference_from_real_messages_has_a_name(name: str) -> None:
    outcome = compared(name)
    assert unexplained(outcome) == []
    assert NAMED[name] - names_in(outcome) == set()


def test_a_digit_altered_in_a_real_message_has_no_divergence() -> None:
    outcome = compared("mysql97", b'"c_bi":"-9223372036854775808"', b'"c_bi":"-9223372036854775807"')
    [difference] = unexplained(outcome)
    assert (difference.table, difference.column, difference.left_value) == ("t_int", "c_bi", "-9223372036854775807")
