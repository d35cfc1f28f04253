"""What a mutant is declared to break besides is what it does break: a declaration that nothing shows hides finds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.cases.catalogue import all_cases
from conformance.cases.model import Case
from conformance.embedded import Embedded
from conformance.mutants import mutant_named
from conformance.mutants.matrix import Baseline, profile_of
from conformance.mutants.model import Mutant

SAMPLE = (
    "canal-json/read-watermark-as-ddl",
    "canal-json/read-without-ddl",
    "canal-json/read-events-twice",
    "open-protocol/last-event-of-a-message-unread",
    "open-protocol/one-event-of-a-mixed-message-read",
    "avro/deletes-lost",
    "avro/events-invented",
    "avro/rows-without-key-lost",
)


def broken(mutant: Mutant, cases: list[Case], baseline: Baseline) -> Iterator[str]:
    """The requirements that the mutant breaks in some of the cases."""
    answerer = Embedded(baseline.profile, mutant.wrap, mutant.registry)
    for case in cases:
        given = answerer.ask(case)
        if given != baseline.answers[case.id]:
            yield from (finding.requirement for finding in baseline.judge.judge(case, given).findings)


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol", "avro"])
def test_every_declared_finding_is_seen_in_some_case(protocol: str) -> None:
    mutants = [mutant_named(name) for name in SAMPLE if name.startswith(f"{protocol}/")]
    baselines: dict[str, Baseline] = {}
    unseen = {}
    for mutant in mutants:
        profile = profile_of(mutant)
        if mutant.role not in baselines:
            baselines[mutant.role] = Baseline(protocol, mutant.role, profile, all_cases(protocol, profile)[::3])
        baseline = baselines[mutant.role]
        seen = set(broken(mutant, baseline.by_requirement[mutant.requirement], baseline))
        unseen[mutant.name] = mutant.may_also - seen
    assert {name: left for name, left in unseen.items() if left} == {}
