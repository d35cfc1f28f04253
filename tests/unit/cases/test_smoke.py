"""The smoke set, statements that change keys, rows over several partitions: what is tried, and that it can happen."""

from collections.abc import Iterator
from functools import cache

import pytest

from conformance.cases.evolution import evolution_inputs
from conformance.cases.inputs import Input
from conformance.cases.partitions import partition_inputs
from conformance.cases.smoke import smoke_inputs
from conformance.catalogue.corpora import load_option_space, load_smoke_tables
from reference_impl.floats import nearest_float32
from reference_impl.keys import handle_key
from reference_impl.model import ABSENT, DdlEvent, Event, RowChange, Table
from reference_impl.protocols import CODECS
from tests.every_case import heads, made

every_protocol = pytest.mark.parametrize("protocol", CODECS)


@cache
def smoke(protocol: str) -> tuple[Input, ...]:
    return tuple(smoke_inputs(load_option_space(protocol)))


EVOLUTION = {i.name.removeprefix("evolution/"): i for i in evolution_inputs({})}


def replayed(given: Input) -> Iterator[tuple[Event, dict[tuple[str, str], Table]]]:
    """Each event with the versions of the tables that are in force for it."""
    versions = {t.id: t for t in given.tables}
    for event in given.events:
        yield event, dict(versions)
        if isinstance(event, DdlEvent):
            if event.table_before is not None:
                versions.pop(event.table_before.id, None)
            versions |= {t.id: t for t in (event.table_after, *event.other_tables) if t is not None}


# -- the smoke set -------------------------------------------------------------------------------------------------


@every_protocol
def test_every_place_of_the_smoke_set_has_an_input(protocol: str) -> None:
    assert {i.axes["smoke"] for i in smoke(protocol)} == {f"{n:02d}" for n in range(1, 13)}


@every_protocol
def test_every_input_of_the_smoke_set_is_asked_in_both_roles(protocol: str) -> None:
    asked = {(c.id.split("/")[2], c.role) for c in heads(protocol) if c.axes.get("smoke")}
    assert asked >= {(i.name.removeprefix("smoke/"), role) for i in smoke(protocol) for role in ("encode", "decode")}


def values(number: str) -> dict[str, set[object]]:
    """Column type → the values that the tables of one place hold."""
    found: dict[str, set[object]] = {}
    for given in load_smoke_tables():
        if given.name.startswith(number):
            for column in given.table.columns:
                found.setdefault(column.type.text, set()).update(row[column.name] for row in given.rows)
    return found


def test_texts_are_empty_look_like_null_and_hold_quotes_backslashes_emoji_and_a_zero_character() -> None:
    texts = {str(t) for kind in ("varchar(40)", "char(40)", "text") for t in values("03")[kind]}
    assert {"", "null", "NULL"} <= texts
    assert all(any(part in text for text in texts) for part in ("'", '"', "\\", "😀", "\0"))


def test_bytes_end_in_zeros_and_hold_every_one_above_127() -> None:
    found = values("04")
    assert any(isinstance(b, bytes) and b.endswith(b"\0") and len(b) == 16 for b in found["binary(16)"])
    assert bytes(range(0x80, 0x100)) in found["varbinary(128)"]


@pytest.mark.parametrize(("kind", "bits"), [("tiny", 8), ("small", 16), ("medium", 24), ("", 32), ("big", 64)])
def test_unsigned_integers_are_at_the_signed_maximum_beyond_it_and_at_their_own(kind: str, bits: int) -> None:
    edge = 2 ** (bits - 1)
    assert values("05")[f"{kind}int unsigned"] == {str(edge - 1), str(edge), str(2 * edge - 1)}


def test_floats_are_not_exact_too_long_negative_zero_and_declared_with_digits() -> None:
    found = values("07")
    assert nearest_float32("16777217") == 16777216
    assert ({"0.1", "16777217", "-0"} <= found["float"], {"1e10", "-0"} <= found["double"]) == (True, True)
    assert "float(7,2)" in found


def test_times_that_are_keys_are_negative_and_beyond_a_day() -> None:
    [given] = [t for t in load_smoke_tables() if t.name.startswith("08")]
    assert handle_key(given.table) == ("t",)
    keys = {str(row["t"]) for row in given.rows}
    assert any(key.startswith("-00:00:00") for key in keys)
    assert any(key >= "24" and not key.startswith("-") for key in keys)


def test_null_is_put_over_a_default_in_every_column_of_every_type() -> None:
    given = next(i for i in smoke("canal-json") if i.name.startswith("smoke/01"))
    [made] = given.tables
    first = given.events[0]
    assert isinstance(first, RowChange)
    assert first.after is not None
    assert [c.name for c in made.columns[1:] if c.default in (ABSENT, None) or first.after[c.name] is not None] == []
    assert len(made.columns) > 20


NET = {
    "10 inserted and updated in one transaction": ["insert", "delete"],
    "10 inserted and deleted in one transaction": ["insert", "delete"],
    "10 updated twice, deleted and inserted again in one transaction": ["insert", "update", "update"],
}


