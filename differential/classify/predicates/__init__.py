"""How a comparison tells the values and steps that a divergence concerns, by the names that the catalogue uses.

`CELLS`: two canonical values of a column that differ, as upstream and TiCDC have them; `COLUMN_CELLS` the same where
more of the column matters than its type, given one value twice for a value that both have. `COLUMNS`: a column that
TiCDC lacks, and those that it has. `LACKED`: a value of TiCDC's that is not there upstream. `VALUES`: a value that both
sides have and write differently. `STEPS`: the changes of one key, as upstream and TiCDC sent them, that lead to the
same row; `KEY_STEPS` the same where the keys of the table matter. Each is as narrow as its divergence: one digit beyond
it is false.

So that not every value has to be asked: `OF_TYPE` are those of `VALUES` and `COLUMN_CELLS` that are true of all values
of a column or of none, where both sides have the same; `MARKS` are patterns that every text has of which one is true,
and such a one is never true of NULL.
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

__all__ = ["CELLS", "COLUMNS", "COLUMN_CELLS", "KEY_STEPS", "LACKED", "MARKS", "OF_TYPE", "STEPS", "VALUES"]

COLUMNS: Mapping[str, ColumnTest] = common.COLUMNS
COLUMN_CELLS: Mapping[str, ColumnCellTest] = {**canal.COLUMN_CELLS, **debezium.COLUMN_CELLS}
LACKED: Mapping[str, ValueTest] = debezium.LACKED
CELLS: Mapping[str, CellTest] = {**canal.CELLS, **debezium.CELLS}
KEY_STEPS: Mapping[str, KeyStepTest] = common.KEY_STEPS
STEPS: Mapping[str, StepTest] = {**common.STEPS, **canal.STEPS, **debezium.STEPS}
VALUES: Mapping[str, ValueTest] = {**common.VALUES, **canal.VALUES, **debezium.VALUES}

OF_TYPE = frozenset(
    {
        "DECIMAL default that Java prints otherwise",
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
MARKS: Mapping[str, str] = {
    "<, > or &": "[<>&]",
    "0x08 or 0x0C": "[\b\f]",
    "U+2028 or U+2029": "[\u2028\u2029]",
    "U+FFFD": "\ufffd",
    "JSON with an exponent in Java": r"[0-9][eE]|[0-9]{8}\.|[0-9]{19}|0\.0|-0",
    "JSON with names that need an escape": _ESCAPED,
    "JSON with characters that Canal escapes": _ESCAPED + "|[\x7f-\xa0]",
    "JSON with control characters": _ESCAPED,
    "control characters": "[\0-\x1f]",
    "decimal with an empty group": "0$|^$",
    "characters beyond 16 bits": "[\U00010000-\U0010ffff]",
    "label with a comma": ",",
    "negative TIME of the old connector": "^-",
}
