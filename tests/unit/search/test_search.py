"""The search: one seed is one search, the reference is without fault, what is found is kept to and told once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from conformance.cases.model import Case, Role
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.engine.outcomes import Outcome, outcome_of
from conformance.engine.plan import item_of
from conformance.engine.verdicts import Verdict
from conformance.errors import ImplementationError
from conformance.mutants import mutant_named
from conformance.mutants.model import Mutant
from conformance.oracle.judges import judge_of
from conformance.search.scope import scope_of
from conformance.search.search import Search, size_of
from reference_impl.profiles import NEWARCH, PROFILES, Profile
from reference_impl.protocols import CODECS
from tests.amounts import ordinarily

ROLES: tuple[Role, ...] = ("encode", "decode")


SMALL = scope_of({"column_types": ["int"], "events": ["row"], "options": []})
"""Where anything that is drawn shows a rule, small inputs show it."""


def asker(protocol: str, profile: Profile = NEWARCH, mutant: Mutant | None = None) -> Callable[[Case], Outcome]:
    answerer = Embedded(profile, mutant.wrap, mutant.registry) if mutant else Embedded(profile)
    return asker_of(protocol, answerer, profile)


def asker_of(protocol: str, answerer: Embedded, profile: Profile = NEWARCH) -> Callable[[Case], Outcome]:
    register = load_register(protocol)
    judge = judge_of(protocol, register, profile)

    def ask(case: Case) -> Outcome:
        return outcome_of(item_of(case, register, profile), judge.judge(case, answerer.ask(case)), register)

    return ask


def search_of(name: str, examples: int, seed: int = 1) -> Search:
    mutant = mutant_named(name)
    return Search(asker(mutant.protocol, NEWARCH, mutant), mutant.protocol, mutant.role, NEWARCH, seed, examples)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("protocol", CODECS)
def test_the_reference_is_without_fault(protocol: str, role: Role, profile: Profile) -> None:
    examples = ordinarily(8, 40)
    search = Search(asker(protocol, profile), protocol, role, profile, 7, examples)
    assert list(search.run()) == []
    assert search.tried == examples


def test_one_seed_is_one_search() -> None:
    first, second = (next(search_of("canal-json/read-column-lost", 20).run()) for _ in range(2))
    assert (first.mark, first.case, first.first, first.after, first.steps) == (
        second.mark,
        second.case,
        second.first,
        second.after,
        second.steps,
    )


def test_other_seeds_are_other_searches() -> None:
    first, second = (next(search_of("canal-json/read-column-lost", 20, seed).run()) for seed in (1, 2))
    assert first.first != second.first


def test_the_case_that_was_found_is_no_larger_than_the_first() -> None:
    found = next(search_of("avro/text-as-bytes", 100).run())
    assert size_of(found.case) <= size_of(found.first)


def test_a_fault_is_told_once() -> None:
    marks = [found.mark for found in search_of("canal-json/read-column-lost", 30).run()]
    assert marks
    assert len(marks) == len(set(marks))


def test_an_implementation_that_declares_nothing_is_not_searched() -> None:
    asked: list[Case] = []
    search = Search(asked.append, "canal-json", "encode", NEWARCH, 1, 1000, scope=SMALL)
    assert (list(search.run()), search.tried) == ([], 0)
    assert 0 < len(asked) <= 100


def test_a_search_ends_where_there_is_nobody_to_ask() -> None:
    def gone(case: Case) -> Outcome:
        raise ImplementationError("it ended")

    search = Search(gone, "canal-json", "encode", NEWARCH, 1, 20)
    assert list(search.run()) == []
    assert search.lost == "it ended"


def test_ctrl_c_ends_a_search_with_what_it_has() -> None:
    asked: list[Case] = []

    def ask(case: Case) -> Outcome:
        asked.append(case)
        if len(asked) > 5:
            raise KeyboardInterrupt
        return Outcome(Verdict.CRASH)

    search = Search(ask, "canal-json", "encode", NEWARCH, 1, 20)
    [found] = search.run()
    assert (found.mark, search.interrupted) == ("crash@encode", True)


def test_what_does_not_show_again_is_told_as_unsteady() -> None:
    verdicts = iter([Verdict.CRASH])

    def ask(case: Case) -> Outcome:
        return Outcome(next(verdicts, Verdict.PASS))

    [found] = Search(ask, "canal-json", "encode", NEWARCH, 1, 20).run()
    assert found.unsteady


def test_time_ends_a_search() -> None:
    search = Search(asker("canal-json"), "canal-json", "encode", NEWARCH, 1, 20, lambda: True)
    assert (list(search.run()), search.tried) == ([], 0)


def test_a_search_draws_every_kind_of_event_key_and_surrounding() -> None:
    seed, examples, never = ordinarily((4, 140, 7), (1, 300, 4))
    search = Search(lambda case: Outcome(Verdict.PASS), "canal-json", "encode", NEWARCH, seed, examples)
    assert list(search.run()) == []
    assert search.judged == examples
    drawn = search.draw_counts
    assert {"insert", "update", "delete", "watermark", "add column", "drop column", "rename table"} <= set(drawn.events)
    assert {"truncate table", "modify table comment"} <= set(drawn.events)
    keys = {"primary key", "composite key", "unique key alone", "no key"}
    assert keys | {"2 tables", "3 partitions", "Asia/Shanghai", "America/New_York"} <= set(drawn.settings)
    assert {"by default", "max-message-bytes=600", "content-compatible=true"} <= set(drawn.options)
    assert len(drawn.never_drawn()) <= never


def test_what_was_declined_is_not_counted_as_drawn() -> None:
    search = Search(lambda case: Outcome(Verdict.UNSUPPORTED), "canal-json", "encode", NEWARCH, 1, 5)
    assert list(search.run()) == []
    assert (search.tried, search.judged, search.draw_counts.events.total()) == (5, 0, 0)
