"""What Canal-JSON delivers of a stream, and what a decoder must answer: expectations written by hand."""

from __future__ import annotations

import pytest

from conformance.cases.model import Case
from conformance.oracle.canal_json import ORACLE
from conformance.oracle.tree import Maybe
from reference_impl.canal_json import Options
from reference_impl.options import parse
from reference_impl.profiles import CLASSIC, NEWARCH, Profile
from tests.unit.oracle.canal_answers import case_of, row
from tests.unit.oracle.judging import carried

DDL = {"kind": "ddl", "schema": "test", "table": "t", "query": "TRUNCATE TABLE `t`", "commit_ts": "8"}
MARK = {"kind": "watermark", "commit_ts": "9"}

CRC = 0x8C0469FD  # CRC-32 of `testt`: schema and table


def partitions(case: Case) -> list[int | None]:
    """Where each message goes."""
    return [d.partition for d in ORACLE.deliveries(case, parse(Options, case.options), NEWARCH)]


def test_a_row_goes_to_the_partition_of_its_table_a_statement_to_the_first_a_watermark_to_all():
    assert partitions(case_of(row("insert"), DDL, MARK, partitions=3)) == [CRC % 3, 0, 0, 1, 2]
    assert partitions(case_of(row("insert"), DDL, MARK, partitions=5)) == [CRC % 5, 0, 0, 1, 2, 3, 4]


def test_of_one_partition_nothing_is_said():
    assert partitions(case_of(row("insert"), DDL, MARK)) == [None] * 3


def test_a_watermark_is_sent_with_the_extension_alone():
    assert [e["kind"] for e in carried(case_of(row("insert"), DDL, MARK, options={}))] == ["row", "ddl"]
    assert carried(case_of(MARK)) == [MARK]


def test_of_the_action_of_a_statement_its_type_is_told():
    truncated = {"action": Maybe(frozenset({"truncate table"})), "action_code": Maybe(frozenset({11}))}
    assert carried(case_of({**DDL, "action": "truncate table", "action_code": 11})) == [{**DDL, **truncated}]
    created = {"action": Maybe(frozenset({"create table", "create tables"})), "action_code": Maybe(frozenset({3, 60}))}
    assert carried(case_of({**DDL, "action": "create table"})) == [{**DDL, **created}]
    [untimed] = carried(case_of(DDL, options={}))
    assert "commit_ts" not in untimed


@pytest.mark.parametrize(("profile", "names"), [(NEWARCH, {"u"}), (CLASSIC, {"a", "b", "u"})])
def test_a_virtual_column_counts_for_the_handle_key_of_all_but_the_classic_writer(profile: Profile, names: set[str]):
    """It is then chosen, but not sent."""
    columns = [
        *({"name": name, "type": "int", "nullable": False} for name in "uab"),
        {"name": "g", "type": "int", "nullable": False, "generated": "virtual"},
    ]
    keys = [{"name": "k1", "columns": ["u", "g"]}, {"name": "k2", "columns": ["a", "u", "b"]}]
    table = {"schema": "test", "name": "t", "columns": columns, "primary_key": [], "unique_keys": keys}
    event = {**row("delete"), "before": {"u": "1", "a": "2", "b": "3", "g": "4"}}
    options = {"delete-only-output-handle-key-columns": "true"}
    [found] = carried(case_of(event, table=table, options=options), profile)
    assert set(found["before"]) == names


@pytest.mark.parametrize(
    ("data", "text"),
    [("Yf9i", "a\ufffdb"), ("/////w==", "\ufffd" * 4), ("w6nD", "é\ufffd"), ("4oLhgqA=", "\ufffd\ufffdႠ")],
)
def test_each_byte_that_is_no_utf_8_comes_as_one_replacement(data: str, text: str):
    [found] = carried(case_of(row("insert", x={"base64": data})))
    assert found["after"]["x"] == text
