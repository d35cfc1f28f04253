"""Sides that leave rows out: no row before an update, the key alone of a delete. What they do tell is compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.ddl import tables_of_sql
from differential.classify.explaining import namer_of
from differential.classify.naming import Name, Namer
from differential.counts import Counts
from differential.faults import Kind
from differential.model import PARTLY, UNKNOWN, Change, Class, Difference, Status
from differential.result.parts import note
from differential.sides import Side
from reference_impl.column_types import Family
from reference_impl.model import Row, RowChange
from tests.amounts import ordinarily
from tests.unit.differential.building import (
    NOON,
    differences,
    found_of_key,
    image,
    key_change,
    op_of,
    outcome_of,
    row_change,
    side_of,
    types_of,
    written,
)
from tests.unit.differential.generated import assert_found, put_into, sent, side, transactions, unexplained

AFTER_ALONE = ("debezium", {"debezium_output_old_value": "false"})
CHANGES = ordinarily(120, 300)
KEYS_ALONE = {"delete_only_output_handle_key_columns": "true"}
TICDC = ("canal-json", {"enable_tidb_extension": "true"})
CANAL = ("canal", {"gtid": "true"})
# What a format loses, with or without the row before: digits, and years below 100.
LOSSY = {"debezium": {Family.DECIMAL, Family.DATE}}

PAIRS: Mapping[str, tuple[tuple[str, Mapping[str, str]], tuple[str, Mapping[str, str]]]] = {
    "debezium, connector 2.4": (AFTER_ALONE, ("debezium-connector", {})),
    "debezium, connector 3.6": (AFTER_ALONE, ("debezium-connector", {"version": "3.6.1"})),
    "debezium, canal-json": (AFTER_ALONE, TICDC),
    "open-protocol, canal-json": (("open-protocol", KEYS_ALONE), TICDC),
    "canal-json, canal": ((TICDC[0], {**TICDC[1], **KEYS_ALONE}), CANAL),
    "canal-json, debezium": ((TICDC[0], KEYS_ALONE), AFTER_ALONE),
    "open-protocol without the row before, canal-json": (("open-protocol", {"open_output_old_value": "false"}), TICDC),
}


def sides_of(name: str, preset: str) -> list[Side]:
    return [side(n, d, preset, **o) for n, (d, o) in zip(("left", "right"), PAIRS[name], strict=True)]


def is_lost_by_a_format(sides: Sequence[Side], d: Difference) -> bool:
    lossy = set[Family]().union(*(LOSSY.get(of.dialect, set()) for of in sides))
    return d.kind is Class.VALUE and types_of(sides)[d.schema, d.table, d.column].family in lossy


@pytest.mark.parametrize("preset", ["types", "hot"])
@pytest.mark.parametrize("name", PAIRS)
def test_what_one_side_leaves_out_is_no_difference(name: str, preset: str) -> None:
    sides = sides_of(name, preset)
    stream = transactions(preset, CHANGES, 3)
    found = unexplained(sides, [sent(of, stream) for of in sides])
    assert [d for d in found if not is_lost_by_a_format(sides, d)] == []


@pytest.mark.parametrize("name", PAIRS)
def test_faults_in_existing_images_are_found_and_nothing_else(name: str) -> None:
    sides = sides_of(name, "shop")
    stream = transactions("shop", CHANGES, 3)
    faults, streams, taken = [], [], set[bytes]()
    for number, of in enumerate(sides):
        made, put = put_into(number, of, sent(of, stream), (Kind.LOST, Kind.REPEATED, Kind.CUT), 4, taken)
        faults += put
        streams.append(made)
    assert len(faults) == 24
    assert_found([d for d in unexplained(sides, streams) if not is_lost_by_a_format(sides, d)], faults)


def test_messages_without_the_row_before_are_checked_and_every_fault_in_them_is_found() -> None:
    sides = side("left", TICDC[0], **TICDC[1]), side("right", "open-protocol", open_output_old_value="false")
    left, right = (sent(of, transactions("shop", CHANGES, 4)) for of in sides)
    outcome = outcome_of(sides, [left, right])
    assert (outcome.differences, outcome.counts.control[1, "unchecked"]) == ([], 0)
    made, faults = put_into(1, sides[1], right, (Kind.LOST, Kind.REPEATED, Kind.CUT, Kind.CHANGED_BYTE), 3, set())
    assert len(faults) == 12
    assert_found(unexplained(sides, [left, made]), faults)


# -- one key


class OfOneTransaction(Namer):
    """Names several changes of the right side that are one of the left, as the dialects of upstream do."""

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        named = len(left) == 1 < len(right) and len({one.instant for one in right}) == 1
        return Name("DV-0", documented=True) if named else None


def told(state: str) -> bytes | None:
    return (
        None if state == "-" else UNKNOWN if state == "?" else PARTLY + b'{"id":"1"}' if state == "k" else image(state)
    )


def life(*steps: str, topic: str = "left") -> list[Change]:
    """Changes written as `a>b@1`: no row is `-`, one that is not told `?`, the key alone of it `k`; `@` is the time."""
    made = []
    for offset, step in enumerate(steps):
        (before, _, after), _, at = step.partition("@")[0].partition(">"), "", step.partition("@")[2]
        op = op_of(*(None if state == "-" else state for state in (before, after)))
        made.append(key_change(told(before), told(after), offset, topic, op, instant=at))
    return made


def compared(left: Sequence[Change], right: Sequence[Change]) -> list[tuple[str, str | None]]:
    return [(str(d.kind), d.divergence) for d in found_of_key(left, right, OfOneTransaction())]


NAMED = [("shape", "DV-0")]
ONE_KEY: Mapping[str, tuple[Sequence[str], Sequence[str], list[tuple[str, str | None]]]] = {
    "an update for two of a transaction": (["->a@1", "?>c@2"], ["->a@1", "a>b@2", "b>c@2"], NAMED),
    "the first change of a stream": (["?>c@2"], ["a>b@2", "b>c@2"], NAMED),
    "an update for a delete and an insert": (["->a@1", "?>c@2"], ["->a@1", "a>-@2", "->c@2"], NAMED),
    "a delete for an update and a delete": (["->a@1", "k>-@2"], ["->a@1", "a>b@2", "b>-@2"], NAMED),
    "a delete after an update that is there": (["->a@1", "a>b@2", "k>-@3"], ["->a@1", "a>b@2", "b>-@3"], []),
    "two transactions": (["->a@1", "?>c@3"], ["->a@1", "a>b@2", "b>c@3"], [("extra", None)]),
    "no row before an update": (["?>a@1"], ["->a@1"], [("shape", None)]),
    "a repeated update before a delete": (
        ["->a@1", "a>b@2", "k>-@2"],
        ["->a@1", "a>b@2", "a>b@2", "b>-@2"],
        [("duplicate", None)],
    ),
    "a step that is lost before the others": (
        ["->a@1", "?>b@1", "?>e@2"],
        ["->a@1", "a>b@1", "c>d@2", "d>e@2"],
        [("extra", None)],
    ),
    "a delete that is lost before an insert": (["->a@1", "?>c@2"], ["->a@1", "->b@2", "b>c@2"], [("extra", None)]),
    "a row that ends otherwise": (["->a@1", "?>c@2"], ["->a@1", "a>b@2", "b>d@2"], [("value", None), ("extra", None)]),
}


@pytest.mark.parametrize("name", ONE_KEY)
def test_changes_without_a_row_before_match_by_the_changes_around_them(name: str) -> None:
    left, right, expected = ONE_KEY[name]
    assert sorted(compared(life(*left), life(*right, topic="right")), key=repr) == sorted(expected, key=repr)


# -- keys


def rows(*states: Row | None) -> list[RowChange]:
    """The changes that lead from each state to the next, ten seconds apart."""
    return [row_change(a, b, NOON + 10_000 * n) for n, (a, b) in enumerate(pairwise((None, *states)))]


def about(sql: str, *of: tuple[str, Mapping[str, str]]) -> list[Side]:
    tables = tuple(tables_of_sql(f"USE shop; {sql}", "the test"))
    return [side_of(n, d, tables, **o) for n, (d, o) in zip(("left", "right"), of, strict=True)]


RAW = {"output_raw_change_event": "true"}
NO_KEY, KEY = "CREATE TABLE t (id INT, b VARCHAR(9))", "CREATE TABLE t (id INT PRIMARY KEY, b VARCHAR(9))"
NEW_ALONE = {
    "no key, connector": (NO_KEY, AFTER_ALONE, ("debezium-connector", {})),
    "no key, canal": (NO_KEY, AFTER_ALONE, CANAL),
    "no key, open-protocol": (NO_KEY, ("open-protocol", {"open_output_old_value": "false"}), TICDC),
    "a key that changes at once": (KEY, (AFTER_ALONE[0], {**AFTER_ALONE[1], **RAW}), (TICDC[0], {**TICDC[1], **RAW})),
}


@pytest.mark.parametrize("name", NEW_ALONE)
def test_an_update_with_only_the_new_row_needs_no_old_one_and_a_lost_one_is_reported(name: str) -> None:
    sql, *of = NEW_ALONE[name]
    sides = about(sql, *of)
    a, b, c = ({"id": str(n), "b": "x"} for n in range(3))
    streams = [written(one, rows(a, b, c, None)) for one in sides]
    assert differences(sides, streams) == []
    assert [d.kind for d in differences(sides, [streams[0][:1] + streams[0][2:], streams[1]])] == [Class.EXTRA]
    at = next(n for n, record in enumerate(streams[1]) if b'"id":' in (record.value or b"") and n)
    assert [d.kind for d in differences(sides, [streams[0], streams[1][:at] + streams[1][at + 1 :]])] == [Class.MISSING]


def test_a_split_update_is_required_on_both_sides() -> None:
    sides = about(KEY, AFTER_ALONE, (TICDC[0], {**TICDC[1], **RAW}))
    a, b = ({"id": str(n), "b": "x"} for n in range(2))
    left, right = (written(one, rows(a, b)) for one in sides)
    assert (len(left), differences(sides, [left, right])) == (3, [])
    [lost] = differences(sides, [[left[0], left[2]], right])
    assert (lost.kind, lost.key, lost.right_value) == (Class.EXTRA, '["0"]', 'delete {"b":"x","id":"0"}')


@pytest.mark.parametrize(
    "of", [(TICDC[0], {**TICDC[1], **KEYS_ALONE}), ("open-protocol", KEYS_ALONE)], ids=lambda of: of[0]
)
def test_the_columns_of_a_delete_are_compared(of: tuple[str, Mapping[str, str]]) -> None:
    collated = "CREATE TABLE t (id VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY, b INT)"
    sides = about(collated, of, TICDC)
    left, right = (written(one, rows({"id": "abc", "b": "1"}, None)) for one in sides)
    assert differences(sides, [left, right]) == []
    value = left[1].value
    assert value is not None
    spelt = replace(left[1], value=value.replace(b'"abc"', b'"ABC"').replace(b'"YWJj"', b'"QUJD"'))
    assert spelt != left[1]
    [found] = differences(sides, [[left[0], spelt], right])
    assert (found.kind, found.column, found.left_value, found.right_value) == (Class.VALUE, "id", "ABC", "abc")
    assert found.status is Status.UNEXPLAINED


def test_without_the_option_a_delete_has_all_of_its_columns() -> None:
    sides = about(KEY, TICDC, TICDC)
    short = about(KEY, (TICDC[0], {**TICDC[1], **KEYS_ALONE}), TICDC)
    stream = rows({"id": "1", "b": "x"}, None)
    found = differences(sides, [written(short[0], stream), written(sides[1], stream)])
    assert ("b", "x") in {(d.column, d.right_value) for d in found}


# -- told once


ONLY_KEYS = "may have only the key of a deleted row: other columns of deleted rows are not compared"


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (AFTER_ALONE, "left has no row before an update: rows before updates are not compared"),
        (("canal-json", KEYS_ALONE), f"left {ONLY_KEYS}"),
        (("canal-json", {}), None),
        (("debezium", {}), None),
    ],
)
def test_missing_images_of_a_side_are_noted(of: tuple[str, Mapping[str, str]], expected: str | None) -> None:
    counts = Counts()
    counts.control[0, "messages"] = counts.changes[0, "shop", "t"] = 1
    assert note(side("left", of[0], **of[1]), 0, counts) == expected


@pytest.mark.parametrize(("name", "id_"), [("debezium, connector 2.4", "DBZ-537"), ("canal-json, canal", "DV-19")])
def test_an_explained_difference_has_its_name(name: str, id_: str) -> None:
    assert id_ in {one.divergence for one in namer_of(*sides_of(name, "shop")).of_envelope()}
