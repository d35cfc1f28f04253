"""Counts the offsets between the clocks of the sides, by the changes of a part of the keys.

A part has all changes of its keys on all sides, in order. Where parts are not made by key, workers send the records of
`checks/narrow.py` for this purpose instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from differential.align.merging import Pair
from differential.checks.clocks import count_offsets
from differential.checks.narrow import RECORD, effects_of_prints
from differential.counts import Counts
from differential.prints.reading import CODES
from reference_impl.tso import LOGICAL_BITS

__all__ = ["count_clocks"]

_RECORD = numpy.dtype([(name, "<u4" if name == "place" else kind) for name, kind in RECORD.descr])
"""As `RECORD`, with wider numbers of places: a part has the places of all messages."""


def count_clocks(pairs: Sequence[Pair], columns: Mapping[str, Any], counts: Counts) -> None:
    """Add the offsets between the clocks of each pair; `columns` are those of `Settled`."""
    topics, partition = columns["topic of"], columns["partition"]
    # One number a topic and partition, so that the distinct pairs are found at once.
    least, width = int(partition.min()), int(partition.max() - partition.min()) + 1
    numbers, place = numpy.unique(columns["topic"] * width + (partition - least), return_inverse=True)
    places = [(topics[n // width], n % width + least) for n in numbers.tolist()]
    stamps = columns["commit_ts"]
    records = numpy.zeros(len(place), dtype=_RECORD)
    records["offset"], records["step"], records["place"] = columns["offset"], columns["step"], place
    # Both in milliseconds: a TSO without its counter, or the time of upstream.
    records["time"] = numpy.where(stamps >= 0, stamps >> LOGICAL_BITS, columns["instant"])
    records["key"] = columns["key number"] + 1  # 0 is no key
    records["effect"] = effects_of_prints(columns["before"], columns["after"])
    records["op"] = CODES[columns["op_code"] % len(CODES)]  # without the marks of images
    found = numpy.unique(columns["side"]).tolist()
    sides = {side: {"records": records[columns["side"] == side], "places": places} for side in found}
    count_offsets([(pair.context.pair, pair.a, pair.b) for pair in pairs], sides, counts)
