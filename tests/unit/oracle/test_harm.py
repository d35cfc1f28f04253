"""The harm of a difference: one table for every protocol."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import chain, product
from typing import Any

import pytest

from conformance.cases.model import Role
from conformance.catalogue.harm import Harm, load_harms
from conformance.catalogue.recordings import read_recordings
from conformance.catalogue.register import Level, load_register
from conformance.errors import SuiteError
from conformance.oracle import ORACLES
from conformance.oracle.findings import Finding, is_advisory
from conformance.oracle.harm import HARMS, Change, Holds, change_of, harm_of, kind_of_place, worst
from conformance.oracle.harms import harms_of_requirements
from conformance.oracle.streams import FaultKind
from conformance.oracle.tree import MISSING, Kind
from conformance.oracle.upstream.trees import nodes, place_of
from conformance.oracle.weights import Weight, grade, weight_of

LOST, CHANGED, SCHEMA, METADATA, STRICTNESS, FORM = Harm
RECORDED = pathlib.Path(__file__).resolve().parents[3] / "fixtures/recorded"
SIDES: dict[Kind, tuple[Any, Any]] = {
    Kind.MISSING: ("1", MISSING),
    Kind.EXTRA: (MISSING, "1"),
    Kind.JSON_KIND: ("1", {}),
    Kind.COUNT: (2, 1),
}


def places() -> Iterator[tuple[str, str]]:
    """(protocol, skeleton) wherever a rule speaks, and of faults between messages."""
    for protocol, oracle in ORACLES.items():
        yield from ((protocol, rule.at.removesuffix(".*")) for rule in oracle.rules)
    yield from (("streams", fault) for fault in FaultKind)


def test_every_kind_of_difference_at_every_place_of_a_rule_has_a_harm() -> None:
    for (protocol, place), kind, event in product(sorted(set(places())), Kind, (None, "row", "ddl", "watermark")):
        assert harm_of(place, kind, *SIDES.get(kind, ("1", "2")), event) in Harm, (protocol, kind, event)


@pytest.mark.parametrize("folder", ["canal", "debezium24", "debezium36"])
def test_every_place_of_what_others_wrote_has_a_harm(folder: str) -> None:
    """Of Canal and the Debezium connector, whose rules speak of places by patterns."""
    found = set()
    captured = chain.from_iterable(recording.records for recording in read_recordings(RECORDED / folder))
    records = [one.record for one in captured if one.record is not None]
    parts = [pair for record in records for pair in (("key", record.key), ("value", record.value)) if pair[1]]
    # Texts that differ in numbers alone have the same places.
    alike = {(part, re.sub(rb"[0-9]+", b"0", data)): data for part, data in parts}
    for (part, _), data in alike.items():
        tree = json.loads(data)
        payload = tree.get("payload", tree)
        root = "ddl" if part == "value" and (payload.get("isDdl") or "tableChanges" in payload) else part
        found |= {place_of(node.path, tree)[0] for node in nodes(tree, tree, (root,))}
    assert found
    for place in found:
        assert kind_of_place(place) in Holds


def test_a_place_that_no_row_lists_is_an_error_unless_the_answer_alone_has_it() -> None:
    for place in ("value.datum", "key.datum", "event.columns", "nothing"):
        with pytest.raises(SuiteError, match=place):
            kind_of_place(place)
        for kind in (Kind.MISSING, Kind.VALUE, Kind.JSON_KIND):
            with pytest.raises(SuiteError, match=place):
                harm_of(place, kind, "1", "2")
        assert harm_of(place, Kind.EXTRA, MISSING, "1") is harm_of(place, Kind.DOUBLED, "1", "1") is SCHEMA


def test_the_table_knows_every_change_at_every_kind_of_place() -> None:
    assert {holds: set(row) for holds, row in HARMS.items()} == {holds: set(Change) for holds in Holds}


TWINS: dict[Holds, str] = {
    Holds.VALUE: (
        "value.u.{column}.v, value.p.{column}.v, value.d.{column}.v, value.data[].{column}, value.old[].{column}, "
        "value.payload.after.{column}, value.payload.before.{column}, value.row.{column}, value.before.{column}, "
        "value.after.{column}, event.after.{column}, event.before.{column}, event.old.{column}, key.payload.{column}, "
        "key.row.{column}, key.{column}, claim.messages[].value.u.c.v, claim.messages[].value.data[].c"
    ),
    Holds.IMAGE: (
        "value.u, value.p, value.d, value.data, value.old, value.data[], value.old[], value.payload.after, "
        "value.payload.before, value.row, value.before, value.after, event.before, event.after, event.old"
    ),
    Holds.OPERATION: (
        "key.t, value.type, value.isDdl, value.payload.op, event.kind, value.op, value.extension._tidb_op, event.op"
    ),
    Holds.TABLE: (
        "key.scm, key.tbl, value.database, value.table, value.payload.source.db, value.source.table, "
        "value.payload.source.table, event.schema, event.table, value.payload.schemaName, ddl.table"
    ),
    Holds.QUERY: "value.q, value.payload.ddl, event.query, ddl event.query, ddl.sql",
    Holds.PARTITION: "frame.partition, record.partition, partition",
    Holds.SCHEMA: (
        "value.u.{column}.t, value.u.{column}.f, value.u.{column}.h, value.sqlType.{column}, "
        "value.mysqlType.{column}, value.pkNames[], value.schema.fields.after.fields.{column}.type, "
        "key.schema.fields.{column}.optional, value.schema.fields.{column}.default, registry.subjects, "
        "value.schema.fields.{column}.type.connect.parameters.tidb_type, value.schema.name, "
        "value.payload.tableChanges[].table.columns.{column}.typeName, value.t, value.ddl.type, event.action, "
        "event.action_code, ddl.type"
    ),
    Holds.METADATA: (
        "key.ts, value.es, value.ts, value._tidb.commitTs, value.payload.source.commit_ts, "
        "value.extension._tidb_commit_ts, event.commit_ts, value.payload.ts_ms, frame.headers, value.id, "
        "value.payload.source.pos, value.payload.transaction, headers.x, value.source.gtid, ddl.es"
    ),
    Holds.FORM: "text.value.space, text.key.string, text.value.other, key.varints, value.varints",
}


@pytest.mark.parametrize(("holds", "skeletons"), TWINS.items(), ids=TWINS)
def test_twins_in_different_protocols_are_of_one_kind(holds: Holds, skeletons: str) -> None:
    names = skeletons.split(", ")
    assert {name: kind_of_place(name) for name in names} == dict.fromkeys(names, holds)


def test_the_time_of_a_watermark_is_what_it_is_sent_for() -> None:
    times = ("event.commit_ts", "key.ts", "value.commit_ts", "value.payload.source.commit_ts")
    assert {kind_of_place(time, "watermark") for time in times} == {kind_of_place("value._tidb.watermarkTs")}


@pytest.mark.parametrize(
    ("skeleton", "kind", "expected", "got", "harm"),
    [
        ("value.old[].{column}", Kind.JSON_KIND, "1", None, LOST),
        ("value.old[].{column}", Kind.MISSING, None, MISSING, LOST),
        ("value.payload.before", Kind.JSON_KIND, None, {"id": 1}, CHANGED),
        ("event.before", Kind.EXTRA, MISSING, {"id": "1"}, CHANGED),
        ("value.data[].{column}", Kind.JSON_KIND, "1.50", Decimal("1.50"), SCHEMA),
        ("value.data[].{column}", Kind.JSON_KIND, "1", 2, CHANGED),
        ("value.data[].{column}", Kind.VALUE, None, "", CHANGED),
        ("frame.key", Kind.JSON_KIND, None, "", FORM),
        ("frame.key", Kind.JSON_KIND, None, "k", CHANGED),
        ("value._tidb.onlyHandleKey", Kind.EXTRA, MISSING, False, FORM),
        ("value._tidb.onlyHandleKey", Kind.MISSING, True, MISSING, LOST),
        ("value.payload.after.{column}", Kind.TEXT, 1, 1, FORM),
        ("answer", Kind.COUNT, 2, 1, LOST),
        ("answer", Kind.COUNT, 1, 2, CHANGED),
        ("answer", Kind.ORDER, 1, 2, CHANGED),
        ("answer", Kind.REFUSED, "an answer", {}, LOST),
        ("answer", Kind.ACCEPTED, "rejected", [], STRICTNESS),
        ("answer", Kind.CLASS, "schema", {}, STRICTNESS),
        ("value", Kind.VALUE, "a readable record", "no JSON", LOST),
        ("value", Kind.ORDER, "", "", FORM),
        (FaultKind.KEY_BACK, Kind.ORDER, 2, 1, CHANGED),
        (FaultKind.WATERMARK_MISSED, Kind.ORDER, 2, 1, LOST),
        ("value.mysqlType.{column}", Kind.MISSING, "int", MISSING, SCHEMA),
        ("value._tidb.commitTs", Kind.MISSING, 1, MISSING, METADATA),
        ("value.sqlType", Kind.ORDER, [], [], FORM),
    ],
)
def test_a_difference_does_to_a_reader(skeleton: str, kind: Kind, expected: Any, got: Any, harm: Harm) -> None:
    assert harm_of(skeleton, kind, expected, got) is harm


def test_a_statement_beside_a_row_is_metadata() -> None:
    assert harm_of("value.sql", Kind.VALUE, "", "x", "row") is METADATA
    assert harm_of("value.sql", Kind.VALUE, "DROP TABLE a", "x", "ddl") is CHANGED


def test_the_code_of_a_statement_is_no_operation_of_a_row() -> None:
    assert (kind_of_place("value.type", "ddl"), kind_of_place("value.type", "row")) == (Holds.SCHEMA, Holds.OPERATION)


def test_what_reads_alike_is_form() -> None:
    assert harm_of("value.data[].{column}", Kind.VALUE, "1.5", "1.50", change=Change.RESPELLED) is FORM


# -- weights ---------------------------------------------------------------------------------------------------------

REQUIREMENT = load_register("canal-json").requirements["CJ-881"]


@pytest.mark.parametrize(
    ("level", "harm", "data", "must"),
    [
        (Level.MUST, FORM, "fail", "fail"),
        (Level.SHOULD, LOST, "fail", "warn"),
        (Level.SHOULD, CHANGED, "fail", "warn"),
        (Level.SHOULD, SCHEMA, "warn", "warn"),
        (Level.SHOULD, STRICTNESS, "warn", "warn"),
        (Level.MAY, LOST, "pass", "pass"),
    ],
)
def test_level_and_harm_make_the_grade(level: Level, harm: Harm, data: str, must: str) -> None:
    assert [grade([Weight(level, harm)], data=True), grade([Weight(level, harm)], data=False)] == [data, must]


@pytest.mark.parametrize(
    ("role", "kind", "harm", "advisory"),
    [
        ("decode", Kind.ACCEPTED, STRICTNESS, True),
        ("decode", Kind.ACCEPTED, LOST, False),
        ("decode", Kind.ACCEPTED, CHANGED, False),
        ("encode", Kind.ACCEPTED, STRICTNESS, False),
        ("decode", Kind.CLASS, STRICTNESS, True),
        ("encode", Kind.CLASS, STRICTNESS, True),
        ("decode", Kind.REFUSED, LOST, False),
    ],
)
def test_to_take_bad_input_breaks_a_must_only_where_data_suffers(role: Role, kind: Kind, harm: Harm, advisory: bool):
    assert is_advisory(role, kind, harm) is advisory
    finding = Finding("CJ-881", "answer", kind, "", "", "", harm, advisory)
    weights = [weight_of(finding, replace(REQUIREMENT, level=level)).level for level in Level]
    assert weights == [Level.SHOULD if advisory else Level.MUST, Level.SHOULD, Level.MAY]


def test_the_register_may_say_another_harm() -> None:
    finding = Finding("CJ-881", "answer", Kind.VALUE, "", "", "", FORM)
    assert weight_of(finding, replace(REQUIREMENT, harm=LOST)).harm is LOST


# By id of a MAY rule whose place holds data: why no stronger rule has to claim what it claims.
FREE = {
    "CJ-202": "an empty key in place of none, and nothing else",
    "CJ-610": "the type of a statement of a code of the new architecture, beside its text",
    **dict.fromkeys(("CJ-410", "CJ-411", "CJ-412", "CJ-413"), "another spelling of the same JSON, and nothing else"),
    "OP-024": "an empty name in place of none, and nothing else",
    "OP-032a": "the row is in a file, whatever the message is marked as",
    "OP-048b": "the document and recorded producers differ in the columns of a delete without old values",
    "OP-057": "an update that changed nothing, told as no more than the row that there is",
    "OP-060": "the value that the column has after the update, and nothing else",
    "OP-240": "the document has every YEAR with the unsigned flag: nobody is obliged to read another",
    **dict.fromkeys(
        ("AV-112a", "AV-112b", "AV-113"), "the document does not say the key of a table without a primary key"
    ),
    "AV-037a": "the document does not say how a name begins that begins with a digit",
    **dict.fromkeys(("AV-110a", "AV-110b"), "the document does not say whether virtual columns are there"),
    **dict.fromkeys(("AV-120", "AV-121", "AV-121a", "AV-122"), "avro-include-before-value is not in the document"),
    **dict.fromkeys(("AV-131", "AV-131a"), "the value of a delete in watermark mode is not in the document"),
    "AV-131b": "nobody is obliged to read a delete that is not in the document",
    "AV-200a": "a delete without a key tells no row",
    "DBZ-001a": "the two architectures differ in whether statements and watermarks are sent",
    "DBZ-032a": "the two architectures differ in which unique key is the key",
}


def test_a_may_rule_excuses_lost_or_changed_data_only_where_the_reason_is_written_down() -> None:
    excusing = {
        rule.requirement
        for protocol, oracle in ORACLES.items()
        for harms in [harms_of_requirements(protocol)]
        for rule in oracle.rules
        if load_register(protocol).requirements[rule.requirement].level is Level.MAY
        and any(harm.is_data for harm in harms[rule.requirement])
    }
    assert excusing == set(FREE)


@pytest.mark.parametrize("protocol", ORACLES)
def test_every_testable_requirement_has_its_harms_the_worst_first(protocol: str) -> None:
    found = harms_of_requirements(protocol)
    assert set(found) == {r.id for r in load_register(protocol).requirements.values() if r.testable}
    assert all(harms and list(harms) == sorted(harms, key=list(Harm).index) for harms in found.values())


@pytest.mark.parametrize(
    ("requirement", "harms"),
    [
        ("CJ-380", (LOST, CHANGED, SCHEMA, FORM)),
        ("CJ-341", (SCHEMA,)),
        ("CJ-012", (FORM,)),
        ("CJ-881", (LOST, CHANGED, STRICTNESS)),
        ("CJ-664", (CHANGED,)),
    ],
)
def test_the_harms_of_a_requirement_are_those_of_its_places(requirement: str, harms: tuple[Harm, ...]) -> None:
    assert harms_of_requirements("canal-json")[requirement] == harms


def test_the_shipped_list_of_harms_is_that_of_the_rules() -> None:
    shipped = {protocol: dict(load_harms(protocol)) for protocol in ORACLES}
    assert shipped == {protocol: harms_of_requirements(protocol) for protocol in ORACLES}, "tools/reference_pages.py"


# -- by the content of a place -----------------------------------------------------------------------------------------

BY_LETTER = dict(zip("LCSMTF", Harm, strict=True))
TABLE = {
    **dict.fromkeys((Holds.VALUE, Holds.PARTITION, Holds.WATERMARK), "LCCSCC FSFLTT"),
    **dict.fromkeys((Holds.IMAGE, Holds.KEY, Holds.OPERATION, Holds.TABLE, Holds.QUERY), "LCFSCC FSFLTT"),
    **dict.fromkeys((Holds.EVENT, Holds.ORDER), "LCCSCC CSFLTT"),
    Holds.MARK: "LCFSCS FSFLTT",
    Holds.GUARANTEE: "LCCSCC LSFLTT",
    Holds.MESSAGE: "LCCLLC FSFLTT",
    Holds.LOCATION: "LCFSMM FSFLTT",
    Holds.SCHEMA: "SSSSSS FSFLTT",
    Holds.METADATA: "MMMMMM FSFLTT",
    Holds.FORM: "FFFFFF FSFLTT",
}


@pytest.mark.parametrize("holds", Holds)
def test_a_change_harms_by_the_content_of_its_place(holds: Holds) -> None:
    harms = [BY_LETTER[letter] for letter in TABLE[holds].replace(" ", "")]
    assert HARMS[holds] == dict(zip(Change, harms, strict=True))


CHANGES: list[tuple[Kind, Any, Any, Change]] = [
    (Kind.COUNT, 2, 1, Change.ABSENT), (Kind.COUNT, 1, 2, Change.ADDED), (Kind.COUNT, "an event", 1, Change.ABSENT),
    (Kind.COUNT, 1, "an event", Change.ABSENT), (Kind.COUNT, None, False, Change.ABSENT),
    (Kind.EXTRA, MISSING, "", Change.EMPTY), (Kind.EXTRA, MISSING, False, Change.EMPTY),
    (Kind.EXTRA, MISSING, None, Change.EMPTY), (Kind.EXTRA, MISSING, 0, Change.ADDED),
    (Kind.EXTRA, MISSING, "x", Change.ADDED), (Kind.VALUE, None, "", Change.EMPTY),
    (Kind.VALUE, "x", "", Change.ANOTHER), (Kind.JSON_KIND, None, False, Change.EMPTY),
    (Kind.MISSING, None, MISSING, Change.ABSENT), (Kind.MISSING, "1", MISSING, Change.ABSENT),
    (Kind.DOUBLED, {}, {}, Change.DOUBLED), (Kind.ORDER, {}, {}, Change.REORDERED), (Kind.TEXT, 1, 1, Change.RESPELLED),
    (Kind.REFUSED, "", {}, Change.REFUSED), (Kind.BROKEN, "", {}, Change.REFUSED),
    (Kind.ACCEPTED, "", {}, Change.ACCEPTED), (Kind.CLASS, "", {}, Change.MISNAMED),
    (Kind.VALUE, "1", None, Change.ABSENT), (Kind.JSON_KIND, "1", None, Change.ABSENT),
    (Kind.VALUE, None, "x", Change.ADDED), (Kind.JSON_KIND, None, 1, Change.ADDED),
    (Kind.JSON_KIND, "1", 1, Change.RETYPED), (Kind.JSON_KIND, "1", 2, Change.ANOTHER),
    (Kind.VALUE, "1", "1", Change.ANOTHER), (Kind.JSON_KIND, {}, "{}", Change.ANOTHER),
    (Kind.JSON_KIND, "[]", [], Change.ANOTHER), (Kind.VALUE, frozenset({"1"}), "frozenset({'1'})", Change.ANOTHER),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "expected", "got", "change"), CHANGES)
def test_a_difference_has_one_effect(kind: Kind, expected: Any, got: Any, change: Change) -> None:
    assert change_of(kind, expected, got) is change


@pytest.mark.parametrize(
    ("skeleton", "event", "holds"),
    [
        ("event.commit_ts", "row", Holds.METADATA),
        ("value.sql", None, Holds.QUERY),
        ("value.type", None, Holds.OPERATION),
        ("stream.watermark.missed", None, Holds.GUARANTEE),
        ("stream.key back", None, Holds.ORDER),
        ("claim.messages[].value.ts", None, Holds.METADATA),
        ("claim.messages[]", None, Holds.MESSAGE),
        ("claim.location", None, Holds.LOCATION),
        ("key.ccl", None, Holds.LOCATION),
        ("key.ohk", None, Holds.MARK),
        ("key", None, Holds.KEY),
        ("key.extension", None, Holds.SCHEMA),
        ("key.extension.x", None, Holds.VALUE),
        ("topic", None, Holds.PARTITION),
        ("truncation", None, Holds.EVENT),
        ("tombstone", None, Holds.METADATA),
        ("frame.compression", None, Holds.MESSAGE),
        ("registry.repeated", None, Holds.FORM),
        ("registry", None, Holds.SCHEMA),
    ],
)
def test_a_place_holds_one_content(skeleton: str, event: str | None, holds: Holds) -> None:
    assert kind_of_place(skeleton, event) is holds


def test_a_rule_may_give_the_content_of_a_place_that_no_row_lists() -> None:
    assert harm_of("nothing", Kind.EXTRA, MISSING, "x", holds=Holds.VALUE) is Harm.CHANGED
    assert harm_of("value.ts", Kind.VALUE, 1, 2, holds=Holds.VALUE) is Harm.CHANGED


@pytest.mark.parametrize(
    ("harms", "one"),
    [
        ([Harm.FORM, Harm.LOST], Harm.LOST),
        ([Harm.CHANGED, Harm.SCHEMA], Harm.CHANGED),
        ([Harm.STRICTNESS, Harm.METADATA], Harm.METADATA),
        ([Harm.FORM], Harm.FORM),
    ],
)
def test_the_worst_harm_is_the_one_nearest_to_a_loss(harms: list[Harm], one: Harm) -> None:
    assert worst(harms) is one
