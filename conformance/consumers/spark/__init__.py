"""Spark jobs over these topics: from_json with a schema that the team writes, or from_avro after the header.

The modelled job is that of `harnesses/consumers/spark`. For Canal a row is a map of texts, and each column is cast; for
Debezium it is a structure with the types of the connector's manual, and times are made from numbers; for Avro the
columns are as from_avro gives them. Option `parse-mode` is PERMISSIVE, Spark's default, or FAILFAST. With `today=named`
the word stands for the day on which the job runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.consumers.envelopes import CANAL_FORMATS, DEBEZIUM_FORMATS
from conformance.consumers.json_tree import Malformed, Tree, parse
from conformance.consumers.model import Basis, Kind, Message, Prediction, Row, Rule, in_column, predicted
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.spark.avro import avro_rows
from conformance.consumers.spark.casts import TODAY, cast
from conformance.consumers.spark.fields import Fields, text_of
from reference_impl.protocols import AVRO

__all__ = ["SparkModel"]

_EMPTY = Rule("spark.empty", "A record without a value has no row; one of Avro deletes the row of its key.", Basis.RUN)
_MALFORMED = Rule(
    "spark.malformed",
    "What from_json cannot read is a structure of NULLs, which the job filters out; with FAILFAST it fails the job.",
    Basis.RUN,
)
_TODAY = Rule("spark.today", "A TIMESTAMP of a time alone is one of the day on which the job runs.", Basis.RUN)
_NULLS = Rule("spark.nulls", "An image that is null is read as a row in which every column is NULL.", Basis.RUN)

_OF_TODAY = re.compile(rf"{TODAY} \d\d:\d\d:\d\d", re.ASCII)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CANAL_KINDS: Mapping[str, Kind] = {"INSERT": "+I", "UPDATE": "+U", "DELETE": "-D"}
_DEBEZIUM_KINDS: Mapping[str, Kind] = {"c": "+I", "r": "+I", "u": "+U", "d": "-D"}


@dataclass(frozen=True, slots=True)
class SparkModel:
    """A release of Spark. From 4 on its casts are ANSI: an invalid text fails the job; before, it is NULL."""

    version: str
    name: str = "spark"
    protocols: Sequence[str] = (*CANAL_FORMATS, *DEBEZIUM_FORMATS, AVRO.name)

    @property
    def is_ansi(self) -> bool:
        """Whether a cast that fails is an error."""
        return int(self.version.partition(".")[0]) >= 4

    def predict(self, message: Message) -> Prediction:
        """The rows of the job: for an update the row after it."""
        is_avro = message.protocol == AVRO.name
        if message.value is None and not (is_avro and message.key is not None):
            return Prediction("skipped", rules=[_EMPTY])
        if is_avro:
            return predicted(avro_rows(message), _MALFORMED)
        read = _canal if message.protocol in CANAL_FORMATS else _debezium
        found = predicted(read(message, self.is_ansi), _MALFORMED)
        if message.options.get("today") != "named" and any(map(_is_of_today, found.rows)):
            return Prediction("abstained", rules=[_TODAY])
        return found


def _is_of_today(row: Row) -> bool:
    return any(value is not None and _OF_TODAY.match(value) for value in row[1].values())


def _tree(message: Message, fields: Fields) -> Mapping[str, Tree]:
    """The object that a message is; an empty one where from_json gives a structure of NULLs."""
    assert message.value is not None
    if not message.value.strip(b" \t\r\n"):
        return {}  # a message without a document is not an error, in either mode
    try:
        tree = None if message.value.startswith(_BYTE_ORDER_MARK) else parse(message.value)
    except Malformed:
        tree = None
    if isinstance(tree, dict):
        return tree
    fields.report_unreadable(_MALFORMED)
    return {}


def _canal(message: Message, is_ansi: bool) -> Iterator[Row]:
    fields = Fields(message)
    tree = _tree(message, fields)
    types = message.column_types
    rows = _maps(tree.get("data"), fields)
    kind = _CANAL_KINDS.get(text_of(tree.get("type")) or "")
    if kind is None:
        return
    for row in rows:
        texts = {name: text_of(row.get(name)) for name in types}
        yield kind, {n: in_column(n, cast, texts[n], column_type, is_ansi) for n, column_type in types.items()}


def _maps(data: Tree, fields: Fields) -> list[Mapping[str, Tree]]:
    """The elements of `data`; null is an empty map. One element that is not an object makes the list unreadable."""
    if data is None:
        return []
    if not isinstance(data, list) or any(not isinstance(one, dict) and one is not None for one in data):
        fields.report_unreadable(_MALFORMED)
        return []
    return [one if isinstance(one, dict) else {} for one in data]


def _debezium(message: Message, is_ansi: bool) -> Iterator[Row]:
    fields = Fields(message)
    tree = _tree(message, fields)
    if message.options.get("schema-include") == "true":
        tree = _object(tree.get("payload"), fields) or {}
    types = message.column_types
    images = {name: _image(tree.get(name), types, fields) for name in ("before", "after")}
    op = text_of(tree.get("op")) or ""
    kind = _DEBEZIUM_KINDS.get(op)
    if kind is None:
        return
    image = images["before" if op == "d" else "after"]
    if image is None:
        yield kind, dict.fromkeys(types)  # see _NULLS
    else:
        yield kind, {n: in_column(n, fields.converted, image[n], t, is_ansi) for n, t in types.items()}


def _object(node: Tree, fields: Fields) -> Mapping[str, Tree] | None:
    if node is None or isinstance(node, dict):
        return node
    fields.report_unreadable(_MALFORMED)
    return None


def _image(node: Tree, types: Mapping[str, MysqlType], fields: Fields) -> Mapping[str, object] | None:
    members = _object(node, fields)
    if members is None:
        return None
    return {name: in_column(name, fields.read, members.get(name), column_type) for name, column_type in types.items()}
