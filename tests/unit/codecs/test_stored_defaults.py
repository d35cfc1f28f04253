"""Defaults as a server has stored them."""

import pytest

from reference_impl import stored_defaults
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column
from reference_impl.upstream.debezium import defaults


@pytest.mark.parametrize(("kind", "zeros"), [("binary", 1), ("binary(0)", 0), ("binary(1)", 1), ("binary(3)", 3)])
def test_a_default_of_binary_has_as_many_zero_bytes_as_its_type_has_bytes(kind: str, zeros: int) -> None:
    column = Column("c", parse_column_type(kind), default="")
    assert stored_defaults.stored_default(column, "UTC") == "\0" * zeros
    assert defaults.printed_default(column) == "\\0" * zeros
