"""Cases of Alibaba Canal's flat message: its options, its negatives, and the position of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.cases.negatives.canal_json import FLAT_MEMBERS
from conformance.cases.negatives.texts import DocumentForm, member
from conformance.cases.upstream.lenient import MILLISECONDS, number_at, text_at, tree_of, within_time
from conformance.cases.upstream.losses import prints_as_json
from conformance.cases.upstream.model import FEW, SOME, Base, DialectCases, Negatives, Numbering, OptionSets, Position
from reference_impl.model import Record

__all__ = ["CASES"]

_NO_OPTIONS: Mapping[str, str] = {}
_OPTION_SETS = OptionSets(
    known_values={
        "jdk": ("17", "25"),
        "tsdb": ("true", "false"),
        "server": ("mysql", "mariadb"),
        "gtid": ("false", "true"),
        "binlog_row_image": ("FULL", "MINIMAL", "NOBLOB"),
    },
    value_options=_NO_OPTIONS,
    corpora_options=(_NO_OPTIONS, {"server": "mariadb", "tsdb": "false"}),
    type_options=(
        {"jdk": "25"},
        {"tsdb": "false"},
        {"server": "mariadb"},
        {"server": "mariadb", "tsdb": "false"},
        {"binlog_row_image": "MINIMAL"},
        {"binlog_row_image": "NOBLOB"},
    ),
    stops=(("vector(3)", "CJ-428"),),
    prints_as_json=prints_as_json,
)

_FLAT_MESSAGE = DocumentForm({**FLAT_MEMBERS, "gtid": member("string")})
_NEGATIVES = Negatives(
    requirement="CJ-881",
    bases=(
        Base("row", {}, _FLAT_MESSAGE, SOME),
        Base("update", {}, _FLAT_MESSAGE, FEW),
        Base("statement", {}, _FLAT_MESSAGE, FEW),
    ),
    image_path=("data", 0),
    out_of_range={
        "id": ("2147483648", "-2147483649"),
        "n": ("18446744073709551616", "-1"),
        "at": ("2024-13-01 00:00:00.000", "2024-01-01 24:00:00.000"),
    },
)


def _position(record: Record) -> Position:
    tree = tree_of(record.value)
    es = number_at(tree, "es") or 0
    source = {
        "id": str(max(number_at(tree, "id") or 0, 0)),
        "es": str(max(es, 0) // MILLISECONDS * MILLISECONDS),  # a rows event has whole seconds  [CJ-668]
        "ts": str(max(number_at(tree, "ts") or 0, 0)),
        "gtid": text_at(tree, "gtid") or "",
    }
    return Position(source, within_time(es // MILLISECONDS))


def _cell(tree: Any, image: str, row: int, column: str) -> Any:
    """The value of a column: in `old` if an update changed it, else in `data`, also for the before image."""
    for name in ("old", "data") if image == "before" else ("data",):
        rows = tree.get(name) if isinstance(tree, dict) else None
        values = rows[row] if isinstance(rows, list) and row < len(rows) else None
        if isinstance(values, dict) and column in values:
            return values[column]
    return None


def _number(record: Record) -> int | None:
    return number_at(tree_of(record.value), "id")


CASES = DialectCases(
    ops={"insert": "INSERT", "update": "UPDATE", "delete": "DELETE"},
    topic="{name}",
    position=_position,
    cell=_cell,
    packs_rows=True,
    default_source={"id": "1", "es": "1000", "ts": "1000", "gtid": ""},
    option_sets=_OPTION_SETS,
    negatives=_NEGATIVES,
    answer_requirement="CJ-887",
    numbering=Numbering(lambda number: {"id": str(number)}, _number),
)
