"""`consumers check`: compares the predictions of consumers' models with recorded answers of the real ones."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conformance.cli.arguments import add_shared
from conformance.cli.inputs import bytes_of
from conformance.consumers.agreement import Agreement, Disagreement, agreements
from conformance.consumers.answers import read_answers, shipped_answers
from conformance.consumers.captured import Captures
from conformance.errors import UsageError

__all__ = ["register"]

_SHOWN = 5  # disagreements of a consumer that are printed
_COLUMNS = ("consumer", "variant", "answers", "agreed", "abstained", "silently wrong", "of them predicted", "not known")


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("consumers")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="compare the models with recorded answers of real consumers",
        description="Read recorded answers of real consumers and count how many of them the models predict: the same "
        "outcome and, as values, the same rows. Status 1 where the model of a consumer leaves more than 0.05 of its "
        "answers open, or predicts less than 0.97 of the others, or less than 0.99 of the silently wrong answers.",
    )
    check.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        type=Path,
        help="answers, a JSON object a line (default: those that the suite ships)",
    )
    check.add_argument("--captures", metavar="DIR", type=Path, help="the folder of the recorded files that inputs name")
    add_shared(check, "--format")
    check.set_defaults(handle=_check)


def _check(args: argparse.Namespace) -> int:
    if args.captures is not None and not args.captures.is_dir():
        raise UsageError(f"--captures {args.captures}: there is no such folder")
    captures = Captures(args.captures)
    texts = {str(path): bytes_of(path, "FILE") for path in args.files} or shipped_answers()
    answers = (answer for name, data in texts.items() for answer in read_answers(Path(name).name, data, captures))
    consumers, variants = agreements(answers)
    if not consumers:
        raise UsageError(f"{', '.join(texts)}: it holds no answer")
    enough = all(agreement.is_enough for agreement in consumers)
    if args.format == "json":
        print(json.dumps(_tree(consumers, variants, enough=enough), ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(consumers, variants, enough=enough)))
    return 0 if enough else 1


def _tree(consumers: Sequence[Agreement], variants: Sequence[Agreement], *, enough: bool) -> dict[str, Any]:
    return {
        "enough": enough,
        "consumers": [_counts(agreement) for agreement in consumers],
        "variants": [_counts(agreement) for agreement in variants],
        "disagreements": [_disagreement(d) for agreement in consumers for d in agreement.disagreements],
    }


def _counts(agreement: Agreement) -> dict[str, Any]:
    return {
        "consumer": agreement.consumer,
        **({"variant": agreement.variant} if agreement.variant else {}),
        "answers": agreement.answers,
        "agreed": agreement.agreed,
        "abstained": agreement.abstained,
        "agreement": round(agreement.share, 4),
        "silently_wrong": agreement.silently_wrong,
        "silently_wrong_not_known": agreement.unjudged,
        "silently_wrong_predicted": agreement.wrong_predicted,
        "silently_wrong_agreement": round(agreement.wrong_share, 4),
    }


def _disagreement(disagreement: Disagreement) -> dict[str, Any]:
    answer, prediction = disagreement.answer, disagreement.prediction
    return {
        "place": answer.place,
        "consumer": answer.consumer,
        "variant": answer.variant,
        "outcome": answer.outcome,
        "rows": answer.rows,
        "predicted": prediction.outcome,
        "predicted_rows": prediction.rows,
        "rules": [rule.id for rule in prediction.rules],
    }


def _lines(consumers: Sequence[Agreement], variants: Sequence[Agreement], *, enough: bool) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [_COLUMNS]
    for consumer in consumers:
        rows.append(_row(consumer.consumer, "all", consumer))
        rows += [_row("", v.variant, v) for v in variants if v.consumer == consumer.consumer and v.variant]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    for row in rows:
        cells = [
            f"{text:<{w}}" if i < 2 else f"{text:>{w}}" for i, (text, w) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    for consumer in consumers:
        for disagreement in consumer.disagreements[:_SHOWN]:
            answer, prediction = disagreement.answer, disagreement.prediction
            yield f"{answer.place}: {answer.consumer} {answer.variant}".rstrip()
            yield f"  real       {answer.outcome} {json.dumps(answer.rows, ensure_ascii=False)[:200]}"
            yield f"  predicted  {prediction.outcome} {json.dumps(prediction.rows, ensure_ascii=False)[:200]}"
        if len(consumer.disagreements) > _SHOWN:
            more = len(consumer.disagreements) - _SHOWN
            yield f"and {more:,} more of {consumer.consumer}: --format json has them all"
    below = [consumer.consumer for consumer in consumers if not consumer.is_enough]
    yield (
        "the models agree well enough"
        if enough
        else f"the models of these consumers predict too few answers: {', '.join(below)}"
    )


def _row(name: str, variant: str, counts: Agreement) -> tuple[str, ...]:
    numbers = (
        counts.answers,
        counts.agreed,
        counts.abstained,
        counts.silently_wrong,
        counts.wrong_predicted,
        counts.unjudged,
    )
    return (name, variant, *(f"{number:,}" for number in numbers))
