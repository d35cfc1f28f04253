"""The options that determine a flat message beside its row: release, Java, server."""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.options import choice, flag

__all__ = ["IMAGES", "Options"]

IMAGES = ("FULL", "MINIMAL", "NOBLOB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The surroundings of a Canal server.

    `tsdb`: Canal keeps the DDL statements and knows columns by their declaration; without it, it queries the server.
    `gtid`: messages have the position as a set of GTIDs.
    """

    version: str = choice("version", "1.1.7")
    jdk: str = choice("jdk", "17", "25")
    tsdb: bool = flag("tsdb", default=True)
    server: str = choice("server", "mysql", "mariadb")
    gtid: bool = flag("gtid")
    binlog_row_image: str = choice("binlog_row_image", *IMAGES)

    @property
    def java(self) -> int:
        """The release of Java, whose number texts show in FLOAT, DOUBLE and JSON.  [DV-42]"""
        return int(self.jdk)

    @property
    def mariadb(self) -> bool:
        """Whether the binlog is MariaDB's, where JSON is text and a statement comes with its rows."""
        return self.server == "mariadb"
