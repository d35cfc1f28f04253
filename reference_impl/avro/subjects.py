"""Topics of tables, and the subjects under which their schemas are registered.  [AV-150, AV-155, OP-225, OP-226]"""

from __future__ import annotations

import re

from reference_impl.errors import Rejected

__all__ = ["check_topic", "subject", "topic_of"]

_LITERAL = r"[A-Za-z0-9._-]"
_ONE_TABLE_A_TOPIC = re.compile(rf"{_LITERAL}*\{{schema\}}{_LITERAL}*\{{table\}}{_LITERAL}*")
_HARD_CODED = re.compile(rf"{_LITERAL}+")
_FORBIDDEN = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_TOPIC = 249


def check_topic(expression: str) -> None:
    """Raise `Rejected` (class `semantics`) for a topic rule that does not fit Avro.  [AV-150]

    A valid rule is a plain topic name, or has `{schema}` before `{table}`, each once.
    """
    if not (_ONE_TABLE_A_TOPIC.fullmatch(expression) or _HARD_CODED.fullmatch(expression)):
        raise Rejected("semantics", f"the topic rule {expression!r} for Avro must contain {{schema}} and {{table}}")


def topic_of(expression: str, schema: str, table: str) -> str:
    """The topic of a table; `_` replaces characters that a topic name cannot have.  [OP-226]"""
    for placeholder, name in (("{schema}", schema), ("{table}", table)):
        head, is_found, tail = expression.partition(placeholder)
        expression = head + _FORBIDDEN.sub("_", name) + tail if is_found else head
    topic = expression[:_LONGEST_TOPIC]
    return topic if topic.strip(".") or len(topic) > len("..") else "_" * len(topic)


def subject(topic: str, part: str) -> str:
    """The subject of a topic's `key` or `value`, by TopicNameStrategy."""
    return f"{topic}-{part}"
