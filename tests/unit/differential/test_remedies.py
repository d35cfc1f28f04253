"""What the catalogue says of remedies is so: each removes its divergence, and no option does that is not among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import pytest

from conformance.catalogue.divergences import Divergence, find_divergence, load_divergences
from conformance.catalogue.remedies import Remedy
from differential.sides import codec_of
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Event, Record, Watermark
from reference_impl.options import parse
from tests.unit.differential.remedying import Options, choices, is_there, merged, scene_of, shown_in

ENTRIES = [entry for pair in load_divergences().values() for entry in pair.divergences]
TSO = 430_000_000_000_000_000

# Divergences of events that no row shows: the event, and the dialect that writes it or not.
EVENTS: Mapping[str, tuple[Event, str]] = {
    "DV-04": (Watermark(TSO), "canal-json"),
    "DBZ-541": (Watermark(TSO), "debezium"),
    "DBZ-540a": (DdlEvent("shop", "t", "DROP TABLE t", action="drop table", commit_ts=TSO), "debezium-connector"),
    "DBZ-591": (
        DdlEvent("shop", "t", "TRUNCATE TABLE t", action="truncate table", commit_ts=TSO),
        "debezium-connector",
    ),
}
# What a reproducer needs so that its divergence is the only one at its place.
_ASKED: Options = {"canal": {"tsdb": "false"}}
ALONE: Mapping[str, Options] = {"DV-02": _ASKED, "DV-12": _ASKED, "DV-104": _ASKED}
NO_SCHEMAS: Options = {
    "debezium-connector": {"schemas.enable": "false"},
    "debezium": {"debezium-disable-schema": "true"},
}
# Another database, and images that lack columns: `compare` refuses such a side.
NO_SETTING = ("server", "binlog_row_image")
# A statement beside the rows, and what an early release wrote: no reproducer of rows shows them.
NOT_IN_ROWS = ("DV-21", "DV-37")

SHOWN = [entry for entry in ENTRIES if entry.reproducer and entry.reproducer.changes]


def _with(entry: Divergence, options: Options | None = None) -> Options:
    return merged(ALONE.get(entry.id, {}), options or {})


@cache
def _is_there(divergence: str) -> bool:
    """Whether both sides differ where no option is tried."""
    entry = find_divergence(divergence)
    assert entry is not None
    return is_there(entry, _with(entry))


def _proved() -> Iterator[tuple[Divergence, Remedy]]:
    for entry in SHOWN:
        for remedy in entry.remedies:
            if remedy.options or remedy.columns:
                yield entry, remedy


@pytest.mark.parametrize(
    ("entry", "remedy"), list(_proved()), ids=lambda given: getattr(given, "id", None) or given.what
)
def test_a_remedy_removes_its_divergence(entry: Divergence, remedy: Remedy) -> None:
    assert _is_there(entry.id)
    assert not is_there(entry, _with(entry, remedy.options), remedy.columns)


def _written(id_: str, options: Mapping[str, str]) -> int:
    event, dialect = EVENTS[id_]
    codec = codec_of(dialect)
    return len(codec.encoder(parse(codec.options, options)).encode([event], []).records)


@pytest.mark.parametrize("id_", EVENTS)
def test_an_option_decides_whether_a_dialect_writes_an_event_that_is_no_row(id_: str) -> None:
    entry = find_divergence(id_)
    assert entry is not None
    [remedy] = entry.remedies
    [(dialect, options)] = remedy.options.items()
    assert dialect == EVENTS[id_][1]
    needed = {name: values[0] for name, values in entry.when[dialect].items()}
    assert bool(_written(id_, needed)) is not bool(_written(id_, {**needed, **options}))


def test_every_remedy_of_options_is_proved() -> None:
    proved = {entry.id for entry, _ in _proved()} | EVENTS.keys()
    assert {entry.id for entry in ENTRIES if any(remedy.options for remedy in entry.remedies)} - proved == set()


def _tried(entry: Divergence) -> Iterator[Options]:
    for dialect in (entry.upstream, entry.ticdc):
        yield from ({dialect: {name: value}} for name, value in choices(dialect) if name not in NO_SETTING)
    if entry.upstream == "debezium-connector" and not entry.harm.is_data:
        yield NO_SCHEMAS  # which brings no value back


def _removes(entry: Divergence, options: Options) -> bool:
    try:
        scene = scene_of(entry, _with(entry, options))
        # Most options have nothing to say of most messages.
        return scene.messages != _before(entry.id) and not shown_in(scene)
    except (Rejected, Unsupported):
        return False


@cache
def _before(divergence: str) -> Mapping[str, list[Record]]:
    """What both sides write where no option is tried."""
    entry = find_divergence(divergence)
    assert entry is not None
    return scene_of(entry, _with(entry)).messages


@pytest.mark.parametrize("entry", [e for e in SHOWN if e.id not in NOT_IN_ROWS], ids=lambda entry: entry.id)
def test_no_option_removes_a_divergence_but_those_that_its_remedies_name(entry: Divergence) -> None:
    assert _is_there(entry.id)
    named = {(d, name) for remedy in entry.remedies for d, options in remedy.options.items() for name in options}
    gone = [options for options in _tried(entry) if _removes(entry, options)]
    found = {(dialect, name) for options in gone for dialect, of in options.items() for name in of}
    assert found <= named


# Statements that one side never writes: TiDB's action.
STATEMENTS: Mapping[str, str] = {
    "DV-85": "add foreign key",
    "DV-87": "create view",
    "DV-114": "remove partitioning",
    "DV-115": "alter schema charset",
    "DBZ-606": "add foreign key",
}


@pytest.mark.parametrize("id_", STATEMENTS)
def test_no_option_makes_both_sides_write_a_statement_that_one_never_does(id_: str) -> None:
    entry = find_divergence(id_)
    assert entry is not None
    assert entry.reproducer is not None
    event = DdlEvent("shop", "t", entry.reproducer.statements[0], action=STATEMENTS[id_], commit_ts=TSO)

    def both(options: Options) -> set[int]:
        counts = set()
        for dialect in (entry.upstream, entry.ticdc):
            codec = codec_of(dialect)
            given = parse(codec.options, options.get(dialect, {}))
            counts.add(min(len(codec.encoder(given).encode([event], []).records), 1))
        return counts

    assert both({}) == {0, 1}
    silent = [options for options in _tried(entry) if _allowed(entry, options) and both(options) == {1}]
    assert (silent, entry.remedies) == ([], ())


def _allowed(entry: Divergence, options: Options) -> bool:
    try:
        return all(parse(codec_of(dialect).options, named) for dialect, named in options.items())
    except (Rejected, Unsupported):
        return False
