"""Tables for the tests of moves."""

from __future__ import annotations

from conformance.ddl import tables_of_sql
from reference_impl.model import Table

__all__ = ["table"]


def table(body: str, name: str = "t") -> Table:
    """The table with that list of columns and keys, in the schema `shop`."""
    [made] = tables_of_sql(f"CREATE TABLE `shop`.`{name}` ({body})", "the test")
    return made
