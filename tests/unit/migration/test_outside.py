"""Divergences that no comparison of messages shows."""

from __future__ import annotations

import pytest

from conformance.catalogue.divergences import Divergence, Met, load_divergences
from conformance.migration.move import Move
from conformance.migration.outside import BLOCKING, is_known, outside_divergences, statement_divergences, undetermined
from reference_impl.profiles import CLASSIC, profile_of_release
from tests.unit.migration.tables import table

UNSEEN = [
    one for pair in load_divergences().values() for one in pair.divergences if one.met in (Met.OUTSIDE, Met.MESSAGE)
]
CANAL, DEBEZIUM = Move("canal", "canal-json"), Move("debezium-connector", "debezium")

OF_CLASSIC = Move("debezium-connector", "debezium", profile=CLASSIC)
WITHOUT_TOMBSTONES = Move("debezium-connector", "debezium", {"tombstones.on.delete": "false"})


def _places(move: Move, name: str, body: str) -> list[str]:
    found = {one.divergence.id: one.places for one in outside_divergences(move, [table(body)])}
    return [column for _, _, column in found.get(name, ())]


@pytest.mark.parametrize("one", UNSEEN, ids=lambda one: one.id)
def test_of_every_divergence_it_is_said_where_it_is_expected_or_why_it_is_not(one: Divergence) -> None:
    assert is_known(one.id)


def test_what_blocks_is_a_divergence() -> None:
    assert {one.id for one in UNSEEN} >= BLOCKING


@pytest.mark.parametrize(
    ("move", "name", "body", "there"),
    [
        (CANAL, "DV-35", "a int", True),
        (CANAL, "DV-35", "a int primary key", False),
        (CANAL, "DV-35", "a int unique not null", False),
        (CANAL, "DV-10", "a int unique not null", True),
        (CANAL, "DV-112", "id int primary key, p int, foreign key (p) references q (id) on delete cascade", True),
        (CANAL, "DV-112", "id int primary key, p int, foreign key (p) references q (id) on update set null", True),
        (CANAL, "DV-112", "id int primary key, p int, foreign key (p) references q (id) on delete restrict", False),
        (CANAL, "DV-112", "id int primary key, p int, foreign key (p) references q (id)", False),
        (CANAL, "DV-112", "id int primary key", False),
        (CANAL, "DV-53", "id int primary key, c timestamp null", True),
        (CANAL, "DV-53", "id int primary key, c datetime", False),
        (CANAL, "DV-36", "id int primary key", False),
        (Move("canal", "canal-json", profile=profile_of_release("5.3.0")), "DV-36", "id int primary key", True),
        (DEBEZIUM, "DBZ-557", "id int primary key, c date default '2024-01-01'", True),
        (DEBEZIUM, "DBZ-557", "id int primary key, c date not null default '2024-01-01'", False),
        (DEBEZIUM, "DBZ-557", "id int primary key, c date", False),
        (OF_CLASSIC, "DBZ-557", "id int primary key, c date default '2024-01-01'", False),
        (DEBEZIUM, "UN-3.2-11", "id int primary key, c int default 1", True),
        (DEBEZIUM, "UN-3.2-11", "id int primary key, c int default null", False),
        (DEBEZIUM, "DBZ-532", "a int, b int, primary key (b, a)", True),
        (DEBEZIUM, "DBZ-532", "a int, b int, primary key (a, b)", False),
        (DEBEZIUM, "DBZ-538", "id int primary key, `a-b` int", True),
        (DEBEZIUM, "DBZ-538", "id int primary key, a_b int", False),
        (DEBEZIUM, "DBZ-529", "id int primary key", True),
        (WITHOUT_TOMBSTONES, "DBZ-529", "id int primary key", False),
    ],
)  # fmt: skip
def test_a_definition_tells_where_a_divergence_is_expected(move: Move, name: str, body: str, there: bool) -> None:
    assert bool(_places(move, name, body)) is there


def test_what_no_definition_tells_is_not_expected_but_said() -> None:
    assert "DV-20" in {name for name, _ in undetermined(CANAL)}
    assert not [one for one in outside_divergences(CANAL, [table("a int primary key")]) if one.divergence.id == "DV-20"]


def test_what_statements_say_of_tables_is_one_matter() -> None:
    assert len(statement_divergences(DEBEZIUM)) > 10
    assert not statement_divergences(CANAL)
