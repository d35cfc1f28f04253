"""The schema registry of a conversation: what a case puts into it, and what is seen of it in the answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from conformance.engine.case_session import CaseSession
from conformance.engine.implementation import Target
from conformance.engine.plan import make_plan
from conformance.engine.selection import Selection
from conformance.engine.verdicts import Verdict
from conformance.errors import Inapplicable
from conformance.oracle.findings import Judgement
from conformance.registry import LocalRegistry
from conformance.transport.answers import Answer
from reference_impl.model import Record
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS, Dialect
from reference_impl.registry import RegisteredSchema
from tests.toy import PROTOCOL, REGISTER, Toy, case

SCHEMA = RegisteredSchema(3, "t-value", '"int"')


class Seeing:
    """A judge that keeps what it was shown."""

    def __init__(self) -> None:
        self.answers: list[Mapping[str, Any]] = []

    def judge(self, case: object, answer: Mapping[str, Any], *, perfect: object = None) -> Judgement:
        self.answers.append(answer)
        return Judgement({"T-1"}, [])


class Elsewhere(LocalRegistry):
    """A registry that has ids, topics and an address of its own."""

    url = "http://registry.example"

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[str] = []
        self.closed = False

    def begin(self, schemas: Iterable[RegisteredSchema] = (), fault: str = "") -> Mapping[int, int]:
        self.begun.append(fault)
        if fault == "impossible":
            raise Inapplicable("cannot be made to do that")
        super().begin((), "")
        return {schema.id: schema.id + 100 for schema in schemas}

    def topic_to_configure(self, expression: str) -> str:
        return f"mine-{expression}"

    def topic_of_case(self, topic: str) -> str:
        return topic.removeprefix("mine-")

    def close(self) -> None:
        self.closed = True


class Asked(Toy):
    """A toy that registers a schema when it is asked, and keeps the questions."""

    def __init__(self, registry: LocalRegistry) -> None:
        super().__init__()
        self._registry = registry
        self.questions: list[Mapping[str, Any]] = []

    def ask(self, op: str, **members: Any) -> Answer:
        if op == "reset":
            return Answer("ok", {})
        self.questions.append(members)
        if op == "decode":
            return Answer("ok", {"events": []})
        self._registry.client.register("t-value", SCHEMA.schema)
        return Answer("ok", {"records": [{"key": None, "value": None, "topic": "mine-t"}]})


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    toy = Dialect(PROTOCOL, "a toy", next(iter(CODECS.values())).module, uses_registry=True)
    monkeypatch.setattr("conformance.engine.case_session.CODECS", {PROTOCOL: toy})
    return Elsewhere()


def put(registry: Elsewhere, *cases: Any) -> tuple[Asked, Seeing, list[Any]]:
    toy, seeing = Asked(registry), Seeing()
    target = Target("toy", NEWARCH, lambda: toy, lambda protocol, profile: cases)
    session = CaseSession(target, {PROTOCOL: seeing}, {PROTOCOL: REGISTER}, lambda: registry)
    plan = make_plan([cases], {PROTOCOL: REGISTER}, NEWARCH, Selection())
    outcomes = [session.execute(item) for item in plan.items]
    session.close()
    return toy, seeing, outcomes


def test_configure_is_told_the_address_and_the_topic_of_the_registry(registry: Elsewhere) -> None:
    toy, _, _ = put(registry, case("a"))
    [configure] = toy.configures
    assert (configure["registry_url"], configure["topic"]) == ("http://registry.example", "mine-{schema}_{table}")


def test_the_judge_sees_what_was_registered_and_topics_as_the_case_has_them(registry: Elsewhere) -> None:
    _, seeing, _ = put(registry, case("a"))
    [answer] = seeing.answers
    assert answer["ok"]["schemas"] == [{"id": 1, "subject": "t-value", "schema": '"int"'}]
    assert answer["ok"]["records"][0]["topic"] == "t"


def test_an_id_by_which_the_case_means_another_schema_is_not_taken_for_that(registry: Elsewhere) -> None:
    _, seeing, _ = put(registry, case("a", schemas=(RegisteredSchema(1, "u", '"long"'),)))
    [answer] = seeing.answers
    assert [schema["id"] for schema in answer["ok"]["schemas"]] == [(1 << 24) + 1]


def test_records_carry_the_ids_that_the_registry_gave(registry: Elsewhere) -> None:
    record = Record(None, b"\0\0\0\0\3rest")
    toy, _, _ = put(registry, case("a", "decode", ("T-1",), records=(record,), schemas=(SCHEMA,)))
    assert toy.questions[0]["records"][0]["value"] == "AAAAAGdyZXN0"


def test_what_a_registry_cannot_do_excludes_the_case(registry: Elsewhere) -> None:
    _, _, [outcome] = put(registry, case("a", registry_fault="impossible"))
    assert (outcome.verdict, outcome.message) == (Verdict.EXCLUDED, "cannot be made to do that")


def test_a_case_under_a_fault_is_configured_by_itself(registry: Elsewhere) -> None:
    toy, _, _ = put(registry, case("a"), case("b", registry_fault="error"), case("c"))
    assert len(toy.configures) == 2


def test_a_registry_is_opened_for_those_who_use_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Elsewhere()
    toy, _, _ = put(registry, case("a"))
    assert "registry_url" not in toy.configures[0]
    assert not registry.closed


def test_a_registry_ends_with_the_conversation(registry: Elsewhere) -> None:
    put(registry, case("a"))
    assert registry.closed
