"""What a message is blamed for where the table before, the charset or the profile decides it; and how heavily."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from tests.unit.oracle.changes import of_bytes, put
from tests.unit.oracle.debezium_answers import EXTENDED, blamed, case_of, ddl, row, with_message
from tests.unit.oracle.faults_of_debezium_messages import (
    AFTER,
    BEGUN,
    DDL,
    DELETE,
    HIDDEN,
    INSERT,
    MARK,
    NULLS,
    PLAIN,
    SCHEMALESS,
    UPDATE,
)
from tests.unit.oracle.judging import answer_of, beside_id, judged, with_records, written


def with_default(text: str) -> dict[str, Any]:
    """A table of a column with that default."""
    return beside_id({"name": "a", "type": "int", "default": text})


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
    case = case_of("encode", row("insert", base={"id": "1", "a": None}), table=beside_id(column))
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
    case = case_of("encode", row("insert", base={"id": "1", "a": None}), table=beside_id(column))
    assert blamed(case, with_message(case, put(f"{AFTER}.a", text))) == requirements.split()


@pytest.mark.parametrize(
    ("text", "requirements"),
    [("0000-00-00T00:00:00Z", "136"), ("0000-00-00xx", "043c 136"), ("0000-00-00T12:34:56Z", "043c 136")],
)
def test_a_wrong_time_in_place_of_zero_breaks_a_must_unless_it_is_a_known_form_of_zero(text: str, requirements: str):
    table = beside_id({"name": "a", "type": "timestamp"})
    case = case_of("encode", row("insert", base={"id": "1", "a": "0000-00-00 00:00:00"}), table=table)
    assert blamed(case, with_message(case, put(f"{AFTER}.a", text))) == requirements.split()


BY_CHARSET = case_of(
    "encode",
    row("insert", base={"id": "1", "q": "YWI=", "v": "YWI=", "b": "ab"}),
    table=beside_id(
        {"name": "q", "type": "VARCHAR(9)", "charset": "binary"},
        {"name": "v", "type": "varbinary(9)"},
        {"name": "b", "type": "text", "charset": "utf8mb4", "collation": "utf8mb4_bin"},
    ),
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
    table=beside_id({"name": "a", "type": "varchar(9)"}),
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
    values = {
        **dict.fromkeys(("ti", "su", "iu", "b", "j", "bt", "o"), "7"), "bo": "0", "b1": "0", "f": "7.5", "g": "7.5",
        "m": "7.25", "c": "seven", "x": "seven", "q": "Nw==", "e": "a", "s": "a", "d": "2007-07-07", "y": "2007",
        "dt": "2007-07-07 07:07:07", "d6": "2007-07-07 07:07:07.000007", "w": "2007-07-07 07:07:07.007",
        "tm": "07:07:07", "v": "[7,7]",
    }  # fmt: skip
    for name, value in values.items():
        found = judged(INSERT, answer_of(case_of("encode", row("insert", **{name: value}), options=EXTENDED))).findings
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


def test_a_float_zero_without_its_sign_is_another_spelling_of_a_float_and_of_no_integer() -> None:
    case = case_of(
        "encode", row("insert", base={"id": "1", "f": "-0"}), table=beside_id({"name": "f", "type": "float"})
    )
    assert b'"f":-0}' in (written(case)[0].value or b"")
    unsigned = with_records(case, of_bytes("value", lambda data: data.replace(b":-0}", b":0}")))
    assert blamed(case, unsigned) == ["423"]


# -- records and statements -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "orders"),
    [
        (DELETE, {"DBZ-042c", "DBZ-043d", "DBZ-051c", "DBZ-057a"}),
        (BEGUN, {"DBZ-042c", "DBZ-051c", "DBZ-052e", "DBZ-057a"}),
        (INSERT, {"DBZ-042c", "DBZ-051c", "DBZ-057a"}),
    ],
)
def test_members_in_the_right_order_bear_out_every_rule_on_it(case: Case, orders: set[str]):
    of_order = {"DBZ-042c", "DBZ-043d", "DBZ-051c", "DBZ-052e", "DBZ-057a"}
    assert judged(case, answer_of(case)).evaluated & of_order == orders


@pytest.mark.parametrize(
    ("requirement", "options"), [("012", {}), ("400a", {"enable-tidb-extension": "false"})], ids=["default", "named"]
)
def test_a_watermark_without_the_extension(requirement: str, options: dict[str, str]):
    case = replace(MARK, options=options)
    assert blamed(case, answer_of(case)) == []
    assert blamed(case, answer_of(MARK)) == [requirement]


def test_a_statement_from_a_writer_of_rows_alone_breaks_nothing_but_a_may():
    found = judged(DDL, answer_of(DDL), CLASSIC).findings
    assert {load_register("debezium").requirements[f.requirement].level for f in found} == {Level.MAY}
