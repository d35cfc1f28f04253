"""The proof of what `migrate` says of a consumer: on a sample, what its model shows of whole rows was said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from conformance.migration.effects import Effect
from conformance.migration.writing import WrittenProbe
from tools import migration_proof_consumers
from tools.migration_proof import MOVES
from tools.migration_proof_consumers import CONSUMERS, ROWS, prove


def test_what_is_said_of_a_consumer_is_what_its_model_shows_of_whole_rows() -> None:
    proof = prove("billing", "canal", "paimon@1.3.1", ROWS)
    assert len(proof.confirmed) > 5
    assert proof.missed == proof.unconfirmed == frozenset()


def test_a_column_is_read_though_the_job_fails_at_the_key_of_its_table() -> None:
    """Paimon fails at the BINARY keys of this schema, so that it reads no whole row."""
    proof = prove("game", "canal", "paimon@1.3.1", ROWS)
    assert {
        ("game.player", "player_id", "the job fails"),
        ("game.player", "banned", "the value in another type"),
    } <= proof.confirmed
    assert proof.missed == proof.unconfirmed == frozenset()


def test_every_move_has_consumers_with_a_model_of_both_sides() -> None:
    for move in MOVES.values():
        for consumer in CONSUMERS[move.origin]:
            named = replace(move, consumer=consumer)
            assert named.model(move.origin) is not None
            assert named.model(move.target) is not None


def test_what_was_not_said_is_falsely_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(migration_proof_consumers.Trial):
        """A trial that sees nothing."""

        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            self.effects = ()

    monkeypatch.setattr(migration_proof_consumers, "Trial", Silent)
    proof = prove("billing", "canal", "paimon@1.3.1", 40)
    assert proof.missed == proof.shown
    assert proof.missed


def test_a_consumer_that_has_the_same_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(consumer: object, probe: WrittenProbe) -> Iterator[Effect]:
        return iter(())

    monkeypatch.setattr(migration_proof_consumers, "effects", nothing)
    proof = prove("billing", "canal", "paimon@1.3.1", 40)
    assert proof.shown == frozenset()
    assert proof.unconfirmed == proof.predicted
