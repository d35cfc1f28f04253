"""Saved cases: what was saved is what is read, and a file that holds none says why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from conformance.cases.invalid import invalid_cases
from conformance.cases.model import Anchor, ExpectedAnswer, ExpectedOneOf, ExpectedRejection
from conformance.cases.requests import input_digest
from conformance.cases.saved import case_from_json, case_to_json, load_case, save_case
from conformance.catalogue.fixtures import fixtures_root
from conformance.errors import UsageError
from reference_impl.protocols import CODECS
from tests.amounts import ordinarily
from tests.every_case import heads, made, one_in, one_of_each

SCHEMA = json.loads((fixtures_root() / "schemas" / "saved-case.schema.json").read_text("utf-8"))


@pytest.mark.parametrize("protocol", CODECS)
def test_a_saved_case_puts_the_same_question(protocol: str) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for case in map(made, one_of_each(heads(protocol)) + ordinarily([], one_in(29, heads(protocol)))):
        if case.role == "decode" and not case.records:
            continue
        plain = json.loads(json.dumps(case_to_json(case)))
        assert list(validator.iter_errors(plain)) == [], case.id
        read = case_from_json(plain)
        assert input_digest(read) == input_digest(case)
        if isinstance(case.expected, ExpectedRejection | ExpectedAnswer | ExpectedOneOf):
            assert read.expected == case.expected


def test_a_saved_case_is_judged_by_the_oracle_and_known_by_its_file(tmp_path: Path) -> None:
    case = next(c for c in map(made, heads("avro")) if c.role == "decode" and c.schemas and c.events)
    save_case(case, tmp_path / "a.json", "a note")
    read = load_case(tmp_path / "a.json")
    assert (read.expected, read.anchor, read.replay_id) == (None, Anchor.REFERENCE, str(tmp_path / "a.json"))
    assert (read.records, read.schemas, read.style) == (case.records, case.schemas, case.style)
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["note"] == "a note"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda plain: plain.pop("tables"), "'tables' is a required property"),
        (lambda plain: plain.update(role="x"), "at role: 'x' is not one of"),
        (lambda plain: plain["tables"][0].pop("name"), "a table has no member 'name'"),
        (lambda plain: plain.update(refused=["x"]), "x"),
        (lambda plain: plain.update(events=3), "at events: 3 is not of type 'array'"),
        (lambda plain: plain.update(partitions="x"), "at partitions: 'x' is not of type 'integer'"),
        (lambda plain: plain.update(style="zz"), "at style: 'zz' is not one of"),
        (lambda plain: plain.update(role="decode", records=[]), r"at records: \[\] should be non-empty"),
        (lambda plain: plain.update(role="decode"), "'records' is a required property"),
        (lambda plain: plain.update(more=1), r"\('more' was unexpected\)"),
        (lambda plain: plain.update(partitions=2**64), "not a saved case: Integer exceeds 64-bit range"),
        (lambda plain: plain.update(topic="\ud800"), "not a saved case: .* surrogates"),
        (lambda plain: plain.update(refused=["schema"], requirements=["XX-1"]), "canal-json has no requirement 'XX-1'"),
    ],
)
def test_a_file_that_is_no_saved_case_says_why(tmp_path: Path, change, words: str) -> None:
    case = next(c for c in map(made, heads("canal-json")) if c.role == "encode" and c.tables)
    plain = case_to_json(replace(case, expected=None))
    change(plain)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(UsageError, match=words):
        load_case(path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff"])
def test_a_file_that_is_no_json_object_says_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(UsageError, match="not a saved case"):
        load_case(tmp_path / "a.json")


def test_a_file_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_case(tmp_path / "none.json")


@pytest.mark.parametrize("protocol", CODECS)
def test_a_saved_case_that_must_be_refused_holds_answers_against_what_the_fault_left(protocol: str) -> None:
    case = next(c for c in invalid_cases(protocol) if c.role == "decode")
    read = case_from_json(json.loads(json.dumps(case_to_json(case)))).expected
    assert isinstance(case.expected, ExpectedRejection)
    assert isinstance(read, ExpectedRejection)
    assert case.expected.twin is not None
    assert read.twin is not None
    assert input_digest(read.twin) == input_digest(case.expected.twin)
