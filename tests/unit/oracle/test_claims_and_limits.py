"""Claim-check files belong to one message each; only a message that is too large may be reduced to its handle key."""

from __future__ import annotations

import base64
import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case, ExpectedRecords
from conformance.errors import SuiteError
from conformance.oracle import ORACLES
from conformance.oracle.showing import headlines
from conformance.oracle.tree import Kind
from reference_impl.errors import Rejected
from reference_impl.model import Claim
from reference_impl.wire import claim_from_json, record_from_json
from tests.unit.oracle.canal_answers import ROW as CANAL_ROW
from tests.unit.oracle.canal_answers import case_of as canal_case
from tests.unit.oracle.canal_answers import row as canal_row
from tests.unit.oracle.judging import answer_of, judged
from tests.unit.oracle.open_answers import ROW as OPEN_ROW
from tests.unit.oracle.open_answers import case_of as open_case
from tests.unit.oracle.open_answers import row as open_row

STORED = {"large-message-handle-option": "claim-check", "claim-check-storage-uri": "file:///claims"}
LONG = "x" * 3000


def canal(op: str = "insert", **options: str) -> Case:
    rows = (canal_row(op, base={**CANAL_ROW, "b": n, "x": LONG}, n="8") for n in "12")
    return canal_case(*rows, options={"enable-tidb-extension": "true", **options})


def open_protocol(op: str = "insert", **options: str) -> Case:
    rows = (open_row(op, base={**OPEN_ROW, "id": n, "k": n, "x": LONG}, c="z") for n in "12")
    return open_case("encode", *rows, options={"max-batch-size": "1", **options})


def limited(case: Case, limit: int) -> Case:
    return replace(case, options={**case.options, "max-message-bytes": str(limit)})


CLAIMED = [
    pytest.param(limited(canal(**STORED), 1000), "CJ-133", id="canal-json"),
    pytest.param(limited(open_protocol(**STORED), 1000), "OP-172", id="open-protocol"),
]


def naming(answer: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    """The answer whose records name another file."""
    changed = copy.deepcopy(dict(answer))
    for record in changed["ok"]["records"]:
        for side in ("key", "value"):
            if record[side] is not None:
                text = base64.b64decode(record[side]).replace(old.encode(), new.encode())
                record[side] = base64.b64encode(text).decode()
    return changed


@pytest.mark.parametrize(("case", "requirement"), CLAIMED)
def test_two_messages_that_name_one_file_are_found(case: Case, requirement: str) -> None:
    right = answer_of(case)
    first, second = (claim["location"] for claim in right["ok"]["claims"])
    for old, new in ((first, second), (second, first)):
        found = judged(case, naming(right, old, new)).findings
        assert {f.requirement for f in found} == {requirement}
        assert found[0].path.startswith("claim.messages[0].")


@pytest.mark.parametrize(("case", "requirement"), CLAIMED)
def test_files_may_be_stored_in_any_order(case: Case, requirement: str) -> None:
    right = answer_of(case)
    turned = {"ok": {**right["ok"], "claims": right["ok"]["claims"][::-1]}}
    assert judged(case, turned).findings == []


@pytest.mark.parametrize(("case", "requirement"), CLAIMED)
def test_a_file_that_no_message_names_is_found(case: Case, requirement: str) -> None:
    right = answer_of(case)
    extra = {**right["ok"]["claims"][0], "location": "file:///claims/another.json"}
    answer = {"ok": {**right["ok"], "claims": [*right["ok"]["claims"], extra]}}
    assert [f.path for f in judged(case, answer).findings] == ["claim"]


@pytest.mark.parametrize(("case", "requirement"), CLAIMED)
@pytest.mark.parametrize("broken", [0, 1])
def test_a_file_that_cannot_be_read_is_a_finding_and_the_others_are_compared(case: Case, requirement: str, broken: int):
    right = answer_of(case)
    claims = copy.deepcopy(right["ok"]["claims"])
    claims[broken]["value"] = base64.b64encode(b"no file").decode()
    [found] = judged(case, {"ok": {**right["ok"], "claims": claims}}).findings
    assert (found.path, found.kind, found.expected) == ("claim", Kind.VALUE, "a readable file")
    assert isinstance(found.got, str)
    assert found.got


@pytest.mark.parametrize(("case", "requirement"), CLAIMED)
def test_an_expected_file_that_cannot_be_read_is_an_error_of_the_suite(case: Case, requirement: str) -> None:
    ok = answer_of(case)["ok"]
    files = tuple(replace(claim_from_json(claim), content=b"no file") for claim in ok["claims"])
    broken = replace(case, expected=ExpectedRecords(tuple(map(record_from_json, ok["records"])), files))
    with pytest.raises(SuiteError, match="an expected claim-check file cannot be read"):
        judged(broken, {"ok": ok})


@pytest.mark.parametrize(("case", "requirement"), CLAIMED)
def test_a_file_that_is_missing_is_found_by_its_location(case: Case, requirement: str) -> None:
    right = answer_of(case)
    kept, lost = right["ok"]["claims"]
    found = judged(case, {"ok": {**right["ok"], "claims": [kept]}}).findings
    differences = {(f.kind, f.expected, f.got) for f in found}
    assert differences == {(Kind.MISSING, lost["location"], "no such file"), (Kind.COUNT, 2, 1)}


def test_the_event_in_a_file_is_compressed_as_events_in_messages_are() -> None:
    case = limited(open_protocol(**STORED, **{"large-message-handle-compression": "lz4"}), 300)
    right = answer_of(case)
    plain = answer_of(replace(case, options={**case.options, "large-message-handle-compression": "none"}))
    contents = zip(right["ok"]["claims"], plain["ok"]["claims"], strict=True)
    files = [{**file, "value": other["value"]} for file, other in contents]
    found = judged(case, {"ok": {**right["ok"], "claims": files}}).findings
    assert {(f.requirement, f.path, f.got) for f in found} == {("OP-172", "claim.compression", "")}


HANDLE_ONLY = {"large-message-handle-option": "handle-key-only"}


@pytest.mark.parametrize("options", [STORED, HANDLE_ONLY], ids=["claim-check", "handle-key-only"])
@pytest.mark.parametrize("op", ["insert", "update", "delete"])
@pytest.mark.parametrize(("made", "requirement"), [(canal, "CJ-205"), (open_protocol, "OP-150")])
def test_a_message_that_is_reduced_though_it_fits_is_said_to_break_the_rule_on_sizes(
    made: Any, requirement: str, op: str, options: Mapping[str, str]
) -> None:
    whole = limited(made(op, **options), 100_000)
    reduced = answer_of(limited(whole, 1000))
    found = judged(whole, reduced).findings
    lost = [f for f in headlines(found) if f.got == "(missing)" or f.path.endswith(".x")]
    assert lost
    assert {f.requirement for f in lost} == {requirement}


@pytest.mark.parametrize("protocol", ["debezium", "avro"])
def test_a_protocol_without_claim_check_files_reads_none(protocol: str) -> None:
    with pytest.raises(Rejected) as refused:
        ORACLES[protocol].read_claim(Claim("a.json", b"{}"), None)
    assert refused.value.reason == "semantics"
