"""Fingerprints of eight bits, of which many are the same by chance: nothing is taken for equal that is not."""

from __future__ import annotations

import random
from copy import copy
from dataclasses import replace
from hashlib import blake2b
from typing import Any, Self

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from differential.decode import fingerprints
from differential.decode.fingerprints import NO_ROW, SIZE, UNKNOWN_IMAGE, print_of
from differential.local import compare_locally
from differential.model import PARTLY
from differential.prints import settling
from differential.prints.storing import Values
from tests.unit.differential.building import exactly, pairs_for
from tests.unit.differential.generated import sent, sides_of, transactions, unexplained
from tests.unit.differential.test_alterations import PAIRS, PLAN, of_all_versions, records
from tests.unit.differential.test_prints import with_faults


class _Hash:
    """A hash that knows whether it has a salt: then its digest is that of an image."""

    def __init__(self, *given: Any, **options: Any) -> None:
        self._hash, self._is_image = blake2b(*given, **options), "salt" in options

    def copy(self) -> Self:
        other = copy(self)
        other._hash = self._hash.copy()
        return other

    def update(self, data: bytes) -> None:
        self._hash.update(data)


class _Short(_Hash):
    """A hash whose digests of images have eight bits, and never the mark of an image that is known in part."""

    def digest(self) -> bytes:
        whole = self._hash.digest()
        return whole[:1] + bytes(SIZE - 2) + b"\2" if self._is_image else whole


@pytest.fixture
def short_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "blake2b", _Short)


@pytest.mark.usefixtures("short_prints")
def test_short_fingerprints_are_those_of_many_images() -> None:
    images = [b'{"a":"%d"}' % number for number in range(1000)]
    assert len({*map(print_of, images)}) <= 256
    assert not {NO_ROW, UNKNOWN_IMAGE} & {*map(print_of, images)}


@pytest.mark.usefixtures("short_prints")
@given(st.integers(0, 2**32), st.sampled_from(["canal", "one clock", "debezium"]))
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_with_proof_streams_whose_fingerprints_collide_show_what_their_values_show(seed: int, name: str) -> None:
    sides, draw = sides_of(name, 2), random.Random(seed)
    streams = [with_faults(sent(of, transactions("shop", 120, seed % 50)), draw, 0.05) for of in sides]
    found = compare_locally(sides, streams, pairs_for(sides), batch=61, proven=True)
    expected = exactly(sides, streams)
    for one in (found, expected):  # which changes are examples of times is free, and these belong together by hashes
        one.counts.offset_examples.clear()
        one.counts.clocks.clear()
    assert found == expected


class _Marked(_Hash):
    """A hash that begins half of the digests of images with the byte that marks an image known in part."""

    def digest(self) -> bytes:
        whole = self._hash.digest()
        return PARTLY + whole[1:] if self._is_image and whole[1] % 2 else whole


def test_a_fingerprint_is_never_taken_for_a_partial_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "blake2b", _Marked)
    pair, plan = PAIRS["canal-json and canal"], replace(PLAN, changes=350)  # a fold behind an ALTER TABLE
    assert unexplained([of_all_versions(of) for of in pair], [records(of, plan) for of in pair]) == []


@pytest.mark.usefixtures("short_prints")
def test_images_of_one_fingerprint_are_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[int, int]] = []

    def separated(columns: dict[str, Any], values: Values) -> None:
        before = len({*map(tuple, columns["after"].tolist())})
        separate(columns, values)
        found.append((before, len({*map(tuple, columns["after"].tolist())})))

    separate = settling._separate_collisions
    monkeypatch.setattr(settling, "_separate_collisions", separated)
    sides = sides_of("canal", 2)
    streams = [sent(of, transactions("shop", 400, 4)) for of in sides]
    compare_locally(sides, streams, pairs_for(sides), partitions=1, proven=True)
    [(before, after)] = found
    assert before < after
