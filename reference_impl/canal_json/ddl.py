"""The `type` of a DDL message: the kind of its statement.  [CJ-601 … CJ-610]"""

from __future__ import annotations

from collections.abc import Mapping

from reference_impl.actions import CREATE_TABLES, DROP_TABLE, RENAMES, TRUNCATE_TABLE, known_code
from reference_impl.canal_json.style import Style
from reference_impl.model import DdlEvent

__all__ = ["DDL_TYPES", "ddl_type"]

# The `type` of each action, by TiDB's code; the other actions have the type `QUERY`.
_TYPES: Mapping[int, str] = {
    3: "CREATE",
    DROP_TABLE: "ERASE",
    TRUNCATE_TABLE: "TRUNCATE",
    **dict.fromkeys(RENAMES, "RENAME"),
    **dict.fromkeys((7, 9, 32), "CINDEX"),
    **dict.fromkeys((8, 10, 33), "DINDEX"),
    **dict.fromkeys((5, 6, 12, 13, 15, 17, 18, 19, 20, 22, 23, 37, 38, 41, 61, 64, 71, 72), "ALTER"),
}

DDL_TYPES = frozenset({*_TYPES.values(), "QUERY"})


def ddl_type(event: DdlEvent, style: Style) -> str:
    """The `type` of a DDL message; an action without a rule is `QUERY`.  [CJ-608, CJ-609]"""
    code = known_code(event)
    if code is None:
        return "QUERY"
    return style.create_tables if code == CREATE_TABLES else _TYPES.get(code, "QUERY")
