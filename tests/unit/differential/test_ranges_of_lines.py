"""Ranges of the bytes of a capture hold together what the capture holds, wherever it is cut."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.errors import UsageError
from differential.sources.captures import read_source
from differential.sources.ranges import count_records, ranges_of, records_of
from differential.sources.spec import Spec
from differential.unread import problem_of
from reference_impl.model import Record

JSONL = '{"key": null, "value": "e30=", "topic": "t", "partition": 1, "offset": %d}'
KCAT = '{"topic": "t", "partition": 0, "payload": "{\\"é\\": 1}", "key": null%s}'
LINES = {
    "jsonl": st.sampled_from([JSONL % 7, JSONL % 3, '{"key": "aw==", "value": null}', '{"key": 5', "[]"]),
    "kcat": st.sampled_from([KCAT % "", KCAT % ', "offset": 4', '{"payload": "\ufffd"}', "half a li"]),
    "text": st.sampled_from(
        ['{"a": 1}', 'k\t{"b": "é"}', "Offset:3\tnull", "a log", "Processed a total of 3 messages"]
    ),
}
FIRST = {"jsonl": JSONL % 1, "kcat": KCAT % "", "text": '{"c": 3}'}
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\n  \n", "\r\n\r\n"])


@st.composite
def captures(draw: st.DrawFn) -> list[bytes]:
    """Files of one form, a line in the first of which is sound."""
    form = draw(st.sampled_from(sorted(LINES)))
    files = []
    for _ in range(draw(st.integers(1, 3))):
        lines = [FIRST[form], *draw(st.lists(LINES[form], max_size=12))]
        text = "".join(line + draw(ENDS) for line in lines)
        files.append((text.rstrip() if draw(st.booleans()) else text).encode())
    return [*files, b""]


def in_ranges(path: Path, most: int) -> list[Record]:
    ranges = ranges_of(path, "canal", most)
    firsts = [0, *accumulate(map(count_records, ranges))]
    return [record for of, first in zip(ranges, firsts, strict=False) for record in records_of(of, first)]


def write(folder: Path, files: Sequence[bytes]) -> Path:
    for number, data in enumerate(files):
        (folder / f"{number}.jsonl").write_bytes(data)
    return folder


@settings(deadline=None)
@given(captures(), st.integers(1, 90))
def test_a_capture_in_ranges_is_the_capture(files: Sequence[bytes], most: int) -> None:
    with TemporaryDirectory() as scratch:
        folder = write(Path(scratch), files)
        assert in_ranges(folder, most) == list(read_source(Spec("canal", str(folder))))


def test_a_compressed_file_is_one_range_that_a_cut_ends_early(tmp_path: Path) -> None:
    packed = gzip.compress("".join(JSONL % n + "\n" for n in range(2000)).encode())
    folder = write(tmp_path, [(JSONL % 1).encode(), packed[: len(packed) // 2], (JSONL % 2).encode()])
    found = in_ranges(folder, 50)
    assert found == list(read_source(Spec("canal", str(folder))))
    broken = [record for record in found if problem_of(record)]
    assert broken[-1].offset == len(found) - 2
    assert "it cannot be decompressed to its end" in str(problem_of(broken[-1]))


def test_what_is_no_capture_is_refused_before_it_is_cut(tmp_path: Path) -> None:
    folder = write(tmp_path, [(JSONL % 1).encode(), b"[1, 2]\n"])
    with pytest.raises(UsageError, match="not a capture of a known form"):
        ranges_of(folder, "canal")


def test_a_worker_that_does_not_see_the_same_file_says_so(tmp_path: Path) -> None:
    [of] = ranges_of(write(tmp_path, [json.dumps({"key": None, "value": None}).encode()]), "canal")
    Path(of.file).write_bytes(b"other")
    assert count_records(of) == -1
