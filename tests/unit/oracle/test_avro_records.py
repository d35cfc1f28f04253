"""What is wrong with registrations is held against what speaks of it; what is free; and levels of wrong values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from reference_impl.model import Record
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.registry import RegisteredSchema
from tests.unit.oracle import faults_of_avro_lists as lists
from tests.unit.oracle import faults_of_avro_messages as cases
from tests.unit.oracle.avro_answers import case_of, row, with_requests
from tests.unit.oracle.judging import OLD, SMALL, answer_of, blamed, ddl_event, judged, with_records

LATER = {**OLD, "c": None}
GROWN = case_of("encode", row("insert", base=OLD), ddl_event(after=cases.WIDER), row("insert", base=LATER), table=SMALL)

# -- registrations -----------------------------------------------------------------------------------------------------

Requests = list[RegisteredSchema]


def subjects(change: Callable[[str], str]) -> Callable[[Requests], Requests]:
    """Other subjects."""
    return lambda requests: [replace(request, subject=change(request.subject)) for request in requests]


REQUESTS: list[tuple[list[str], Case, Callable[[Requests], Requests]]] = [
    (["AV-155"], cases.INSERT, subjects(lambda subject: subject.removesuffix("-key").removesuffix("-value"))),
    (["AV-155"], cases.INSERT, subjects(lambda subject: subject.replace("test_t", "default.test.t"))),
    (["AV-155"], cases.INSERT, subjects(lambda subject: subject.replace("-", "_"))),
    (["AV-156"], cases.INSERT, lambda requests: [*requests, *requests]),
    (["AV-007a"], GROWN, lambda requests: [*requests, replace(requests[0], id=9, subject="test_t2-value")]),
    (["AV-007a", "AV-190a"], GROWN, lambda requests: [*requests[:2], replace(requests[2], subject="test_t-old")]),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), REQUESTS, ids=[f"{i}-{'+'.join(m[0])}" for i, m in enumerate(REQUESTS)]
)
def test_wrong_registrations_are_held_against_what_speaks_of_them(
    requirements: list[str], case: Case, change: Callable[[Requests], Requests]
):
    assert blamed(case, with_requests(case, change)) == requirements


# -- free forms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC], ids=lambda profile: profile.name)
@pytest.mark.parametrize(
    "case",
    [
        GROWN,
        cases.INSERT,
        cases.UPDATE,
        cases.DELETE,
        cases.EXTENSION,
        cases.TEXTS,
        cases.KEPT,
        cases.KEPT_DELETE,
        lists.MOVED,
        cases.STATEMENT,
        cases.MARKED_DELETE,
        lists.KEYLESS,
        cases.NAMES,
        cases.NAMES_BEFORE,
        cases.DEFAULT_IN_KEY,
    ],
)
def test_what_the_reference_writes_breaks_nothing(case: Case, profile: Profile):
    assert blamed(case, answer_of(case, profile), profile) == []


def _later(data: bytes | None) -> bytes | None:
    """The same under an id that is 700 higher."""
    return None if data is None else data[:1] + (int.from_bytes(data[1:5], "big") + 700).to_bytes(4, "big") + data[5:]


def test_which_id_the_registry_gave_is_not_looked_at():
    later = with_requests(
        cases.INSERT, lambda requests: [replace(request, id=request.id + 700) for request in requests]
    )
    sent = with_records(
        cases.INSERT, lambda records: [Record(_later(record.key), _later(record.value)) for record in records]
    )
    assert blamed(cases.INSERT, {"ok": {**later["ok"], "records": sent["ok"]["records"]}}) == []


COUNTED = {"AV-001", "AV-213", "AV-006", "AV-009", "AV-009a"}


@pytest.mark.parametrize(
    ("case", "spoken"),
    [
        (cases.INSERT, {"AV-001", "AV-213"}),
        (lists.MOVED, {"AV-001", "AV-213", "AV-009"}),
        (cases.MOVED_RAW, {"AV-001", "AV-213", "AV-009a"}),
        (lists.QUIET, {"AV-001", "AV-213", "AV-006"}),
        (replace(lists.QUIET, events=lists.QUIET.events[1:2]), {"AV-213", "AV-006"}),
        (cases.STATEMENT, {"AV-213"}),
        (cases.MARK, {"AV-213"}),
    ],
)
def test_as_many_records_as_expected_bear_out_each_rule_on_their_number(case: Case, spoken: set[str]):
    assert judged(case, answer_of(case)).evaluated & COUNTED == spoken


def _keyed(*key: str, nullable: bool) -> Case:
    """An insert into a table with a unique key beside the primary key."""
    columns = [SMALL["columns"][0], {**SMALL["columns"][1], "nullable": nullable}, {"name": "c", "type": "int"}]
    table = {**SMALL, "columns": columns, "primary_key": [*key], "unique_keys": [{"name": "u", "columns": ["a"]}]}
    return case_of("encode", row("insert", base=LATER), table=table)


@pytest.mark.parametrize(("nullable", "blamed_for"), [(False, ["AV-112d"]), (True, ["AV-112"])])
def test_a_key_may_hold_columns_of_another_valid_index_beside_the_primary_key_and_no_others(
    nullable: bool, blamed_for: list[str]
):
    given = answer_of(_keyed("id", "a", nullable=nullable))
    assert blamed(_keyed("id", nullable=nullable), given) == blamed_for


def test_a_row_without_a_primary_key_may_have_its_unique_key_for_a_key():
    assert blamed(lists.KEYLESS, answer_of(lists.KEYLESS, CLASSIC)) == ["AV-112b", "AV-113"]


# -- levels ------------------------------------------------------------------------------------------------------------

LEVELS = {name: requirement.level for name, requirement in load_register("avro").requirements.items()}
WRONG = {
    **dict.fromkeys(("id", "ti", "tu", "iu", "b", "big", "f", "g", "m", "mn", "bt", "k", "o"), "7"),
    **dict.fromkeys(("c", "nu", "x"), "Z"),
    **dict.fromkeys(("q", "bn", "cb"), "QUJD"),
    "bu": "9",
    "e": "a",
    "s": "y",
    "j": "7",
    "d": "2001-01-01",
    "dt": "2001-01-01 00:00:00.000",
    "y": "2001",
    "w": "2001-01-01 00:00:00",
    "tm": "00:00:00.1",
    "v": "[7,7]",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_always_breaks_a_must(name: str):
    answer = answer_of(lists.READ)
    answer["ok"]["events"][0]["after"][name] = WRONG[name]
    assert Level.MUST in {LEVELS[requirement] for requirement in blamed(lists.READ, answer)}
