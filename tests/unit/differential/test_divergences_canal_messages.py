"""Divergences of Canal and TiCDC's Canal-JSON that no comparison of rows meets: the messages of both show them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from conformance.catalogue.corpora import load_statements
from conformance.catalogue.divergences import Met, load_divergences
from differential.sides import Side
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Event, Record, RowChange, Table, Watermark
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.differential.building import differences, side_of, written
from tests.unit.differential.reproducing import SCHEMA, Scene, changes_of

BY_ID = {entry.id: entry for entry in load_divergences()["canal", "canal-json"].divergences}
TSO = 430_000_000_000_000_000
Sent = dict[str, Any]


def trees(records: Iterable[Record]) -> list[Sent]:
    return [json.loads(record.value or b"") for record in records]


def both(id_: str) -> tuple[list[Sent], list[Sent]]:
    """What Canal and TiCDC send for the reproducer of an entry."""
    messages = Scene(BY_ID[id_]).messages
    return trees(messages["canal"]), trees(messages["canal-json"])


def sent(dialect: str, events: Iterable[Event], *tables: Table, **options: str) -> list[Sent]:
    return trees(written(side_of("", dialect, tables, **options), events))


def test_watermarks_are_ticdc_s_alone() -> None:
    assert BY_ID["DV-04"].when == {"canal-json": {"enable-tidb-extension": ("true",)}}
    [watermark] = sent("canal-json", [Watermark(TSO)], enable_tidb_extension="true")
    assert watermark["type"] == "TIDB_WATERMARK"
    assert sent("canal-json", [Watermark(TSO)]) == []


def test_canal_puts_the_rows_of_a_statement_into_one_message() -> None:
    canal, ticdc = both("DV-05")
    assert [[row["id"] for row in message["data"]] for message in canal] == [["1", "2"]]
    assert [[row["id"] for row in message["data"]] for message in ticdc] == [["1"], ["2"]]


def test_old_of_a_later_row_has_what_changed_in_an_earlier_one() -> None:
    [canal], ticdc = both("DV-06")
    assert canal["old"] == [{"a": "1"}, {"a": "2", "b": "2"}]
    assert [message["old"] for message in ticdc] == [
        [{"id": "1", "a": "1", "b": "1"}],
        [{"id": "2", "a": "2", "b": "2"}],
    ]


def test_a_table_without_a_primary_key_has_no_names_or_an_empty_list_of_them() -> None:
    [canal], [ticdc] = both("DV-10")
    assert (canal["pkNames"], ticdc["pkNames"]) == (None, [])


def test_the_code_of_a_message_of_several_rows_is_that_of_the_last() -> None:
    [canal], ticdc = both("DV-14")
    assert canal["sqlType"]["c"] == 5
    assert [message["sqlType"]["c"] for message in ticdc] == [-6, 5]


def test_canal_sends_the_statement_that_caused_the_rows() -> None:
    given = Scene(BY_ID["DV-21"])
    assert given.entry.reproducer is not None
    [[change]] = changes_of(given.entry.reproducer, given.table)
    query = given.entry.reproducer.statements[0]
    canal = sent("canal", [replace(change, source={"query": query})], given.table)
    assert [(m["type"], m["isDdl"], m["sql"]) for m in canal] == [("QUERY", False, query), ("INSERT", False, "")]
    assert [m["type"] for m in sent("canal-json", [change], given.table)] == ["INSERT"]


def test_a_partial_image_may_lack_even_the_key() -> None:
    [canal], [ticdc] = both("DV-34")
    assert (canal["data"], canal["old"], canal["pkNames"]) == ([{"a": "2"}], [{}], None)
    assert ticdc["data"] == [{"id": "1", "a": "2", "b": "5"}]


def test_a_delete_of_an_early_release_repeats_its_row() -> None:
    given = Scene(BY_ID["DV-37"])
    assert given.entry.reproducer is not None
    [[change]] = changes_of(given.entry.reproducer, given.table)

    def old(profile: Profile) -> Any:
        [message] = trees(written(Side("", "canal-json", profile=profile), [change], [given.table]))
        return message["old"]

    assert old(replace(NEWARCH, release=(5, 3, 0))) == [{"id": "1", "c": "1"}]
    assert (old(NEWARCH), both("DV-37")[0][0]["old"]) == (None, None)


def column(kind: str) -> Table:
    return Table(
        SCHEMA, "t", tuple(Column(n, parse_column_type(k)) for n, k in (("id", "bigint"), ("c", kind))), ("id",)
    )


def test_each_stops_at_a_type_that_it_does_not_know() -> None:
    row = {"id": "1", "c": None}
    change = RowChange("insert", SCHEMA, "t", TSO, after=row)
    for kind, writes, stops in (("vector(2)", "canal-json", "canal"), ("point", "canal", "canal-json")):
        assert sent(writes, [change], column(kind))
        with pytest.raises(Rejected):
            sent(stops, [change], column(kind))
    assert {BY_ID["DV-56"].types, BY_ID["DV-59"].types} == {("vector",), ("geometry",)}


def test_a_name_in_json_that_needs_an_escape_makes_no_json_of_it() -> None:
    [canal], [ticdc] = both("DV-109")
    assert json.loads(ticdc["data"][0]["c"]) == {'a"b': 1}
    with pytest.raises(json.JSONDecodeError):
        json.loads(canal["data"][0]["c"])


def test_json_by_its_differences_is_a_text_of_calls() -> None:
    before, after = {"id": "1", "c": '{"a": 1}'}, {"id": "1", "c": '{"a": 2}'}
    source = {"binlog_row_value_options": "PARTIAL_JSON"}
    change = RowChange("update", SCHEMA, "t", TSO, before, after, source=source)
    [canal], [ticdc] = (sent(dialect, [change], column("json")) for dialect in ("canal", "canal-json"))
    assert (canal["data"][0]["c"], ticdc["data"][0]["c"]) == ("JSON_REPLACE(c, '$.a', 2)", '{"a": 2}')
    assert BY_ID["DV-52"].types == ("json",)


def test_scalars_that_json_has_no_form_for_are_written_out() -> None:
    opaque = '[{"$opaque": ["T", ["date", "2024-02-29"]]}, {"$opaque": ["T", ["dec", "1.50"]]}]'
    change = RowChange("insert", SCHEMA, "t", TSO, after={"id": "1", "c": opaque})
    [canal] = sent("canal", [change], column("json"))
    assert canal["data"][0]["c"] == '["2024-02-29 00:00:00.000000", 1.50]'
    assert BY_ID["DV-51"].met is Met.OUTSIDE


def test_time_stamps_of_two_zones_are_compared_as_instants() -> None:
    table = column("timestamp(3)")
    shown = {"canal": ("+08:00", "2024-03-01 01:00:00.500"), "canal-json": ("UTC", "2024-02-29 17:00:00.500")}
    for canal_shows, differs in (("2024-03-01 01:00:00.500", False), ("2024-02-29 17:00:00.500", True)):
        sides, streams = [], []
        for name, (dialect, (zone, text)) in zip(("left", "right"), shown.items(), strict=True):
            own = canal_shows if dialect == "canal" else text
            change = RowChange("insert", SCHEMA, "t", TSO, after={"id": "1", "c": own})
            streams.append(written(side_of(name, dialect, [table]), [change]))
            sides.append(Side(name, dialect, settings=Settings(timezone=zone), tables=(table,)))
        assert bool(differences(sides, streams)) is differs
    assert BY_ID["DV-53"].types == ("timestamp",)


# Entry: TiCDC's action, types of Canal and of TiCDC.
DDL: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "DV-83": ("drop primary key", ("ALTER",), "DINDEX"),
    "DV-84": ("drop foreign key", ("ALTER",), "DINDEX"),
    "DV-85": ("add foreign key", (), "CINDEX"),
    "DV-86": ("multi-schema change", ("CINDEX",), "ALTER"),
    "DV-87": ("create view", (), "QUERY"),
    "DV-88": ("exchange partition", ("ALTER",), "QUERY"),
    "DV-114": ("remove partitioning", (), "ALTER"),
    "DV-115": ("alter schema charset", (), "QUERY"),
    "DV-116": ("create table", ("QUERY",), "CREATE"),
    "DV-118": ("drop check constraint", ("DINDEX",), "QUERY"),
}
# Entry: codes of TiDB's actions that it is about.
ACTIONS: Mapping[str, tuple[int, ...]] = {
    "DV-83": (33,),
    "DV-84": (10,),
    "DV-85": (9,),
    "DV-87": (21, 24),
    "DV-88": (42,),
    "DV-91": (65, 67),
    "DV-114": (72,),
    "DV-115": (26,),
    "DV-116": (41,),
    "DV-118": (43, 44, 45),
    "DV-119": (16, 25, *range(27, 32), *range(34, 37), 39, 40, 46, *range(49, 60), 62, 63, *range(68, 71), 73),
}


def test_every_action_with_different_types_has_an_entry() -> None:
    differing = set()
    for given in load_statements():
        event = DdlEvent("test", given.table, given.query, action_code=given.code, commit_ts=TSO)
        canal, ticdc = (sent(dialect, [event]) for dialect in ("canal", "canal-json"))
        told = [[(m["type"], m["table"]) for m in messages] for messages in (canal, ticdc)]
        differing |= {given.code} if told[0] != told[1] else set()
    assert differing == {code for codes in ACTIONS.values() for code in codes}
    assert ACTIONS.keys() <= BY_ID.keys()


def statement(id_: str) -> DdlEvent:
    reproducer = BY_ID[id_].reproducer
    assert reproducer is not None
    [query] = reproducer.statements
    return DdlEvent(SCHEMA, "t", query, action=DDL[id_][0], commit_ts=TSO)


@pytest.mark.parametrize("id_", DDL)
def test_a_statement_has_another_type(id_: str) -> None:
    _, upstream_has, ticdc_has = DDL[id_]
    event = statement(id_)
    assert tuple(message["type"] for message in sent("canal", [event])) == upstream_has
    assert [message["type"] for message in sent("canal-json", [event])] == [ticdc_has]


def test_canal_names_nothing_in_a_statement_that_it_cannot_read() -> None:
    [message] = sent("canal", [statement("DV-116")])
    assert (message["database"], message["table"]) == ("", "")


def test_every_message_that_one_dialect_alone_has_is_shown_here() -> None:
    shown = {"DV-04", "DV-05", "DV-06", "DV-14", "DV-21"}
    assert {entry.id for entry in BY_ID.values() if entry.met is Met.MESSAGE} == shown
