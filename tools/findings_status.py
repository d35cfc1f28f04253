"""What is known of findings outside of the suite: reported, by design, fixed. Everything else is open.

A line is who has the fault, the effect, the column type (empty for any), and what is known. Reasons are those of the
consumer's or producer's own manual or tracker, and no run decides them.
"""

from __future__ import annotations

__all__ = ["status_of"]

_KNOWN = (
    ("flink", "another value", "enum", "by design: a column STRING has the text of the message, which is a number"),
    ("flink", "another value", "set", "by design: a column STRING has the text of the message, which is a number"),
    ("flink", "the rows are skipped", "", "by design: the option says that errors are left out"),
    ("seatunnel", "another value", "enum", "by design: a column STRING has the text of the message, which is a number"),
    ("seatunnel", "another value", "set", "by design: a column STRING has the text of the message, which is a number"),
    ("Debezium", "digits are lost", "float", "by design: a snapshot reads what the server prints of a FLOAT"),
    ("Debezium", "digits are lost", "float unsigned", "by design: a snapshot reads what the server prints of a FLOAT"),
    ("Debezium", "NULL for a value", "", "by design: a date of zeros is NULL, as the connector's manual says"),
    ("Debezium", "a value for NULL", "", "by design: a NULL stands as the default where the schema has one"),
    (
        "Debezium",
        "another value",
        "tinyint(1)",
        "by design: TINYINT(1) is a truth value, as the connector's manual says",
    ),
)


def status_of(who: str, effect: str, type_: str) -> str:
    """What is known of a finding; empty where nothing is."""
    return next((known for name, what, of, known in _KNOWN if (name, what, of) == (who, effect, type_)), "")
