"""The options of Canal and its surroundings that determine a flat message: release, Java, server."""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.options import choice, flag

__all__ = ["IMAGES", "Options"]

IMAGES = ("FULL", "MINIMAL", "NOBLOB")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a Canal server, its Java and its database server."""

    # The release of Canal, and of Java.
    version: str = choice("version", "1.1.7")
    jdk: str = choice("jdk", "17", "25")
    # Canal keeps DDL statements and knows columns by their declarations; without it, Canal queries the server.
    tsdb: bool = flag("tsdb", default=True)
    server: str = choice("server", "mysql", "mariadb")
    # Messages have their position as a set of GTIDs.
    gtid: bool = flag("gtid")
    binlog_row_image: str = choice("binlog_row_image", *IMAGES)

    @property
    def java(self) -> int:
        """The release of Java, which determines the texts of numbers in FLOAT, DOUBLE and JSON.  [DV-42]"""
        return int(self.jdk)

    @property
    def mariadb(self) -> bool:
        """Whether the binlog is MariaDB's, where JSON is text and a statement comes with its rows."""
        return self.server == "mariadb"
