"""The options of the upstream dialects: what is combined, and what is tried over every type and every default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["SPACES", "Space"]

_NO_OPTIONS: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Space:
    """The options of a dialect. `values` has those of every option, the default first.

    `plain` are the options of cases that are about values alone, `whole` those under which everything is written.
    `imitated` is the TiCDC protocol whose members give columns their names. `tried` are options under which every type
    is written, `filled` those under which every default is, `emptied` those under which a truncation is a row's record.
    """

    imitated: str
    values: Mapping[str, tuple[str, ...]]
    plain: Mapping[str, str]
    whole: Sequence[Mapping[str, str]]
    tried: Sequence[Mapping[str, str]]
    filled: Sequence[Mapping[str, str]] = ()
    emptied: Sequence[Mapping[str, str]] = ()
    stops: Sequence[tuple[str, str]] = ()


_BARE = {"schemas.enable": "false"}
_MODES = {
    "decimal.handling.mode": ("precise", "double", "string"),
    "time.precision.mode": ("adaptive_time_microseconds", "connect"),
    "bigint.unsigned.handling.mode": ("long", "precise"),
    "binary.handling.mode": ("bytes", "base64", "base64-url-safe", "hex"),
}

SPACES: Mapping[str, Space] = {
    "canal": Space(
        imitated="canal-json",
        values={
            "jdk": ("17", "25"),
            "tsdb": ("true", "false"),
            "server": ("mysql", "mariadb"),
            "gtid": ("false", "true"),
            "binlog_row_image": ("FULL", "MINIMAL", "NOBLOB"),
        },
        plain=_NO_OPTIONS,
        whole=(_NO_OPTIONS, {"server": "mariadb", "tsdb": "false"}),
        tried=(
            {"jdk": "25"},
            {"tsdb": "false"},
            {"server": "mariadb"},
            {"server": "mariadb", "tsdb": "false"},
            {"binlog_row_image": "MINIMAL"},
            {"binlog_row_image": "NOBLOB"},
        ),
        stops=(("vector(3)", "CJ-428"),),
    ),
    "debezium-connector": Space(
        imitated="debezium",
        values={
            "version": ("2.4.0", "3.0.7", "3.6.1"),
            "server": ("mysql", "mariadb"),
            **_MODES,
            "schemas.enable": ("true", "false"),
            "tombstones.on.delete": ("true", "false"),
            "provide.transaction.metadata": ("false", "true"),
            "include.schema.changes": ("true", "false"),
            "skipped.operations": ("t", "none"),
        },
        plain=_BARE,
        whole=(_NO_OPTIONS, {"version": "3.6.1", "provide.transaction.metadata": "true"}),
        emptied=({"skipped.operations": "none"}, {**_BARE, "version": "3.6.1", "skipped.operations": "none"}),
        tried=(
            _NO_OPTIONS,
            *({**_BARE, name: value} for name, values in _MODES.items() for value in values[1:]),
            {"version": "3.6.1"},
            {**_BARE, "version": "3.0.7"},
            {**_BARE, "server": "mariadb"},
        ),
        filled=(_NO_OPTIONS, {"version": "3.6.1", "binary.handling.mode": "hex", "time.precision.mode": "connect"}),
    ),
}
