"""A reader without faults: it gets exactly what a message says, so that every error is the encoder's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.consumers.model import Message, Prediction, Row, Rule
from conformance.consumers.truth import PROTOCOLS, Change, changes_of_message

__all__ = ["FAULTLESS", "Faultless", "has_other_modes"]

FAULTLESS = "faultless"
_UNKNOWN = Rule("faultless.unknown", "What the message says cannot be determined without a consumer.")
_MODES: Mapping[str, str] = {
    "time.precision.mode": "adaptive_time_microseconds",
    "binary.handling.mode": "bytes",
    "decimal.handling.mode": "precise",
    "bigint.unsigned.handling.mode": "long",
}
"""Options with which Debezium writes values in another form, and the form that this module reads."""


def has_other_modes(options: Mapping[str, str]) -> bool:
    """Whether options change the form of values: then the message alone does not determine the values."""
    return any(options.get(name, usual) != usual for name, usual in _MODES.items())


class Faultless:
    """The reader, as a model of a consumer. Its rows leave out columns that the message alone does not determine."""

    name: str = FAULTLESS
    version: str = ""
    protocols: Sequence[str] = PROTOCOLS

    def predict(self, message: Message) -> Prediction:
        """The rows in the message."""
        changes = changes_of_message(message)
        if changes is None:
            return Prediction("abstained", rules=[_UNKNOWN])
        rows = list(_rows(changes))
        return Prediction("rows" if rows else "skipped", rows)


def _rows(changes: Sequence[Change]) -> Iterator[Row]:
    for before, after in changes:
        if before is not None:
            yield ("-U" if after is not None else "-D"), before
        if after is not None:
            yield ("+U" if before is not None else "+I"), after
