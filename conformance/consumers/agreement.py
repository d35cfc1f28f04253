"""Counts how many recorded answers the models predict, by consumer and variant, and among silently wrong answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from conformance.consumers import model_for
from conformance.consumers.answers import Answer
from conformance.consumers.model import Prediction, Row
from conformance.consumers.mysql_types import MysqlType
from conformance.consumers.truth import is_same_value, is_silently_wrong

__all__ = [
    "LEAST_AGREED",
    "LEAST_WRONG_PREDICTED",
    "MOST_ABSTAINED",
    "Agreement",
    "Disagreement",
    "agreements",
    "same_rows",
]

LEAST_AGREED = 0.97
"""The least share of predicted answers among those where the model does not abstain."""
LEAST_WRONG_PREDICTED = 0.99
"""The least share of predicted answers among the silently wrong ones."""
MOST_ABSTAINED = 0.05
"""The largest share of answers where the model abstains."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An answer that the model did not predict."""

    answer: Answer
    prediction: Prediction


@dataclass(slots=True)
class Agreement:
    """Counts of answers of one consumer, or of one variant of it."""

    consumer: str
    variant: str
    answers: int = 0
    agreed: int = 0
    abstained: int = 0
    unjudged: int = 0
    """Answers that may be silently wrong: nobody knows."""
    silently_wrong: int = 0
    wrong_predicted: int = 0
    """Silently wrong answers that the model predicted."""
    disagreements: list[Disagreement] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Agreed answers among those where the model did not abstain: 1 without answers, 0 if it abstained from all."""
        judged = self.answers - self.abstained
        return self.agreed / judged if judged else float(not self.answers)

    @property
    def wrong_share(self) -> float:
        """Predicted answers among the silently wrong ones; 1 if there are none."""
        return self.wrong_predicted / self.silently_wrong if self.silently_wrong else 1.0

    @property
    def is_enough(self) -> bool:
        """Whether the three shares reach their limits."""
        few_abstained = self.abstained <= MOST_ABSTAINED * self.answers
        return few_abstained and self.share >= LEAST_AGREED and self.wrong_share >= LEAST_WRONG_PREDICTED


def agreements(answers: Iterable[Answer]) -> tuple[list[Agreement], list[Agreement]]:
    """The counts by consumer, and those by consumer and variant, each in the order of the answers."""
    by_consumer: dict[str, Agreement] = {}
    by_variant: dict[tuple[str, str], Agreement] = {}
    for answer in answers:
        consumer, variant = answer.consumer, answer.variant
        whole = by_consumer.setdefault(consumer, Agreement(consumer, ""))
        part = by_variant.setdefault((consumer, variant), Agreement(consumer, variant))
        _count(answer, (whole, part))
    return list(by_consumer.values()), list(by_variant.values())


def _count(answer: Answer, counts: Sequence[Agreement]) -> None:
    model = model_for(answer.consumer, answer.message.protocol)
    prediction = Prediction("abstained") if model is None else model.predict(answer.message)
    agreed = prediction.outcome == answer.outcome and same_rows(answer, prediction.rows)
    wrong = _is_wrong(answer)
    for count in counts:
        count.answers += 1
        count.agreed += agreed
        count.abstained += prediction.outcome == "abstained"
        count.unjudged += wrong is None
        count.silently_wrong += wrong is True
        count.wrong_predicted += wrong is True and agreed
        if not agreed and prediction.outcome != "abstained":
            count.disagreements.append(Disagreement(answer, prediction))


def _is_wrong(answer: Answer) -> bool | None:
    if answer.verdict.startswith(("WRONG", "rows, though")):
        return True
    return is_silently_wrong(answer.message, answer.outcome, answer.rows)


def same_rows(answer: Answer, rows: Sequence[Row]) -> bool:
    """Whether an answer has these rows, value by value."""
    types = answer.message.column_types
    return len(rows) == len(answer.rows) and all(
        kind == answered_kind
        and set(row) == set(answered)
        and all(is_same_value(types.get(name, _TEXT), answered[name], value) for name, value in row.items())
        for (kind, row), (answered_kind, answered) in zip(rows, answer.rows, strict=True)
    )


_TEXT = MysqlType("text", None, None, False)
