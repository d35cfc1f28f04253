"""One thing changed in a right answer is charged to the requirement that speaks of it, and to no other."""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from tests.unit.oracle.canal_answers import EXTENSION, TABLE, case_of, change, row, with_message, with_text
from tests.unit.oracle.judging import answer_of, assert_charged, judged

Edit = Callable[[Any], None]

REGISTER = load_register("canal-json")
INSERT, UPDATE, DELETE = case_of(row("insert")), case_of(row("update", n="8", x=None)), case_of(row("delete"))
DDL = case_of(
    {
        "kind": "ddl",
        "schema": "test",
        "table": "",
        "query": "DROP DATABASE `test`",
        "action": "drop schema",
        "action_code": 2,
        "commit_ts": "429819990172237825",
    }
)
WATERMARK = case_of({"kind": "watermark", "commit_ts": "429819990172237825"})
CHANGED_ONLY = case_of(row("update", n="8"), options={**EXTENSION, "only-output-updated-columns": "true"})
COMPATIBLE = case_of(row("update", n="8"), options={**EXTENSION, "content-compatible": "true"})
HANDLE_ONLY = case_of(row("delete"), options={"delete-only-output-handle-key-columns": "true"})
PLAIN = case_of(row("insert"), options={})
WIDE = case_of(row("insert", n="2147483648"))
EDGE = case_of(row("insert", n="2147483648"))
CROSSING = case_of(row("update", n="3000000000"))
NULLS = case_of(row("insert", n=None, x="null", d=None))
IN_TOKYO = case_of(row("insert"), timezone="Asia/Tokyo")


def drop(*path: str | int) -> Edit:
    def edit(tree: Any) -> None:
        for step in path[:-1]:
            tree = tree[step]
        del tree[path[-1]]

    return edit


DATA, OLD = ("data", 0), ("old", 0)

