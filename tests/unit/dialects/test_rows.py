"""What packages know of dialects: a row each, or that of what a dialect builds on."""

from __future__ import annotations

import pytest

from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DIALECTS, Dialect, Rows

YOUNGER = Dialect("younger", "Younger", "nowhere", CANAL, of_ticdc=False)
YOUNGEST = Dialect("youngest", "Youngest", "nowhere", YOUNGER, of_ticdc=False)


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> Rows[str]:
    for dialect in (YOUNGER, YOUNGEST):
        monkeypatch.setitem(DIALECTS, dialect.name, dialect)
    return Rows({CANAL: "of Canal", AVRO: "of Avro"})


def test_a_dialect_without_a_row_has_that_of_what_it_builds_on(rows: Rows[str]) -> None:
    assert [rows[name] for name in ("canal", "younger", "youngest")] == ["of Canal"] * 3
    rows.add(YOUNGER, "its own")
    assert [rows[name] for name in ("canal", "younger", "youngest")] == ["of Canal", "its own", "its own"]


def test_a_dialect_that_imitates_another_has_no_row_of_it(rows: Rows[str]) -> None:
    assert CANAL_JSON.imitates is CANAL
    assert (CANAL_JSON.name in rows, CONNECTOR.name in rows) == (False, False)


def test_what_is_of_one_dialect_alone_is_not_inherited(rows: Rows[str]) -> None:
    assert [rows.own(name) for name in ("canal", "younger", "unknown")] == ["of Canal", None, None]


def test_the_rows_are_those_of_dialects_in_their_order(rows: Rows[str]) -> None:
    assert dict(rows) == {"avro": "of Avro", "canal": "of Canal", "younger": "of Canal", "youngest": "of Canal"}


def test_the_protocol_that_imitates_a_dialect_imitates_what_builds_on_it_too(rows: Rows[str]) -> None:
    assert (CANAL.imitator, YOUNGEST.imitator, CANAL_JSON.imitator) == (CANAL_JSON, CANAL_JSON, None)
