"""Negatives: what must be refused is, by us and by readers of others; what is left open is answered."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from io import BytesIO
from typing import Any

import avro.io
import avro.schema
import pytest
from avro.errors import AvroException

from conformance.cases.model import Anchor, Case, ExpectedAnswer, ExpectedOneOf, ExpectedRejection
from conformance.cases.negatives import negative_cases
from conformance.cases.negatives.bases import base
from conformance.cases.negatives.model import SCHEMA, SYNTAX, classes, cuts, flips, is_no_json, judged_as_json, spread
from conformance.cases.negatives.texts import Amounts, DocumentForm, member, place_of, text_negatives
from conformance.cases.parts import identity_of
from conformance.cases.saved import case_from_json, case_to_json
from conformance.catalogue.register import Level, load_register
from conformance.embedded import Embedded
from conformance.oracle import ORACLES
from conformance.oracle.judge import Judge
from conformance.oracle.tree import Kind
from conformance.transport.answers import REJECTION_CLASSES
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.open_protocol.framing import unframe
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH, PROFILES
from reference_impl.protocols import CODECS

every_protocol = pytest.mark.parametrize("protocol", CODECS)

_UNREADABLE = classes("framing", "syntax")
_LEAST, _MOST = 300, 500


@cache
def cases(protocol: str) -> tuple[Case, ...]:
    return tuple(negative_cases(protocol))


@cache
def answers(protocol: str) -> Mapping[str, Mapping[str, Any]]:
    reference = Embedded()
    return {case.id: reference.ask(case) for case in cases(protocol)}


def refused(protocol: str) -> list[tuple[Case, ExpectedRejection]]:
    return [(c, c.expected) for c in cases(protocol) if isinstance(c.expected, ExpectedRejection)]


# -- the cases -----------------------------------------------------------------------------------------------------


@every_protocol
def test_negatives_are_always_the_same_and_not_too_many(protocol: str) -> None:
    again = negative_cases(protocol)
    assert tuple(again) == cases(protocol)
    assert _LEAST <= len({*map(identity_of, again)}) <= _MOST


@every_protocol
def test_what_must_be_refused_and_what_is_left_open_are_both_many(protocol: str) -> None:
    kinds = Counter(type(case.expected) for case in cases(protocol))
    assert kinds.keys() >= {ExpectedRejection, ExpectedAnswer}
    assert min(kinds[kind] for kind in (ExpectedRejection, ExpectedAnswer)) >= 40


@pytest.mark.parametrize("protocol", ["canal-json", "debezium", "open-protocol"])
def test_what_says_the_same_must_be_read_alike_or_may_be_refused(protocol: str) -> None:
    groups: dict[type, set[str]] = {}
    for case in cases(protocol):
        groups.setdefault(type(case.expected), set()).add(case.axes["negative"])
    assert groups[type(None)] == {"unknown members"}
    assert groups[ExpectedOneOf] <= {"letter case", "base64", "spelling"}
    assert "letter case" in groups[ExpectedOneOf]


@pytest.mark.parametrize("protocol", ["canal-json", "debezium", "open-protocol"])
def test_the_reference_fulfils_every_negative(protocol: str) -> None:
    judge = Judge(ORACLES[protocol], load_register(protocol), NEWARCH)
    judged = {case.id: judge.judge(case, answers(protocol)[case.id]) for case in cases(protocol)}
    assert {name: judgement.findings for name, judgement in judged.items() if judgement.findings} == {}
    assert [case.id for case in cases(protocol) if not {*case.requirements} <= judged[case.id].evaluated] == []


@every_protocol
def test_a_negative_is_written_for_a_requirement_of_decoders_that_can_be_tested(protocol: str) -> None:
    register = load_register(protocol).requirements
    written_for = {id_ for case in cases(protocol) for id_ in case.requirements}
    assert all(register[id_].testable and register[id_].role in ("decode", "both") for id_ in written_for)
    assert all(register[i].applies(profile) for i in written_for for profile in PROFILES.values())


@every_protocol
def test_that_any_answer_is_right_is_what_the_harness_protocol_demands(protocol: str) -> None:
    open_ones = [case for case in cases(protocol) if isinstance(case.expected, ExpectedAnswer)]
    [requirement] = {load_register(protocol).requirements[i] for case in open_ones for i in case.requirements}
    assert (requirement.level, getattr(requirement.source, "document", "")) == (Level.MUST, "harness-protocol")
    assert {case.anchor for case in open_ones} == {Anchor.DOCUMENT}


# -- what must be refused ------------------------------------------------------------------------------------------


@every_protocol
def test_what_must_be_refused_the_reference_refuses_with_a_class_that_is_right(protocol: str) -> None:
    given = {case.id: answers(protocol)[case.id].get("rejected", {}).get("class") for case, _ in refused(protocol)}
    assert {case.id: given[case.id] for case, e in refused(protocol) if given[case.id] not in e.classes} == {}


def _is_refused_by_the_oracle(case: Case) -> bool:
    options = parse(CODECS[case.protocol].options, case.options)
    try:
        for record in case.records:
            ORACLES[case.protocol].read(record, options, {schema.id: schema.schema for schema in case.schemas})
    except (Rejected, UnicodeDecodeError):
        return True
    return False


def _is_refused_by_apache_avro(case: Case) -> bool:
    """Whether a key or value has no header, or no body that the library of Apache reads."""
    schemas = {schema.id: avro.schema.parse(schema.schema) for schema in case.schemas}
    for data in (part for record in case.records for part in (record.key, record.value) if part is not None):
        if len(data) < 5 or data[0]:
            return True
        try:
            schema = schemas[int.from_bytes(data[1:5], "big")]
            avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(BytesIO(data[5:])))
        except (AvroException, UnicodeDecodeError, AssertionError, ValueError):
            return True
    return False


@every_protocol
def test_what_nobody_can_read_a_reader_that_is_not_the_decoder_refuses_too(protocol: str) -> None:
    unreadable = [case for case, expected in refused(protocol) if expected.classes <= _UNREADABLE]
    read = [case for case in unreadable if not _is_refused_by_the_oracle(case)]
    if protocol == "avro":  # the oracle looks at empty parts and at texts later
        read = [case for case in read if not _is_refused_by_apache_avro(case)]
    assert [case.id for case in read] == []
    assert len(unreadable) > 100


@pytest.mark.parametrize("protocol", ["canal-json", "debezium", "open-protocol"])
def test_what_is_said_to_be_doubled_is_there_twice(protocol: str) -> None:
    doubled = [case for case, _ in refused(protocol) if case.axes["negative"] == "doubled"]
    for case in doubled:
        [record] = case.records
        pairs = unframe(record.key, record.value) if protocol == "open-protocol" else [(record.key, record.value)]
        assert any(_has_doubled(part) for pair in pairs for part in pair if part), case.id
    assert len(doubled) >= 15


def _has_doubled(text: bytes) -> bool:
    counts: list[int] = []
    json.loads(text, object_pairs_hook=lambda pairs: counts.append(len(pairs) - len({name for name, _ in pairs})))
    return any(counts)


# -- what a decoder remembers --------------------------------------------------------------------------------------


def _outcome(answer: Mapping[str, Any], before: int = 0) -> object:
    """The events without the first ones, or the rejection."""
    return answer["ok"]["events"][before:] if "ok" in answer else answer["rejected"]


@every_protocol
def test_a_negative_is_answered_alike_behind_the_record_that_it_was_made_of(protocol: str) -> None:
    reference = Embedded()
    differing = []
    for case in cases(protocol):
        valid = base(protocol, case.id.split("/")[2], case.options)
        if case.schemas != valid.schemas:
            continue
        before = len(reference.ask(valid)["ok"]["events"])
        behind = reference.ask(replace(case, records=(*valid.records, *case.records)))
        if _outcome(behind, before) != _outcome(answers(protocol)[case.id]):
            differing.append(case.id)
    assert differing == []


# -- judging -------------------------------------------------------------------------------------------------------


@every_protocol
@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"ok": {"events": []}}, []),
        *(({"rejected": {"class": name, "message": ""}}, []) for name in REJECTION_CLASSES),
        ({"rejected": {"class": "invalid", "message": ""}}, [Kind.BROKEN]),
        ({"error": "it broke"}, [Kind.BROKEN]),
    ],
)
def test_where_any_answer_is_right_one_that_is_none_is_found(protocol, answer, found) -> None:
    judge = Judge(ORACLES[protocol], load_register(protocol), NEWARCH)
    case = next(case for case in cases(protocol) if isinstance(case.expected, ExpectedAnswer))
    judgement = judge.judge(case, answer)
    assert judgement.evaluated == {*case.requirements}
    assert [(f.requirement, f.kind) for f in judgement.findings] == [(case.requirements[0], kind) for kind in found]


@every_protocol
def test_a_negative_that_is_saved_expects_what_it_expected(protocol: str) -> None:
    for kind in (ExpectedAnswer, ExpectedRejection):
        case = next(case for case in cases(protocol) if isinstance(case.expected, kind))
        again = case_from_json(json.loads(json.dumps(case_to_json(case))))
        assert (again.expected, again.records, again.schemas) == (case.expected, case.records, case.schemas)
        judge = Judge(ORACLES[protocol], load_register(protocol), NEWARCH)
        assert judge.judge(again, answers(protocol)[case.id]).findings == []


# -- changes of a text ---------------------------------------------------------------------------------------------

TEXT = b'{"a":{"x":1,"y":"z"},"b":[null,true]}'
FORM = DocumentForm({"a": member("object"), "a.x": member("number", is_needed=False), "b": member("array null")})
EVERY = Amounts(cuts=None, flips=37, utf8=6, doubled=4, missing=4, renamed=4, exchanged=4, kinds=30, numbers=12)
CHANGED = {n.name: n for n in text_negatives(TEXT, FORM, EVERY, "seed")}


@pytest.mark.parametrize(
    ("name", "text", "refused"),
    [
        ("a doubled", b'{"a":null,"a":{"x":1,"y":"z"},"b":[null,true]}', SCHEMA),
        ("a.x doubled", b'{"a":{"x":1,"x":1,"y":"z"},"b":[null,true]}', SCHEMA),
        ("a left out", b'{"b":[null,true]}', SCHEMA),
        ("a.y left out", b'{"a":{"x":1},"b":[null,true]}', frozenset()),
        ("a.x left out", b'{"a":{"y":"z"},"b":[null,true]}', frozenset()),
        ("b renamed", b'{"a":{"x":1,"y":"z"},"not_b":[null,true]}', SCHEMA),
        ("a and b exchanged", b'{"a":[null,true],"b":{"x":1,"y":"z"}}', SCHEMA),
        ("a.x and a.y exchanged", b'{"a":{"x":"z","y":1},"b":[null,true]}', SCHEMA),
        ("a.x made string", b'{"a":{"x":"x","y":"z"},"b":[null,true]}', SCHEMA),
        ("b made null", b'{"a":{"x":1,"y":"z"},"b":null}', frozenset()),
        ("b.0 made array", b'{"a":{"x":1,"y":"z"},"b":[[7],true]}', frozenset()),
        ("a.x made 1e400", b'{"a":{"x":1e400,"y":"z"},"b":[null,true]}', frozenset()),
        ("a.y with the byte FF", b'{"a":{"x":1,"y":"\xffz"},"b":[null,true]}', SYNTAX),
        ("cut to 36 of 37 bytes", TEXT[:-1], SYNTAX),
    ],
)
def test_a_text_is_changed_in_one_place(name: str, text: bytes, refused: frozenset[RejectionClass]) -> None:
    assert (CHANGED[name].data, CHANGED[name].refused) == (text, refused)


def test_a_cut_text_is_never_json() -> None:
    assert [n.name for n in cuts(TEXT, SYNTAX) if not is_no_json(n.data)] == []


def test_a_turned_bit_must_be_refused_where_no_parser_reads_the_text() -> None:
    turned = [judged_as_json(negative) for negative in flips(TEXT, len(TEXT), "seed")]
    assert all(sum((a ^ b).bit_count() for a, b in zip(n.data, TEXT, strict=True)) == 1 for n in turned)
    assert all((n.refused == SYNTAX) == is_no_json(n.data) for n in turned)
    assert {n.refused for n in turned} == {SYNTAX, frozenset()}


def test_a_place_in_a_text_is_where_its_value_stands() -> None:
    start, end, kind = place_of(TEXT.decode(), ("b", 1))
    assert (TEXT[start:end], kind) == (b"true", "boolean")


@pytest.mark.parametrize(("count", "chosen"), [(0, []), (1, [0]), (2, [0, 4]), (3, [0, 2, 4]), (9, [0, 1, 2, 3, 4])])
def test_a_spread_is_even_and_has_both_ends(count: int, chosen: list[int]) -> None:
    assert spread(range(5), count) == chosen
