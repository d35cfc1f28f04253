"""What the consumer's model reads from each message before the move and after it.

An `Effect` names the column and what changed: the consumer fails, loses the row, or reads another value. What the model
leaves open is `Kind.OPEN`, which never counts as harmless.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeAlias

from conformance.consumers.json_tree import Malformed, parse
from conformance.consumers.model import Basis, Message, Model, Prediction, Row, Rule
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import Change, Values, is_same_value
from conformance.migration.keeping import Keeping, writes_by_key
from conformance.migration.move import Move
from conformance.migration.samples import Probe, Where, has_decimal
from conformance.migration.writing import WrittenProbe, WrittenStep
from differential.sides import Side
from reference_impl.keys import handle_key
from reference_impl.model import Record, RowChange, Table
from reference_impl.wire import event_to_json, table_to_json

__all__ = ["ALREADY", "Consumer", "Effect", "Job", "Kind", "Known", "Read", "effects"]

_OTHER = "another column of the table"
_DECLARING = frozenset({"flink", "seatunnel", "spark"})


class Kind(StrEnum):
    """What changes for a row by the move; the worst first."""

    FAILS = "the job fails"
    SKIPS = "the row is lost without an error"
    ROW = "other rows"
    MISSING = "the column is missing"
    NULL = "NULL for a value"
    VALUE = "another value"
    FOR_NULL = "a value for NULL"
    TYPE = "the value in another type"
    STEPS = "the same rows by other steps"
    SPELLED = "the same value in other words"
    BETTER = "a row that it could not read before"
    OPEN = "not known"


@dataclass(frozen=True, slots=True)
class Read:
    """What a consumer reads from the messages of a step; `rule` is the rule of the model that decided it, if any."""

    outcome: str
    rows: tuple[Row, ...] = ()
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """One change for the consumer by the move."""

    kind: Kind
    column: str
    """ "" for the whole row."""
    was: Read
    """Before the move."""
    now: Read
    """After the move."""
    written: WrittenStep
    rule: Rule | None = None
    """The rule of the model that causes it, if one does."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job of a consumer that reads one side of the move."""

    model: Model | None
    """None where the suite has no model for the dialect of the side."""
    options: Mapping[str, str]
    side: Side


@dataclass(frozen=True, slots=True)
class Consumer:
    """A consumer with its job before the move and after it."""

    name: str
    was: Job
    now: Job
    texts: frozenset[Where] = frozenset()
    """Columns that the job must declare as texts, whatever their type, to read today's messages."""

    @classmethod
    def of(cls, move: Move, sides: tuple[Side, Side], probes: Sequence[WrittenProbe]) -> Consumer:
        """The consumer of a move. Its job was set up for the old topic, and keeps that setup where the format stays."""
        written = [one for probe in probes for one in probe.steps]
        was = {"schema-include": _includes(record for one in written for record in one.origin or ())}
        now = {"schema-include": _includes(record for one in written for record in one.target or ())}
        found = cls(
            move.consumer,
            Job(move.model(move.origin), {**was, **move.consumer_options}, sides[0]),
            Job(move.model(move.target), {**(was if move.keeps_family else now), **move.consumer_options}, sides[1]),
        )
        return replace(
            found, texts=frozenset(place for one in probes if found._needs_text(one) for place in one.probe.places)
        )

    def _needs_text(self, probe: WrittenProbe) -> bool:
        """Whether the job fails today at the first plausible value of a column, unless it declares a text."""
        first = next((written for written in probe.steps if written.is_complete), None)
        if first is None or self.as_text(probe.probe) is None:
            return False
        return self.read(probe.probe, first, after=False).outcome == "error"

    @property
    def declares(self) -> bool:
        """Whether the consumer's job declares the types of columns; other jobs take them from the messages."""
        return self.name.partition("@")[0] in _DECLARING

    def keeping(self, table: Table) -> Keeping:
        """How the job keeps the rows of a table: by key where it does so before the move or after it."""
        is_by_key = any(writes_by_key(job.model, job.options) for job in (self.was, self.now))
        return Keeping(handle_key(table)) if is_by_key else Keeping()

    def as_text(self, probe: Probe) -> Consumer | None:
        """The consumer with a probe's column declared as a text; None for whole rows and jobs without declarations."""
        if self.name.partition("@")[0] != "flink" or not probe.column:
            return None
        return replace(self, texts=self.texts | {(*probe.about.id, probe.column)})

    def read(self, probe: Probe, written: WrittenStep, *, after: bool) -> Read:
        """What the consumer reads from the records of a step, before the move or after it."""
        job, records = (self.now, written.target) if after else (self.was, written.origin)
        model, side = job.model, job.side
        if model is None:
            return _truth(written)
        table = table_to_json(probe.table)
        if self.declares:
            table["columns"] = [column for column in table["columns"] if column["name"] != probe.witness]
        for column in table["columns"]:
            if (*probe.about.id, column["name"]) in self.texts:
                column["flink_type"] = "STRING"
        if has_decimal(probe.about) and side.dialect != "avro":
            table["columns"].append({"name": _OTHER, "type": "decimal(10,0)", "nullable": True})
        predictions = []
        for record in records or ():
            if _is_in_statement_topic(side, record):
                continue
            schemas = _schema(side, record.value), _schema(side, record.key)
            predictions.append(
                model.predict(Message(side.dialect, record.key, record.value, table, job.options, *schemas))
            )
        return _joined(predictions)


