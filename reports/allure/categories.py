"""The categories of failures in Allure, by harm, recognised by the beginning of the message.

Allure orders them by name: the numbers put the worst first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["CATEGORIES"]

_OF_HARM: Mapping[str, str] = {
    "lost": "Lost: a value or a row is missing",
    "changed": "Changed: a reader gets another value",
    "schema": "Schema: a type or a column is described wrongly",
    "metadata": "Metadata: a time or a position is wrong",
    "strictness": "Strictness: malformed input is taken",
    "form": "Form: the same is written in other bytes",
}

CATEGORIES: Sequence[Mapping[str, object]] = [
    *(
        {"name": f"{number} {name}", "matchedStatuses": ["failed"], "messageRegex": f"(?s){harm}: .*"}
        for number, (harm, name) in enumerate(_OF_HARM.items(), 1)
    ),
    {
        "name": "0 No answer: a crash, a time-out or a malformed line",
        "matchedStatuses": ["broken"],
        "messageRegex": "(?s)lost: .*",
    },
    {"name": "7 Errors of the suite", "matchedStatuses": ["broken"], "messageRegex": "(?s)suite_error.*"},
    {"name": "8 Known failures", "matchedStatuses": ["skipped"], "messageRegex": "(?s)known: .*"},
    {"name": "9 Not supported, by its own word", "matchedStatuses": ["skipped"], "messageRegex": "(?s)unsupported.*"},
]
