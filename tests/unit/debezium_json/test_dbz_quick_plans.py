"""The fast path to the parts of a row message: which messages it takes apart, and which it leaves to the slow path."""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.debezium_json import Decoder
from reference_impl.debezium_json.documents import open_document, read_documents
from reference_impl.debezium_json.plans import RowPlan
from reference_impl.debezium_json.quick import QuickPlans
from reference_impl.faults import Faults
from reference_impl.model import Event, Record, RowChange, Table
from tests.unit.debezium_json.messages import OMIT, TABLE1, changed, compact, without_schema

PLAN = RowPlan({}, closed=True)
INSERT = RowChange("insert", "test", "table1", 1, after={"tiny": "1"})


def taught(*values: bytes, table: tuple[str, str] = ("test", "table1")) -> QuickPlans:
    """A fast path that has seen messages of a table."""
    quick = QuickPlans()
    for value in values:
        document = open_document("value", read_documents(value, None)[0], Faults(), may_be_bare=False)
        assert document is not None
        quick.learn(value, document, table, PLAN)
    return quick


# What differs from the message that was seen.
ALIKE: list[dict[str, Any]] = [
    {},
    {"payload.after": {"tiny": 2}},
    {"payload.op": "d", "payload.before": {"tiny": 2}, "payload.after": None},
    {"payload.source.commit_ts": 2**63},
]


@pytest.mark.parametrize("changes", ALIKE)
def test_a_message_with_the_same_schema_is_taken_apart(changes: dict[str, Any]) -> None:
    for of in (changed, without_schema):
        tree = of(changes)
        assert taught(compact(of())).find(compact(tree), None) == (tree["payload"], None, PLAN)


def test_a_schema_may_hold_a_member_of_its_own_name() -> None:
    tree = changed({"schema.schema": {"type": "string"}})
    assert taught(compact(tree)).find(compact(tree), None) == (tree["payload"], None, PLAN)


# A key, and the members of its payload.
@pytest.mark.parametrize(
    ("key", "found"),
    [
        ({"payload": {"tiny": 1}}, {"tiny": 1}),
        ({"payload": {"tiny": 1}, "schema": {}}, {"tiny": 1}),
        ({"schema": {"type": "struct"}, "payload": {}}, {}),
    ],
)
def test_a_key_is_taken_apart_too(key: Any, found: Any) -> None:
    tree = changed()
    assert taught(compact(tree)).find(compact(tree), compact(key)) == (tree["payload"], found, PLAN)


@pytest.mark.parametrize(
    "key",
    [
        *(b"", b"x", b"[]", b"1", b"{}", b'{"payload":[]}', b'{"payload":1}', b'{"payload":{},"schema":1}'),
        *(b'{"payload":{},"schema":null}', b'{"payload":{"a":1.0e0}}', b'{ "payload":{}}'),
    ],
)
def test_a_message_with_another_form_of_key_is_left_to_the_slow_path(key: bytes) -> None:
    value = compact(changed())
    assert taught(value).find(value, key) is None


def _without_payload_first() -> bytes:
    tree = changed()
    return compact({"schema": tree["schema"], "payload": tree["payload"]})


OTHERS: list[bytes] = [
    *(compact(changed(changes)) for changes in ({"schema.version": 2}, {"schema.name": "x"}, {"schema": OMIT})),
    *(compact(changed({"payload.source.db": name})) for name in ("other", None, 5)),
    *(compact(changed({"payload.source.table": name})) for name in ("other", None, 5)),
    *(compact(changed({"payload.source": source})) for source in (None, [], OMIT)),
    *(compact(changed({"payload": payload})) for payload in (None, [], 5)),
    compact(changed({"more": 1})),
    compact(changed())[:-1],
    compact(changed()).replace(b'"tiny":1', b'"tiny":1.00'),
    compact(changed()).replace(b'{"payload"', b'{ "payload"'),
    b"",
    b"{}",
    _without_payload_first(),
]


@pytest.mark.parametrize("value", OTHERS)
def test_a_message_of_another_schema_table_or_form_is_left_to_the_slow_path(value: bytes) -> None:
    assert taught(compact(changed())).find(value, None) is None


# Messages that teach nothing, since they cannot be taken apart in the same way.
@pytest.mark.parametrize(
    "value",
    [
        _without_payload_first(),
        compact(changed({"more": 1})),
        compact(without_schema({"more": 1})),
        compact(without_schema({"payload.schema": {"db": "x"}, "payload.last": 1})),
        compact(changed()).replace(b'"tiny":1', b'"tiny":1.00'),
        compact(changed()).replace(b'"version":1', b'"version":1.00'),
    ],
)
def test_a_message_of_another_form_is_no_example(value: bytes) -> None:
    assert taught(value).find(value, None) is None


def test_plans_are_kept_by_schema_and_table_until_they_are_forgotten() -> None:
    with_schema, bare = compact(changed()), compact(without_schema())
    quick = taught(with_schema, bare)
    assert quick.find(with_schema, None) is not None
    assert quick.find(bare, None) is not None
    quick.forget()
    assert (quick.find(with_schema, None), quick.find(bare, None)) == (None, None)


def test_as_many_plans_as_there_is_room_for_are_kept() -> None:
    values = [compact(changed({"schema.version": n})) for n in range(1025)]
    quick = taught(*values[:1024])
    assert [quick.find(value, None) is None for value in (values[0], values[1023])] == [False, False]
    quick = taught(*values)
    assert [quick.find(value, None) is None for value in (values[0], values[1023], values[1024])] == [True, True, False]


def _by_the_fast_path_alone(decoder: Decoder, tree: Any, key: bytes | None, *tables: Table) -> Event | None:
    """The event of a message, None if the decoder takes the slow path."""
    slow: list[bytes] = []
    decoder._read = lambda value, key: slow.append(value)  # type: ignore[assignment, method-assign, misc]
    [event] = decoder.decode([Record(key, compact(tree))], tables)
    return None if slow else event


@pytest.mark.parametrize("key", [None, compact({"payload": {"tiny": 1}, "schema": {"type": "struct"}})])
@pytest.mark.parametrize("message", [changed(), without_schema()])
def test_a_decoder_takes_the_fast_path_from_the_second_row_on(key: bytes | None, message: Any) -> None:
    decoder = Decoder()
    assert decoder.decode([Record(key, compact(message))]) == [INSERT]
    assert _by_the_fast_path_alone(decoder, message, key) == INSERT


def test_a_decoder_that_knows_other_tables_takes_the_slow_path() -> None:
    decoder = Decoder()
    decoder.decode([Record(None, compact(changed()))])
    assert _by_the_fast_path_alone(decoder, changed(), None, TABLE1) is None


def test_a_payload_alone_is_no_example_for_the_fast_path() -> None:
    decoder, payload = Decoder(), changed()["payload"]
    assert decoder.decode([Record(None, compact(payload))]) == [INSERT]
    assert _by_the_fast_path_alone(decoder, payload, None) is None
