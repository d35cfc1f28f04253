"""Reads SQL files: one script, or the folder of a dump by dumpling or mydumper, with a file for each table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conformance.ddl.encoding import text_of
from conformance.ddl.reading import NotRead, Script, read_script, strictly
from conformance.errors import UsageError, file_errors
from reference_impl.model import Table

__all__ = ["read_sql", "tables_of_file"]

# shop.orders-schema.sql creates a table of `shop`; shop-schema-create.sql, which does not match, the database.
_OF_A_TABLE = re.compile(r"([^.]+)\..+-schema\.sql\Z")


def read_sql(path: Path, option: str, data: bytes | None = None) -> Script:
    """Read a file, whose `data` may have been read before, or the folder of a dump; messages name it by `option`.

    A table without a schema in the text is in the schema that the file is named after: `shop.sql` is for `shop`.
    Raises `UsageError` for a file that cannot be opened, and for a folder without `*-schema.sql`.
    """
    with file_errors(f"{option} {path}: cannot be read"):
        if not path.is_dir():
            return _read(path, data)
        files = sorted(file for file in path.iterdir() if _OF_A_TABLE.match(file.name))
        found = [_read(file) for file in files]
    if not found:
        raise UsageError(f"{option} {path}: a folder without *-schema.sql, which dumpling and mydumper write")
    scripts = list(zip(files, found, strict=True))
    return Script(
        tuple(table for script in found for table in script.tables),
        tuple(one for file, script in scripts for one in _named(file, script.not_read)),
        tuple(one for file, script in scripts for one in _named(file, script.passed_over)),
        tuple(one for script in found for one in script.others),
    )


def tables_of_file(path: Path, option: str, data: bytes | None = None) -> list[Table]:
    """The tables of a script. Raises `UsageError` if one cannot be read, as `tables_of_sql` does."""
    return strictly(read_sql(path, option, data), f"{option} {path}")


def _read(path: Path, data: bytes | None = None) -> Script:
    named = _OF_A_TABLE.match(path.name)
    return read_script(text_of(path.read_bytes() if data is None else data), named[1] if named else path.stem)


def _named(file: Path, given: tuple[NotRead, ...]) -> Iterator[NotRead]:
    return (replace(one, file=file.name) for one in given)
