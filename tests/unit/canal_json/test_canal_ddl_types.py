"""`type` of a DDL message, by the number of the statement and by its name.  [CJ-601 … CJ-609]"""

from __future__ import annotations

import pytest

from reference_impl.canal_json.ddl import ddl_type
from reference_impl.canal_json.style import style_of
from reference_impl.model import DdlEvent
from reference_impl.profiles import NEWARCH

STYLE = style_of(NEWARCH)


def ddl(action: str | None, code: int | None) -> DdlEvent:
    return DdlEvent("d", "t", "…", action, code)


# TiDB's numbers of the statements that are no `QUERY`; 60, the tables of a restore, is left to the profile.
OF_KIND = {
    "CREATE": (3,),  # CJ-601
    "ERASE": (4,),  # CJ-602
    "TRUNCATE": (11,),  # CJ-603
    "RENAME": (14, 47),  # CJ-604: one table or several
    "CINDEX": (7, 32, 9),  # CJ-605: an index, a primary key, a foreign key
    "DINDEX": (8, 33, 10),  # CJ-606
    # CJ-607: columns, defaults, comments, names and visibility of indexes, charsets, several changes, partitions
    "ALTER": (5, 37, 6, 38, 12, 13, 15, 17, 18, 41, 22, 61, 19, 20, 23, 64, 71, 72),
}


def test_a_statement_has_the_type_of_its_number_whatever_it_is_called() -> None:
    expected = {code: kind for kind, codes in OF_KIND.items() for code in codes}
    for code in {*range(256)} - {60}:
        assert ddl_type(ddl("what it is called", code), STYLE) == expected.get(code, "QUERY"), code  # CJ-608, CJ-609


@pytest.mark.parametrize(("name", "kind"), [("Add Table Partition", "ALTER"), ("drop view", "QUERY")])
def test_a_statement_without_a_number_has_the_type_of_its_name(name: str, kind: str) -> None:
    assert ddl_type(ddl(name, None), STYLE) == kind


def test_a_statement_of_no_known_name_is_a_query() -> None:
    assert ddl_type(ddl("paint table", None), STYLE) == ddl_type(ddl(None, None), STYLE) == "QUERY"
