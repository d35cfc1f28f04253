"""Decoders that only negatives catch: they mishandle records that are damaged in an unusual place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from conformance.mutants.model import Answerer, Mutant, MutantBuilder, Wrap
from conformance.mutants.wrappers import Json, accepts, handles
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, OPEN_PROTOCOL

__all__ = ["NEGATIVES"]


def _where_refused(answer: Callable[[Json], Json]) -> Wrap:
    """A decoder that replaces a rejection of the reference by what `answer` makes of it."""

    def answered(inner: Answerer, request: Json, configuration: Json) -> Json:
        original = inner(request)
        return {"id": original.get("id"), **answer(original["rejected"])} if "rejected" in original else original

    return handles("decode", answered)


# Protocol → its requirement that a decoder answers every input.
_ANSWERS: Mapping[str, str] = {
    **dict.fromkeys((CANAL_JSON.name, CANAL.name), "CJ-887"),
    **dict.fromkeys((DEBEZIUM.name, CONNECTOR.name), "DBZ-452"),
    OPEN_PROTOCOL.name: "OP-256",
    AVRO.name: "AV-212",
}

# Protocol → the requirement that a doubled member is refused, and members that no invalid fixture doubles.
_DOUBLED: Mapping[str, tuple[str, Sequence[str]]] = {
    CANAL_JSON.name: ("CJ-881", ("database", "table", "pkNames", "es", "ts", "sql", "old")),
    OPEN_PROTOCOL.name: ("OP-043", ("f", "h")),
    DEBEZIUM.name: ("DBZ-451", ("version", "connector", "snapshot", "server_id", "file", "pos", "thread", "query")),
    AVRO.name: ("AV-130g", ("type", "schema", "table", "commitTs")),
    CANAL.name: ("CJ-881", ("database", "table", "type", "es", "gtid", "id", "isDdl", "old", "pkNames", "sql", "ts")),
    CONNECTOR.name: ("DBZ-451", ("source", "version", "connector", "file", "pos", "row", "ts_ms", "op")),
}


def _mutants(protocol: str) -> Iterator[Mutant]:
    decoder, always_answers = MutantBuilder(protocol, "decode"), _ANSWERS[protocol]
    refuses_doubled, names = _DOUBLED[protocol]
    yield from (
        decoder("broken-by-bad-records", always_answers, "the decoder breaks down over a record that it cannot read")(
            _where_refused(lambda rejected: {"error": rejected["message"]})
        ),
        decoder("classes-of-its-own", always_answers, "a record is refused with an unknown class")(
            _where_refused(lambda rejected: {"rejected": {**rejected, "class": "invalid"}})
        ),
        decoder(
            "doubled-members-of-little-use",
            refuses_doubled,
            "a doubled member is accepted if the event hardly depends on it",
        )(accepts("schema", *(f"doubled member '{name}'" for name in names))),
    )


NEGATIVES = tuple(mutant for protocol in _ANSWERS for mutant in _mutants(protocol))
"""The mutants of every protocol that its negatives kill."""
