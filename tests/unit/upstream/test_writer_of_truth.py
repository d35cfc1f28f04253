"""`Writer` skips a statement that the reference encoder refuses; any other error of the encoder ends the judging."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.recordings import read_recordings
from conformance.oracle.upstream.writer import Writer
from reference_impl.errors import Rejected, Unsupported
from reference_impl.protocols import CONNECTOR

SQL = "create table t (id int primary key); alter table t add column a int; insert into t values (1, 2);"


class Refusing:
    """An encoder that fails at every statement."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.statements: list[str] = []

    def encode(self, events: Any) -> None:
        self.statements += [event.query for event in events]
        raise self.error


def writer(monkeypatch: pytest.MonkeyPatch, error: Exception) -> tuple[Writer, Refusing]:
    recording = next(iter(read_recordings(Path(fixtures_root()) / "recorded" / "debezium24")))
    changes: Any = [SimpleNamespace(statement=9)]
    made = Writer(recording, CONNECTOR, changes, SQL)
    refusing = Refusing(error)
    monkeypatch.setattr(made, "_encoder", refusing)
    return made, refusing


@pytest.mark.parametrize("error", [Rejected("range", "too long"), Unsupported("not offered")])
def test_a_statement_that_the_reference_refuses_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    made, refusing = writer(monkeypatch, error)
    made.encode_definitions_before(0)
    assert len(refusing.statements) == 2


@pytest.mark.parametrize("error", [KeyError("a"), ZeroDivisionError(), RecursionError()])
def test_a_fault_of_the_reference_in_a_statement_is_not_hidden(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    made, _ = writer(monkeypatch, error)
    with pytest.raises(type(error)):
        made.encode_definitions_before(0)
