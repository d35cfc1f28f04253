"""Encoders that handle options wrongly, or spell floats differently."""

from __future__ import annotations

import re

from conformance.mutants.debezium.edits import change, encoder, every, texts
from conformance.mutants.model import Answerer, Mutant, Wrap
from conformance.mutants.record_lists import value_of
from conformance.mutants.wrappers import Context, Json, handles, ignores
from reference_impl.names import sanitized

__all__ = ["MUTANTS"]

_DEFAULT_LIMIT = 10485760


def _limited(inner: Answerer, request: Json, configuration: Json) -> Json:
    """The answer, or a refusal if a value in it is longer than the limit of a message."""
    original = inner(request)
    limit = int(Context(configuration, request).options.get("max-message-bytes", _DEFAULT_LIMIT))
    records = original.get("ok", {}).get("records", ())
    if any(len(value_of(record)) > limit for record in records):
        return {"id": request["id"], "rejected": {"class": "range", "message": "larger than max-message-bytes"}}
    return original


def _sanitized(name: str) -> Wrap:
    return every(change(f"value.payload.source.{name}", sanitized))


MUTANTS: tuple[Mutant, ...] = (
    encoder("start-ts-never", "DBZ-014", "debezium-include-start-ts is ignored")(ignores("debezium-include-start-ts")),
    encoder("too-large-refused", "DBZ-015a", "a message that is too large is refused")(handles("encode", _limited)),
    encoder("name-sanitized", "DBZ-018", "source.name is sanitised")(_sanitized("name")),
    encoder("cluster-id-sanitized", "DBZ-018", "source.cluster_id is sanitised")(_sanitized("cluster_id")),
    encoder("float-exponent-of-one-digit", "DBZ-423a", "an exponent of a float is written without a leading zero")(
        texts(lambda key, value, context: (key, re.sub(rb"(?<=[0-9]e-)0(?=[0-9][,}])", b"", value)))
    ),
)
