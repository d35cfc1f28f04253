"""Counts the offsets between the clocks of the sides, from the fingerprints of a part of the keys.

`checks.clocks` pairs the changes of a key. It works on check records, so the rows of fingerprints become these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from differential.align.pairs import Pair
from differential.checks.clocks import CLOCK_RECORD, ClockSide, count_offsets
from differential.checks.records import effects_of_prints
from differential.counts import Counts
from differential.prints.key_groups import ms_of_rows
from differential.prints.layout import OP_CODES

__all__ = ["count_clock_offsets"]


def count_clock_offsets(pairs: Sequence[Pair], columns: Mapping[str, Any], counts: Counts) -> None:
    """Add the clock offsets of each pair of sides to `counts.clocks`; `columns` are those of `KeyGroups`."""
    place, places = _places(columns)
    records = numpy.zeros(len(place), dtype=CLOCK_RECORD)
    records["offset"], records["place"] = columns["offset"], place
    records["time"] = ms_of_rows(columns)
    records["key"] = columns["key_number"] + 1  # 0 would stand for no key
    records["effect"] = effects_of_prints(columns["before"], columns["after"])
    records["op"] = OP_CODES[columns["op_code"] % len(OP_CODES)]
    sides = {
        side: ClockSide(records[columns["side"] == side], places) for side in numpy.unique(columns["side"]).tolist()
    }
    count_offsets([pair.sides for pair in pairs], sides, counts)


def _places(columns: Mapping[str, Any]) -> tuple[Any, list[tuple[str, int]]]:
    """By row, the index of its topic and partition; and the distinct topics and partitions."""
    topics, partition = columns["topics"], columns["partition"]
    first = int(partition.min())
    width = int(partition.max()) - first + 1
    # One number stands for topic and partition, so that `unique` needs to sort one column only.
    numbers, place = numpy.unique(columns["topic"] * width + (partition - first), return_inverse=True)
    return place, [(topics[number // width], number % width + first) for number in numbers.tolist()]
