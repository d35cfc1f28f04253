"""Findings as entries of a page: what each says, the bytes that it shows, and the command that is tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.cases.model import Case
from conformance.ddl import tables_of_sql
from reference_impl.model import Record, RowChange
from tools import findings_tried
from tools.findings_bytes import bytes_at, bytes_of_column, row_with, smallest
from tools.findings_entry import Finding, entry, order, row

FINDING = Finding(
    "canal-binary",
    "canal",
    "Alibaba Canal",
    "binary: another value | than <went> in",
    "changed",
    "1.1.7 on mysql 9.7",
    1_042,
    "a message says the row of the SQL",
    "fixed in 1.1.8: the same SQL was recorded there",
    ("ticdc-conformance", "matrix", "-k", '"canal/recorded/1"'),
    "another value",
    ("CREATE TABLE t (id int);",),
    (("went in", "```AAA"), ("bytes", "22 62")),
    ("**consumers** flink@2.3.0 reads another value",),
)


def test_an_entry_has_everything_that_an_issue_needs_and_the_command_on_one_line() -> None:
    text = "\n".join(entry(FINDING, 3))
    for part in (
        "1,042 cases",
        "1.1.7 on mysql 9.7",
        "22 62",
        "fixed in 1.1.8",
        "CREATE TABLE t (id int);",
        "flink@2.3.0",
    ):
        assert part in text
    assert "* **shown by** `ticdc-conformance matrix -k '\"canal/recorded/1\"'`" in text
    assert '<a id="canal-binary"></a>3. binary: another value \\| than &lt;went> in' in text


def test_the_block_to_copy_is_one_block_whatever_its_texts_hold() -> None:
    lines = list(entry(FINDING, 1))
    begin, end = lines.index("````markdown"), lines.index("````")
    block = lines[begin + 1 : end]
    assert not any("````" in line for line in block)
    assert sum(line.startswith("```") for line in block) == 4  # SQL and evidence, each opened and closed


def test_a_row_of_the_table_leads_to_the_entry_and_says_the_status_in_a_word_or_two() -> None:
    title = "[binary: another value \\| than &lt;went> in](findings/canal.md#canal-binary)"
    assert row(FINDING) == ("Alibaba Canal", title, "1,042", "fixed in 1.1.8")


def test_the_worst_harm_comes_first_then_what_more_cases_show() -> None:
    lost, more = replace(FINDING, harm="lost", cases=1), replace(FINDING, cases=5_000)
    assert sorted([FINDING, more, lost], key=order) == [lost, more, FINDING]


# -- bytes


RECORDS = (
    Record(key=None, value=b'{"payload":{"before":null,"after":{"n":1,"m":{"n":7}}}}'),
    Record(key=b'{"ohk":true,"ohk":false}', value=b'{"payload":{"before":{"n":2},"after":{"n":"a\\"b"}}}'),
)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("records[0].value.payload.after.n", '"n":1'),
        ("records[1].value.payload.after.n", '"n":"a\\"b"'),
        ("records[1].value.payload.before.n", '"n":2'),
        ("records[1].key.ohk", '"ohk":true'),
        ("records[9].value.payload.before.n", '"n":2'),
    ],
)
def test_the_bytes_of_a_path_are_those_of_its_record_and_of_its_last_name(path: str, shown: str) -> None:
    found = dict(bytes_at(RECORDS, path))
    assert found == {"record": shown, "bytes": shown.encode().hex(" ")}


def test_a_member_that_is_not_there_is_shown_by_what_it_should_stand_in() -> None:
    assert dict(bytes_at(RECORDS, "records[1].value.payload.after.gone"))["record"].startswith('"after":{"n"')


def test_a_record_without_names_is_shown_as_bytes_and_no_record_as_none() -> None:
    assert dict(bytes_at((Record(key=b"\0\1", value=None),), "answer")) == {"key": "00 01", "value": "none"}
    assert dict(bytes_at((), "answer")) == {"record": "none"}


def test_the_bytes_of_a_column_are_those_of_the_row_in_question() -> None:
    assert dict(bytes_of_column(RECORDS, "n", 1))["record"] == '"n":2'
    assert dict(bytes_of_column(RECORDS, "n"))["record"] == '"n":1'
    assert dict(bytes_of_column(RECORDS, "other", 1))["key"] == "none"


# -- statements


def _case() -> Case:
    table = tables_of_sql("CREATE TABLE s.t (id int PRIMARY KEY, a int, b varchar(9))", "the test")[0]
    rows = tuple(RowChange("insert", "s", "t", n, None, {"id": str(n), "a": str(10 * n), "b": "x"}) for n in (1, 2))
    return Case("x/1", "canal-json", "encode", tables=(table,), events=rows, records=(), sql=("CREATE TABLE long",))


def test_the_statements_are_those_of_the_key_and_the_column_in_question() -> None:
    case = _case()
    assert row_with(case, "a", "20") == 1
    create, insert = smallest(case, "a", 1)
    assert "`a` int" in create
    assert "`b`" not in create
    assert insert == "INSERT INTO `s`.`t` (`id`,`a`) VALUES (2,20);"
    assert len(smallest(case, "a")) == 3
    assert smallest(case, "no such column") == ("CREATE TABLE long;",)


# -- commands


def test_a_command_that_does_not_show_its_finding_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"1": (0, "silently wrong, binary: another\n    value"), "2": (0, "lossless"), "3": (4, "another value")}
    monkeypatch.setattr(findings_tried, "output_of", lambda words: said[words[-1]])
    found = [replace(FINDING, id=f"f{n}", command=("ticdc-conformance", n)) for n in said]
    assert [text.partition(":")[0] for text in findings_tried.untrue(found)] == ["f2", "f3"]


def test_messages_of_open_protocol_are_told_apart_by_their_lengths() -> None:
    messages = [b'{"u":{"d":1},"p":{"t":7}}', b'{"d":{"id":1}}']
    value = b"".join(len(one).to_bytes(8, "big") + one for one in messages)
    batch = (Record(key=bytes(7) + b"\1" + bytes(7) + b"\2{}", value=value),)
    assert dict(bytes_at(batch, "messages[0].value.p.d"))["record"].startswith('"p":{"t":7}')
    assert dict(bytes_at(batch, "messages[1].value.d.id"))["record"] == '"id":1'


def test_the_types_that_canal_sends_before_its_rows_are_not_taken_for_values() -> None:
    value = b'{"sqlType":{"d":2004},"mysqlType":{"d":"blob"},"old":null,"data":[{"id":"1","d":"x"}]}'
    assert dict(bytes_of_column((Record(key=None, value=value),), "d"))["record"] == '"d":"x"'
