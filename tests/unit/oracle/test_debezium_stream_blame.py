"""Which requirement records of Debezium that are too many, too few or out of order are held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from debezium_answers import CHANGED, EXTENDED, NOW, RAW, blamed, case_of, ddl, row
from debezium_cases import DDL, MARK

from conformance.cases.model import Case
from conformance.catalogue.register import Level, load_register
from reference_impl.model import Record
from reference_impl.profiles import CLASSIC
from tests.unit.oracle.judging import SMALL, answer_of, judged, mark, with_records, written

ROWS = case_of("encode", *(row("insert", ts=n << 18, base={"id": str(n), "a": "1"}) for n in (7, 8)), table=SMALL)
SPLIT = case_of("encode", row("update", base={"id": "1", "a": "1"}, id="2"), table=SMALL)
ONE_DELETE = case_of("encode", row("delete", base={"id": "1", "a": "1"}), table=SMALL)
ONE_ROW = case_of("encode", row("insert", base={"id": "1", "a": "1"}), table=SMALL)
KEPT_WHOLE = replace(SPLIT, options=RAW)
SPLIT_AND_MORE = case_of(
    "encode",
    row("update", base={"id": "1", "a": "1"}, id="2"),
    row("insert", ts=8 << 18, base={"id": "3", "a": "1"}),
    table=SMALL,
)
TWO_KEYS = [
    row("update", base={"id": "1", "a": "1"}, id="2"),
    row("update", ts=8 << 18, base={"id": "3", "a": "1"}, id="4"),
    row("update", ts=9 << 18, base={"id": "5", "a": "1"}, a="2"),
]
TWO_SPLITS = case_of("encode", *TWO_KEYS, table=SMALL)
TWO_WHOLE = replace(TWO_SPLITS, options=RAW)


def whole(**another: str) -> list[Record]:
    """The update of SPLIT as one message, with other values of the row it makes or unmakes."""
    base = {"id": "1", "a": another.pop("old", "1")}
    ts = int(another.pop("ts", "7")) << 18
    return written(case_of("encode", row("update", ts=ts, base=base, id="2", **another), table=SMALL, options=RAW))


SPREAD = replace(NOW, partitions=3)
TWO_MARKS = case_of("encode", mark(), mark(ts=8 << 18), options=EXTENDED, settings=SPREAD)
MARKS_AND_ROW = case_of("encode", row("insert"), mark(), options=EXTENDED)
MARKS = case_of("encode", mark(), options=EXTENDED, settings=SPREAD)
DDLS = case_of("encode", ddl(), table=CHANGED, settings=SPREAD)

RECORDS: list[tuple[str, Case, Callable[[list[Record]], list[Record]]]] = [
    ("453", ROWS, lambda records: records[:1]),
    ("453", ROWS, lambda records: [*records, records[0]]),
    ("010b", ONE_DELETE, lambda records: [*records, replace(records[0], value=None)]),
    ("038", SPLIT, lambda records: written(KEPT_WHOLE)),
    ("038a", KEPT_WHOLE, lambda records: written(SPLIT)),
    ("038", TWO_SPLITS, lambda records: written(TWO_WHOLE)),
    ("038a", TWO_WHOLE, lambda records: written(TWO_SPLITS)),
    ("453", SPLIT, lambda records: whole(a="9")),  # whole, but of another row
    ("453", SPLIT, lambda records: whole(old="9", a="1")),
    ("453", SPLIT, lambda records: whole(ts="8")),
    ("453", SPLIT, lambda records: records[:1]),
    ("453", SPLIT, lambda records: records[1:]),
    ("453", SPLIT_AND_MORE, lambda records: records[:-1]),
    ("453", SPLIT_AND_MORE, lambda records: records[:1] * (len(records) - 1)),
    ("453", KEPT_WHOLE, lambda records: records * 2),
    ("453", ONE_DELETE, lambda records: records * 2),
    ("010b 453", ONE_ROW, lambda records: [*records, replace(records[0], value=None)]),
    ("453", MARKS_AND_ROW, lambda records: [r for r in records if b'"op":"m"' in (r.value or b"")]),
    ("400", TWO_MARKS, lambda records: records[:3]),
    ("039b", SPLIT, lambda records: records[::-1]),  # no document asks for the splitting: the order is broken
    ("400", MARK, lambda records: []),
    ("403", MARKS, lambda records: records[:1]),
    ("300e", DDL, lambda records: []),
    ("303", DDLS, lambda records: records[:1]),
    ("039b", ROWS, lambda records: records[::-1]),
    ("023", ROWS, lambda records: [replace(r, headers=(("a", b"b"),)) for r in records]),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), RECORDS, ids=[f"{i}-{r[0].replace(' ', '+')}" for i, r in enumerate(RECORDS)]
)
def test_records_that_are_too_many_or_too_few_or_out_of_order(
    requirements: str, case: Case, change: Callable[[list[Record]], list[Record]]
):
    assert blamed(case, answer_of(case)) == []
    assert blamed(case, with_records(case, change)) == requirements.split()


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
