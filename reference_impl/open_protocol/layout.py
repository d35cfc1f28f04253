"""Writes the rows of a table version: keys and values of row changed events, as JSON text.

A `Layout` belongs to one table version and holds, as text, everything that does not depend on the row. `framing`,
`batches` and `encoder` handle frames, batches and sizes.  [OP-020 … OP-060]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reference_impl.column_types import ColumnType, Family
from reference_impl.errors import Rejected, Unsupported
from reference_impl.keys import handle_key
from reference_impl.model import Row, RowChange, Table
from reference_impl.open_protocol.flags import column_flags
from reference_impl.open_protocol.options import Options
from reference_impl.open_protocol.style import Style
from reference_impl.open_protocol.types import CODES, Write, writer
from reference_impl.tso import required_tso
from reference_impl.values import same_value, takes

__all__ = ["Layout", "names_json"]


def names_json(schema: str, table: str, style: Style) -> str:
    """The members `scm` and `tbl`, each with a comma before it.  [OP-024]"""
    names = (("scm", schema), ("tbl", table))
    return "".join(f',"{member}":{style.string(name)}' for member, name in names if name or style.empty_names)


_COMPARED_BY_VALUE = frozenset({Family.FLOAT, Family.DOUBLE, Family.ENUM, Family.SET, Family.VECTOR})


@dataclass(frozen=True, slots=True)
class _Column:
    """A sent column, with the constant texts of its member in an image."""

    name: str
    column_type: ColumnType
    named: str  # `"name":{`
    head: str  # `"t":3,"h":true,"f":11,"v":`
    prefix: str  # `named` and `head`
    null: str  # the whole member for NULL
    takes: tuple[type, ...]  # the Python types of values that are not NULL
    write: Write
    is_handle: bool  # whether it belongs to the handle key
    as_text: bool  # whether the written text decides whether its value has changed  [OP-055]

    def member(self, row: Row) -> str:
        """The member of an image."""
        value = row[self.name]
        if value is None:
            return self.null
        try:
            if isinstance(value, self.takes):
                return f"{self.prefix}{self.write(value)}}}"
        except (TypeError, ValueError, OverflowError):
            pass  # a text that is not a value of the column's type
        raise Rejected("type", f"column {self.name}: {value!r} is no value of its type")

    def holds_same(self, before: Row, after: Row) -> bool:
        """Whether two rows have the same value here: -0 equals 0, texts are compared by their bytes.

        Classic compares the texts of vectors, where -0 differs from 0.  [OP-055, OP-058]
        """
        a, b = before[self.name], after[self.name]
        if a == b:
            return True
        if self.column_type.family not in _COMPARED_BY_VALUE or not same_value(self.column_type, a, b):
            return False
        return not self.as_text or self.write(a) == self.write(b)

    def nameless(self, member: str) -> str:
        """The same member without its name, as a build of newarch writes it.  [OP-058]"""
        return member[len(self.named) : -1]


class Layout:
    """Writes the rows of one table version, with the options and the style of one encoder."""

    def __init__(self, table: Table, options: Options, style: Style) -> None:
        """Raise `Unsupported` for a table with a column type that the protocol does not have."""
        self.table = table
        self._options = options
        self._style = style
        handle = handle_key(table, virtual_counts=style.virtual_handle_key)
        flags = column_flags(table, handle, index_flags_of_generated=style.index_flags_of_generated)
        columns = [self._column(name, flags[name], name in handle) for name in self._sent_names()]
        self._columns = tuple(columns)
        self._handle = tuple(column for column in columns if column.is_handle)
        self._names = names_json(table.schema, table.name, style)
        keys_only = options.delete_only_output_handle_key_columns or (
            style.delete_follows_old_value and not options.open_output_old_value
        )
        self._deleted = self._handle if keys_only else self._columns

    def _sent_names(self) -> list[str]:
        names = [column.name for column in self.table.columns if column.generated != "virtual"]  # [OP-046]
        return (
            sorted(names, key=lambda name: name.encode("utf-8", "surrogatepass"))
            if self._style.sorted_columns
            else names
        )

    def _column(self, name: str, flags: int, is_handle: bool) -> _Column:
        column = self.table.column(name)
        assert column is not None
        code = CODES.get(column.type.family)
        if code is None:
            raise Unsupported(f"column {name}: Open Protocol does not carry {column.type.text}")  # [OP-118]
        named = f"{self._style.string(name)}:{{"
        handle = '"h":true,' if is_handle else ""
        head = f'"t":{code},{handle}"f":{flags},"v":'
        return _Column(
            name=name,
            column_type=column.type,
            named=named,
            head=head,
            prefix=named + head,
            null=f"{named}{head}null}}",
            takes=takes(column.type.family),
            write=writer(column.type, self._style),
            is_handle=is_handle,
            as_text=self._style.vectors_as_texts and column.type.family is Family.VECTOR,
        )

    def key(self, change: RowChange, *, handle_only: bool = False, location: str | None = None) -> str:
        """The event key of a row.  [OP-020 … OP-032]

        With `handle_only` the value holds only the handle key; `location` names the claim-check file of a large row.
        """
        partition_id = change.partition_id or self.table.partition_id
        optional: dict[str, str] = {}
        if partition_id:
            optional["ptn"] = f',"ptn":{partition_id}'
        if change.row_id is not None and "rid" in self._style.key_before_t:
            optional["rid"] = _row_id(change.row_id)
        if location is not None:
            optional["ohk"] = "".join(f',"ohk":{value}' for value in self._style.ohk_of_claim)
            optional["ccl"] = f',"ccl":{self._style.string(location)}'
        elif handle_only:
            optional["ohk"] = ',"ohk":true'
        ts = required_tso(change.commit_ts, "commit_ts of a row event")
        if not optional:
            return f'{{"ts":{ts}{self._names},"t":1}}'
        before = "".join(optional.get(name, "") for name in self._style.key_before_t)
        after = "".join(optional.get(name, "") for name in self._style.key_after_t)
        return f'{{"ts":{ts}{self._names}{before},"t":1{after}}}'

    def value(self, change: RowChange, *, handle_only: bool = False) -> str:
        """The event value; with `handle_only` its images hold only the handle key.

        Raises `Rejected` (class `semantics`) for an image that would hold no column.  [OP-040 … OP-060, OP-160]
        """
        columns = self._handle if handle_only else self._columns
        before, after = change.before, change.after
        if after is None:
            assert before is not None
            return f'{{"d":{{{self._image(self._handle if handle_only else self._deleted, before, change)}}}}}'
        if before is None:
            return f'{{"u":{{{self._image(columns, after, change)}}}}}'
        if handle_only and self._style.refuses_reduced_update and not self._options.open_output_old_value:
            raise Rejected("semantics", "no handle key column to write for the update")  # [OP-160]
        image = self._image(columns, after, change)
        return f'{{"u":{{{image}}}{self._previous(columns, before, after, change)}}}'

    def _image(self, columns: Iterable[_Column], row: Row, change: RowChange) -> str:
        image = ",".join([column.member(row) for column in columns if column.name in row])
        if not image:
            raise Rejected("semantics", f"no column, or no handle key column, to write for the {change.op}")  # [OP-049]
        return image

    def _previous(self, columns: Iterable[_Column], before: Row, after: Row, change: RowChange) -> str:
        if not self._options.open_output_old_value:
            return ""  # [OP-042]
        if not self._options.only_output_updated_columns:
            return f',"p":{{{self._image(columns, before, change)}}}'
        members = []
        for column in columns:
            name = column.name
            if name not in before:
                continue
            member = column.member(before)
            if name in after and column.holds_same(before, after):
                continue  # [OP-055, OP-058]
            if self._style.nameless_null and name in after and after[name] is None:
                member = column.nameless(member)
            members.append(member)
        return f',"p":{{{",".join(members)}}}' if members or self._style.empty_p else ""  # [OP-057]


def _row_id(text: str) -> str:
    """The member `rid`: an integer handle that is not zero.  [OP-029]"""
    try:
        number = int(text)
    except ValueError:
        return ""
    return f',"rid":{number}' if number and str(number) == text else ""
