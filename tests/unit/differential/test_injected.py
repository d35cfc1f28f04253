"""Faults put into bytes: each is found, nothing else is, and what was put in is told."""

from __future__ import annotations

import ast
import pickle
import sys
from collections import Counter
from pathlib import Path

import pytest

import differential.faults
from differential.classify.explaining import namer_of
from differential.faults import Fault, Injected, Kind, Message, inject, row_keys
from differential.sides import Side
from tests.unit.differential.generated import assert_found, put_into, sent, side, transactions, unexplained
from tests.unit.differential.recordings import RECORDED, recorded

CHANGES, SEED, EACH = 600, 1, 3
CANAL_JSON = side("left", "canal-json", enable_tidb_extension="true")
DEBEZIUM = side("left", "debezium")
PAIRS = {
    "canal": (CANAL_JSON, side("right", "canal")),
    "debezium-connector 2.4.0": (DEBEZIUM, side("right", "debezium-connector", version="2.4.0")),
    "debezium-connector 3.6.1": (DEBEZIUM, side("right", "debezium-connector", version="3.6.1")),
    "open-protocol": (CANAL_JSON, side("right", "open-protocol")),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_every_fault_is_named_by_an_unexplained_difference_and_every_such_difference_is_a_fault(pair: str) -> None:
    sides, taken, streams, faults = PAIRS[pair], set[bytes](), [], []
    for number, one in enumerate(sides):
        made, put = put_into(number, one, sent(one, transactions("shop", CHANGES, SEED)), Kind, EACH, taken)
        streams.append(made)
        faults += put
    assert len(faults) >= EACH * (len(Kind) + 4)
    assert_found(unexplained(sides, streams), faults)


@pytest.mark.parametrize("pair", PAIRS)
def test_what_names_the_differences_can_be_sent_to_another_process(pair: str) -> None:
    namer = namer_of(*PAIRS[pair])
    columns = [(table, column) for table in CANAL_JSON.tables for column in table.columns]
    spellings = [namer.spellings((t.schema, t.name, c.name), c.type) for t, c in columns]
    assert [[one.divergence for one in found] for found in pickle.loads(pickle.dumps(spellings))] == [
        [one.divergence for one in found] for found in spellings
    ]


@pytest.mark.parametrize("name", RECORDED)
def test_every_fault_in_messages_that_a_real_producer_wrote_is_found(name: str) -> None:
    records, versions = recorded(name)
    dialect, options, settings = RECORDED[name]
    sides = [Side(which, dialect, options, settings=settings, tables=versions) for which in ("left", "right")]
    made, faults = put_into(1, sides[1], records, Kind, EACH, set())
    assert len(faults) >= EACH * (len(Kind) - 1)
    assert_found(unexplained(sides, [records, made]), faults)


CANAL = (
    b'{"id":1,"es":1700000000000,"type":"UPDATE","table":"t","data":[{"k":"1","n":"10","s":"abc"}],"old":[{"n":"9"}]}'
)
AFTER = b'{"payload":{"source":{"pos":4,"table":"t"},"before":null,"after":{"k":1,"n":10,"s":"a\\"b"},"ts_ms":18}}'
ROWS = {
    CANAL: (CANAL.index(b'"data"'), CANAL.index(b"}]}") + 1),
    AFTER: (AFTER.index(b'"before"'), AFTER.index(b',"ts_ms":18')),
}
IN_ROWS = (Kind.CHANGED_DIGIT, Kind.CHANGED_BYTE, Kind.WRONG_TYPE)


def put_one(kind: Kind, value: bytes, seed: int = 0) -> tuple[list[Message], Injected]:
    """The fault in one of two messages of one key."""
    messages = [Message(None, value, "t", 0, 7), Message(None, value.replace(b'"s":"a', b'"s":"z'), "t", 0, 8)]
    made, [injected] = inject(messages, [Fault(kind, 1, seed=seed)], keys_of=lambda m: row_keys(m, {("s", "t"): ["k"]}))
    return made, injected


@pytest.mark.parametrize("kind", IN_ROWS)
@pytest.mark.parametrize("value", ROWS, ids=["canal", "debezium"])
def test_what_is_changed_is_a_value_of_a_row_and_never_a_position_or_a_time(value: bytes, kind: Kind) -> None:
    first, last = ROWS[value]
    for seed in range(40):
        made, injected = put_one(kind, value, seed)
        start, end = injected.at
        assert first <= start < end <= last
        changed = made[injected.before - 7].value or b""
        assert changed[start : start + len(injected.new)] == injected.new
        assert changed[:start] + injected.old + changed[start + len(injected.new) :] in (
            value,
            value.replace(b'"s":"a', b'"s":"z'),
        )


LEFT_OVER = {Kind.LOST: 1, Kind.REPEATED: 3, Kind.REORDERED: 2, Kind.CUT: 2}


@pytest.mark.parametrize("kind", LEFT_OVER)
def test_offsets_are_counted_anew(kind: Kind) -> None:
    made, injected = put_one(kind, CANAL)
    assert [message.offset for message in made] == list(range(7, 7 + LEFT_OVER[kind]))
    assert injected.after == (None if kind is Kind.LOST else injected.before)


def test_a_reordered_message_changes_places_with_the_next_one_of_its_key() -> None:
    made, injected = put_one(Kind.REORDERED, CANAL)
    assert [(message.value or b"").count(b"abc") for message in made] == [0, 1]
    assert (injected.before, injected.after) == (7, 7)


def test_a_wrong_type_puts_quotes_around_a_bare_number_and_takes_them_from_a_quoted_one() -> None:
    told_ = {(i.old, i.new) for value in ROWS for seed in range(30) for i in [put_one(Kind.WRONG_TYPE, value, seed)[1]]}
    assert {(b"1", b'"1"'), (b"10", b'"10"'), (b'"1"', b"1"), (b'"10"', b"10"), (b'"9"', b"9")} <= told_


@pytest.mark.parametrize("kind", [Kind.CHANGED_DIGIT, Kind.WRONG_TYPE])
def test_what_is_no_document_is_lost_repeated_moved_cut_or_has_a_byte_changed_and_nothing_else(kind: Kind) -> None:
    messages = [Message(b"k", b"\x00\x00\x00\x00\x01\x0aabcd", "t", 0, n) for n in range(4)]
    assert inject(messages, [Fault(kind, 2)]) == (messages, [])


def test_other_values_than_documents_are_reordered_by_the_key_of_the_record() -> None:
    messages = [Message(b"k", b"\x00row %d" % n, "t", 0, n) for n in range(2)]
    made, injected = inject(messages, [Fault(Kind.REORDERED, 1)])
    assert ([message.value for message in made], len(injected)) == ([b"\x00row 1", b"\x00row 0"], 1)
    batches = inject(messages, [Fault(Kind.REORDERED, 1)], keys_of=lambda message: (b"a row", b"another"))
    assert batches == (messages, [])


def test_tables_of_one_name_in_two_schemas_have_keys_of_their_own() -> None:
    keys = {("a", "t"): ["k"], ("b", "t"): ["s"]}
    first, second = (
        Message(None, b'{"database":"%s","table":"t","data":[{"k":"1","s":"x"}]}' % schema, "t", 0, 7)
        for schema in (b"a", b"b")
    )
    assert row_keys(first, keys) == (b"a\nt\n1",)
    assert row_keys(second, keys) == (b"b\nt\nx",)


def test_a_key_gets_at_most_one_fault() -> None:
    messages = [Message(b"%d" % (n % 5), CANAL, "t", 0, n) for n in range(50)]
    _, injected = inject(messages, [Fault(Kind.CHANGED_DIGIT, 9), Fault(Kind.LOST, 9)])
    assert len(injected) == len({one.before % 5 for one in injected}) == 5


def test_a_share_is_of_the_messages_and_the_same_seed_does_the_same() -> None:
    messages = [Message(b"%d" % n, CANAL, "t", 0, n) for n in range(200)]
    faults = [Fault(Kind.LOST, share=0.1), Fault(Kind.CUT, share=0.05)]
    made, injected = inject(messages, faults, seed=3)
    assert Counter(one.kind for one in injected) == {Kind.LOST: 20, Kind.CUT: 10}
    assert (made, injected) == inject(messages, faults, seed=3)
    assert (made, injected) != inject(messages, faults, seed=4)


@pytest.mark.parametrize("value", [None, b'{"type":"CREATE","data":null,"old":null,"sql":"CREATE TABLE data (a int)"}'])
def test_a_message_without_rows_is_left_as_it_is(value: bytes | None) -> None:
    messages = [Message(b"k", value, "t", 0, n) for n in range(4)]
    assert inject(messages, [Fault(kind, 1) for kind in Kind]) == (messages, [])


def test_faults_are_put_in_by_code_that_knows_nothing_but_the_standard_library() -> None:
    tree = ast.parse(Path(differential.faults.__file__).read_text(encoding="utf-8"))
    names = {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
