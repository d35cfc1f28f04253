"""The status of findings outside the suite: reported, by design, fixed.

All others are open.

A line of `KNOWN` is (who has the fault, effect, column type or "" for any, status); `OF_TICDC` has statuses by the id
of the finding. Reasons are those of the consumer's or producer's own manual or tracker, and no run decides them. A
report is named only where its thread describes the same behaviour. `SEARCHED` are the findings for which public threads
of GitHub were searched, in a stored copy; trackers elsewhere (Jira of Flink, Kafka and Debezium) were not.
"""

from __future__ import annotations

__all__ = ["KNOWN", "OF_TICDC", "SEARCHED", "open_text", "status_of"]

_TEXTS = "by design: a column STRING has the text of the message, which is a number"
_CHARSET = "reported as alibaba/canal#4950: the charset of a column is not looked at"
_REAL = "reported as debezium/debezium#7641: REAL is streamed as a float"
_PRINTED = "by design: a snapshot reads what the server prints of a FLOAT"
_TWO_DIGITS = (
    "by design: years of up to two digits are moved into 1970 to 2069 unless enable.time.adjuster is false "
    "(debezium/debezium#829)"
)
KNOWN = (
    ("flink", "another value", "enum", _TEXTS),
    ("flink", "another value", "set", _TEXTS),
    ("flink", "the rows are skipped", "", "by design: the option says that errors are left out"),
    ("seatunnel", "another value", "enum", _TEXTS),
    ("seatunnel", "another value", "set", _TEXTS),
    ("spark", "another value", "enum", _TEXTS),
    ("spark", "another value", "set", _TEXTS),
    ("connect", "a value for NULL", "", "reported as apache/kafka#7112 (KAFKA-8713): a null becomes the default"),
    ("connect", "another value", "bigint unsigned", "reported as debezium/debezium#7543: its column is signed"),
    ("Alibaba Canal", "another value", "varchar", _CHARSET),
    ("Alibaba Canal", "another value", "char", _CHARSET),
    ("Debezium", "digits are lost", "float", _PRINTED),
    ("Debezium", "digits are lost", "float unsigned", _PRINTED),
    ("Debezium", "NULL for a value", "", "by design: a date of zeros is NULL, as the connector's manual says"),
    ("Debezium", "a value for NULL", "", "by design: a NULL stands as the default where the schema has one"),
    (
        "Debezium",
        "another value",
        "tinyint(1)",
        "by design: TINYINT(1) is a truth value, as the connector's manual says",
    ),
    ("Debezium", "another value", "double", _REAL),
    ("Debezium", "digits are lost", "double", _REAL),
    (
        "Debezium",
        "another value",
        "year",
        "reported as osheroff/mysql-binlog-connector-java#183, the library that Debezium reads the binlog with",
    ),
    (
        "Debezium",
        "another value",
        "time",
        "reported as debezium/debezium#5350 (DBZ-7594), fixed in 3.6.1.Final at the latest: negative times",
    ),
    ("Debezium", "another value", "date", _TWO_DIGITS),
    ("Debezium", "another value", "datetime", _TWO_DIGITS),
    (
        "Debezium",
        "another value",
        "timestamp",
        "by design: zeros in a column that takes no NULL are the start of 1970 (debezium/debezium#105)",
    ),
)
OF_TICDC = {"canal-json-encode-crash-3b9658ac": "reported as pingcap/tiflow#11907"}
"""Id of a finding of TiCDC → what is known."""

SEARCHED = frozenset(
    {
        *((who, effect, type_) for who, effect, type_, _ in KNOWN if who in ("connect", "Alibaba Canal", "Debezium")),
        ("Alibaba Canal", "another value", "binary"),
        ("Alibaba Canal", "another value", "text"),
        ("Alibaba Canal", "another value", "json"),
        ("Debezium", "another value", "enum"),
        ("Debezium", "another value", "json"),
        ("flink", "another value", "tinyint(1)"),
        ("flink", "another value", "binary"),
        ("seatunnel", "a value for NULL", ""),
        ("seatunnel", "another value", "tinyint(1)"),
        ("seatunnel", "another value", "decimal"),
        ("seatunnel", "another value", "datetime"),
        ("paimon", "a value for NULL", ""),
        ("paimon", "another value", "time"),
        ("paimon", "another value", "timestamp"),
        ("paimon", "another value", "decimal"),
        ("paimon", "another value", "bigint unsigned"),
        ("paimon", "another value", "varbinary"),
        ("paimon", "another value", "binary"),
        ("paimon", "another value", "blob"),
    }
)
"""Findings for which public threads were searched on 2026-11-23; those of TiCDC all were."""
_FOUND_NONE = "open: public threads were searched, and none reports it"
_NOT_SEARCHED = "open: no report of it is known to the suite"


def status_of(who: str, effect: str, type_: str) -> str:
    """The status of a finding; empty if unknown."""
    return next((status for *key, status in KNOWN if tuple(key) == (who, effect, type_)), "")


def open_text(who: str, effect: str, type_: str) -> str:
    """The status of a finding without a known one."""
    return _FOUND_NONE if (who, effect, type_) in SEARCHED else _NOT_SEARCHED
