"""A reader without faults: it gets exactly what a message says, so that every error is the encoder's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.consumers.json_tree import Malformed
from conformance.consumers.model import LeftOpen, Message, Prediction, Row, Rule, predicted
from conformance.consumers.truth import PROTOCOLS, changes_of_message

__all__ = ["FAULTLESS", "Faultless", "has_other_modes"]

FAULTLESS = "faultless"
_UNKNOWN = Rule("faultless.unknown", "What the message says cannot be determined without a consumer.")
_DAMAGED = Rule("faultless.damaged", "The message cannot be read at all.")
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


@dataclass(frozen=True, slots=True)
class Faultless:
    """The reader, as a model of a consumer. Its rows leave out columns that the message alone does not determine."""

    name: str = FAULTLESS
    version: str = ""
    protocols: Sequence[str] = PROTOCOLS

    def predict(self, message: Message) -> Prediction:
        """The rows in the message."""
        return predicted(lambda: _rows(message), _DAMAGED)


def _rows(message: Message) -> Iterator[Row]:
    try:
        changes = changes_of_message(message)
    except (ValueError, ArithmeticError, Malformed):
        changes = None
    if changes is None:
        raise LeftOpen(_UNKNOWN)
    for before, after in changes:
        if before is not None:
            yield ("-U" if after is not None else "-D"), before
        if after is not None:
            yield ("+U" if before is not None else "+I"), after
