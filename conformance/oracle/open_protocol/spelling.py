"""Rules of the spelling of JSON in keys and values: white space, escapes, numbers.  [OP-026, OP-070 … OP-083]"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.oracle.conditions import all_of, no
from conformance.oracle.open_protocol.conditions import among_floats, exponent
from conformance.oracle.open_protocol.strings import escaped, of_a_name
from conformance.oracle.rules import Rule
from conformance.oracle.tree import Kind

__all__ = ["SPELLING", "text_rules"]

SPELLING = frozenset({Kind.TEXT})

_ESCAPES = ("OP-070", "OP-071", "OP-073", "OP-072", "OP-074", "OP-075", "OP-076", "OP-078")


def text_rules(part: str) -> Iterator[Rule]:
    """The rules of one part of a record, `key` or `value`."""
    yield Rule("OP-026", f"text.{part}.space", kinds=SPELLING)
    yield from (Rule(id_, f"text.{part}.string", escaped(id_), SPELLING) for id_ in _ESCAPES)
    yield Rule("OP-083", f"text.{part}.string", of_a_name, SPELLING)
    if part == "key":
        yield Rule("OP-027", f"text.{part}.other", kinds=SPELLING)
        return
    yield Rule("OP-079", f"text.{part}.other", all_of(among_floats, exponent), SPELLING)
    yield Rule("OP-081", f"text.{part}.other", all_of(among_floats, no(exponent)), SPELLING)
    yield Rule("OP-081a", f"text.{part}.other", no(among_floats), SPELLING)
