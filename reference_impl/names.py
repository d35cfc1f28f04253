"""Names as the schemas of Avro and of Kafka Connect take them.  [AV-037, DBZ-031]"""

from __future__ import annotations

import re

__all__ = ["sanitised"]

_FORBIDDEN = re.compile(r"[^A-Za-z0-9_]")


def sanitised(name: str) -> str:
    """The name with `_` for every character but ASCII letters, digits and `_`, and with `_` before a digit in front.

    Different names may become one.  [AV-038]
    """
    plain = _FORBIDDEN.sub("_", name)
    return f"_{plain}" if plain[:1].isdigit() else plain
