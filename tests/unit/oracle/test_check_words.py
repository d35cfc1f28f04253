"""Which words of a check decide a verdict: what `tools.check_words` notes at a difference."""

from __future__ import annotations

from collections.abc import Set
from functools import cache

from tests.unit.oracle.changes import put
from tests.unit.oracle.debezium_answers import case_of, row, with_message
from tests.unit.oracle.judging import judged
from tools.check_words import WHOLE, Watch, undecided

ID = {"name": "id", "type": "int", "nullable": False}
AFTER = "value.payload.after.{column}"


@cache
def decided() -> dict[str, Set[str]]:
    """By requirement, what its checks of a column in `after` decided where an INT has another value."""
    watch = Watch("debezium")
    with watch.watching():
        judged(case := case_of("encode", row("insert")), with_message(case, put("value.payload.after.id", 7)))
    return {one.check.requirement: set(one.decided) for one in watch.checks if one.at == AFTER and one.decided}


def test_a_check_that_alone_breaks_its_requirement_decides_with_the_kind_of_the_difference() -> None:
    assert decided()["DBZ-116a"] == {"check", "kinds value"}


def test_a_word_decides_that_alone_keeps_a_check_from_speaking() -> None:
    assert decided()["DBZ-117a"] == {"when is_unsigned"}
    assert decided()["DBZ-122a"] == {"families double"}


def test_a_check_that_two_words_keep_from_speaking_has_decided_nothing() -> None:
    assert "DBZ-114a" not in decided()


def test_a_refusal_decides_too() -> None:
    watch = Watch("debezium")
    with watch.watching():
        judged(case_of("encode", row("insert")), {"rejected": {"class": "schema", "message": "none"}})
    assert {one.check.requirement for one in watch.checks if WHOLE in one.decided} == {"DBZ-010"}


def test_checks_of_one_requirement_and_place_are_told_apart() -> None:
    watch = Watch("debezium")
    texts = {"schema": "test", "name": "t", "columns": [ID, {"name": "s", "type": "varchar(9)", "default": "x"}]}
    case = case_of("encode", row("insert", base={"id": "1", "s": ""}), table={**texts, "primary_key": ["id"]})
    with watch.watching():
        judged(case, with_message(case, put("value.payload.after.s", None)))
    [one] = [w for w in watch.checks if w.check.requirement == "DBZ-160a" and w.at == AFTER and WHOLE in w.decided]
    assert "is_empty_text" in one.check.when


def test_a_check_of_which_some_words_decided_nothing_is_listed_by_them() -> None:
    watch = Watch("debezium")
    with watch.watching():
        judged(case := case_of("encode", row("insert")), with_message(case, put("value.payload.after.id", 7)))
    listed = {check.requirement: words for check, words in undecided(watch.checks) if AFTER in check.at}
    assert f"at {AFTER}" not in listed["DBZ-116a"]
    assert "kinds json kind" in listed["DBZ-116a"]
    assert "kinds value" not in listed["DBZ-116a"]


def test_what_is_seen_only_once_the_watch_is_over_is_not_noted() -> None:
    watch = Watch("debezium")
    judged(case := case_of("encode", row("insert")), with_message(case, put("value.payload.after.id", 7)))
    assert not any(one.decided for one in watch.checks)


def test_a_check_whose_places_have_all_decided_nothing_is_listed_by_its_places_alone() -> None:
    [(check, listed)] = [one for one in undecided(Watch("debezium").checks) if one[0].requirement == "DBZ-041a"]
    assert listed == [f"at {at}" for at in check.at]
