"""Avro as a side: its schemas are a dictionary, and what is put into its bytes is found, and nothing else."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from differential.faults import Kind
from differential.model import Class
from differential.registries import Listed
from reference_impl.errors import Rejected
from reference_impl.registry import RegisteredSchema
from tests.unit.differential.building import outcome_of
from tests.unit.differential.generated import assert_found, avro, put_into, sent, side, transactions, unexplained

CHANGES, SEED, EACH = 500, 4, 3
EXTENSION = {"enable_tidb_extension": "true"}
OPTIONS = {
    "alone": {},
    "with the extension": EXTENSION,
    "with the row before": {**EXTENSION, "avro_include_before_value": "true"},
    "numbers as texts": {"avro_decimal_handling_mode": "string", "avro_bigint_unsigned_handling_mode": "string"},
}
OTHERS = {"canal-json": side("right", "canal-json", **EXTENSION), "open-protocol": side("right", "open-protocol")}
IN_BYTES = (Kind.LOST, Kind.REPEATED, Kind.REORDERED, Kind.CUT, Kind.CHANGED_BYTE)


STREAM = transactions("shop", CHANGES, SEED)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", OPTIONS)
def test_the_same_changes_have_no_difference(name: str, other: str) -> None:
    left, records = avro("left", "shop", STREAM, **OPTIONS[name])
    right = OTHERS[other]
    outcome = outcome_of([left, right], [records, sent(right, STREAM)])
    assert outcome.differences == []
    assert {what for (of, what), n in outcome.counts.control.items() if of == 0 and n} == {"messages"}
    ends = [{(name, n) for (of, _, name), n in outcome.counts.checksum.items() if of == i} for i in (0, 1)]
    assert ends[0] == ends[1] != set()


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", ["alone", "with the extension"])
def test_every_fault_in_its_bytes_is_found_and_nothing_else(name: str, other: str) -> None:
    left, sound = avro("left", "shop", STREAM, **OPTIONS[name])
    right = OTHERS[other]
    made, faults = put_into(0, left, sound, IN_BYTES, EACH, set())
    assert len(faults) == EACH * len(IN_BYTES)
    assert_found(unexplained([left, right], [made, sent(right, STREAM)]), faults)


def test_a_message_whose_schema_is_not_listed_is_unreadable_and_says_which() -> None:
    left, records = avro("left", "shop", STREAM)
    nothing = replace(left, settings=replace(left.settings, registry=Listed({})))
    found = unexplained([nothing, OTHERS["canal-json"]], [records[:1], []])
    assert [(d.kind, d.right_value) for d in found] == [(Class.UNDECODABLE, "schema: the registry has no schema 1")]


def test_schemas_travel_to_other_processes_and_texts_are_known_however_they_are_spaced() -> None:
    listed = pickle.loads(pickle.dumps(Listed.of([RegisteredSchema(7, "s-value", '{"type": "string", "a": 1}')])))
    assert listed.schema(7) == '{"type": "string", "a": 1}'
    assert listed.register("other", '{"a":1,"type":"string"}') == 7
    assert repr(listed) == repr(Listed(dict(listed.texts)))
    assert repr(listed) != repr(Listed({7: '"string"'}))
    for ask in (lambda: listed.schema(8), lambda: listed.register("s-value", '"string"')):
        with pytest.raises(Rejected):
            ask()
