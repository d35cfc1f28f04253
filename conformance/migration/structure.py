"""What a move between families of formats changes in every message, whatever the tables are.

There is no list of divergences between families: a comparison covers values by their meaning alone. This module
describes the members around the row, by the documents of the target.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.catalogue.divergences import find_divergence, load_divergences
from conformance.catalogue.harm import Harm
from conformance.migration.assessment import Finding, Removal, Severity
from conformance.migration.trial import Trial
from differential.sides import DIALECT_TRAITS
from reference_impl.keys import handle_key
from reference_impl.protocols import AVRO, CANAL, CONNECTOR, OPEN_PROTOCOL

__all__ = ["of_keyless", "of_structure"]


_SHAPES: Mapping[str, Mapping[str, str]] = {
    CANAL.name: {
        "whole": "JSON with `type` and the rows in `data`, all values as texts",
        "before": "columns in `old`",
        "delete": "`type` DELETE with the row in `data`",
        "types": "`mysqlType` and `sqlType` in every message",
        "time": "`es`, in milliseconds",
    },
    CONNECTOR.name: {
        "whole": "JSON with `op`, `before` and `after`, below `payload` where there is a schema; numbers as numbers",
        "before": "the whole row in `before`",
        "delete": "`op` d with the row in `before`",
        "types": "`schema` in every message, unless it is switched off",
        "time": "`source.ts_ms`, and TiCDC's `source.commit_ts`",
    },
    AVRO.name: {
        "whole": "the row alone in Avro, behind five bytes with the number of its schema in a registry",
        "before": "nowhere, unless avro-include-before-value=true",
        "delete": "a record with a key and no value",
        "types": "the schema in the registry",
        "time": "nowhere, unless enable-tidb-extension=true",
    },
    OPEN_PROTOCOL.name: {
        "whole": "several changes in one record: lengths and JSON, keys apart from values; a column is `t`, `f`, `v`",
        "before": "columns in `p`",
        "delete": "the columns in `d`",
        "types": "a number in `t` and flags in `f` of each column",
        "time": "`ts` in the key, a TSO",
    },
}
"""Family of formats → how it writes each aspect of a change, in words for a report; the aspects are those below."""

_ASPECTS: Mapping[str, tuple[str, Severity, Harm]] = {
    "whole": ("every message has another format", Severity.BLOCKER, Harm.LOST),
    "delete": ("deletes", Severity.SILENT, Harm.CHANGED),
    "before": ("the row before an update", Severity.SILENT, Harm.CHANGED),
    "types": ("types of columns", Severity.SILENT, Harm.SCHEMA),
    "time": ("the time of a change", Severity.COSMETIC, Harm.METADATA),
}


def of_keyless(trial: Trial) -> Iterator[Finding]:
    """Tables without a key, which TiCDC leaves out in every format; for Canal the divergence DV-35 covers it."""
    places = tuple((*table.id, "") for table in trial.tables if not handle_key(table))
    known = find_divergence("DV-35")
    assert known is not None
    pair = load_divergences().get((trial.move.origin, trial.move.target))
    if not places or (pair is not None and known in pair.divergences):
        return
    yield Finding(
        severity=Severity.BLOCKER,
        harm=Harm.LOST,
        title=known.title,
        places=places,
        upstream_does=known.upstream_does,
        ticdc_does=known.ticdc_does,
        removals=tuple(Removal(of.what, of.breaks, of.but) for of in known.remedies),
        evidence=(("reading", "the definitions of the tables: no primary key, no unique key of NOT NULL columns"),),
    )


def of_structure(trial: Trial) -> Iterator[Finding]:
    """The differences around the row; the consumer's model decides what that consumer reads."""
    if trial.move.keeps_family:
        return
    before, after = (_SHAPES[DIALECT_TRAITS[dialect].family] for dialect in (trial.move.origin, trial.move.target))
    for aspect, (title, severity, harm) in _ASPECTS.items():
        if trial.consumer is not None and harm is not Harm.METADATA:
            continue
        yield Finding(
            severity=severity,
            harm=harm,
            title=title,
            places=trial.whole_tables,
            upstream_does=before[aspect],
            ticdc_does=after[aspect],
            reader="read the messages with a reader of the new format" if aspect == "whole" else "",
            evidence=(("reading", "the documents of both formats"),),
        )
