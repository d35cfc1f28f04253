"""Predicates: tests of the values and steps that a divergence concerns, by name.

* `CELLS`: two different canonical values of a column, upstream's and TiCDC's;
* `COLUMN_CELLS`: the same with the column; both values are equal for a value that both sides have;
* `COLUMNS`: a column that TiCDC lacks, and the columns that it has;
* `LACKED`: a value of TiCDC that upstream lacks;
* `VALUES`: a value that both sides have and spell differently;
* `STEPS`: the changes of one key, upstream's and TiCDC's, that lead to the same row;
* `KEY_STEPS`: the same with the table's keys.

Each predicate is exactly as narrow as its divergence: values that differ in one more digit fail it.

Two tables save evaluations. `OF_TYPE` lists the predicates among `VALUES` and `COLUMN_CELLS` that hold for all equal
values of a column or for none. `PATTERNS` has regular expressions that match every text for which a predicate holds;
such predicates never hold for NULL.
"""

from __future__ import annotations

from collections.abc import Mapping

from differential.classify.predicates import canal, common, debezium
from differential.classify.predicates.kinds import (
    CellTest,
    ColumnCellTest,
    ColumnTest,
    KeyStepTest,
    StepTest,
    ValueTest,
)

__all__ = ["CELLS", "COLUMNS", "COLUMN_CELLS", "KEY_STEPS", "LACKED", "OF_TYPE", "PATTERNS", "STEPS", "VALUES"]

COLUMNS: Mapping[str, ColumnTest] = common.COLUMNS
COLUMN_CELLS: Mapping[str, ColumnCellTest] = {**canal.COLUMN_CELLS, **debezium.COLUMN_CELLS}
LACKED: Mapping[str, ValueTest] = debezium.LACKED
CELLS: Mapping[str, CellTest] = {**canal.CELLS, **debezium.CELLS}
KEY_STEPS: Mapping[str, KeyStepTest] = common.KEY_STEPS
STEPS: Mapping[str, StepTest] = {**common.STEPS, **debezium.STEPS}
VALUES: Mapping[str, ValueTest] = {**common.VALUES, **canal.VALUES, **debezium.VALUES}

OF_TYPE = frozenset(
    {
        "DECIMAL default that Java prints differently",
        "FLOAT4",
        "INTEGER UNSIGNED",
        "binary word",
        "declared as text, of UTF-8",
        "declared with a length",
        "default in the schema",
        "expression as a default",
        "labels with a backslash",
        "labels with two quotes",
        "unsigned",
    }
)
_ESCAPED = r"\\"
PATTERNS: Mapping[str, str] = {
    "<, > or &": "[<>&]",
    "0x08 or 0x0C": "[\b\f]",
    "U+2028 or U+2029": "[\u2028\u2029]",
    "U+FFFD": "\ufffd",
    "JSON with an exponent in Java": r"[0-9][eE]|[0-9]{8}\.|[0-9]{19}|0\.0",
    "JSON with names that need an escape": _ESCAPED,
    "JSON with characters that Canal escapes": _ESCAPED + "|[\x7f-\xa0]",
    "JSON with control characters": _ESCAPED,
    "control characters": "[\0-\x1f]",
    "decimal with an empty group": "0$",
    "characters beyond 16 bits": "[\U00010000-\U0010ffff]",
    "label with a comma": ",",
    "negative TIME of the old connector": "^-",
}
