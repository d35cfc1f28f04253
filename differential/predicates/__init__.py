"""How a comparison tells the values and steps that a divergence concerns, by the names that the catalogue uses.

`CELLS`: two canonical values of a column that differ, as upstream and TiCDC have them; `COLUMN_CELLS` the same where
more of the column matters than its type, given one value twice for a value that both have. `COLUMNS`: a column that
TiCDC lacks, and those that it has. `LACKED`: a value of TiCDC's that is not there upstream. `VALUES`: a value that both
sides have and write differently. `STEPS`: the changes of one key, as upstream and TiCDC sent them, that lead to the
same row; `KEY_STEPS` the same where the keys of the table matter. Each is as narrow as its divergence: one digit beyond
it is false.
"""

from __future__ import annotations

from collections.abc import Mapping

from differential.predicates import canal, common, debezium
from differential.predicates.kinds import CellTest, ColumnCellTest, ColumnTest, KeyStepTest, StepTest, ValueTest

__all__ = ["CELLS", "COLUMNS", "COLUMN_CELLS", "KEY_STEPS", "LACKED", "STEPS", "VALUES"]

COLUMNS: Mapping[str, ColumnTest] = common.COLUMNS
COLUMN_CELLS: Mapping[str, ColumnCellTest] = {**canal.COLUMN_CELLS, **debezium.COLUMN_CELLS}
LACKED: Mapping[str, ValueTest] = debezium.LACKED
CELLS: Mapping[str, CellTest] = {**canal.CELLS, **debezium.CELLS}
KEY_STEPS: Mapping[str, KeyStepTest] = common.KEY_STEPS
STEPS: Mapping[str, StepTest] = {**common.STEPS, **canal.STEPS, **debezium.STEPS}
VALUES: Mapping[str, ValueTest] = {**common.VALUES, **canal.VALUES, **debezium.VALUES}
