"""Inputs that generations of TiCDC write differently: a decoder gets the records of each, and a mixture of all.

After an upgrade of TiCDC a topic holds records of both generations. Messages that a generation lacks, as classic lacks
DDL messages of Debezium, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.inputs import Input, column, history, table, with_sql
from conformance.catalogue.corpora import OptionSpace
from reference_impl.model import Key, Row

__all__ = ["generation_inputs"]

_TABLE = table(
    "t",
    (
        column("z", "int", nullable=False),
        column("m", "varchar(20)"),
        column("b", "bit(12)"),
        column("a", "double"),
        column("f", "float"),
        column("d", "decimal(10,2)"),
    ),
    ("z",),
)
_ONE: Row = {"z": "1", "m": "<b>&\b", "b": "1", "a": "1e-7", "f": "0.5", "d": "1.50"}
_TWO: Row = {"z": "2", "m": None, "b": "4095", "a": "1e21", "f": "0.1", "d": "-0.01"}
_KEYED_BY_UNIQUE = with_sql(replace(_TABLE, primary_key=(), unique_keys=(Key("u", ("z",)),)))
_KEYLESS = with_sql(replace(_TABLE, primary_key=()))


def _options(space: OptionSpace) -> dict[str, str]:
    """Options under which generations differ most: with the extension, and a record for every row."""
    options = {"enable-tidb-extension": "true", "max-batch-size": "1"}
    return {name: value for name, value in options.items() if name in space.values}


def generation_inputs(space: OptionSpace) -> Iterator[Input]:
    """Rows with the forms of the key that generations write differently; and a delete without columns."""
    for name, table_ in (("primary key", _TABLE), ("unique key", _KEYED_BY_UNIQUE), ("no key", _KEYLESS)):
        # Some protocols cannot write the delete of a row without a primary key.
        end = (None,) if table_.primary_key else ()
        first = [_ONE, {**_ONE, "a": None}, {**_ONE, "m": None, "d": None}, *end]
        second = [_TWO, {**_TWO, "b": "0"}, _TWO, *end]
        yield Input(
            f"generations/{name}",
            (table_,),
            history(table_, first, second),
            _options(space),
            in_both_styles=True,
            mixed=True,
            axes={"stream": "generations", "table": name},
        )
    handle_only = "delete-only-output-handle-key-columns"
    if any(sweep.option == handle_only and not sweep.without_handle for sweep in space.sweeps):
        yield Input(
            "generations/no column left",
            (_KEYLESS,),
            history(_KEYLESS, [_ONE, None]),
            {handle_only: "true"},
            in_both_styles=True,
            mixed=True,
            axes={"stream": "generations", "table": "no column left"},
        )