ENCODED: list[tuple[str, Case, Edit, set[str]]] = [
    ("id one", INSERT, change("id", to=1), {"CJ-013"}),
    ("id as text", INSERT, change("id", to="0"), {"CJ-014"}),
    ("no ts", INSERT, drop("ts"), {"CJ-010"}),
    ("ts in seconds", INSERT, change("ts", to=1700000000), {"CJ-661"}),
    ("gtid", INSERT, change("gtid", to=""), {"CJ-010a"}),
    ("isDdl", INSERT, change("isDdl", to=True), {"CJ-010d"}),
    ("isDdl as text", INSERT, change("isDdl", to="false"), {"CJ-010c"}),
    ("type in lower case", INSERT, change("type", to="insert"), {"CJ-016"}),
    ("schema in capitals", INSERT, change("database", to="TEST"), {"CJ-015"}),
    ("es off by one", INSERT, change("es", to=1), {"CJ-660"}),
    ("es as text", INSERT, change("es", to="1639633141221"), {"CJ-014"}),
    ("statement in a row", INSERT, change("sql", to="insert"), {"CJ-010e"}),
    ("key in index order", INSERT, change("pkNames", to=["a", "b"]), {"CJ-020a"}),
    ("half a key", INSERT, change("pkNames", to=["b"]), {"CJ-020"}),
    ("key twice", INSERT, change("pkNames", to=["b", "b"]), {"CJ-020"}),
    ("no key", INSERT, change("pkNames", to=None), {"CJ-020"}),
    ("number bare", INSERT, change(*DATA, "n", to=7), {"CJ-034"}),
    ("another number", INSERT, change(*DATA, "n", to="8"), {"CJ-381"}),
    ("value lost", INSERT, change(*DATA, "n", to=None), {"CJ-034b"}),
    ("column missing", INSERT, drop(*DATA, "n"), {"CJ-030a"}),
    ("type missing", INSERT, drop("sqlType", "n"), {"CJ-030a"}),
    ("column unknown", INSERT, change(*DATA, "other", to="1"), {"CJ-037"}),
    ("column in capitals", INSERT, lambda t: t["data"][0].update(N=t["data"][0].pop("n")), {"CJ-037"}),
    ("virtual column", INSERT, change(*DATA, "v", to="1"), {"CJ-030"}),
    ("NULL as text", NULLS, change(*DATA, "n", to="NULL"), {"CJ-034a", "CJ-034b"}),
    ("NULL left out", NULLS, drop(*DATA, "n"), {"CJ-034a"}),
    ("text null bare", NULLS, change(*DATA, "x", to=None), {"CJ-035"}),
    ("two rows", INSERT, lambda t: t["data"].append(t["data"][0]), {"CJ-032"}),
    ("data an object", INSERT, lambda t: t.update(data=t["data"][0]), {"CJ-032"}),
    ("decimal without scale", INSERT, change(*DATA, "d", to="1.5"), {"CJ-388"}),
    ("another decimal", INSERT, change(*DATA, "d", to="1.51"), {"CJ-034b"}),
    ("decimal in words", INSERT, change(*DATA, "d", to="one"), {"CJ-388", "CJ-034b"}),
    ("double with exponent", INSERT, change(*DATA, "f", to="1.0E7"), {"CJ-385"}),
    ("another double", INSERT, change(*DATA, "f", to="10000001"), {"CJ-034b"}),
    ("enum by label", INSERT, change(*DATA, "e", to="blob"), {"CJ-390"}),
    ("another enum", INSERT, change(*DATA, "e", to="1"), {"CJ-034b"}),
    ("binary unpadded", INSERT, change(*DATA, "bin", to="ab"), {"CJ-399"}),
    ("binary as base64", INSERT, change(*DATA, "bin", to="YWIAAA=="), {"CJ-398", "CJ-034b"}),
    ("other bytes", INSERT, change(*DATA, "bin", to="abcd"), {"CJ-034b"}),
    ("text garbled", INSERT, change(*DATA, "x", to="<null> \t / Ã©"), {"CJ-397"}),
    ("JSON as an object", INSERT, change(*DATA, "j", to={"a": 1}), {"CJ-034"}),
    ("another JSON", INSERT, change(*DATA, "j", to='{"a": 2, "b": [1.5, "x"]}'), {"CJ-034b"}),
    ("no JSON", INSERT, change(*DATA, "j", to="{a: 1}"), {"CJ-400", "CJ-034b"}),
    ("JSON nested too deeply", INSERT, change(*DATA, "j", to="[" * 100_000), {"CJ-400", "CJ-034b"}),
    ("JSON without blanks", INSERT, change(*DATA, "j", to='{"a":1,"b":[1.5,"x"]}'), {"CJ-410"}),
    ("JSON in another order", INSERT, change(*DATA, "j", to='{"b": [1.5, "x"], "a": 1}'), {"CJ-411"}),
    ("JSON escaped", INSERT, change(*DATA, "j", to='{"a": 1, "b": [1.5, "\\u0078"]}'), {"CJ-412"}),
    ("JSON number", INSERT, change(*DATA, "j", to='{"a": 1, "b": [1.50, "x"]}'), {"CJ-413"}),
    ("time stamp without zeros", INSERT, change(*DATA, "w", to="2024-01-02 03:04:05.6"), {"CJ-394"}),
    ("time stamp in UTC", IN_TOKYO, change(*DATA, "w", to="2024-01-01 18:04:05.600"), {"CJ-111"}),
    ("zerofill padded", INSERT, change(*DATA, "z", to="000005"), {"CJ-381"}),
    ("code of varchar", INSERT, change("sqlType", "a", to=1), {"CJ-311"}),
    ("code as text", INSERT, change("sqlType", "a", to="12"), {"CJ-311"}),
    ("code at the border", EDGE, change("sqlType", "n", to=4), {"CJ-340"}),
    ("code of NULL", NULLS, change("sqlType", "n", to=-5), {"CJ-341"}),
    ("code of the old row", CROSSING, change("sqlType", "n", to=4), {"CJ-031"}),
    ("code of neither row", CROSSING, change("sqlType", "n", to=3), {"CJ-336"}),
    ("type with length", INSERT, change("mysqlType", "a", to="varchar(10)"), {"CJ-355"}),
    ("type without unsigned", INSERT, change("mysqlType", "n", to="int"), {"CJ-350"}),
    ("type without zerofill", INSERT, change("mysqlType", "z", to="int unsigned"), {"CJ-354"}),
    ("type with zerofill in other words", INSERT, change("mysqlType", "z", to="integer unsigned zerofill"), {"CJ-351"}),
    ("type in capitals", INSERT, change("mysqlType", "b", to="INT"), {"CJ-351"}),
    ("full type without width", COMPATIBLE, change("mysqlType", "b", to="int"), {"CJ-360"}),
    ("full type with a blank", COMPATIBLE, change("mysqlType", "d", to="decimal(10, 2)"), {"CJ-369"}),
    ("full enum with blanks", COMPATIBLE, change("mysqlType", "e", to="enum('x', 'blob')"), {"CJ-377"}),
    ("old of an insert", INSERT, lambda t: t.update(old=t["data"]), {"CJ-502a"}),
    ("old of a delete", DELETE, lambda t: t.update(old=t["data"]), {"CJ-502"}),
    ("old null", UPDATE, change("old", to=None), {"CJ-501"}),
    ("old without a number", UPDATE, drop(*OLD, "b"), {"CJ-501"}),
    ("old without a text", UPDATE, drop(*OLD, "a"), {"CJ-507"}),
    ("old too much", CHANGED_ONLY, change(*OLD, "b", to="1"), {"CJ-102"}),
    ("old too much, compatible", COMPATIBLE, change(*OLD, "b", to="1"), {"CJ-103"}),
    ("old too little", CHANGED_ONLY, drop(*OLD, "n"), {"CJ-504"}),
    ("delete whole", HANDLE_ONLY, change(*DATA, "n", to="7"), {"CJ-104"}),
    ("no extension", INSERT, drop("_tidb"), {"CJ-040"}),
    ("extension unasked", PLAIN, change("_tidb", to={"commitTs": 1}), {"CJ-101"}),
    ("another time stamp", INSERT, change("_tidb", "commitTs", to=1), {"CJ-042"}),
    ("rounded time stamp", INSERT, change("_tidb", "commitTs", to=429819990172237824), {"CJ-014"}),
    ("no time stamp", INSERT, drop("_tidb", "commitTs"), {"CJ-042"}),
    ("mark unasked", INSERT, change("_tidb", "onlyHandleKey", to=False), {"CJ-043"}),
    ("table id", INSERT, change("_tidb", "tableId", to=7), {"CJ-047"}),
    ("statement kind", DDL, change("type", to="ERASE"), {"CJ-608a"}),
    ("statement changed", DDL, change("sql", to="drop database test"), {"CJ-620"}),
    ("statement about a table", DDL, change("table", to="t"), {"CJ-623"}),
    ("statement with data", DDL, change("data", to=[]), {"CJ-010f"}),
    ("statement with a key", DDL, change("pkNames", to=[]), {"CJ-022"}),
    ("statement time", DDL, change("es", to=1), {"CJ-626"}),
    ("watermark type", WATERMARK, change("type", to="WATERMARK"), {"CJ-052"}),
    ("watermark with data", WATERMARK, change("data", to=[]), {"CJ-052"}),
    ("watermark as commit", WATERMARK, lambda t: t["_tidb"].update(commitTs=1), {"CJ-046"}),
    ("watermark as a commit in words", WATERMARK, lambda t: t["_tidb"].update(commitTs="1"), {"CJ-046"}),
    ("time stamp as text", INSERT, change("_tidb", "commitTs", to="429819990172237825"), {"CJ-014"}),
    ("watermark value", WATERMARK, change("_tidb", "watermarkTs", to=1), {"CJ-046"}),
]


