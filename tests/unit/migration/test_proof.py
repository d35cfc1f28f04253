"""The proof of `migrate` from the other side: what it says of a schema is what a comparison shows, on a sample."""

from __future__ import annotations

import pytest

from conformance.catalogue.divergences import load_divergences
from tools import migration_proof
from tools.migration_proof import MOVES, PRECISION, SCHEMAS, Found, Proof, main, prove, schema_tables

CHANGES = 150
SAMPLE = [("windows_utf16", "canal"), ("ansi_quotes", "debezium-3.6"), ("billing", "canal-compatible")]


@pytest.mark.parametrize(("name", "move"), SAMPLE)
def test_nothing_that_a_comparison_shows_was_not_said(name: str, move: str) -> None:
    proof = prove(name, move, CHANGES)
    assert len(proof.confirmed) > 10
    assert sorted(proof.missed) == []


def test_every_schema_has_tables_to_move() -> None:
    assert len(SCHEMAS) >= 25
    assert all(schema_tables(name) for name in SCHEMAS)
    pairs = {(move.origin, move.target) for move in MOVES.values()}
    assert pairs == set(load_divergences())


ROW: Found = ("s.t", "", "DV-31")
VALUE: Found = ("s.t", "a", "value")
LOST: Found = ("s.t", "b", "DV-55")
TEXT: Found = ("s.t", "a", "DV-40")
UNREADABLE: Found = (".", "", "undecodable")


def proof_of(predicted: set[Found], shown: set[Found], also: set[Found] | None = None, keyless: str = "") -> Proof:
    return Proof(
        "x", "canal", frozenset(predicted), frozenset(shown), frozenset(also or ()), frozenset({keyless} - {""})
    )


def test_what_is_shown_and_was_not_said_is_falsely_safe() -> None:
    assert proof_of({TEXT}, {TEXT, ROW, VALUE}).missed == {ROW, VALUE}
    assert proof_of({TEXT}, {TEXT, ROW}, also={ROW}).missed == set()


def test_a_difference_without_a_name_follows_where_a_value_of_the_table_was_said_to_be_lost() -> None:
    proof = proof_of({LOST}, {LOST, VALUE, ROW})
    assert (proof.implied, proof.missed) == ({VALUE}, {ROW})
    other = ("s.other", "a", "value")
    assert proof_of({LOST}, {LOST, other}).missed == {other}
    assert proof_of({TEXT}, {TEXT, VALUE}).missed == {VALUE}


def test_a_table_without_a_key_may_take_one_row_for_another_where_the_report_says_that_it_has_none() -> None:
    shown: set[Found] = {("s.t", "", "missing"), ("s.t", "", "DV-30")}
    assert proof_of(set(), shown, {("s.t", "", "DV-35"), ROW}, keyless="s.t").missed == set()
    assert proof_of(set(), shown, {("s.t", "", "DV-35"), ROW}).missed == shown
    assert proof_of(set(), shown, keyless="s.t").missed == shown


def test_upstreams_text_of_a_column_that_ticdc_does_not_send_follows_from_its_loss() -> None:
    assert proof_of({("s.t", "a", "DV-33")}, {("s.t", "a", "DV-33"), TEXT}).missed == set()
    assert proof_of({("s.t", "b", "DV-33")}, {("s.t", "b", "DV-33"), TEXT}).missed == {TEXT}


def test_whole_rows_that_one_side_alone_has_follow_where_messages_were_said_to_be_unreadable() -> None:
    missing = ("s.t", "", "missing")
    assert proof_of(set(), {UNREADABLE, missing}, also={UNREADABLE}).missed == set()
    assert proof_of(set(), {UNREADABLE, missing}).missed == {UNREADABLE, missing}


def test_what_differs_in_a_message_of_a_statement_is_shown_of_its_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def compared(*given: object) -> list[Found]:
        return [("s.t", "tableChanges", "DBZ-593"), ("s.t", "a", "value")]

    monkeypatch.setattr("tools.migration_proof._compared", compared)
    found = list(migration_proof.shown(MOVES["debezium-3.6"], schema_tables("windows_utf16"), 10))
    assert found == [*compared(), ("s.t", "", "DBZ-593")]


def test_what_is_said_and_never_shown_lowers_the_precision_but_for_statements() -> None:
    proof = proof_of({ROW, ("s.t", "", "DV-85")}, set())
    assert proof.unconfirmed == {ROW}


def test_values_of_a_table_without_a_key_are_shown_as_whole_rows() -> None:
    shown: set[Found] = {("s.t", "", "extra")}
    assert proof_of({LOST, ROW}, shown, keyless="s.t").unconfirmed == {ROW}
    assert proof_of({LOST, ROW}, shown).unconfirmed == {LOST, ROW}


def test_the_command_ends_with_1_where_anything_is_falsely_safe(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    given = {"shop": proof_of({TEXT}, {TEXT}), "game": proof_of({TEXT}, {TEXT, ROW})}
    monkeypatch.setattr("tools.migration_proof.prove", lambda name, move, changes: given[name])
    monkeypatch.setattr("tools.migration_proof.processes", lambda workers: _Here())
    assert main(["shop", "--move", "canal"]) == 0
    assert "precision 1.0000, recall 1.0000, falsely safe 0" in capsys.readouterr().out
    assert main(["game", "--move", "canal"]) == 1
    assert "  FALSELY SAFE: s.t DV-31\n" in capsys.readouterr().out
    assert PRECISION >= 0.98


class _Here:
    """The processes of a command, in this one."""

    def __enter__(self) -> _Here:
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    map = staticmethod(map)
