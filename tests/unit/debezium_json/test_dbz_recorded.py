"""Debezium JSON: what real producers wrote is read, and what they crash at is written."""

from __future__ import annotations

import json

import pytest

from conformance.catalogue.vectors import load_producers, recorded_vectors
from reference_impl import options as option_strings
from reference_impl.debezium_json import Decoder, Encoder, Options

_RECORDED = [(p.profile, v) for p in load_producers().values() for v in recorded_vectors(p, "debezium")]


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