@pytest.mark.parametrize(("case", "edit", "expected"), [e[1:] for e in ENCODED], ids=[e[0] for e in ENCODED])
def test_a_changed_message_is_charged_to_the_requirement_that_speaks_of_the_change(
    case: Case, edit: Edit, expected: set[str]
) -> None:
    answer = with_message(answer_of(case), edit)
    assert_charged(judged(case, answer), expected)


TEXTS: list[tuple[str, Case, str, str, str]] = [
    ("blanks", INSERT, '"id":0', '"id": 0', "CJ-012"),
    ("a quote as a code", INSERT, '\\"a\\"', "\\u0022a\\u0022", "CJ-701"),
    ("less-than raw", INSERT, "\\u003cnull\\u003e", "<null>", "CJ-702"),
    ("tab as a code", INSERT, " \\t ", " \\u0009 ", "CJ-703"),
    ("e-acute as a code", INSERT, "é", "\\u00e9", "CJ-706"),
    ("slash escaped", INSERT, " / ", " \\/ ", "CJ-707"),
    ("statement escaped", DDL, "DROP", "\\u0044ROP", "CJ-710"),
]


@pytest.mark.parametrize(("case", "old", "new", "expected"), [t[1:] for t in TEXTS], ids=[t[0] for t in TEXTS])
def test_another_spelling_of_the_same_message_breaks_a_may_alone(case: Case, old: str, new: str, expected: str) -> None:
    answer = with_text(answer_of(case), lambda text: text.replace(old, new, 1))
    assert_charged(judged(case, answer), {expected})
    found = {f.requirement for f in judged(case, answer).findings}
    assert all(REGISTER.requirements[r].level is Level.MAY for r in found)


