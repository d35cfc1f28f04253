"""What a search draws from: only what an implementation declares, in statements neither."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from conformance.cases.model import Case, Role
from conformance.engine.declared import undeclared
from conformance.engine.outcomes import Outcome
from conformance.engine.verdicts import Verdict
from conformance.search.scope import EVERYTHING, scope_of
from conformance.search.search import Search
from reference_impl.model import DdlEvent, RowChange
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import DIALECTS
from tests.amounts import ordinarily

DECLARED: dict[str, dict[str, Any]] = {
    "types without int": {"column_types": ["bigint", "blob", "json"]},
    "texts": {"column_types": ["varchar"]},
    "rows alone": {"events": ["row"]},
    "statements alone": {"events": ["ddl"], "column_types": ["int", "varchar", "enum"]},
    "no option": {"options": []},
    "one option": {"options": ["enable-tidb-extension"], "events": ["row", "watermark"]},
    "little": {"options": [], "events": ["row", "ddl"], "column_types": ["int", "decimal"]},
}


FEWEST = ordinarily(8, 60)


def drawn(protocol: str, role: Role, declared: dict[str, Any], examples: int = FEWEST) -> Iterator[Case]:
    """The cases of one search."""
    asked: list[Case] = []

    def ask(case: Case) -> Outcome:
        asked.append(case)
        return Outcome(Verdict.PASS)

    search = Search(ask, protocol, role, NEWARCH, 1, examples, scope=scope_of(declared))
    assert list(search.run()) == []
    return iter(asked)


@cache
def rows_and_statements() -> list[Case]:
    """Many cases of rows and statements, of a few column types."""
    declared = {"column_types": ["int", "decimal", "enum"], "events": ["row", "ddl"]}
    return list(drawn("canal-json", "encode", declared, ordinarily(100, 200)))


@pytest.mark.parametrize("declared", DECLARED.values(), ids=DECLARED)
@pytest.mark.parametrize("protocol", DIALECTS)
def test_nothing_is_drawn_that_was_not_declared(protocol: str, declared: dict[str, Any]) -> None:
    hello = {"protocols": {protocol: declared}}
    cases = list(drawn(protocol, "encode", declared))
    assert len(cases) >= FEWEST
    assert {reason for case in cases if (reason := undeclared(case, hello))} == set()


def test_what_was_declared_is_drawn() -> None:
    cases = rows_and_statements()
    statements = [e for c in cases for e in c.events if isinstance(e, DdlEvent) and e.table_after]
    later = {str(c.type.family) for e in statements if e.action == "add column" for c in e.table_after.columns}
    assert later == {"int", "decimal", "enum"}
    assert any(isinstance(e, RowChange) for c in cases for e in c.events)


def test_a_row_never_belongs_to_the_transaction_of_a_statement() -> None:
    cases = rows_and_statements()
    pairs = [pair for case in cases for pair in pairwise(case.events) if isinstance(pair[0], DdlEvent)]
    assert any(isinstance(after, RowChange) for _, after in pairs)
    assert [after for statement, after in pairs if statement.commit_ts == after.commit_ts] == []


def test_of_a_declaration_without_lists_everything_is_drawn() -> None:
    assert scope_of({}) == EVERYTHING


@pytest.mark.parametrize("declared", [{"column_types": []}, {"column_types": ["json"]}, {"events": []}])
def test_where_no_table_can_be_made_nothing_is_drawn(declared: dict[str, Any]) -> None:
    assert list(drawn("canal-json", "encode", declared)) == []
