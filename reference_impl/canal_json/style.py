"""The styles of TiCDC's Canal-JSON by profile and release: one table, a row a style.

The profile `doc` follows the document where it decides a point: it shows `data` before `old`, and members sorted by
name in every row object. The document is silent on tables without a primary key, an empty set of columns, virtual
generated columns in a key, and statements that create several tables; there `doc` writes as the new architecture does.

Not in the table: NaN and infinities, which no column can hold. In every style two values with the same text are equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reference_impl.profiles import Profile, Release

__all__ = ["STYLES", "Style", "style_of"]


@dataclass(frozen=True, slots=True)
class Style:
    """A producer's choices where the protocol leaves them open."""

    # DML puts `data` before `old`.  [CJ-005 … CJ-007]
    data_first: bool = False
    # `sqlType`, `mysqlType`, `data` and `old` are sorted by name, not in table order.  [CJ-005, CJ-033]
    sorted_columns: bool = False
    # `mysqlType` of a row without columns.  [CJ-036]
    no_types: str = "null"
    # `type` of a statement that creates several tables at once.  [CJ-610]
    create_tables: str = "CREATE"
    # A unique key with a virtual generated column can be the handle key.  [CJ-112, OP-250]
    virtual_handle_key: bool = True
    # `old` of a DELETE repeats `data`.  [CJ-502]
    old_on_delete: bool = False


STYLES: Mapping[str, Style] = {
    "newarch": Style(),
    "classic": Style(no_types="{}", create_tables="QUERY", virtual_handle_key=False),
    "doc": Style(data_first=True, sorted_columns=True),
}

# Changes for profiles of a release before the named one; all rows that apply are combined.
_BEFORE_RELEASE: tuple[tuple[Release, Mapping[str, Any]], ...] = (
    ((6, 5, 0), {"data_first": True, "sorted_columns": True}),  # [CJ-007]
    ((5, 4, 0), {"old_on_delete": True}),  # [CJ-502]
)


def style_of(profile: Profile) -> Style:
    """The style of a profile, narrowed to its release. Raises KeyError for a profile without one."""
    style = STYLES[profile.name]
    for release, changes in _BEFORE_RELEASE:
        if profile.release < release:
            style = replace(style, **changes)
    return style
