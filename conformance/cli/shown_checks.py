"""The checks of a requirement in words, for `explain`: where it looks, what breaks it, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.catalogue.checks import load_checks
from conformance.catalogue.checks_of_requirements import Check
from conformance.catalogue.register import Requirement
from conformance.oracle import ORACLES
from conformance.oracle.rules import NO_PREDICATES, Predicates

__all__ = ["shown_checks"]

_PLACES = 4  # places that a check shows


def shown_checks(requirement: Requirement) -> Iterator[Sequence[str]]:
    """The lines of each check: the first has its places and the differences that break it, the others conditions."""
    oracle = ORACLES.get(requirement.protocol)
    predicates = oracle.predicates if oracle else NO_PREDICATES
    if requirement.checks:
        for check in requirement.checks:
            yield _first(check), *_conditions(check, predicates)
        return
    for places in load_checks(requirement.protocol).get(requirement.id, ()):
        yield (_first(Check(requirement.id, places.at, places.kinds)),)


def _first(check: Check) -> str:
    more = f" and {len(check.at) - _PLACES} more places" if len(check.at) > _PLACES else ""
    kinds = ", ".join(check.kinds or ("extra",) * check.absent or ("any",)).replace("-", " ")
    also = ", and that nothing stands there" if check.absent else ""
    return f"{', '.join(check.at[:_PLACES])}{more}: {'any difference' if kinds == 'any' else kinds}{also}"


def _conditions(check: Check, predicates: Predicates) -> Iterator[str]:
    lists = (("events", check.event), ("operations", check.op), ("columns", check.families))
    words = [f"{label}{_listed(of)}" for label, of in lists if of]
    words += [f"answers of {'an encoder' if check.role == 'encode' else 'a decoder'}"] if check.role else []
    words += [f"without {o[1:]}" if o.startswith("!") else f"with {o}" for o in check.options]
    words += ["where the column holds NULL"] if check.null else []
    words += [f"records respelled: {check.encoding}"] if check.encoding else []
    if check.actions:
        codes = check.actions if isinstance(check.actions, str) else ", ".join(map(str, check.actions))
        words.append(f"statements with TiDB's codes: {codes}")
    if words:
        yield "; ".join(words)
    yield from (f"if {_said(word, predicates)}" for word in check.when)
    yield from (f"broken if {_said(word, predicates)}" for word in check.shows)
    if check.apart_from:
        yield f"not where {', '.join(check.apart_from)} says all that is wrong"
    if check.alone:
        yield "no other requirement speaks of that difference"


def _listed(words: Sequence[str]) -> str:
    bare = ", ".join(word.removeprefix("!") for word in words)
    return f" other than {bare}" if words[0].startswith("!") else f": {bare}"


def _said(word: str, predicates: Predicates) -> str:
    """What a predicate says, in the words of its own."""
    name, _, argument = word.removeprefix("!").partition("=")
    text = (predicates.every[name].__doc__ or name).strip().rstrip(".")
    text = text if text[1:2].isupper() else text[0].lower() + text[1:]
    return f"{'not: ' if word.startswith('!') else ''}{text}{f' ({argument})' if argument else ''}"