def test_an_integer_with_an_exponent_breaks_a_should() -> None:
    answer = with_text(answer_of(INSERT), lambda text: text.replace('"id":0', '"id":0e0', 1))
    assert_charged(judged(INSERT, answer), {"CJ-711"})
    assert REGISTER.requirements["CJ-711"].level is Level.SHOULD


def test_member_order_breaks_a_may_alone() -> None:
    def reverse(tree: Any) -> None:
        members = list(tree.items())
        tree.clear()
        tree.update(reversed(members))

    [finding] = judged(INSERT, with_message(answer_of(INSERT), reverse)).findings
    assert finding.requirement == "CJ-011"


def test_the_order_of_mysql_types_is_free() -> None:
    def reverse(tree: Any) -> None:
        tree["mysqlType"] = dict(reversed(tree["mysqlType"].items()))

    assert judged(INSERT, with_message(answer_of(INSERT), reverse)).findings == []


def test_a_doubled_member_is_found() -> None:
    answer = with_text(answer_of(INSERT), lambda text: text.replace('"id":0', '"id":0,"id":0', 1))
    assert_charged(judged(INSERT, answer), {"CJ-010b"})


def test_a_value_that_is_no_json_is_no_event() -> None:
    answer = with_text(answer_of(INSERT), lambda text: text[:-1])
    assert_charged(judged(INSERT, answer), {"CJ-207"})


def test_a_message_that_was_to_be_compressed_and_is_not_is_found() -> None:
    case = case_of(row("insert"), options={**EXTENSION, "large-message-handle-compression": "lz4"})
    answer = answer_of(INSERT)
    assert_charged(judged(case, answer), {"CJ-106"})


def test_a_message_in_another_compression_is_found() -> None:
    case = case_of(row("insert"), options={**EXTENSION, "large-message-handle-compression": "snappy"})
    other = case_of(row("insert"), options={**EXTENSION, "large-message-handle-compression": "lz4"})
    assert_charged(judged(case, answer_of(other)), {"CJ-136"})


