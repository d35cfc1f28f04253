"""Decoders that only negatives catch: they fail where a record is damaged in an unusual place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import accepts
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, OPEN_PROTOCOL

__all__ = ["negative_mutants"]

Json = dict[str, Any]


def _where_refused(answer: Callable[[Json], Json]) -> Callable[[Answerer], Answerer]:
    """A decoder that gives `answer`, made from the rejection, where the reference refuses."""

    def wrap(inner: Answerer) -> Answerer:
        def answered(request: Json) -> Json:
            given = inner(request)
            if request.get("op") != "decode" or "rejected" not in given:
                return given
            return {"id": given.get("id"), **answer(given["rejected"])}

        return answered

    return wrap


# The requirement for an answer of a decoder.
_ANSWERS: Mapping[str, str] = {
    **dict.fromkeys((CANAL_JSON.name, CANAL.name), "CJ-887"),
    **dict.fromkeys((DEBEZIUM.name, CONNECTOR.name), "DBZ-452"),
    OPEN_PROTOCOL.name: "OP-256",
    AVRO.name: "AV-212",
}

# Members that no invalid fixture doubles, and the requirement that refuses a double.
_DOUBLED: Mapping[str, tuple[str, Sequence[str]]] = {
    CANAL_JSON.name: ("CJ-881", ("database", "table", "pkNames", "es", "ts", "sql", "old")),
    OPEN_PROTOCOL.name: ("OP-043", ("f", "h")),
    DEBEZIUM.name: ("DBZ-451", ("version", "connector", "snapshot", "server_id", "file", "pos", "thread", "query")),
    AVRO.name: ("AV-130g", ("type", "schema", "table", "commitTs")),
    CANAL.name: ("CJ-881", ("database", "table", "type", "es", "gtid", "id", "isDdl", "old", "pkNames", "sql", "ts")),
    CONNECTOR.name: ("DBZ-451", ("source", "version", "connector", "file", "pos", "row", "ts_ms", "op")),
}


def _mutants(protocol: str) -> Iterator[Mutant]:
    answers = _ANSWERS[protocol]
    yield Mutant(
        f"{protocol}/broken-by-bad-records",
        answers,
        "decode",
        "a record that cannot be read ends it",
        _where_refused(lambda rejected: {"error": rejected["message"]}),
    )
    yield Mutant(
        f"{protocol}/classes-of-its-own",
        answers,
        "decode",
        "a record is refused with a class that there is not",
        _where_refused(lambda rejected: {"rejected": {**rejected, "class": "invalid"}}),
    )
    requirement, names = _DOUBLED[protocol]
    yield Mutant(
        f"{protocol}/doubled-members-of-little-use",
        requirement,
        "decode",
        "a member that is there twice is let pass where it tells little of the event",
        accepts("schema", *(f"doubled member '{name}'" for name in names)),
    )


def negative_mutants(protocol: str) -> tuple[Mutant, ...]:
    """The mutants of a protocol that die of its negatives."""
    return tuple(_mutants(protocol))
