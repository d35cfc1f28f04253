"""The compatibility table: encoders by readers, with a cell for each pair, as plain data for its reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from shlex import join
from typing import Any

from conformance import __version__
from conformance.cases.model import Case
from conformance.compatibility.cells import Reading, Trouble, Verdict, worst
from conformance.compatibility.consumers import read_by_model
from conformance.compatibility.decoders import read_by_decoder
from conformance.compatibility.encoders import EncodedCase, Encoder, NamedIut
from conformance.compatibility.faultless import FAULTLESS, Faultless
from conformance.consumers import MODELS
from conformance.engine import RunConfig
from conformance.engine.implementation import Target

__all__ = ["Reader", "compatibility"]

_SHOWN = 5
_STATEMENTS, _LONGEST = 3, 400
_NO_FORMAT = "the reader has no format for the protocol"


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: a consumer by name and version, with the options of its job, or a decoder at an address."""

    name: str
    version: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    target: Target | None = None

    @property
    def label(self) -> str:
        """The value of `--consumer`: `flink@2.3.0:schema-include=false`."""
        options = ",".join(f"{name}={value}" for name, value in self.options.items())
        version = f"@{self.version}" if self.version else ""
        return f"{self.name}{version}" + (f":{options}" if options else "")

    @property
    def command_option(self) -> tuple[str, str]:
        """The option of `matrix` that names it, and its value."""
        return ("--consumer", self.label) if self.target is None else ("--decoder", self.name)


def compatibility(
    config: RunConfig, encoders: Sequence[Encoder], readers: Sequence[Reader], command: Sequence[str]
) -> dict[str, Any]:
    """Try every reader on every encoder. `config` gives the selection; its own targets are not run."""
    expression = config.selection.expression
    selected = ["-k", expression.text] if expression is not None else []
    columns: list[NamedIut] = []
    cells: list[dict[str, Any]] = []
    for encoder in encoders:
        named, cases = encoder.encoded(config)
        columns.append(named)
        for reader in readers:
            for cell in _cells(config, named, cases, reader):
                options = ["--encoder", encoder.address, "--protocol", cell["protocol"], *reader.command_option]
                cells.append({**cell, "command": join(["ticdc-conformance", "matrix", *options, *selected])})
    return {
        "compatibility": 1,
        "suite": __version__,
        "command": list(command),
        "encoders": [asdict(named) for named in columns],
        "readers": list(dict.fromkeys(cell["reader"] for cell in cells)),
        "cells": cells,
    }


def _cells(
    config: RunConfig, named: NamedIut, cases: Sequence[EncodedCase], reader: Reader
) -> Iterable[dict[str, Any]]:
    protocols = list(dict.fromkeys(one.case.protocol for one in cases))
    for protocol in protocols:
        of_protocol = [encoded for encoded in cases if encoded.case.protocol == protocol]
        if reader.target is None:
            model = Faultless() if reader.name == FAULTLESS else MODELS[reader.name](reader.version)
            readings = list(read_by_model(model, of_protocol, reader.options))
            name, kind, reason = reader.label, "model", "" if readings else _NO_FORMAT
        else:
            decoder, readings = read_by_decoder(config, reader.target, of_protocol, named.profile)
            name, kind, reason = decoder.label, "decoder", decoder.note
        yield _cell(named.label, name, kind, protocol, readings, len(of_protocol), reason)


def _cell(
    encoder: str, reader: str, kind: str, protocol: str, readings: Sequence[Reading], cases: int, reason: str
) -> dict[str, Any]:
    """The cell of an encoder and a reader; `reason` says why the reader tried nothing, or not the rest."""
    counts = Counter(reading.verdict for reading in readings)
    counts[Verdict.NOT_TRIED] += cases - len(readings)
    return {
        "encoder": encoder,
        "reader": reader,
        "rests_on": kind,
        "protocol": protocol,
        "verdict": str(worst(counts)) if readings else str(Verdict.NOT_TRIED),
        "reason": reason,
        "cases": cases,
        "counts": {str(verdict): counts[verdict] for verdict in Verdict if counts[verdict]},
        "types": _by_type(readings),
        "causes": _causes(readings),
    }


def _kind(case: Case, trouble: Trouble) -> str:
    """The column type that a case tests; for a case about no single type, that of the column in trouble."""
    return case.axes.get("type", "") or trouble.type


def _by_type(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Column type → the worst result for a value of it, and the number of cases that compared it."""
    found: dict[str, list[Verdict]] = {}
    for reading in readings:
        axis = reading.case.axes.get("type")
        for name, verdict in {axis: reading.verdict}.items() if axis else reading.types.items():
            found.setdefault(name, []).append(verdict)
    return [{"type": name, "verdict": str(worst(of)), "cases": len(of)} for name, of in sorted(found.items())]


def _causes(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """The differences and unknown results, each kind once, with the cases that show it; worst and commonest first."""
    groups: dict[tuple[Verdict, str, str, str], list[tuple[Case, Trouble]]] = {}
    for reading in readings:
        kinds = {(one.verdict, _kind(reading.case, one), one.effect, one.rule): one for one in reading.troubles}
        for kind, trouble in kinds.items():
            groups.setdefault(kind, []).append((reading.case, trouble))
    order = list(Verdict)
    ordered = sorted(groups.items(), key=lambda pair: (order.index(pair[0][0]), -len(pair[1]), pair[0][1:]))
    return [
        {
            "verdict": str(verdict),
            "type": kind,
            "effect": effect,
            "rule": rule,
            "cases": len(of),
            "examples": [_example(*one) for one in sorted(of, key=_size)[:_SHOWN]],
        }
        for (verdict, kind, effect, rule), of in ordered
    ]


def _size(one: tuple[Case, Trouble]) -> int:
    """The length of a case's SQL; the shortest example is shown first."""
    return sum(map(len, one[0].sql))


def _example(case: Case, trouble: Trouble) -> dict[str, Any]:
    """A case that shows a cause; `sql` are its last statements, long ones cut."""
    sql = [str(_cut(text)) for text in case.sql[-_STATEMENTS:]]
    return {
        "case": case.id,
        "column": trouble.column,
        "options": dict(case.options),
        "sql": sql,
        "went_in": _cut(trouble.went_in),
        "read": _cut(trouble.read),
    }


def _cut(text: str | None) -> str | None:
    return text if text is None or len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
