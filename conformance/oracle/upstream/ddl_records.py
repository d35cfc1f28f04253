"""Recorded DDL statements: the record that the reference writes for the text of each.

The text is the recorded one, unless the script has one that is nearly the same. It does not decide the names in a list
of several tables, the resulting table unless a CREATE TABLE lists its columns, and the number of the row: these paths
are uncertain.  [CJ-640, DBZ-350]
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from conformance.cases.upstream.dialects import DIALECTS
from conformance.cases.upstream.lenient import payload_of, text_at, tree_of
from conformance.catalogue.recordings import Recording
from conformance.catalogue.statements import statements
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.reading import RecordKind
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Record
from reference_impl.protocols import Encoder

__all__ = ["DdlRecords", "ExpectedDdl"]

_NEARLY = 0.95
"""A text as similar as this to a statement of the script is that statement with a fault, else one of the server."""

_HAS_OWN_TYPE = re.compile(
    r"\s*(?:create\s+(?:table|(?:unique\s+)?index|database|schema)|drop\s+(?:table|index|database|schema)|truncate"
    r"|rename\s+table)\b",
    re.IGNORECASE,
)
_CREATE_WITH_COLUMNS = re.compile(r"\s*create\s+table\s+(?:if\s+not\s+exists\s+)?[^\s(]+\s*\(", re.IGNORECASE)
_SELECT = re.compile(r"\bselect\b|\blike\b", re.IGNORECASE)
_UNKNOWN = "the reference does not know what becomes of the statement"


class ExpectedDdl(NamedTuple):
    """The record that should stand in place of a recorded statement."""

    record: Record | None
    """None if the producer's configuration leaves statements out, or if there is a `reason`."""
    uncertain: frozenset[str] = frozenset()
    """Skeletons of paths at which nothing is compared."""
    reason: str = ""
    """Why the recorded statement cannot be judged; empty if it can."""


class DdlRecords:
    """Makes the expected records of the statements in a recording, which must come in order.

    `encoder` has seen no table.
    """

    def __init__(self, recording: Recording, encoder: Encoder, sql: str | None) -> None:
        self._dialect = DIALECTS[recording.protocol]
        self._is_connector = not self._dialect.packs_rows
        self._in_snapshot = recording.facts.snapshot
        self._encoder = encoder
        self._has_statements = recording.facts.statements and recording.options.get("include.schema.changes") != "false"
        self._summary = ORACLES[recording.protocol].summary
        self._script: dict[str, None] = {}
        if sql is not None:
            self._script = dict.fromkeys([*statements(sql, comments=True), *statements(sql, comments=False)])

    def expected(self, record: Record) -> ExpectedDdl:
        """The record that should stand in place of this one."""
        tree = payload_of(tree_of(record.value))
        if self._is_connector:
            recorded, schema, table = tree.get("ddl"), tree.get("databaseName") or "", ""
        else:
            recorded, schema, table = tree.get("sql"), tree.get("database") or "", tree.get("table") or ""
        text = self._text(str(recorded))
        source = {**self._dialect.default_source, **self._dialect.position(record).source}
        try:  # also a statement that the configuration leaves out: it may change what is written for later ones
            written = self._encoder.encode([DdlEvent(str(schema), str(table), text, source=source)]).records
        except (Rejected, Unsupported) as e:
            return ExpectedDdl(None, reason=f"{_UNKNOWN}: {e}")
        if self._is_left_out(tree):
            return ExpectedDdl(None)
        ddl = [record for record in written if self._summary(record).kind is RecordKind.DDL]
        if len(ddl) != 1:
            return ExpectedDdl(None, reason=_UNKNOWN)
        return ExpectedDdl(ddl[0], self._uncertain(text, tree))

    def _is_left_out(self, tree: Any) -> bool:
        """Whether the producer's configuration leaves a record out. Canal has another filter for its QUERY messages."""
        return not self._has_statements and (self._is_connector or tree.get("type") != "QUERY")

    def _text(self, recorded: str) -> str:
        """The statement of the script that a recorded text nearly is, else the recorded text."""
        if recorded in self._script:
            return recorded
        nearest = max(self._script, key=lambda text: _similarity(text, recorded), default=recorded)
        is_other = "".join(nearest.split()) != "".join(recorded.split())  # the client decides the blanks
        return nearest if is_other and _similarity(nearest, recorded) >= _NEARLY else recorded

    def _uncertain(self, text: str, tree: Any) -> frozenset[str]:
        """The skeletons of the paths that the text does not decide."""
        if not self._is_connector:
            # A statement that the parser gave up on has no names, and no type of its own.
            return frozenset() if _HAS_OWN_TYPE.match(text) and tree.get("table") else frozenset({"ddl.type"})
        skeletons = {"ddl.source.row", "ddl.source.table"}
        if not _CREATE_WITH_COLUMNS.match(text) or _SELECT.search(text):
            skeletons.add("ddl.tableChanges")
        if self._in_snapshot or text_at(tree.get("source"), "snapshot") not in (None, "false"):
            skeletons |= {"ddl.source", "ddl.tableChanges"}
        return frozenset(skeletons)


def _similarity(one: str, other: str) -> float:
    """The part of two texts that is common, 0 to 1; 0 if their lengths alone exclude `_NEARLY`."""
    if abs(len(one) - len(other)) > (1 - _NEARLY) * max(len(one), len(other)):
        return 0
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
