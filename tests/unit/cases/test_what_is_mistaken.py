"""Implementations that mistake certain values, streams, names or ids are found by the cases made for that."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.mutants.wrappers import edit_request
from conformance.oracle.judges import judge_of
from conformance.oracle.showing import headlines
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS
from tests.every_case import heads, made

PROTOCOLS = tuple(CODECS)
Json = dict[str, Any]


def case_named(protocol: str, role: str, name: str) -> Case:
    [head] = [h for h in heads(protocol) if (h.role, h.id) == (role, f"{protocol}/{name}")]
    return made(head)


def first_shown(case: Case, answer: Any) -> list[tuple[str, str]]:
    """(requirement, path) of the findings that stand first at their places."""
    judge = judge_of(case.protocol, load_register(case.protocol), NEWARCH)
    return [(f.requirement, f.path) for f in headlines(judge.judge(case, answer).findings)]


# -- streams -----------------------------------------------------------------------------------------------------------


def without(position: int) -> Callable[[Json], None]:
    def edit(request: Json) -> None:
        if request["op"] == "encode":
            del request["events"][position]

    return edit


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ["stream/one transaction, a row replaced", "stream/truncate table twice"])
def test_the_second_of_two_changes_that_look_alike_is_missed(protocol: str, name: str) -> None:
    case = case_named(protocol, "encode", name)
    found = first_shown(case, Embedded(wrap=edit_request(without(2))).ask(case))
    assert [path for _, path in found] == ["answer[2]"]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_two_transactions_of_one_millisecond_have_two_time_stamps(protocol: str) -> None:
    case = case_named(protocol, "decode", "stream/two transactions in one millisecond/decode")
    answer = copy.deepcopy(dict(Embedded().ask(case)))
    events = answer["ok"]["events"]
    events[1]["commit_ts"] = events[0]["commit_ts"]
    assert [path for _, path in first_shown(case, answer)] == ["event.commit_ts"]


# -- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("protocol", "requirement"), [("canal-json", "CJ-504"), ("open-protocol", "OP-055")])
def test_a_change_that_a_loose_comparison_overlooks_is_missed_in_every_column(protocol: str, requirement: str) -> None:
    name = "neighbours/changes easily missed+only-output-updated-columns=true"
    case = case_named(protocol, "encode", name)
    before, after = case.events[1].before, case.events[1].after  # type: ignore[union-attr]
    changed = [column for column in after if before[column] != after[column]]
    assert changed == [c.name for c in case.tables[0].columns if c.name not in ("id", "same")]
    for column in changed:

        def edit(request: Json, column: str = column) -> None:
            if request["op"] == "encode":
                request["events"][1]["before"][column] = request["events"][1]["after"][column]

        found = first_shown(case, Embedded(wrap=edit_request(edit)).ask(case))
        assert any(path.endswith(f".{column}") for _, path in found), column


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_value_that_is_easily_mistaken_is_judged(protocol: str) -> None:
    case = case_named(protocol, "decode", "neighbours/values easily mistaken/decode")
    right = Embedded().ask(case)
    for column in (c.name for c in case.tables[0].columns[1:]):
        answer = copy.deepcopy(dict(right))
        value = answer["ok"]["events"][0]["after"][column]
        answer["ok"]["events"][0]["after"][column] = value.lower() if value != value.lower() else value[1:]
        assert first_shown(case, answer), column


# -- sizes and ids -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol"])
@pytest.mark.parametrize("handling", ["none", "handle-key-only", "claim-check"])
def test_a_message_that_is_small_once_compressed_is_sent_whole(protocol: str, handling: str) -> None:
    case = case_named(protocol, "encode", f"size/{handling}/compressible+lz4")
    answer = Embedded().ask(case)
    assert first_shown(case, answer) == []
    assert not answer["ok"].get("claims")
    whole = {**case.options, "large-message-handle-compression": "none"}

    def measured_before(request: Json) -> None:
        if request["op"] == "configure":
            request["options"] = whole

    assert "ok" not in (large := Embedded(wrap=edit_request(measured_before)).ask(case)) or first_shown(case, large)


def test_ids_of_schemas_have_four_bytes() -> None:
    case = case_named("avro", "encode", "stream/large schema ids")
    ids = [schema["id"] for schema in Embedded().ask(case)["ok"]["schemas"]]
    assert all(all(number.to_bytes(4, "big")) for number in ids)
    assert case_named("avro", "decode", "stream/large schema ids/decode").schemas[1].id == ids[0]
