"""Models of consumers: what recorded answers say, and rules that a migrating team stumbles over."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from conformance.cli.main import main
from conformance.consumers import MODELS, model_for, rules
from conformance.consumers.agreement import Agreement, agreements
from conformance.consumers.answers import read_answers, shipped_answers
from conformance.consumers.captured import Captures
from conformance.consumers.model import Message
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import changes_of_message, changes_of_rows, is_same_value, is_silently_wrong
from tests.unit.consumers.shown import canal, shown, shown_text, table, values_of


@cache
def recorded_agreements(name: str) -> Sequence[Agreement]:
    """How far the models agree with the shipped answers of a file, which takes seconds."""
    return agreements(read_answers(name, shipped_answers()[name], Captures()))[0]


@pytest.mark.parametrize("name", sorted(shipped_answers()))
def test_models_predict_every_recorded_answer(name: str) -> None:
    consumers = recorded_agreements(name)
    assert consumers
    for consumer in consumers:
        assert consumer.disagreements == []
        assert (consumer.agreed, consumer.abstained) == (consumer.answers, 0)
        assert consumer.wrong_predicted == consumer.silently_wrong


def test_silently_wrong_answers_are_among_the_recorded_ones() -> None:
    found: dict[str, int] = {}
    for name in shipped_answers():
        for consumer in recorded_agreements(name):
            found[consumer.consumer] = found.get(consumer.consumer, 0) + consumer.silently_wrong
    assert found["flink-2.3.0"] > 50
    assert found["seatunnel-2.3.8"] > 50
    assert found["paimon-1.3.1"] > 5


def test_flink_takes_an_unchanged_column_for_null_where_another_row_of_the_message_changed_it() -> None:
    rows = [{"id": "1", "a": "x", "b": "y"}, {"id": "2", "a": "u", "b": "v"}]
    predicted = shown("flink", "canal", canal("UPDATE", rows, [{"a": "w"}, {"b": "t"}]), {"a": "text", "b": "text"})
    assert predicted.rows[0] == ("-U", {"id": "1", "a": "w", "b": None})


@pytest.mark.parametrize(("lenient", "outcome"), [("false", "error"), ("true", "skipped")])
def test_ticdc_rows_vanish_in_a_lenient_flink_job_without_schema_include(lenient: str, outcome: str) -> None:
    message = {"payload": {"op": "c", "before": None, "after": {"id": 1}}}
    predicted = shown("flink", "debezium", message, {}, schema_include="false", ignore_parse_errors=lenient)
    assert (predicted.outcome, list(predicted.rows)) == (outcome, [])


def test_a_tinyint_of_one_digit_declared_boolean_is_false_in_flink() -> None:
    assert values_of(shown_text("flink", "tinyint(1)", "1")) == ["false"]


@pytest.mark.parametrize(("type_", "value"), [("int", "0"), ("double", "0.0"), ("boolean", "false"), ("text", None)])
def test_seatunnel_makes_zero_of_null_in_debezium_numbers(type_: str, value: str | None) -> None:
    message = {"op": "c", "before": None, "after": {"id": 1, "v": None}}
    assert shown("seatunnel", "debezium-connector", message, {"v": type_}).rows[0][1]["v"] == value


def test_seatunnel_reads_an_exact_number_out_of_the_letters_of_a_decimal() -> None:
    message = {"op": "c", "before": None, "after": {"id": 1, "v": "18446744073709551615"}}
    read = shown("seatunnel", "debezium-connector", message, {"v": "bigint unsigned"}).rows[0][1]["v"]
    assert read == str(int.from_bytes(base64.b64decode("18446744073709551615"), "big", signed=True))


@pytest.mark.parametrize("type_", ["enum", "set", "bit"])
def test_paimon_fails_on_types_without_their_members_or_length(type_: str) -> None:
    assert shown_text("paimon", type_, "1").outcome == "error"


def test_a_message_without_schema_passes_the_unwrap_smt_as_a_row_of_its_envelope() -> None:
    message = {"op": "c", "before": None, "after": {"id": 1, "name": "a", "amt": 1.5}}
    predicted = shown("connect", "debezium-connector", message, {}, mode="unwrap", schema_include="false")
    assert predicted.rows[0][1] == {"op": "c", "before": None, "after": "{name=a, amt=1.5, id=1}"}


@pytest.mark.parametrize("consumer", sorted(set(MODELS) - {"flink-avro"}))
@pytest.mark.parametrize("value", [b"{", b"[]", b"\xff", b'{"op":', b"null", b"1", b"[" * 100_000, b'{"payload":[]}'])
def test_no_bytes_make_a_model_fail(consumer: str, value: bytes) -> None:
    for protocol in MODELS[consumer]("2.3.0").protocols:
        assert shown(consumer, protocol, value, {"v": "int"}).outcome in ("rows", "skipped", "error", "abstained")


def test_every_rule_has_an_id_of_its_consumer_and_says_what_it_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "consumers", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["rule"].partition(".")[0] for row in rows} == {*MODELS, "avro"}
    assert {row["rests on"] for row in rows} <= {"run live", "recorded", "read"}
    assert len({row["rule"] for row in rows}) == len(rows)


def test_a_consumer_without_a_model_is_left_open() -> None:
    assert model_for("risingwave-2.0", "canal-json") is None
    assert model_for("flink-2.3.0", "open-protocol") is None


def test_a_lost_row_is_silently_wrong_and_an_error_is_not() -> None:
    value = json.dumps({"op": "c", "before": None, "after": {"id": 1}}).encode()
    message = Message("debezium-connector", None, value, table())
    assert is_silently_wrong(message, "skipped", [])
    assert not is_silently_wrong(message, "error", [])
    assert not is_silently_wrong(message, "rows", [("+I", {"id": "1"})])
    assert is_silently_wrong(message, "rows", [("+I", {"id": "2"})])


def test_the_command_says_how_far_models_agree_and_ends_with_1_below_the_figures(tmp_path: Any, capsys) -> None:
    data = shipped_answers()["paimon-1.3.1.jsonl"]
    changed = [json.loads(line) for line in data.splitlines()]
    (tmp_path / "same.jsonl").write_bytes(data)
    assert main(["consumers", "check", str(tmp_path / "same.jsonl")]) == 0
    for line in changed:
        line["outcome"] = "skipped"
        line.pop("rows", None)
    (tmp_path / "other.jsonl").write_text("\n".join(map(json.dumps, changed)))
    capsys.readouterr()
    assert main(["consumers", "check", str(tmp_path / "other.jsonl"), "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["enough"] is False
    assert told["disagreements"][0]["place"] == "other.jsonl, line 1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1: not an answer"),
        ("{}", "line 1: not an answer"),
        ('{"consumer": "flink-1", "outcome": "eaten", "input": {}}', "line 1: not an answer"),
        (
            '{"consumer": "flink-1", "outcome": "rows", "input": {"protocol": "canal", "file": "x.jsonl", "line": 1}}',
            "x.jsonl",
        ),
        ("", "it holds no answer"),
    ],
)
def test_bad_answers_are_one_line_and_status_4(text: str, said: str, tmp_path: Any, capsys) -> None:
    (tmp_path / "answers.jsonl").write_text(text)
    assert main(["consumers", "check", str(tmp_path / "answers.jsonl")]) == 4
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("int32", "2024", "0"),
        ("int64", 18446744073709551615, "-1"),
        ("int16", 40000, "-25536"),
        ("boolean", 1, "false"),
        ("double", "1.5", "0.0"),
        ("string", 5, None),
    ],
)
def test_connect_takes_a_value_by_its_schema_and_makes_zero_of_another_json_type(kind, value, text) -> None:
    fields = [{"field": "v", "type": kind, "optional": True}]
    schema = {
        "type": "struct",
        "name": "x.Envelope",
        "fields": [{"field": "after", "type": "struct", "optional": True, "fields": fields}],
    }
    message = {"schema": schema, "payload": {"op": "c", "after": {"v": value}}}
    assert shown("connect", "debezium", message, {}, mode="unwrap", schema_include="true").rows[0][1] == {"v": text}


@pytest.mark.parametrize(
    ("text", "read"),
    [("\0", ""), ("abcd\0\0\0\0", "abcd"), ("abcd efgh", "abcdefgh"), (" QUJD", "QUJD"), ("QQ==QUJD", "QUFCQw==")],
)
def test_flink_reads_binary_text_as_base64_around_controls_and_blanks(text: str, read: str) -> None:
    assert values_of(shown_text("flink", "blob", text)) == [read]


def test_a_day_that_its_month_lacks_is_its_last_day_in_a_flink_timestamp() -> None:
    assert values_of(shown_text("flink", "datetime", "2023-02-31 12:00:00")) == ["2023-02-28 12:00:00"]
    assert shown_text("flink", "date", "2023-02-31 12:00:00").outcome == "error"


HOSTILE = ["\ud800", "9" * 5000, "sNaN", "Infinity", "1e400", "-0.001", "\u00a05", "12:00:00.", "0000-01-01"]


@pytest.mark.parametrize(
    "type_", ["bigint", "decimal(10,2)", "double", "blob", "time", "datetime", "date", "enum('a')", "set('a')"]
)
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_column_makes_a_model_fail(type_: str, text: str) -> None:
    for consumer in ("flink", "seatunnel", "paimon"):
        assert "suite.model" not in {rule.id for rule in shown_text(consumer, type_, text).rules}


@pytest.mark.parametrize("number", ["1e99999999999999999999", "1e3000000", "9" * 5000, "-1e-99999"])
@pytest.mark.parametrize("type_", ["bigint", "decimal(10,2)", "double", "float", "time", "datetime(6)", "date", "text"])
def test_no_number_of_a_message_makes_a_model_fail_or_hang(type_: str, number: str) -> None:
    for consumer in ("flink", "seatunnel", "paimon", "connect"):
        value = b'{"op":"c","before":null,"after":{"id":1,"v":' + number.encode() + b"}}"
        predicted = shown(consumer, "debezium-connector", value, {"v": type_}, schema_include="false")
        assert "suite.model" not in {rule.id for rule in predicted.rules}


@pytest.mark.parametrize(("text", "declared"), [("١", "double"), ("१.5", "float"), ("\u2028true", "tinyint(1)")])
def test_flink_reads_only_ascii_digits_and_trims_only_controls_and_blanks(text: str, declared: str) -> None:
    predicted = shown_text("flink", declared, text)
    assert values_of(predicted) == ["false"] if declared == "tinyint(1)" else predicted.outcome == "error"


def test_a_model_has_the_version_of_the_recorded_consumer() -> None:
    model = model_for("connect-json-3.9.1+debezium-3.0.7", "debezium")
    assert model is not None
    assert model.version == "3.9.1"


def test_every_rule_that_a_reader_of_avro_may_name_is_listed() -> None:
    assert {"avro.recursive", "avro.expanding"} <= {rule.id for rule in rules()}


def test_an_old_value_that_is_not_certain_is_not_taken_from_the_new_row() -> None:
    message = canal("UPDATE", [{"id": "1", "a": "1"}], [{"a": "x"}])
    columns = table(a="enum('x','y')")
    changes = changes_of_message(Message("canal-json", None, json.dumps(message).encode(), columns))
    assert changes == [({"id": "1"}, {"id": "1", "a": "x"})]


@pytest.mark.parametrize(
    ("number", "bits", "certain"),
    [("255", 8, True), ("256", 8, False), ("9" * 5000, 8, False), ("255", 99999999999, False)],
)
def test_a_number_too_large_for_its_bit_column_is_not_certain(number: str, bits: int, certain: bool) -> None:
    message = canal("INSERT", [{"id": "1", "a": number}])
    changes = changes_of_message(Message("canal-json", None, json.dumps(message).encode(), table(a=f"bit({bits})")))
    assert changes is not None
    assert changes[0][1] == {"id": "1"} | ({"a": "/w=="} if certain else {})


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ('{"a":1,"b":[2,3]}', '{"a": 1, "b": [2, 3]}'),
        ('{"a":1.5,"b":[2,3]}', '{"a": 1.5, "b": [2, 3]}'),
        ('{ "a" : 1.50 ,"b":[ 2 , { } ] }', '{"a": 1.50, "b": [2, {}]}'),
        ('{"a.b":"x:y,z","c":"\\""}', '{"a.b": "x:y,z", "c": "\\""}'),
    ],
)
def test_mysql_returns_json_with_blanks_between_its_parts(text: str, stored: str) -> None:
    fields = [
        {"field": "id", "type": "int32"},
        {"field": "a", "type": "string", "name": "io.debezium.data.Json", "optional": True},
    ]
    after = {"type": "struct", "field": "after", "fields": fields, "optional": True}
    schema = {"type": "struct", "name": "t.Envelope", "fields": [{**after, "field": "before"}, after]}
    message = {"schema": schema, "payload": {"before": None, "after": {"id": 1, "a": text}}}
    predicted = shown("connect", "debezium", message, {"a": "json"}, mode="jdbc", schema_include="true")
    assert predicted.rows == [("+I", {"id": "1", "a": stored})]


@pytest.mark.parametrize("consumer", ["flink", "paimon"])
def test_controls_in_an_object_read_as_a_string_stay_escaped(consumer: str) -> None:
    text = r'{"a\u001F":["\b\t\n\f\r\"\\\u0000",null,true]}'
    field = {"field": "j", "type": "string"}
    schema = {"fields": [{"field": "after", "fields": [field]}]}
    tree = {"schema": schema, "payload": {"op": "c", "before": None, "after": {"j": json.loads(text)}}}
    (_, row), *_ = shown(consumer, "debezium", tree, {"j": "text"}, schema_include="true").rows
    assert row["j"] == text


def test_a_row_before_an_update_without_the_row_after_it_is_a_removed_row() -> None:
    one, two, three = {"id": "1"}, {"id": "2"}, {"id": "3"}
    assert changes_of_rows([("-U", one)]) == [(one, None)]
    assert changes_of_rows([("-U", one), ("-U", two), ("+U", three)]) == [(one, None), (two, three)]
    assert changes_of_rows([("-U", one), ("-D", two), ("+I", three)]) == [(one, None), (two, three)]


@pytest.mark.parametrize(
    ("column_type", "value", "certain"),
    [
        ("bigint unsigned", -1, "18446744073709551615"),
        ("bigint unsigned", -1.5, None),
        ("bigint unsigned", "-x", None),
        ("bigint unsigned", -(2**63) - 1, None),
        ("date", 10**401, None),
        ("decimal(10,2)", "12.50", "12.50"),
        ("decimal(10,2)", "-500", "-500"),
        ("decimal(10,2)", "BOI=", "12.50"),
        ("decimal(10,2)", "1000", None),  # also the base64 of three bytes
        ("decimal(10,2)", "1_0", None),
        ("decimal(10,2)", "", None),
    ],
)
def test_a_value_that_has_no_one_meaning_in_its_type_is_not_certain(column_type, value, certain) -> None:
    tree = {"op": "c", "before": None, "after": {"id": "1", "a": value}}
    message = Message("debezium-connector", None, json.dumps(tree).encode(), table(a=column_type))
    assert changes_of_message(message) == [(None, {"id": "1"} | ({} if certain is None else {"a": certain}))]


def test_a_decimal_is_no_text_that_is_no_number() -> None:
    decimal = MysqlType.of("decimal(10,2)")
    assert is_same_value(decimal, "12.5", "12.50")
    assert not is_same_value(decimal, "sNaN", "12.50")
