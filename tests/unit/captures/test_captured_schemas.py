"""Schemas that captured records refer to: listed, looked up, or nowhere."""

from __future__ import annotations

import pytest

from conformance.captures.schemas import CapturedSchemas
from conformance.errors import UsageError
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.registry import MemoryRegistry, RegisteredSchema

KEY, VALUE = '{"type":"record","name":"k","fields":[]}', '{"type":"record","name":"v","fields":[]}'


class Counting(MemoryRegistry):
    """A registry that counts how often it is asked for a text."""

    asked = 0

    def schema(self, schema_id: int) -> str:
        self.asked += 1
        return super().schema(schema_id)


class Unreachable(MemoryRegistry):
    def schema(self, schema_id: int) -> str:
        raise Rejected("semantics", "the schema registry cannot be reached")


def test_a_listed_schema_is_not_asked_for_and_another_is_asked_for_once():
    registry = Counting([RegisteredSchema(2, "t-value", VALUE)])
    schemas = CapturedSchemas([RegisteredSchema(1, "t-key", KEY)], registry)
    assert [schemas[1], schemas[2], schemas[2]] == [KEY, VALUE, VALUE]
    assert registry.asked == 1


def test_an_id_that_a_registry_does_not_know_is_nowhere_and_asked_for_once():
    registry = Counting()
    schemas = CapturedSchemas(registry=registry)
    assert schemas.is_complete
    assert 7 not in schemas
    with pytest.raises(Rejected) as caught:
        schemas.schema(7)
    assert (caught.value.reason, registry.asked) == (RejectionClass.SCHEMA, 1)


def test_a_list_alone_does_not_tell_that_an_id_is_nowhere():
    assert not CapturedSchemas([RegisteredSchema(1, "t-key", KEY)]).is_complete


def test_a_registry_that_cannot_be_asked_is_no_fault_of_a_record():
    with pytest.raises(UsageError, match="cannot be reached"):
        CapturedSchemas(registry=Unreachable()).schema(1)


def test_nothing_is_registered_where_captured_records_are_read():
    with pytest.raises(Rejected):
        CapturedSchemas().register("t-key", KEY)


@pytest.mark.parametrize(
    ("listed", "shown"),
    [(["t-key"], "t-key"), (["other-key", "t-key"], "t-key"), (["other-key"], "other-key"), ([""], "t-key")],
    ids=["registered there", "registered there too", "registered elsewhere", "nobody knows where"],
)
def test_a_text_counts_as_registered_where_it_should_be_unless_it_is_known_to_be_elsewhere(listed, shown):
    schemas = CapturedSchemas([RegisteredSchema(1, subject, KEY) for subject in listed])
    expected = [RegisteredSchema(5, "t-key", KEY)]
    assert schemas.shown([1, 9], expected) == [RegisteredSchema(1, shown, KEY)]
