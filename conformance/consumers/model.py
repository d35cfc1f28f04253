"""What a model of a consumer predicts for one message, and the evidence for each of its rules.

A model is rules that read the message as the consumer does, not a table of recorded answers. It may abstain where a
rule rests on reading the consumer's source alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

from conformance.consumers.json_tree import Malformed, Tree
from conformance.consumers.mysql_types import MysqlType

__all__ = [
    "Basis",
    "LeftOpen",
    "Message",
    "Model",
    "Outcome",
    "Prediction",
    "Refused",
    "Row",
    "Rule",
    "Skipped",
    "TableType",
    "Values",
    "in_column",
    "predicted",
]

Outcome: TypeAlias = Literal["rows", "skipped", "error", "abstained"]
Kind: TypeAlias = Literal["+I", "-U", "+U", "-D"]
Values: TypeAlias = Mapping[str, str | None]
"""The value of each column as text."""
Row: TypeAlias = tuple[Kind, Values]
"""The consumer's version of a row: the kind of change, and the values."""
TableType: TypeAlias = Mapping[str, object]
"""A table in JSON of the harness protocol; a column may have the type that the consumer's own table declares."""


class Basis(StrEnum):
    """The evidence for a rule, the strongest first."""

    RUN = "run live"
    RECORDED = "recorded"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a consumer does, in a sentence, and the evidence for it."""

    id: str
    text: str
    basis: Basis = Basis.RECORDED


class _NoRow(Exception):
    """The reading of a message ends by a rule."""

    def __init__(self, rule: Rule) -> None:
        super().__init__(rule.text)
        self.rule = rule


class Refused(_NoRow):
    """The consumer fails on a message or a value, by a rule; `column` is the column of the value, if known."""

    def __init__(self, rule: Rule, column: str = "") -> None:
        super().__init__(rule)
        self.column = column


class Skipped(_NoRow):
    """The consumer skips a message without an error, by a rule."""


class LeftOpen(_NoRow):
    """The model abstains, by a rule: no recorded answer supports a prediction."""


@dataclass(frozen=True, slots=True)
class Message:
    """A Kafka record for a consumer, with the table that its job declares.

    `options` are those of the consumer's format.
    """

    protocol: str
    key: bytes | None
    value: bytes | None
    table: TableType
    options: Mapping[str, str] = field(default_factory=dict)
    schema: Tree = None
    """The Avro schema of the value, for protocols that have one."""
    key_schema: Tree = None
    """The Avro schema of the key."""

    @property
    def columns(self) -> Sequence[Mapping[str, Any]]:
        """The columns of the table, each as an object with at least `name` and `type`."""
        columns = self.table["columns"]
        assert isinstance(columns, list)
        return columns

    @property
    def column_types(self) -> dict[str, MysqlType]:
        """The MySQL type of each column, by its name."""
        return {str(column["name"]): MysqlType.of(str(column["type"])) for column in self.columns}


@dataclass(frozen=True, slots=True)
class Prediction:
    """The result of a message: rows, nothing, or an error of the job; `rules` are the ones that decided it.

    `column` is the one on whose value the consumer fails, where it is known.
    """

    outcome: Outcome
    rows: Sequence[Row] = ()
    rules: Sequence[Rule] = ()
    column: str = ""


class Model(Protocol):
    """A consumer in one version."""

    @property
    def name(self) -> str:
        """`flink`, `seatunnel` …"""

    @property
    def version(self) -> str:
        """The version of the consumer that the rules describe."""

    @property
    def protocols(self) -> Sequence[str]:
        """The protocols and dialects for which it has a format."""

    def predict(self, message: Message) -> Prediction:
        """Predict the result of the message."""


_P = ParamSpec("_P")
_T = TypeVar("_T")


def in_column(name: str, read: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Read the value of a column; a refusal gets the name of the column."""
    try:
        return read(*args, **kwargs)
    except Refused as e:
        raise Refused(e.rule, e.column or name) from None


def predicted(reading: Iterable[Row], malformed: Rule, *, lenient: bool = False) -> Prediction:
    """The result of a message that is read while its rows are taken; a message without a row is not an error.

    Unreadable text (`Malformed`) is refused by the rule `malformed`. A `lenient` consumer that fails skips the message,
    but keeps the rows before the failure.
    """
    rows: list[Row] = []
    column = ""
    try:
        rows.extend(reading)
    except Malformed:
        rule = malformed
    except Refused as e:
        rule, column = e.rule, e.column
    except Skipped as e:
        return Prediction("skipped", rules=[e.rule])
    except LeftOpen as e:
        return Prediction("abstained", rules=[e.rule])
    else:
        return Prediction("rows" if rows else "skipped", rows)
    if not lenient:
        return Prediction("error", rules=[rule], column=column)
    return Prediction("rows" if rows else "skipped", rows, [rule], column)
