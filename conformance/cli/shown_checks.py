"""The checks of a requirement in words, for `explain`: the paths, the differences that break it, the conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.catalogue.checks import Check
from conformance.catalogue.register import Requirement
from conformance.oracle import ORACLES
from conformance.oracle.rules import NO_PREDICATES, Predicates
from reference_impl.protocols import UPSTREAM

__all__ = ["shown_checks"]

_PLACES = 4  # paths of a check that are shown


def shown_checks(requirement: Requirement) -> Iterator[Sequence[str]]:
    """The lines of each check: the first has its paths and the differences that break it, the others its conditions."""
    oracle = ORACLES.get(requirement.protocol)
    predicates = oracle.predicates if oracle else NO_PREDICATES
    upstream = requirement.protocol in UPSTREAM
    for check in requirement.checks:
        specific = ("where no more specific check fits",) if upstream else ()
        yield _first(check, upstream=upstream), *_conditions(check, predicates), *specific


def _first(check: Check, *, upstream: bool) -> str:
    places = ", ".join(check.at[:_PLACES])
    more = len(check.at) - _PLACES
    if more > 0:
        places += f" and {more} more {'place' if more == 1 else 'places'}"
    kinds = check.kinds or (("extra",) if check.absent else ())
    if kinds == ("none",):
        return f"{places}: looked at here, broken elsewhere"
    if kinds == ("any",):
        differences = "any difference but of order and text"
    elif not kinds and upstream:
        differences = "any difference"
    else:
        differences = ", ".join(kinds).replace("-", " ")
    absence = "; checked also where neither side has the path" if check.absent else ""
    return f"{places}: {differences}{absence}"


def _conditions(check: Check, predicates: Predicates) -> Iterator[str]:
    lists = (("events", check.event), ("operations", check.op), ("columns", check.families))
    words = [f"{label}{_listed(names)}" for label, names in lists if names]
    if check.role:
        words.append(f"answers of {'an encoder' if check.role == 'encode' else 'a decoder'}")
    words += map(_option, check.options)
    if check.null:
        words.append("where the column holds NULL")
    if check.holds:
        words.append(f"what the place holds: {check.holds}")
    if check.encoding:
        words.append(f"records respelled: {check.encoding}")
    if check.actions:
        codes = check.actions if isinstance(check.actions, str) else ", ".join(map(str, check.actions))
        words.append(f"statements with TiDB's codes: {codes}")
    if words:
        yield "; ".join(words)
    yield from (f"if {_in_words(word, predicates)}" for word in check.when)
    if check.shows:
        yield f"a difference breaks it if {'; and '.join(_in_words(word, predicates) for word in check.shows)}"
    if check.apart_from:
        yield f"not if the difference breaks {' or '.join(check.apart_from)}"
    if check.alone:
        yield "a difference that breaks it breaks no other check"


def _option(text: str) -> str:
    """`with x=1` for `x=1`, `with x other than 1` for `!x=1`, `without x` for `!x`."""
    name, equals, value = text.removeprefix("!").partition("=")
    if not equals:
        return f"{'without' if text.startswith('!') else 'with'} {name}"
    return f"with {name} other than {value}" if text.startswith("!") else f"with {name}={value}"


def _listed(words: Sequence[str]) -> str:
    """`: a, b` for `a` and `b`, ` other than a, b` for `!a` and `!b`."""
    bare = ", ".join(word.removeprefix("!") for word in words)
    return f" other than {bare}" if words[0].startswith("!") else f": {bare}"


def _in_words(word: str, predicates: Predicates) -> str:
    """A predicate in words: its docstring, as part of a sentence. `word` is `name`, `name=argument` or `!name`.

    The condition of an argument may have a docstring of its own.
    """
    name, _, argument = word.removeprefix("!").partition("=")
    own = predicates.of_argument[name](argument).__doc__ if argument else None
    text = (own or predicates.every[name].__doc__ or name).strip().rstrip(".")
    text = text if text[1:2].isupper() else text[0].lower() + text[1:]
    return f"{'not: ' if word.startswith('!') else ''}{text}{f' ({argument})' if argument and not own else ''}"
