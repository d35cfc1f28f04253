"""A check stands at a place that messages have: at a misspelt one it would say nothing, and nobody would notice.

The places are those that the judge visits when it looks at the reference's answers to cases of every kind.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import pytest

from conformance.cases.index import case_of
from conformance.cases.model import CaseHead
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.oracle import ORACLES, tree
from conformance.oracle.comparison import Comparison
from conformance.oracle.judges import judge_of
from conformance.oracle.upstream.rules import rules_of
from conformance.sweep.case_sample import sample_cases
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import UPSTREAM
from tests.amounts import ordinarily
from tests.every_case import heads, made, one_in

_OF_KEYS = re.compile("/keyed/|/key$|/whole life[+]avro-include-before-value=true$")
"""Cases of columns that stand in a key, or in the row before, and seldom do so elsewhere."""

NO_TREE = frozenset(
    {"answer", "claim", "frame.headers[]"}
    | {f"text.{part}.{what}" for part in ("key", "value") for what in ("space", "string", "other")}
)
"""Places that are not walked: the answer as a whole, a claim, spelling; and headers, which nobody writes."""

CHECKSUMS = frozenset({"_tidb_row_level_checksum", "_tidb_corrupted", "_tidb_checksum_version"})

ABSENT: Mapping[str, frozenset[str]] = {
    "canal-json": frozenset({"value.gtid", "value._tidb.tableId"}),
    "open-protocol": frozenset({"event.start_ts", "key.ptn", "key.rid", "event.partition_id"}),
    "debezium": frozenset({"value.payload.source.sequence"}),
    "avro": frozenset({"key.before", "key.extension", "key.schema.before", "key.schema.extension"})
    | {"key.schema.doc", "value.schema.doc"}
    | {f"{at}.{name}" for at in ("value.extension", "value.schema.extension") for name in CHECKSUMS},
}
"""Members that checks name and no answer of the reference has; most are checked to be absent."""

OF_THE_JUDGE = frozenset({"key", "value", "record", "topic", "partition", "headers", "tombstone", "truncation"})
OF_THE_JUDGE |= {"event", "ddl event", "old", "commit_ts", "ddl", "statement"}
"""The names that the judge of upstream dialects gives to what is no member of a message."""


def cases_of(protocol: str) -> Collection[CaseHead]:
    """A few cases of each kind in both roles, and those of keys."""
    every = heads(protocol)
    of_keys = [head for head in every if _OF_KEYS.search(head.id)]
    chosen = [*sample_cases(every, "encode"), *sample_cases(every, "decode"), *of_keys]
    return {(head.role, head.id): head for head in chosen}.values()


def places_of_messages(protocol: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The skeletons that the judge visits in the reference's answers; nothing is compared there."""
    visited: set[str] = set()

    def visit(comparison: Comparison, expected: Mapping[str, Any], got: Mapping[str, Any], _: object = None) -> None:
        for part in {**expected, **got}:
            both = expected.get(part, tree.MISSING), got.get(part, tree.MISSING)
            nodes = tree.walk(*both, (part,), comparison.rules.root.member(part))
            visited.update(node.spot.skeleton for node in nodes)

    monkeypatch.setattr(Comparison, "compare", visit)
    monkeypatch.setattr(Comparison, "compare_texts", lambda *_: None)
    reference, judge = Embedded(NEWARCH), judge_of(protocol, load_register(protocol), NEWARCH)
    for head in cases_of(protocol):
        case = case_of(head, NEWARCH)
        judge.judge(case, reference.ask(case))
    return visited


def is_below(place: str, at: str) -> bool:
    return at.endswith(".*") and place.startswith(at[:-1])


@pytest.mark.parametrize("protocol", ORACLES)
def test_every_check_stands_at_a_place_that_messages_have(protocol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    places = places_of_messages(protocol, monkeypatch)
    checked = {rule.at for rule in ORACLES[protocol].rules} - NO_TREE
    unknown = {at for at in checked - places if not any(is_below(place, at) for place in places)}
    assert unknown == ABSENT[protocol]


@pytest.mark.parametrize("protocol", UPSTREAM)
def test_every_name_in_a_place_of_an_upstream_dialect_is_that_of_a_member(protocol: str) -> None:
    reference, names = Embedded(NEWARCH), set(OF_THE_JUDGE)
    for head in one_in(ordinarily(30, 10), heads(protocol)):
        ok = reference.ask(made(head)).get("ok", {})
        names.update(names_in(ok.get("events", [])))
        for record in ok.get("records", []):
            for part in filter(None, (record["key"], record["value"])):
                names.update(names_in(json.loads(b64decode(part))))
    places = (rule.place.replace("{column}", "") for rule in rules_of(protocol))
    asked = {name for place in places for name in re.findall("[a-zA-Z_ ]+", place)}
    assert asked - names == set()


def names_in(value: Any) -> Iterator[str]:
    """The names of all members in a JSON value."""
    if isinstance(value, dict):
        yield from value
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from names_in(below)
