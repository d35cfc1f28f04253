"""What real TiCDC wrote, as the codecs of the reference write it: the records themselves, without the oracle."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from conformance.catalogue.defects import defects_of_profile
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from reference_impl import options as option_strings
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.profiles import PROFILES
from reference_impl.protocols import CODECS

every_recording = pytest.mark.parametrize(
    ("protocol", "producer"), [(protocol, producer) for protocol in CODECS for producer in load_producers()]
)


def recorded(protocol: str, producer: str) -> Iterable[Vector]:
    return recorded_vectors(load_producers()[producer], protocol)


def comparable(protocol: str, records: Iterable[Record]) -> list[Any]:
    """Canal-JSON with neither its wall clock nor the order of its type maps, which Go shuffles."""
    if protocol != "canal-json":
        return [(record.key, record.value) for record in records]
    return [json.loads(record.value or b"") | {"ts": 0} for record in records]


def written(protocol: str, vector: Vector, profile: str) -> object:
    codec = CODECS[protocol]
    defects = frozenset(defect.id for defect in defects_of_profile(profile))
    try:
        options = option_strings.parse(codec.options, vector.options)
        encoder = codec.encoder(options, PROFILES[profile], settings=vector.settings, defects=defects)
        return comparable(protocol, encoder.encode(vector.events, vector.tables).records)
    except Rejected as e:
        return e.reason


@every_recording
def test_with_its_defects_a_profile_writes_what_its_producer_wrote(protocol: str, producer: str) -> None:
    """Compressed bytes depend on the compressor, and files of claim checks have names by chance."""
    chance = ("large-message-handle-compression", "claim-check-storage-uri")
    plain = [v for v in recorded(protocol, producer) if v.crash is None and not any(o in v.options for o in chance)]
    profile = load_producers()[producer].profile
    different = [
        vector.case
        for vector in plain
        if written(protocol, vector, profile) != (vector.rejected or comparable(protocol, vector.records or ()))
    ]
    assert plain
    assert different == []
