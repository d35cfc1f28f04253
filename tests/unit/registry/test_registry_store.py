"""The state of a registry: ids, versions, deletion and levels, with the error codes of Confluent's."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from avro_texts import DEMANDING, ONE, TWO

from conformance.errors import SuiteError
from conformance.registry.compatibility import Level
from conformance.registry.store import Refused, Store
from reference_impl.registry import RegisteredSchema

NOT_AVRO = '{"type":"record"}'


def code_of(action: Callable[[], object]) -> tuple[int, int]:
    """(status, error code) of what is refused."""
    with pytest.raises(Refused) as refused:
        action()
    return refused.value.status, refused.value.code


def test_ids_count_from_one_and_an_equal_text_has_an_equal_id_under_every_subject() -> None:
    store = Store()
    assert [store.register(*asked) for asked in (("a", ONE), ("a", TWO), ("b", TWO), ("b", ONE), ("a", ONE))] == [
        1,
        2,
        2,
        1,
        1,
    ]
    assert (store.versions("a"), store.versions("b")) == ([1, 2], [1, 2])
    assert [(v.subject, v.number) for v in store.uses(2)] == [("a", 2), ("b", 1)]


def test_a_case_s_schemas_have_the_ids_that_it_gives_and_new_ones_follow_the_largest() -> None:
    store = Store()
    store.begin([RegisteredSchema(7, "a", ONE), RegisteredSchema(4, "b", NOT_AVRO)])
    assert (store.schema(7), store.schema(4)) == (ONE, NOT_AVRO)
    assert (store.register("c", ONE), store.register("c", TWO)) == (7, 8)


def test_to_begin_is_to_forget() -> None:
    store = Store()
    store.register("a", ONE)
    store.set_level("FULL")
    store.begin([])
    assert (store.subjects(), store.level()) == ([], Level.NONE)
    assert store.register("a", TWO) == 1


def test_one_id_for_two_texts_is_a_fault_of_the_case() -> None:
    with pytest.raises(SuiteError, match="id 3"):
        Store().begin([RegisteredSchema(3, "a", ONE), RegisteredSchema(3, "a", TWO)])


def _registered() -> Store:
    store = Store()
    store.register("a", ONE)
    store.register("a", TWO)
    return store


def test_a_subject_deleted_softly_is_not_listed_but_its_ids_are_still_known() -> None:
    store = _registered()
    assert store.delete_subject("a") == [1, 2]
    assert (store.subjects(), store.subjects(deleted=True), store.schema(2)) == ([], ["a"], TWO)
    assert code_of(lambda: store.versions("a")) == (404, 40401)
    assert code_of(lambda: store.delete_subject("a")) == (404, 40404)


def test_a_subject_deleted_for_good_is_gone_with_its_ids() -> None:
    store = _registered()
    store.delete_subject("a")
    assert store.delete_subject("a", permanent=True) == [1, 2]
    assert store.subjects(deleted=True) == []
    assert code_of(lambda: store.schema(1)) == (404, 40403)


def test_versions_go_on_counting_after_a_soft_deletion_and_ids_stay() -> None:
    store = _registered()
    store.delete_subject("a")
    assert store.register("a", ONE) == 1
    assert store.versions("a") == [3]


def test_a_version_is_deleted_softly_and_then_for_good() -> None:
    store = _registered()
    assert store.delete_version("a", "latest") == 2
    assert store.versions("a") == [1]
    assert code_of(lambda: store.delete_version("a", "2")) == (404, 40406)
    assert store.delete_version("a", "2", permanent=True) == 2
    assert store.versions("a", deleted=True) == [1]


def test_the_latest_version_is_never_a_deleted_one() -> None:
    store = _registered()
    store.delete_version("a", "latest")
    assert store.version("a", "latest", deleted=True).number == 1
    assert code_of(lambda: store.delete_version("a", "latest", permanent=True)) == (404, 40407)
    assert store.delete_version("a", "latest") == 1
    assert code_of(lambda: store.delete_version("a", "latest")) == (404, 40402)


def test_a_store_demands_nothing_until_it_is_told_to() -> None:
    store = Store()
    assert (store.register("a", ONE), store.register("a", DEMANDING)) == (1, 2)


def test_a_schema_that_the_level_forbids_is_refused_and_leaves_no_version() -> None:
    store = Store()
    store.set_level("BACKWARD")
    store.register("a", ONE)
    assert code_of(lambda: store.register("a", DEMANDING)) == (409, 409)
    assert (store.versions("a"), store.register("a", TWO)) == ([1], 2)


def test_the_level_of_a_subject_goes_before_that_of_all() -> None:
    store = Store()
    store.set_level("BACKWARD")
    store.set_level("NONE", "a")
    store.register("a", ONE)
    assert store.register("a", DEMANDING) == 2
    assert store.drop_level("a") is Level.NONE
    assert store.level("a") is Level.BACKWARD


def test_what_is_registered_already_is_not_compared_again() -> None:
    store = Store()
    store.begin([RegisteredSchema(1, "a", ONE), RegisteredSchema(2, "a", DEMANDING)], Level.FULL_TRANSITIVE)
    assert store.register("a", ONE) == 1


def test_nothing_follows_a_version_that_is_not_avro() -> None:
    store = Store()
    store.begin([RegisteredSchema(1, "a", NOT_AVRO)], Level.BACKWARD)
    assert code_of(lambda: store.register("a", ONE)) == (409, 409)


def test_a_schema_can_be_tried_against_one_version_or_as_the_next() -> None:
    store = Store()
    store.set_level("BACKWARD")
    store.register("a", ONE)
    assert store.conflicts("a", TWO) == store.conflicts("a", TWO, "1") == []
    assert "a: was not written" in store.conflicts("a", DEMANDING, "latest")[0]


def test_a_subject_whose_last_version_was_deleted_for_good_is_gone() -> None:
    store = Store()
    store.register("a", ONE)
    for permanent in (False, True):
        store.delete_version("a", "1", permanent=permanent)
    assert store.subjects(deleted=True) == []


def test_a_version_of_thousands_of_digits_is_refused() -> None:
    store = Store()
    store.register("a", ONE)
    assert store.version("a", "0" * 5000 + "1").number == 1
    assert code_of(lambda: store.version("a", "0" * 9 + "1" + "9" * 5000)) == (422, 42202)
