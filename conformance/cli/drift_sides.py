"""Recordings as the two sides of a diff, for the reports of `diff`: a record is a case, its bytes are the answer."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from conformance import __version__
from conformance.catalogue.recordings import Recording
from conformance.drift.comparison import Drift, Pair
from conformance.drift.masks import ClockColumns, masked
from reports.diff.sides import Side

__all__ = ["ComparedRecording", "sides_of"]


class ComparedRecording(NamedTuple):
    """A committed recording, the new one, their differences, and the masked columns."""

    committed: Recording
    recorded: Recording
    drift: Drift
    clocks: ClockColumns

    def side(self, *, new: bool) -> Recording:
        """One of the two recordings."""
        return self.recorded if new else self.committed


def sides_of(recordings: Iterable[ComparedRecording], names: tuple[str, str], folder: Path) -> tuple[Side, Side]:
    """The committed and the new recordings, each record without the members that vary in every run.

    Paired records have one case id: the position of the new one, or of the committed one that is gone. `folder` holds
    the new recordings, so that a case of a report can be run again.
    """
    compared = list(recordings)
    return _side(compared, names[0], "", new=False), _side(compared, names[1], f"recorded:{folder}", new=True)


def _side(compared: list[ComparedRecording], name: str, address: str, *, new: bool) -> Side:
    texts: dict[str, bytes] = {}
    verdicts: dict[tuple[str, str, str], dict[str, Any]] = {}
    versions: dict[str, None] = {}
    for one in compared:
        recording = one.side(new=new)
        versions.setdefault(str(recording.meta["version"]))
        for case, answer in _answers(one, new=new):
            digest = hashlib.sha256(answer).hexdigest()
            texts[digest] = answer
            verdicts[recording.protocol, "encode", case] = _verdict(recording.protocol, case, digest)

    def answers(digests: Collection[str]) -> Mapping[str, bytes]:
        return {digest: texts[digest] for digest in digests if digest in texts}

    run = {"suite": __version__, "started": "", "command": []}
    iut = {"iut": name, "name": name, "version": ", ".join(versions), "profile": "", "address": address}
    return Side(name, run, iut, answers, verdicts=verdicts)


def _answers(compared: ComparedRecording, *, new: bool) -> Iterator[tuple[str, bytes]]:
    """The case id of each record of a side, and the record as the answer of an encoder."""
    recording = compared.side(new=new)
    for pair in compared.drift.pairs:
        number = pair.recorded if new else pair.committed
        record = recording.records[number].record if number is not None else None
        if record is None:
            continue
        topic, key, value, *headers = masked(record, recording.protocol, compared.clocks).texts
        masked_record = {
            "topic": topic,
            "key": _base64(key),
            "value": _base64(value),
            "headers": [[name, text] for name, text in zip(headers[::2], headers[1::2], strict=True)],
        }
        yield f"{recording.name}/{_number(pair)}", orjson.dumps({"ok": {"records": [masked_record]}})


def _number(pair: Pair) -> str:
    return str(pair.recorded) if pair.recorded is not None else f"gone-{pair.committed}"


def _base64(text: str | None) -> str | None:
    return None if text is None else base64.b64encode(text.encode("utf-8")).decode("ascii")


def _verdict(protocol: str, case: str, digest: str) -> dict[str, Any]:
    return {
        "protocol": protocol,
        "role": "encode",
        "case": case,
        "verdict": "pass",
        "level": "must",
        "findings": [],
        "fingerprints": [],
        "known": [],
        "answer": digest,
    }
