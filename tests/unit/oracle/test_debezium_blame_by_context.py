"""What a message is blamed for where the table before, the charset or the profile decides it; and how heavily."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest
from debezium_answers import EXTENDED, blamed, case_of, ddl, put, row, with_message
from debezium_cases import AFTER, DELETE, HIDDEN, INSERT, NULLS, PLAIN, SCHEMALESS, UPDATE

from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from tests.unit.oracle.judging import SMALL, answer_of, judged


def with_default(text: str) -> dict[str, Any]:
    """A table of a column with that default."""
    return {**SMALL, "columns": [SMALL["columns"][0], {"name": "a", "type": "int", "default": text}]}


REDEFINED = case_of(
    "encode",
    ddl(after=with_default("6"), table_before=with_default("5")),
    row("insert", ts=8 << 18, base={"id": "1", "a": "2"}),
    table=with_default("5"),
)


@pytest.mark.parametrize("case", [REDEFINED, replace(REDEFINED, tables=())], ids=["known", "told by the statement"])
@pytest.mark.parametrize(("default", "requirement"), [(5, "149"), (7, "140")])
def test_a_default_that_the_column_had_before_is_told_from_one_that_it_never_had(
    case: Case, default: int, requirement: str
):
    def change(tree: Any) -> None:
        for image in tree["value"]["schema"]["fields"]:
            for described in image.get("fields", ()):
                if image["field"] in ("before", "after") and described["field"] == "a":
                    described["default"] = default

    assert blamed(case, answer_of(case)) == []
    assert blamed(case, with_message(case, change, at=1)) == [requirement]


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("2024-02-29 01:02:03", "142"),
        ("2023-02-29 01:02:03", "142a"),  # in no calendar
        ("2024-00-01 00:00:00", "142a"),
        ("0000-00-00 00:00:00", "142b"),
    ],
)
def test_the_default_of_a_datetime_is_blamed_by_whether_it_can_be_read(text: str, requirement: str) -> None:
    column = {"name": "a", "type": "datetime", "default": text}
    case = case_of(
        "encode", row("insert", base={"id": "1", "a": None}), table={**SMALL, "columns": [SMALL["columns"][0], column]}
    )
    wrong = with_message(case, put("value.schema.fields.after.fields.a.default", 5))
    assert blamed(case, answer_of(case)) == []
    assert blamed(case, wrong) == [requirement]


@pytest.mark.parametrize(
    ("text", "requirements"),
    [
        ("1970-01-01T00:00:00Z", "162g"),  # a value that recorded producers write
        ("0000-00-00xx", "043c 162g"),
        ("0000-00-00T12:34:56Z", "043c 162g"),
        ("1970-01-01T00:00:0000", "043c 162g"),
    ],
)
def test_a_wrong_time_in_place_of_null_breaks_a_must_unless_it_is_a_form_of_the_default(text: str, requirements: str):
    column = {"name": "a", "type": "timestamp", "default": {"expression": "CURRENT_TIMESTAMP"}}
    case = case_of(
        "encode", row("insert", base={"id": "1", "a": None}), table={**SMALL, "columns": [SMALL["columns"][0], column]}
    )
    assert blamed(case, with_message(case, put(f"{AFTER}.a", text))) == requirements.split()


@pytest.mark.parametrize(
    ("text", "requirements"),
    [("0000-00-00T00:00:00Z", "136"), ("0000-00-00xx", "043c 136"), ("0000-00-00T12:34:56Z", "043c 136")],
)
def test_a_wrong_time_in_place_of_zero_breaks_a_must_unless_it_is_a_known_form_of_zero(text: str, requirements: str):
    case = case_of(
        "encode",
        row("insert", base={"id": "1", "a": "0000-00-00 00:00:00"}),
        table={**SMALL, "columns": [SMALL["columns"][0], {"name": "a", "type": "timestamp"}]},
    )
    assert blamed(case, with_message(case, put(f"{AFTER}.a", text))) == requirements.split()


BY_CHARSET = case_of(
    "encode",
    row("insert", base={"id": "1", "q": "YWI=", "v": "YWI=", "b": "ab"}),
    table={
        **SMALL,
        "columns": [
            SMALL["columns"][0],
            {"name": "q", "type": "VARCHAR(9)", "charset": "binary"},
            {"name": "v", "type": "varbinary(9)"},
            {"name": "b", "type": "text", "charset": "utf8mb4", "collation": "utf8mb4_bin"},
        ],
    },
)


@pytest.mark.parametrize(
    ("column", "text", "requirements"), [("q", "ab", "103a 130"), ("v", "ab", "103a"), ("b", "YWI=", "102a 130")]
)
def test_bytes_for_a_text_are_held_against_the_charset_where_that_decides(column: str, text: str, requirements: str):
    wrong = with_message(BY_CHARSET, put(f"{AFTER}.{column}", text))
    assert blamed(BY_CHARSET, wrong) == requirements.split()


NO_UTF_8 = case_of(
    "encode",
    row("insert", base={"id": "1", "a": {"base64": "Yf9i"}}),  # a, a byte that is no UTF-8, b
    table={**SMALL, "columns": [SMALL["columns"][0], {"name": "a", "type": "varchar(9)"}]},
)


@pytest.mark.parametrize(
    ("text", "requirements"),
    [
        ("a\ufffdb", ""),
        ("a?b", "130a"),  # in place of the byte stands another character, none, or several
        ("ab", "130a"),
        ("a\ufffd\ufffdb", "130a"),
        ("a\ufffdc", "102a"),  # what is UTF-8 has changed
        ("a", "102a"),
        ("b\ufffda", "102a"),
    ],
)
def test_only_what_stands_for_the_byte_is_charged_to_its_rule(text: str, requirements: str):
    assert blamed(NO_UTF_8, with_message(NO_UTF_8, put(f"{AFTER}.a", text))) == requirements.split()


def test_a_wrong_value_always_breaks_a_must():
    levels = load_register("debezium").requirements
    wrong = {
        name: case_of("encode", row("insert", **{name: value}), options=EXTENDED)
        for name, value in {
            "ti": "7",
            "bo": "0",
            "su": "7",
            "iu": "7",
            "b": "7",
            "f": "7.5",
            "g": "7.5",
            "m": "7.25",
            "b1": "0",
            "bt": "7",
            "c": "seven",
            "x": "seven",
            "q": "Nw==",
            "e": "a",
            "s": "a",
            "j": "7",
            "d": "2007-07-07",
            "dt": "2007-07-07 07:07:07",
            "d6": "2007-07-07 07:07:07.000007",
            "w": "2007-07-07 07:07:07.007",
            "tm": "07:07:07",
            "y": "2007",
            "v": "[7,7]",
            "o": "7",
        }.items()
    }
    for name, case in wrong.items():
        found = judged(INSERT, answer_of(case)).findings
        assert Level.MUST in {levels[f.requirement].level for f in found}, name


@pytest.mark.parametrize(
    ("profile", "writer", "broken"),
    [
        (NEWARCH, CLASSIC, ["052c", "057a", "150"]),
        (DOC, CLASSIC, ["057a", "150"]),
        (CLASSIC, NEWARCH, ["052d", "057a", "150b"]),
        (NEWARCH, DOC, ["052c"]),
    ],
    ids=lambda given: str(getattr(given, "name", "")),
)
def test_another_writer_breaks_what_its_style_is_about(profile: Profile, writer: Profile, broken: list[str]):
    cases = (INSERT, PLAIN, UPDATE, DELETE, HIDDEN, SCHEMALESS, NULLS)
    assert sorted({found for case in cases for found in blamed(case, answer_of(case, writer), profile)}) == broken


NEGATIVE_ZERO = case_of(
    "encode",
    row("insert", base={"id": "1", "f": "-0"}),
    table={**SMALL, "columns": [SMALL["columns"][0], {"name": "f", "type": "float"}]},
)


def test_a_float_zero_without_its_sign_is_another_spelling_of_a_float_and_of_no_integer() -> None:
    answer = answer_of(NEGATIVE_ZERO)
    [record] = answer["ok"]["records"]
    value = base64.b64decode(record["value"])
    assert b'"f":-0}' in value
    other = {
        **answer,
        "ok": {**answer["ok"], "records": [{**record, "value": _base64(value.replace(b":-0}", b":0}"))}]},
    }
    assert blamed(NEGATIVE_ZERO, other) == ["423"]


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