def _truth(written: WrittenStep) -> Read:
    """The rows as the database has them: the fallback where no model reads the old messages."""
    rows: list[Row] = []
    for event in written.step.kept:
        if isinstance(event, RowChange):
            before, after = _change(event)
            rows += [("-D" if after is None else "-U", before)] if before is not None else []
            rows += [("+I" if before is None else "+U", after)] if after is not None else []
    return Read("rows" if rows else "skipped", tuple(rows))


def _includes(records: Iterable[Record]) -> str:
    """The job's option for a Debezium topic: whether the envelope stands below `payload`."""
    for record in records:
        try:
            tree = parse(record.value or b"null")
        except Malformed:
            continue
        if isinstance(tree, dict) and ("payload" in tree or "op" in tree):
            return "true" if "payload" in tree else "false"
    return "true"


def _is_in_statement_topic(side: Side, record: Record) -> bool:
    """Whether a record is in the topic of statements, which no reader of rows reads."""
    return side.traits.has_statement_topic and (record.topic or "").count(".") == 0


def _schema(side: Side, part: bytes | None) -> Any:
    """The schema of a key or value."""
    registry = side.settings.registry
    if side.dialect != "avro" or registry is None or not part or part[:1] != b"\0":
        return None
    return json.loads(registry.schema(int.from_bytes(part[1:5], "big")))


def _joined(predictions: Sequence[Prediction]) -> Read:
    """The predictions for the messages of a step as one result: an error counts most, then an abstention."""
    rows = tuple(
        (kind, {name: value for name, value in row.items() if name != _OTHER})
        for prediction in predictions
        for kind, row in prediction.rows
    )
    for outcome in ("error", "abstained"):
        for prediction in predictions:
            if prediction.outcome == outcome:
                return Read(outcome, rows, next(iter(prediction.rules), None))
    rule = next((prediction.rules[0] for prediction in predictions if prediction.rules), None)
    return Read("rows" if rows else "skipped", rows, rule)


ALREADY = Rule("suite.already", "The job fails at such a value before the move as well.", Basis.READ)
"""The effect stays open: the job fails before and after the move, and how its owner handles that is unknown."""

# -- effects -----------------------------------------------------------------------------------------------------------


Known: TypeAlias = "dict[tuple[int, frozenset[Where]], Read]"
"""(identity of the step, columns declared as texts) → what the consumer reads from the origin's messages."""


def effects(consumer: Consumer, probe: WrittenProbe, known: Known | None = None) -> Iterator[Effect]:
    """The effects of the move at each step of a probe; `known` caches what the consumer reads from the old messages."""
    types = {name: MysqlType.of(text) for name, text in probe.probe.types.items()}
    reads = {} if known is None else known
    comparer = _Comparer(types, consumer.keeping(probe.probe.table), consumer.declares)

    def before(consumer: Consumer, written: WrittenStep) -> Read:
        key = id(written.step), consumer.texts
        if key not in reads:
            reads[key] = consumer.read(probe.probe, written, after=False)
        return reads[key]

    for written in probe.steps:
        if not written.is_complete:
            continue
        reading, was = consumer, before(consumer, written)
        if was.outcome == "error" and (text := consumer.as_text(probe.probe)) is not None:
            # The job reads the column today, so it must have declared another type than the usual one.
            reading, was = text, before(text, written)
        now = reading.read(probe.probe, written, after=True)
        if was.outcome == now.outcome == "error" and probe.probe.places:
            yield Effect(Kind.OPEN, probe.probe.column, was, now, written, ALREADY)
        for kind, column, rule in comparer.compare(written, was, now):
            yield Effect(kind, column or probe.probe.column, was, now, written, rule)


_Found: TypeAlias = tuple[Kind, str, Rule | None]
"""The kind of an effect, its column or "", and the rule that causes it."""


