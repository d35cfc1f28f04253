"""The table of encoders by readers on a terminal: how much is said of a cell."""

from __future__ import annotations

from reports.compatibility import terminal_lines
from tests.snapshots.tiny_compatibility import TABLE


def test_of_a_single_cell_everything_is_told() -> None:
    cause = next(cell for cell in TABLE["cells"] if cell["causes"])["causes"][0]
    causes = [{**cause, "effect": f"effect {n}"} for n in range(9)]
    cells = [{**TABLE["cells"][0], "causes": causes}]
    assert "effect 8" in "\n".join(terminal_lines(TABLE | {"cells": cells}))
    assert "effect 8" not in "\n".join(terminal_lines(TABLE | {"cells": cells * 2}))