@pytest.mark.parametrize(("name", "operations"), NET.items())
def test_a_transaction_is_told_by_what_it_leaves_and_its_statements_by_the_sql(name, operations) -> None:
    case = made(next(head for head in heads("canal-json") if head.id == f"canal-json/smoke/{name}"))
    assert [e.op for e in case.events if isinstance(e, RowChange)] == operations
    begin = case.sql.index("BEGIN")
    assert case.sql.index("COMMIT") - begin > 2


def test_keys_are_swapped_through_a_third_one() -> None:
    swapped = [made(head) for head in heads("canal-json") if "swapped" in head.id and head.role == "encode"]
    assert len(swapped) == 2
    for case in swapped:
        assert [s.split("SET ")[1] for s in case.sql if s.startswith("UPDATE")] == [
            "`id`=-1 WHERE `id`=1",
            "`id`=1 WHERE `id`=2",
            "`id`=2 WHERE `id`=-1",
        ]


@every_protocol
def test_where_keys_move_in_one_transaction_deletes_in_place_lose_no_row(protocol: str) -> None:
    for given in smoke(protocol):
        if given.options.get("output-raw-change-event") == "true":
            continue
        written: set[tuple[object, object, object]] = set()
        for event, versions in replayed(given):
            if not isinstance(event, RowChange):
                continue
            key = handle_key(versions[event.schema, event.table])
            images = [None if r is None else tuple(r[k] for k in key) for r in (event.before, event.after)]
            if event.op == "update" and images[0] != images[1]:
                assert (event.commit_ts, event.table, images[0]) not in written
            if images[1] is not None:
                written.add((event.commit_ts, event.table, images[1]))


@every_protocol
def test_rows_are_those_of_the_tables_as_they_then_are(protocol: str) -> None:
    space = load_option_space(protocol)
    wrong = []
    for given in (*smoke(protocol), *EVOLUTION.values(), *partition_inputs(space.visible)):
        for event, versions in replayed(given):
            if isinstance(event, RowChange):
                table = versions.get((event.schema, event.table))
                names = [set(row) for row in (event.before, event.after) if row is not None]
                if table is None or any(n != {c.name for c in table.columns} for n in names):
                    wrong.append(given.name)
    assert wrong == []


@every_protocol
def test_databases_that_statements_name_are_made(protocol: str) -> None:
    for given in (made(head) for head in heads(protocol) if head.axes.get("smoke") == "11"):
        named = {e.schema for e in given.events if isinstance(e, RowChange | DdlEvent)}
        assert {f"CREATE DATABASE IF NOT EXISTS `{schema}`" for schema in named} <= set(given.sql)


# -- statements that change keys -----------------------------------------------------------------------------------

HANDLES = {
    "add primary key": ((), ("id",)),
    "drop primary key": (("id",), ()),
    "drop primary key beside a unique key": (("id",), ("u",)),
    "add unique key": ((), ("u",)),
    "drop unique key": (("u",), ()),
    "unique key becomes NOT NULL": ((), ("u",)),
    "unique key becomes nullable": (("u",), ()),
}


def versions(name: str) -> tuple[Table, Table]:
    [statement] = [e for e in EVOLUTION[name].events if isinstance(e, DdlEvent)]
    assert statement.table_before is not None
    assert statement.table_after is not None
    return statement.table_before, statement.table_after


@pytest.mark.parametrize(("name", "handles"), HANDLES.items())
def test_a_statement_gives_a_table_another_handle_key(name: str, handles: tuple[object, object]) -> None:
    assert tuple(handle_key(t) for t in versions(name)) == handles


@pytest.mark.parametrize("name", EVOLUTION)
def test_a_statement_changes_a_table_in_a_way_that_rows_after_it_can_show(name: str) -> None:
    before, after = versions(name)
    assert (before.columns, before.primary_key, before.unique_keys, before.indexes) != (
        after.columns,
        after.primary_key,
        after.unique_keys,
        after.indexes,
    )
    events = EVOLUTION[name].events
    later = events[[isinstance(e, DdlEvent) for e in events].index(True) + 1 :]
    assert {e.op for e in later if isinstance(e, RowChange)} == {"insert", "update", "delete"}
    changed = {
        column
        for e in later
        if isinstance(e, RowChange) and e.before and e.after
        for column in e.after
        if e.before[column] != e.after[column]
    }
    others = {"column dropped before others": {"v"}, "column renamed": {"u", "w"}}
    assert changed == {"id", *others.get(name, {"u", "v"})}


# -- partitions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 7])
def test_rows_of_many_keys_go_through_their_lives_over_several_partitions(count: int) -> None:
    [given] = [i for i in partition_inputs({}) if i.name == f"partitions/many rows over {count}"]
    assert given.settings.partitions == count
    rows = [e for e in given.events if isinstance(e, RowChange)]
    assert len({(e.schema, e.table, e.after["id"]) for e in rows if e.op == "insert" and e.after}) > 20
    assert [e.op for e in rows] == sorted((e.op for e in rows), key=["insert", "update", "delete"].index)
