"""Debezium JSON: what real producers wrote is written again with their defects, and read."""

from __future__ import annotations

import json

import pytest

from conformance.catalogue.defects import defects_of_profile
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from reference_impl import options as option_strings
from reference_impl.debezium_json import Decoder, Encoder, Options
from reference_impl.errors import Rejected
from reference_impl.profiles import PROFILES

_RECORDED = [(p.profile, v) for p in load_producers().values() for v in recorded_vectors(p, "debezium")]


def _written(vector: Vector, profile: str) -> object:
    defects = frozenset(defect.id for defect in defects_of_profile(profile))
    try:
        options = option_strings.parse(Options, vector.options)
        encoder = Encoder(options, PROFILES[profile], settings=vector.settings, defects=defects)
        return [(r.key, r.value) for r in encoder.encode(vector.events, vector.tables).records]
    except Rejected as e:
        return e.reason


@pytest.mark.parametrize("profile", ["newarch", "classic"])
def test_with_its_defects_a_profile_writes_what_its_producer_wrote(profile: str) -> None:
    vectors = [v for name, v in _RECORDED if name == profile and v.crash is None]
    # Compressed bytes depend on the compressor.
    plain = [v for v in vectors if "large-message-handle-compression" not in v.options]
    different = [
        vector.case
        for vector in plain
        if _written(vector, profile) != (vector.rejected or [(r.key, r.value) for r in vector.records or ()])
    ]
    assert plain
    assert not different


@pytest.mark.parametrize("profile", ["newarch", "classic"])
def test_whatever_a_producer_wrote_is_read_with_and_without_its_tables(profile: str) -> None:
    for name, vector in _RECORDED:
        if name == profile and vector.records:
            options = option_strings.parse(Options, vector.options)
            for tables in (vector.tables, ()):
                assert len(Decoder(options).decode(vector.records, tables)) == len(vector.records), vector.case


def test_where_a_producer_crashed_a_null_is_the_default() -> None:
    [vector, *_] = [v for name, v in _RECORDED if name == "newarch" and v.crash is not None and not v.options]
    records = Encoder(Options(), settings=vector.settings).encode(vector.events, vector.tables).records
    after = json.loads(records[1].value or b"")["payload"]["after"]
    # 2024-02-29, the default of the column that was given NULL.
    assert after["n"] == 19782