@pytest.mark.parametrize(("key", "expected"), [("", {"CJ-202"}), ("az==", {"CJ-201"})])
def test_zero_bytes_for_no_key_break_a_may_and_a_key_breaks_a_should(key: str, expected: set[str]) -> None:
    answer = json.loads(json.dumps(answer_of(INSERT)))
    answer["ok"]["records"][0]["key"] = key and base64.b64encode(b"k").decode()
    assert_charged(judged(INSERT, answer), expected)


COUNTED: list[tuple[str, Case, set[str]]] = [
    ("an event", INSERT, {"CJ-888"}),
    ("a watermark", WATERMARK, {"CJ-050"}),
    ("half a split update", case_of(row("update", b="2")), {"CJ-888"}),
    ("a raw update", case_of(row("update", b="2"), options={"output-raw-change-event": "true"}), {"CJ-888"}),
    ("a copy of a watermark", case_of({"kind": "watermark", "commit_ts": "1"}, partitions=3), {"CJ-051"}),
]


@pytest.mark.parametrize(("case", "expected"), [c[1:] for c in COUNTED], ids=[c[0] for c in COUNTED])
def test_a_record_that_is_missing_is_charged_to_what_asks_for_it(case: Case, expected: set[str]) -> None:
    answer = json.loads(json.dumps(answer_of(case)))
    answer["ok"]["records"].pop()
    assert_charged(judged(case, answer), expected)


def test_a_watermark_that_is_sent_twice_is_an_event_too_many_and_one_that_is_not_wanted_is_no_watermark() -> None:
    """CJ-050 says whether there are watermarks, not how many."""
    twice = json.loads(json.dumps(answer_of(WATERMARK)))
    twice["ok"]["records"] *= 2
    assert_charged(judged(WATERMARK, twice), {"CJ-888"})
    unwanted = dataclasses.replace(WATERMARK, options={})
    assert_charged(judged(unwanted, answer_of(WATERMARK)), {"CJ-050"})


def test_a_statement_in_another_partition_is_found() -> None:
    case = case_of(*({**json.loads(json.dumps(_ddl())), "table": name} for name in ("t",)), partitions=3)
    answer = json.loads(json.dumps(answer_of(case)))
    answer["ok"]["records"][0]["partition"] = 1
    assert_charged(judged(case, answer), {"CJ-051a"})


def test_a_statement_that_does_not_say_its_partition_is_in_none_that_is_wrong() -> None:
    case = case_of(_ddl(), partitions=3)
    answer = json.loads(json.dumps(answer_of(case)))
    del answer["ok"]["records"][0]["partition"]
    assert judged(case, answer).findings == []


def _ddl() -> dict[str, Any]:
    return {
        "kind": "ddl",
        "schema": "test",
        "table": "t",
        "query": "TRUNCATE TABLE `t`",
        "action": "truncate table",
        "action_code": 11,
        "commit_ts": "429819990172237825",
        "table_after": TABLE,
    }


def _claim_case(x: str = "y" * 2000) -> Case:
    options = {
        **EXTENSION,
        "large-message-handle-option": "claim-check",
        "claim-check-storage-uri": "file:///claims",
        "max-message-bytes": "800",
    }
    return case_of(row("insert", x=x), options=options)


def test_the_name_of_a_claim_check_file_is_free() -> None:
    case = _claim_case()
    answer = json.loads(json.dumps(answer_of(case)))
    [claim] = answer["ok"]["claims"]
    name = claim["location"].rpartition("/")[2]
    claim["location"] = claim["location"].replace(name, "other.json")
    renamed = with_text(answer, lambda text: text.replace(name, "other.json"))
    assert judged(case, renamed).findings == []


def test_a_message_that_refers_to_no_file_is_found() -> None:
    case = _claim_case()
    answer = json.loads(json.dumps(answer_of(case)))
    answer["ok"]["claims"][0]["location"] = "file:///claims/other.json"
    assert_charged(judged(case, answer), {"CJ-133"})


