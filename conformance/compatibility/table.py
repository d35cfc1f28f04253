"""The compatibility table: encoders by readers, with a cell for each pair, as plain data for its reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import join
from typing import Any, NamedTuple

from conformance import __version__
from conformance.cases.model import Case
from conformance.compatibility.cells import Fidelity, Reading, Trouble, worst
from conformance.compatibility.consumers import read_by_model
from conformance.compatibility.decoders import read_by_decoder
from conformance.compatibility.encoders import EncodedCase, Encoder, NamedIut
from conformance.compatibility.faultless import FAULTLESS, Faultless
from conformance.consumers import MODELS
from conformance.engine import RunConfig
from conformance.engine.implementation import Target

__all__ = ["Compatibility", "Reader", "compatibility"]

_MOST_EXAMPLES = 5  # of a cause
_MOST_STATEMENTS, _LONGEST = 3, 400  # of an example; characters of a statement or value
_ENCODER_MEMBERS = ("name", "version", "profile", "note")
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


@dataclass(frozen=True, slots=True)
class Compatibility:
    """The table as its reports need it, and whether the suite itself failed while it was filled."""

    table: dict[str, Any]
    suite_failed: bool


class _Cell(NamedTuple):
    """A cell of the table."""

    members: dict[str, Any]
    suite_failed: bool = False
    """The suite itself failed in the decoder's run."""
    is_named: bool = True
    """The reader has its own name; a decoder that was not started, as it had nothing to read, has its address only."""


def compatibility(
    config: RunConfig, encoders: Sequence[Encoder], readers: Sequence[Reader], command: Sequence[str]
) -> Compatibility:
    """Try every reader on every encoder. `config` gives the selection; its own targets are not run."""
    expression = config.selection.expression
    selected = ["-k", expression.text] if expression is not None else []
    columns: list[NamedIut] = []
    cells: list[_Cell] = []
    by_reader: list[list[_Cell]] = [[] for _ in readers]
    for encoder in encoders:
        named, cases = encoder.encoded(config)
        columns.append(named)
        for reader, of_reader in zip(readers, by_reader, strict=True):
            for cell in _cells(config, named, cases, reader):
                protocol = cell.members["protocol"]
                options = ["--encoder", encoder.address, "--protocol", protocol, *reader.command_option]
                cell.members["command"] = join(["ticdc-conformance", "matrix", *options, *selected])
                cells.append(cell)
                of_reader.append(cell)
    for of_reader in by_reader:
        _use_one_name(of_reader)
    table = {
        "compatibility": 1,
        "suite": __version__,
        "command": list(command),
        "encoders": [{name: getattr(named, name) for name in _ENCODER_MEMBERS} for named in columns],
        "readers": list(dict.fromkeys(cell.members["reader"] for cell in cells)),
        "cells": [cell.members for cell in cells],
    }
    suite_failed = any(named.suite_failed for named in columns) or any(cell.suite_failed for cell in cells)
    return Compatibility(table, suite_failed)


def _cells(config: RunConfig, named: NamedIut, cases: Sequence[EncodedCase], reader: Reader) -> Iterable[_Cell]:
    """The cells of an encoder and a reader, one for each protocol."""
    for protocol in dict.fromkeys(one.case.protocol for one in cases):
        of_protocol = [one for one in cases if one.case.protocol == protocol]
        if reader.target is not None:
            decoder, readings = read_by_decoder(config, reader.target, of_protocol, named.profile)
            about = {"encoder": named.label, "reader": decoder.label, "rests_on": "decoder", "protocol": protocol}
            cell = _cell(about, readings, len(of_protocol), reason=decoder.note)
            yield _Cell(cell, decoder.suite_failed, decoder.is_started)
            continue
        model = Faultless() if reader.name == FAULTLESS else MODELS[reader.name](reader.version)
        readings = list(read_by_model(model, of_protocol, reader.options))
        about = {"encoder": named.label, "reader": reader.label, "rests_on": "model", "protocol": protocol}
        yield _Cell(_cell(about, readings, len(of_protocol), reason="" if readings else _NO_FORMAT))


def _use_one_name(cells: Sequence[_Cell]) -> None:
    """Give all cells of a reader the name that it declares in any of them; reports have a column for each name."""
    name = next((cell.members["reader"] for cell in cells if cell.is_named), None)
    for cell in cells:
        if name is not None and not cell.is_named:
            cell.members["reader"] = name


def _cell(about: Mapping[str, str], readings: Sequence[Reading], cases: int, *, reason: str) -> dict[str, Any]:
    """The cell that `about` names, with the results for so many cases.

    `reason` says why the reader tried nothing, or not the rest.
    """
    counts = Counter(reading.verdict for reading in readings)
    counts[Fidelity.NOT_TRIED] += cases - len(readings)
    return {
        **about,
        "verdict": str(worst(counts)) if readings else str(Fidelity.NOT_TRIED),
        "reason": reason,
        "cases": cases,
        "counts": {str(verdict): counts[verdict] for verdict in Fidelity if counts[verdict]},
        "types": _by_type(readings),
        "causes": _causes(readings),
    }


def _type_of(case: Case, trouble: Trouble) -> str:
    """The column type that a case tests; for a case about no single type, that of the column in trouble."""
    return case.axes.get("type", "") or trouble.type


def _by_type(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Column type → the worst result for a value of it, and the number of cases that compared it."""
    found: dict[str, list[Fidelity]] = {}
    for reading in readings:
        axis = reading.case.axes.get("type")
        types = {axis: reading.verdict} if axis else reading.types
        for name, verdict in types.items():
            found.setdefault(name, []).append(verdict)
    return [
        {"type": name, "verdict": str(worst(verdicts)), "cases": len(verdicts)}
        for name, verdicts in sorted(found.items())
    ]


def _causes(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """The differences and unknown results, each kind once, with the cases that show it; worst and commonest first."""
    groups: dict[_Cause, list[tuple[Case, Trouble]]] = {}
    for reading in readings:
        case = reading.case
        # Of several troubles with one cause, the last one is the example of the case.
        causes = {_Cause(one.verdict, _type_of(case, one), one.effect, one.rule): one for one in reading.troubles}
        for cause, trouble in causes.items():
            groups.setdefault(cause, []).append((case, trouble))
    worst_first = sorted(groups, key=lambda cause: (cause.verdict.rank, -len(groups[cause]), cause[1:]))
    return [
        {
            **cause._asdict(),
            "verdict": str(cause.verdict),
            "cases": len(groups[cause]),
            "examples": [_example(*one) for one in sorted(groups[cause], key=_size)[:_MOST_EXAMPLES]],
        }
        for cause in worst_first
    ]


class _Cause(NamedTuple):
    """What all examples of a cause have in common."""

    verdict: Fidelity
    type: str
    effect: str
    rule: str


def _size(example: tuple[Case, Trouble]) -> int:
    """The length of a case's SQL; the shortest example is shown first."""
    case, _ = example
    return sum(map(len, case.sql))


def _example(case: Case, trouble: Trouble) -> dict[str, Any]:
    """A case that shows a cause; `sql` are its last statements, long ones cut."""
    sql = [str(_cut(text)) for text in case.sql[-_MOST_STATEMENTS:]]
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
