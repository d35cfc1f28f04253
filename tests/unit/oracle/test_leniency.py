"""What taking malformed input does: alike in all protocols, whatever requirement demands the refusal."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases.invalid import invalid_cases
from conformance.cases.model import Case, ExpectedRejection
from conformance.cases.negatives.bases import base, in_value, negatives_of
from conformance.cases.negatives.model import SCHEMA, Negative
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level, load_register
from conformance.embedded import Embedded
from conformance.oracle.findings import Finding
from conformance.oracle.judges import judge_of
from conformance.oracle.weights import weight_of
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS

Answer = dict[str, Any]


def judged(case: Case, answer: Answer) -> Finding:
    """The finding of an answer to a case that must be refused."""
    findings = judge_of(case.protocol, load_register(case.protocol), NEWARCH).judge(case, answer).findings
    assert findings
    return findings[0]


def level_of(case: Case, finding: Finding) -> Level:
    """The level at which a finding counts."""
    return weight_of(finding, load_register(case.protocol).requirements[finding.requirement]).level


def decoding(protocol: str, count: int = 12) -> list[Case]:
    """Invalid fixtures for a decoder, evenly spread, whose twin says something."""
    cases = [case for case in invalid_cases(protocol) if case.role == "decode"]
    return cases[:: max(1, len(cases) // count)]


def without_the_fault(case: Case) -> Answer:
    """What the reference reads where the fault is not."""
    assert isinstance(case.expected, ExpectedRejection)
    assert case.expected.twin is not None
    return dict(Embedded(NEWARCH).ask(case.expected.twin))


@pytest.mark.parametrize("case", [c for protocol in CODECS for c in decoding(protocol)], ids=lambda case: case.id)
def test_who_reads_what_the_message_would_say_without_its_fault_breaks_no_must(case: Case) -> None:
    finding = judged(case, without_the_fault(case))
    assert (finding.harm, level_of(case, finding) is Level.MUST) == (Harm.STRICTNESS, False)


@pytest.mark.parametrize("case", [c for protocol in CODECS for c in decoding(protocol)], ids=lambda case: case.id)
def test_who_drops_a_message_without_a_word_loses_it(case: Case) -> None:
    finding = judged(case, {"ok": {"events": []}})
    requirement = load_register(case.protocol).requirements[finding.requirement]
    assert (finding.harm, level_of(case, finding)) == (Harm.LOST, requirement.level)


def fixture(protocol: str, name: str) -> Case:
    """The case of an invalid fixture."""
    return next(case for case in invalid_cases(protocol) if case.id.endswith(name))


def test_a_statement_of_the_type_of_a_row_may_be_taken_for_that_statement_and_no_other() -> None:
    case = fixture("canal-json", "118-ddl-row-type")
    read = without_the_fault(case)["ok"]["events"]
    taken = [{**read[0], "query": "another"}]
    harms = [judged(case, {"ok": {"events": events}}).harm for events in (read, taken)]
    assert harms == [Harm.STRICTNESS, Harm.CHANGED]


def test_a_row_without_its_values_is_lost() -> None:
    case = fixture("canal-json", "049-without-data")
    [event] = without_the_fault(case)["ok"]["events"]
    finding = judged(case, {"ok": {"events": [{**event, "after": {}}]}})
    assert finding.harm is Harm.LOST


def test_of_a_member_that_is_there_twice_the_right_one_is_taken_or_data_changes() -> None:
    given = base("canal-json", "row")
    value = given.records[0].value or b""
    change = Negative("doubled", "s doubled", value.replace(b'"s":"n', b'"s":"other","s":"n'), SCHEMA)
    [case] = negatives_of(given, "value", in_value, [change], "CJ-881")
    [event] = Embedded(NEWARCH).ask(given)["ok"]["events"]
    other = {**event, "after": {**event["after"], "s": "other"}}
    harms = [judged(case, {"ok": {"events": [one]}}).harm for one in (event, other)]
    assert harms == [Harm.STRICTNESS, Harm.CHANGED]


def test_what_an_encoder_should_refuse_is_lost_where_nothing_is_sent() -> None:
    case = next(c for c in invalid_cases("canal-json") if c.role == "encode")
    assert judged(case, {"ok": {"records": []}}).harm is Harm.LOST