def test_another_message_in_a_file_is_found() -> None:
    case = _claim_case()
    answer = json.loads(json.dumps(answer_of(case)))
    wrapped = json.loads(base64.b64decode(answer["ok"]["claims"][0]["value"]))
    message = base64.b64decode(wrapped["value"]).replace(b'"INSERT"', b'"DELETE"')
    wrapped["value"] = base64.b64encode(message).decode()
    answer["ok"]["claims"][0]["value"] = base64.b64encode(json.dumps(wrapped).encode()).decode()
    assert_charged(judged(case, answer), {"CJ-133"})


def with_file(answer: Any, edit: Edit) -> Any:
    """The answer with the message in its claim-check file changed."""
    wrapped = json.loads(base64.b64decode(answer["ok"]["claims"][0]["value"]))
    message = json.loads(base64.b64decode(wrapped["value"]))
    edit(message)
    wrapped["value"] = base64.b64encode(json.dumps(message).encode()).decode()
    answer["ok"]["claims"][0]["value"] = base64.b64encode(json.dumps(wrapped).encode()).decode()
    return answer


@pytest.mark.parametrize(
    ("expected", "got", "charged"),
    [
        ('{"a":1,"b":2}', '{"b": 2, "a": 1.0}', set()),
        ("1", "1.00", set()),
        ("1", "true", {"CJ-133"}),
        ("9007199254740993", "9007199254740992", {"CJ-133"}),
        ("{", "[", {"CJ-133"}),
    ],
)
def test_texts_in_a_file_may_be_the_same_json_with_exact_numbers(expected: str, got: str, charged: set[str]) -> None:
    case = _claim_case(x=expected + " " * 2000)
    answer = json.loads(json.dumps(answer_of(case)))
    assert_charged(judged(case, with_file(answer, change(*DATA, "x", to=got))), charged)


@pytest.mark.parametrize("value", [1, True, None], ids=str)
def test_a_member_of_a_file_that_is_no_text_is_compared_as_it_is(value: object) -> None:
    case = _claim_case()
    answer = json.loads(json.dumps(answer_of(case)))
    assert_charged(judged(case, with_file(answer, change("es", to=value))), {"CJ-133"})


@pytest.mark.parametrize("location", [5, None, ["file:///claims/x.json"]])
def test_a_location_that_is_no_text_refers_to_no_file(location: object) -> None:
    case = _claim_case()
    answer = json.loads(json.dumps(answer_of(case)))
    odd = with_message(answer, change("_tidb", "claimCheckLocation", to=location))
    assert {f.path for f in judged(case, odd).findings} == {"value._tidb.claimCheckLocation"}


def test_no_file_too_many_and_none_too_few() -> None:
    case = _claim_case()
    answer = json.loads(json.dumps(answer_of(case)))
    [claim] = answer["ok"]["claims"]
    more = {**answer, "ok": {**answer["ok"], "claims": [claim, {**claim, "location": "file:///claims/more.json"}]}}
    fewer = {**answer, "ok": {**answer["ok"], "claims": []}}
    assert [f.requirement for f in judged(case, more).findings] == ["CJ-133"]
    assert_charged(judged(case, fewer), {"CJ-133"})


KINDS = {
    "CJ-601": [3],
    "CJ-602": [4],
    "CJ-603": [11],
    "CJ-604": [14, 47],
    "CJ-605": [7, 9, 32],
    "CJ-606": [8, 10, 33],
    "CJ-607": [5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 64, 71, 72],
    "CJ-608": [1, 21, 24, 25, 26],
    "CJ-608a": [2],
    "CJ-609": [16, 27, 42, 65, 67, 77],
    "CJ-610": [60],
    "CJ-627": [61],
}


@pytest.mark.parametrize(("requirement", "code"), [(id_, code) for id_, codes in KINDS.items() for code in codes])
def test_another_type_of_a_statement_is_charged_to_the_rule_of_its_kind(requirement: str, code: int) -> None:
    case = case_of({**_ddl(), "action": "", "action_code": code})
    answer = with_message(answer_of(case), change("type", to="OTHER"))
    assert_charged(judged(case, answer), {requirement})