@dataclass(frozen=True, slots=True)
class _Comparer:
    """Compares what a job reads before the move and after it."""

    types: Mapping[str, MysqlType]
    keeping: Keeping
    declares: bool
    """Whether the job declares the types of columns."""

    def compare(self, written: WrittenStep, was: Read, now: Read) -> Iterator[_Found]:
        """The effects at a step."""
        if "abstained" in (was.outcome, now.outcome):
            yield Kind.OPEN, "", now.rule if now.outcome == "abstained" else was.rule
        elif now.outcome == "error":
            if was.outcome != "error":
                yield Kind.FAILS, "", now.rule
        elif was.outcome != "rows":
            yield from self._mended(written, was, now)
        elif now.outcome == "skipped":
            yield Kind.SKIPS if self.keeping.left(was.rows) else Kind.STEPS, "", now.rule
        else:
            yield from self._rows(was.rows, now.rows)

    def _mended(self, written: WrittenStep, was: Read, now: Read) -> Iterator[_Found]:
        """Compare the rows that only the new messages give with the rows that were sent."""
        if now.outcome != "rows":
            return
        if not all(isinstance(event, RowChange) for event in written.step.kept):
            yield Kind.ROW, "", now.rule  # a row read from a message of a statement or watermark
            return
        sent = self.keeping.kept(_change(event) for event in written.step.kept if isinstance(event, RowChange))
        got = self.keeping.changes(now.rows)
        if not _same_shape(sent, got):
            yield Kind.ROW, "", None
            return
        found = list(_changes(self.types, sent, got, declares=True))
        yield from found or [(Kind.BETTER, "", was.rule)]

    def _rows(self, was: Sequence[Row], now: Sequence[Row]) -> Iterator[_Found]:
        """Compare the rows before the move with those after it."""
        had, has = self.keeping.changes(was), self.keeping.changes(now)
        if _same_shape(had, has):
            yield from _changes(self.types, had, has, declares=self.declares)
        else:
            same = bool(was) and self.keeping.left(was) == self.keeping.left(now)
            yield Kind.STEPS if same else Kind.ROW, "", None


def _change(event: RowChange) -> Change:
    written = event_to_json(event)

    def row(member: str) -> Values | None:
        given = written.get(member)
        return None if given is None else {n: v for n, v in given.items() if v is None or isinstance(v, str)}

    return row("before"), row("after")


def _same_shape(had: Sequence[Change], has: Sequence[Change]) -> bool:
    """Whether both are the same inserts, updates and deletes, whatever the values."""

    def shape(changes: Sequence[Change]) -> list[tuple[bool, bool]]:
        return [(before is not None, after is not None) for before, after in changes]

    return shape(had) == shape(has)


def _changes(
    types: Mapping[str, MysqlType], had: Sequence[Change], has: Sequence[Change], *, declares: bool
) -> Iterator[_Found]:
    """The effects in changes of one shape, each kind of effect once for a column."""
    seen: set[tuple[Kind, str]] = set()
    for old_change, new_change in zip(had, has, strict=True):
        for old_row, new_row in zip(old_change, new_change, strict=True):
            for kind, column in _columns(types, old_row or {}, new_row or {}, declares=declares):
                if (kind, column) not in seen:
                    seen.add((kind, column))
                    yield kind, column, None


def _columns(types: Mapping[str, MysqlType], had: Values, has: Values, *, declares: bool) -> Iterator[tuple[Kind, str]]:
    for name in dict.fromkeys((*had, *has)):
        if name not in has:
            yield Kind.MISSING, name
        elif name not in had:
            yield Kind.VALUE, name
        elif had[name] != has[name]:
            yield _value(types.get(name, _TEXT), had[name], has[name], declares=declares), name


_TEXT = MysqlType("text", None, None, is_unsigned=False)


_TYPED = frozenset({"decimal", "numeric", "datetime", "timestamp", "time", "tinyint", "bit", "boolean", "bool"})
"""Types whose values have another text if a job reads them as another type."""


def _value(column_type: MysqlType, had: str | None, has: str | None, *, declares: bool) -> Kind:
    """The kind of effect for two values of a column.

    `declares`: the job declares column types, so another text for an equal value is harmless.
    """
    if has is None:
        return Kind.NULL
    if had is None:
        return Kind.FOR_NULL
    if is_same_value(column_type, has, had):
        return Kind.SPELLED if declares or column_type.base not in _TYPED else Kind.TYPE
    return Kind.SPELLED if _is_same_json(column_type, had, has) else Kind.VALUE


def _is_same_json(column_type: MysqlType, had: str, has: str) -> bool:
    """Whether two JSON texts are the same document, apart from blanks, escapes and the order of names.

    The database, too, reads a number with a fraction or an exponent as a double.
    """
    if column_type.base != "json":
        return False
    try:
        return _is_same_node(json.loads(had), json.loads(has))
    except ValueError:
        return False


def _is_same_node(had: Any, has: Any) -> bool:
    """Whether two values of JSON are equal; for Python alone, `true` is 1 as well."""
    if isinstance(had, bool) or isinstance(has, bool):
        return had is has
    if isinstance(had, dict) and isinstance(has, dict):
        return had.keys() == has.keys() and all(_is_same_node(part, has[name]) for name, part in had.items())
    if isinstance(had, list) and isinstance(has, list):
        return len(had) == len(has) and all(map(_is_same_node, had, has))
    return bool(had == has)
