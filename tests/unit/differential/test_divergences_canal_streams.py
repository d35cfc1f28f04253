"""Whole streams of Canal and of TiCDC: every difference has a name, and a fault in their bytes has none."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest

from conformance.catalogue.divergences import Reproducer
from differential.local import Outcome
from differential.model import Difference, Status
from differential.sides import Side, codec_of
from reference_impl.model import Record, Row, RowChange
from reference_impl.options import parse
from tests.unit.differential.building import lost, numbered, op_of, outcome_of, repeated, side_of
from tests.unit.differential.reproducing import SCHEMA, as_kept, as_logged, table_of

TABLE = table_of(
    Reproducer(
        columns=(
            "u INT NOT NULL",
            "a INT UNSIGNED",
            "v INT GENERATED ALWAYS AS (a + 1) VIRTUAL",
            "d DECIMAL(10,2)",
            "f DOUBLE",
            "t VARCHAR(20) CHARACTER SET latin1",
            "b BINARY(4)",
            "j JSON",
            "s SET('x','y')",
            "n TEXT(100)",
            "UNIQUE KEY u (u)",
        ),
        statements=(),
        changes=(),
    )
)
DOCUMENTS = ('{"a": 1, "bb": [2e23, 1e-7], "c": "<x>"}', '["ab\\u0000c", 2e23]', '"\\b\u0085"', "1.5e300")
_TSO, _SECOND = 430_000_000_000_000_000, 1000 << 18


def _row(random_: random.Random, key: int, unique: int) -> Row:
    number = random_.choice([None, "0", "7", str(2**32 - 1)])
    made: Row = {
        "id": str(key),
        "u": str(unique),
        "a": number,
        "v": number and str((int(number) + 1) % 2**31),
        "d": f"{random_.randint(0, 99)}.{random_.choice(['00', '50', '05'])}",
        "f": random_.choice(["1", "1e7", "2e23", "0.0001", "-0.25", None]),
        "t": random_.choice(["plain", "café", "ÿ<é>", None]),
        "b": random_.choice([b"abcd", b"ab\0\0", None]),
        "j": random_.choice([*DOCUMENTS, None]),
        "s": random_.choice(["x", "x,y", None]),
        "n": random_.choice(["naïve\b", "n", None]),
    }
    return made


@cache
def transactions(seed: int, count: int = 80) -> list[list[RowChange]]:
    """Transactions of one to four changes of a few keys, each a second after the one before."""
    random_ = random.Random(seed)
    rows: dict[int, Row] = {}
    made = []
    unique = 0
    for n in range(count):
        ts = _TSO + n * _SECOND + random_.randrange(1 << 18)
        transaction = []
        for _ in range(random_.choice([1, 1, 2, 4])):
            key, unique = random_.randrange(8), unique + 1
            old = rows.pop(key, None)
            if old is None:
                new = _row(random_, key, unique)
            elif random_.random() < 0.3:
                new = None
            else:
                fixed = {} if random_.random() < 0.3 else {"u": old["u"]}
                new = {**_row(random_, key, unique), **fixed}
                free = [k for k in range(8, 12) if k not in rows]
                if free and random_.random() < 0.2:
                    new |= {"id": str(free[0])}
            if new is not None:
                rows[int(str(new["id"]))] = new
            transaction.append(RowChange(op_of(old, new), SCHEMA, "t", ts, old, new, start_ts=ts - 1))  # type: ignore[arg-type]
        made.append(transaction)
    return made


@cache
def _messages(dialect: str, options: tuple[tuple[str, str], ...], seed: int) -> list[Record]:
    codec = codec_of(dialect)
    encoder = codec.encoder(parse(codec.options, dict(options)))
    records = []
    for n, transaction in enumerate(transactions(seed)):
        own = as_logged(transaction, n) if dialect == "canal" else as_kept(transaction, TABLE)
        if own:
            records += encoder.encode(own, [TABLE]).records
    return numbered(records)


def messages(of: Side, seed: int) -> list[Record]:
    return _messages(of.dialect, tuple(of.options.items()), seed)


def unexplained(outcome: Outcome) -> list[Difference]:
    return [d for d in outcome.differences if d.status is Status.UNEXPLAINED]


CANAL = side_of("left", "canal", [TABLE])
TICDC = [
    side_of("right", "canal-json", [TABLE], enable_tidb_extension="true"),
    side_of("right", "canal-json", [TABLE], content_compatible="true"),
    side_of("right", "canal-json", [TABLE], output_raw_change_event="true"),
]


@pytest.mark.parametrize("right", TICDC, ids=lambda s: next(iter(s.options)))
@pytest.mark.parametrize("seed", [1])
def test_every_difference_of_sound_streams_has_a_name(right: Side, seed: int) -> None:
    outcome = outcome_of([CANAL, right], [messages(CANAL, seed), messages(right, seed)])
    assert unexplained(outcome) == []
    left, right_rows = (outcome.counts.rows[n, SCHEMA, "t"] for n in (0, 1))
    assert left == right_rows > 0
    assert {d.divergence for d in outcome.differences} >= {"DV-33", "DV-55", "DV-108", "DV-110", "DV-31"}


def test_it_does_not_matter_which_side_is_the_left_one() -> None:
    left, right = replace(TICDC[0], name="left"), replace(CANAL, name="right")
    assert unexplained(outcome_of([left, right], [messages(TICDC[0], 1), messages(CANAL, 1)])) == []


@pytest.mark.parametrize("at", [30, 60])
@pytest.mark.parametrize("fault", [lost, repeated], ids=lambda f: f.__name__)
def test_a_message_of_ticdc_lost_or_repeated_has_no_name(fault: type, at: int) -> None:
    right = TICDC[0]
    faulty = fault(messages(right, 1), at)
    assert unexplained(outcome_of([CANAL, right], [messages(CANAL, 1), faulty]))
