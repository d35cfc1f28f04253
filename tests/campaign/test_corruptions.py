"""No false green: whatever a broken pipeline does to one of two streams is an unexplained difference.

The ordinary tests run a sample, `tox run -e thorough` every corruption of every side of every pair.
"""

from __future__ import annotations

from random import Random

import pytest
from campaign_pairs import PAIRS, RECORDED, pair_named, unexplained
from copies import COPIES
from corrupt_columns import COLUMNS
from corrupt_members import MEMBERS
from corrupt_messages import MESSAGES
from corrupt_pipelines import PIPELINES
from corrupt_rows import ROWS
from corrupt_values import AS_OTHER_PRODUCERS, VALUES
from corrupt_ways import WAYS
from harmless import HARMLESS
from trees import Stream
from unobservable import reason_of

from differential.model import Class
from tests.amounts import THOROUGH

CORRUPTIONS = (
    *MESSAGES,
    *VALUES,
    *MEMBERS,
    *AS_OTHER_PRODUCERS,
    *ROWS,
    *WAYS,
    *COLUMNS,
    *PIPELINES,
    *COPIES,
)
SAMPLE = 2


def corruptions_of(name: str, number: int) -> list[int]:
    """The numbers of the corruptions that are run of a side of a pair."""
    numbers = [*range(len(CORRUPTIONS))]
    return numbers if THOROUGH else Random(f"{name}/{number}").sample(numbers, SAMPLE)


SIDES = [(name, number) for name in PAIRS for number in ((1,) if name in RECORDED else (0, 1))]


@pytest.mark.parametrize("name", PAIRS)
def test_sound_streams_are_green(name: str) -> None:
    assert unexplained(name) == []


@pytest.mark.parametrize(("name", "number"), SIDES, ids=[f"{name}-{('left', 'right')[n]}" for name, n in SIDES])
def test_no_corruption_is_green(name: str, number: int) -> None:
    pair = pair_named(name)
    dialect = pair.sides[number].dialect
    stream = Stream(dialect, pair.streams[number], pair.tables)
    green, red, ran = [], [], 0
    for which in corruptions_of(name, number):
        corruption = CORRUPTIONS[which]
        made = corruption.apply(stream, Random(f"{corruption.name}/1"))
        if made is None:
            continue
        ran += 1
        seen = {difference.kind for difference in unexplained(name, number, made)}
        reason = reason_of(corruption.name, name, dialect)
        if not seen and reason is None:
            green.append(corruption.name)
        if seen and reason is not None and Class.UNDECODABLE not in seen:  # no reason hides what cannot be read
            red.append(corruption.name)
    assert green == [], "nothing was seen of it"
    assert red == [], "it is listed as unobservable, and was seen"
    assert ran or not THOROUGH


def test_there_are_corruptions_of_every_kind() -> None:
    kinds = {one.kind for one in CORRUPTIONS}
    assert kinds >= {"lost", "duplicated", "stale", "reordered", "value", "key", "before image", "names", "types"}
    assert kinds >= {"DDL", "tombstone", "clock", "partition"}
    assert len({one.name for one in CORRUPTIONS}) == len(CORRUPTIONS)


@pytest.mark.parametrize(("name", "number"), SIDES, ids=[f"{name}-{('left', 'right')[n]}" for name, n in SIDES])
def test_nothing_harmless_is_red(name: str, number: int) -> None:
    pair = pair_named(name)
    stream = Stream(pair.sides[number].dialect, pair.streams[number], pair.tables)
    # Ordinarily each side has its own: all sides together try half of them.
    names = [*HARMLESS] if THOROUGH else [*HARMLESS][SIDES.index((name, number)) :: len(SIDES)][:SAMPLE]
    red = {}
    for harmless in names:
        made = HARMLESS[harmless](stream, Random(harmless))
        if made is not None and (found := unexplained(name, number, made)):
            red[harmless] = found[0]
    assert red == {}


def test_there_are_thirty_harmless_transformations() -> None:
    assert len(HARMLESS) >= 30
