"""The table: encoders by readers, a cell for each, as the record that every report of it is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conformance import __version__
from conformance.compatibility.cells import Reading, Verdict, worst
from conformance.compatibility.consumers import read_by
from conformance.compatibility.decoders import decoded
from conformance.compatibility.encoders import Encoded, Named, encoded
from conformance.consumers import MODELS
from conformance.engine import RunConfig
from conformance.engine.implementation import Target

__all__ = ["Reader", "compatibility"]

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: a consumer by name and version, or a decoder at an address."""

    name: str
    version: str = ""
    target: Target | None = None


def compatibility(
    config: RunConfig, encoders: Sequence[Target], readers: Sequence[Reader], command: Sequence[str]
) -> dict[str, Any]:
    """The whole table. `config` says what is selected; its own targets are not asked."""
    columns: list[Named] = []
    cells: list[dict[str, Any]] = []
    for target in encoders:
        named, cases = encoded(config, target)
        columns.append(named)
        for reader in readers:
            cells += _cells(config, named, cases, reader)
    return {
        "compatibility": 1,
        "suite": __version__,
        "command": list(command),
        "encoders": [asdict(named) for named in columns],
        "readers": list(dict.fromkeys(cell["reader"] for cell in cells)),
        "cells": cells,
    }


def _cells(config: RunConfig, named: Named, cases: Sequence[Encoded], reader: Reader) -> Iterable[dict[str, Any]]:
    protocols = list(dict.fromkeys(one.case.protocol for one in cases))
    for protocol in protocols:
        of = [one for one in cases if one.case.protocol == protocol]
        if reader.target is None:
            model = MODELS[reader.name](reader.version)
            name, kind = f"{reader.name}@{reader.version}", "model"
            readings = list(read_by(model, of))
        else:
            decoder, readings = decoded(config, reader.target, of, named.profile)
            name, kind = f"{decoder.name} {decoder.version}".strip(), "decoder"
        yield _cell(f"{named.name} {named.version}".strip(), name, kind, protocol, readings, len(of))


def _cell(
    encoder: str, reader: str, kind: str, protocol: str, readings: Sequence[Reading], cases: int
) -> dict[str, Any]:
    counts = Counter(reading.verdict for reading in readings)
    counts[Verdict.NOT_TRIED] += cases - len(readings)
    return {
        "encoder": encoder,
        "reader": reader,
        "rests_on": kind,
        "protocol": protocol,
        "verdict": str(worst(counts)) if readings else str(Verdict.NOT_TRIED),
        "cases": cases,
        "counts": {str(verdict): counts[verdict] for verdict in Verdict if counts[verdict]},
        "types": _by_type(readings),
        "causes": _causes(readings),
    }


def _by_type(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Column type → the worst that befell a row with it, and how often."""
    types = dict.fromkeys((reading.axes or {}).get("type", "") for reading in readings)
    found = []
    for name in sorted(filter(None, types)):
        of = [reading.verdict for reading in readings if (reading.axes or {}).get("type") == name]
        found.append({"type": name, "verdict": str(worst(of)), "cases": len(of)})
    return found


def _causes(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """What is wrong, each kind once, with the case that shows it; the worst and most frequent first."""
    groups: dict[tuple[Verdict, str, str, str], list[Reading]] = {}
    for reading in readings:
        if reading.verdict not in (Verdict.LOSSLESS, Verdict.NOT_TRIED):
            kind = (reading.axes or {}).get("type", "")
            groups.setdefault((reading.verdict, kind, reading.effect, reading.rule), []).append(reading)
    order = list(Verdict)
    ordered = sorted(groups.items(), key=lambda pair: (order.index(pair[0][0]), -len(pair[1]), pair[0][1:]))
    return [
        {
            "verdict": str(verdict),
            "type": kind,
            "effect": effect,
            "rule": rule,
            "cases": len(of),
            "examples": [
                {"case": one.case, "column": one.column, "options": dict(one.options or {})} for one in of[:_SHOWN]
            ],
        }
        for (verdict, kind, effect, rule), of in ordered
    ]
