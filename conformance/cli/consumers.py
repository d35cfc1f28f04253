"""`consumers check`: compares the predictions of consumers' models with recorded answers of the real ones."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.errors import UsageError

if TYPE_CHECKING:
    from conformance.consumers.agreement import Agreement, Disagreement

__all__ = ["register"]

_SHOWN = 5
_COLUMNS = ("consumer", "variant", "answers", "agreed", "abstained", "silently wrong", "of them predicted", "not known")


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("consumers")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="hold the models against recorded answers of real consumers",
        description="Read recorded answers of real consumers and count how many of them the models predict: the same "
        "outcome and, as values, the same rows. Status 1 where a consumer is below 0.97, its silently wrong answers "
        "below 0.99, or more than 0.05 are left open by its model.",
    )
    check.add_argument(
        "files", metavar="FILE", nargs="*", type=Path, help="answers, a JSON object a line (those that the suite ships)"
    )
    check.add_argument("--captures", metavar="DIR", type=Path, help="where inputs that name a recorded file are found")
    check.add_argument("--format", choices=("text", "json"), default="text", help="for people (the default), or JSON")
    check.set_defaults(handle=_check)


def _check(args: argparse.Namespace) -> int:
    from conformance.consumers.agreement import agreements
    from conformance.consumers.answers import read_answers, shipped_answers
    from conformance.consumers.captured import Captures

    if args.captures is not None and not args.captures.is_dir():
        raise UsageError(f"--captures {args.captures}: there is no such folder")
    captures = Captures(args.captures)
    texts = {str(path): _bytes(path) for path in args.files} or shipped_answers()
    answers = (answer for name, data in texts.items() for answer in read_answers(Path(name).name, data, captures))
    consumers, variants = agreements(answers)
    if not consumers:
        raise UsageError(f"{', '.join(texts)}: no answer is in there")
    enough = all(one.is_enough for one in consumers)
    if args.format == "json":
        print(json.dumps(_tree(consumers, variants, enough=enough), ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(consumers, variants, enough=enough)))
    return 0 if enough else 1


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as e:
        raise UsageError(f"{path}: cannot be read ({e.strerror or e})") from None


def _tree(consumers: Sequence[Agreement], variants: Sequence[Agreement], *, enough: bool) -> dict[str, Any]:
    return {
        "enough": enough,
        "consumers": [_counts(one) for one in consumers],
        "variants": [_counts(one) for one in variants],
        "disagreements": [_disagreement(d) for one in consumers for d in one.disagreements],
    }


def _counts(one: Agreement) -> dict[str, Any]:
    return {
        "consumer": one.consumer,
        **({"variant": one.variant} if one.variant else {}),
        "answers": one.answers,
        "agreed": one.agreed,
        "abstained": one.abstained,
        "agreement": round(one.share, 4),
        "silently_wrong": one.silently_wrong,
        "silently_wrong_not_known": one.unjudged,
        "silently_wrong_predicted": one.wrong_predicted,
        "silently_wrong_agreement": round(one.wrong_share, 4),
    }


def _disagreement(one: Disagreement) -> dict[str, Any]:
    return {
        "place": one.answer.place,
        "consumer": one.answer.consumer,
        "variant": one.answer.variant,
        "outcome": one.answer.outcome,
        "rows": one.answer.rows,
        "predicted": one.prediction.outcome,
        "predicted_rows": one.prediction.rows,
        "rules": [rule.id for rule in one.prediction.rules],
    }


def _lines(consumers: Sequence[Agreement], variants: Sequence[Agreement], *, enough: bool) -> Iterator[str]:
    rows: list[tuple[str, ...]] = [_COLUMNS]
    for consumer in consumers:
        rows.append(_row(consumer, "all"))
        own = [one for one in variants if one.consumer == consumer.consumer and one.variant]
        rows += [_row(one, one.variant, name="") for one in own]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
    for row in rows:
        cells = [
            f"{text:<{w}}" if i < 2 else f"{text:>{w}}" for i, (text, w) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
    for consumer in consumers:
        for one in consumer.disagreements[:_SHOWN]:
            yield f"{one.answer.place}: {one.answer.consumer} {one.answer.variant}".rstrip()
            yield f"  real       {one.answer.outcome} {json.dumps(one.answer.rows, ensure_ascii=False)[:200]}"
            yield f"  predicted  {one.prediction.outcome} {json.dumps(one.prediction.rows, ensure_ascii=False)[:200]}"
        if len(consumer.disagreements) > _SHOWN:
            more = len(consumer.disagreements) - _SHOWN
            yield f"and {more:,} more of {consumer.consumer}: --format json has them all"
    below = [one.consumer for one in consumers if not one.is_enough]
    yield "the models agree well enough" if enough else f"below the figures: {', '.join(below)}"


def _row(one: Agreement, variant: str, name: str | None = None) -> tuple[str, ...]:
    numbers = (one.answers, one.agreed, one.abstained, one.silently_wrong, one.wrong_predicted, one.unjudged)
    return (one.consumer if name is None else name, variant, *(f"{number:,}" for number in numbers))
