"""Real MySQL and MariaDB on 127.0.0.1: with a row-based binlog, in UTC, empty except for a user with all privileges."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from harnesses.providers.containers import contained, use_containers
from harnesses.providers.debian import Unpacked, unpacked
from harnesses.providers.service import ServiceError, Unavailable, free_ports, listens, running, tail

__all__ = ["PASSWORD", "USER", "Database", "mariadb", "mysql"]

USER, PASSWORD = "suite", "suite"
_SECONDS = 120
_COMMON = (
    "--bind-address=127.0.0.1",
    "--server-id=1",
    "--character-set-server=utf8mb4",
    "--default-time-zone=+00:00",
    "--skip-name-resolve",
)
_USERS = f"""\
create user if not exists '{USER}'@'%' identified by '{PASSWORD}';
grant all on *.* to '{USER}'@'%' with grant option;
"""
_MYSQL_TO_TEST = ("--mysqlx=0", "--secure-file-priv=", "--innodb-buffer-pool-size=64M", "--performance-schema=OFF")
_MARIADB_TO_TEST = ("--log-bin=binlog", "--binlog-format=ROW", "--binlog-row-image=FULL")


@dataclass(frozen=True, slots=True)
class Database:
    """A running server. `user` has all privileges from anywhere; `log` is the server's log."""

    kind: str
    version: str
    port: int
    log: Path
    client: Sequence[str] = field(repr=False)
    host: str = "127.0.0.1"
    user: str = USER
    password: str = PASSWORD

    def run(self, sql: str, *, database: str = "", force: bool = False) -> str:
        """Run statements; returns the output of the server's client: a line a row, columns separated by tabs.

        With `force` the client continues after a failed statement. Raises `ServiceError` with the client's message,
        or if the statements take too long.
        """
        more = ["--force"] if force else []
        command = [*self.client, "--batch", "--skip-column-names", "--comments", "--binary-mode", *more]
        try:
            done = subprocess.run(
                [*command, *([database] if database else [])],
                input=sql.encode(),
                capture_output=True,
                check=False,
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise ServiceError(f"{self.kind}: the statements do not end within {_SECONDS} s") from None
        if done.returncode:
            raise ServiceError(f"{self.kind}: {done.stderr.decode('utf-8', 'replace').strip()}")
        return done.stdout.decode("utf-8", "replace")


@contextmanager
def mysql(folder: Path, *settings: str) -> Iterator[Database]:
    """MySQL 9.7 with its data below `folder`; `settings` are further options of the server.

    Raises `Unavailable`.
    """
    with _database("mysql", folder, settings) as found:
        yield found


@contextmanager
def mariadb(folder: Path, *settings: str) -> Iterator[Database]:
    """MariaDB 10.11, as `mysql`."""
    with _database("mariadb", folder, settings) as found:
        yield found


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of server, as a container or from packages of Debian."""

    image: str
    """The container image."""
    folder: str
    """The folder of the cache for the unpacked packages."""
    suite: str
    """The Debian release of the packages."""
    packages: Sequence[str]
    server: str
    """The path of the server's program in the packages."""
    client: str
    """The path of the client's program."""
    settings: Sequence[str]
    """Options of the server."""
    prepare: Callable[[Unpacked, Path, Sequence[str]], None]
    """Makes the folder of the data from the packages, the server's folder, and the command of the server."""


@contextmanager
def _database(name: str, folder: Path, settings: Sequence[str]) -> Iterator[Database]:
    """A running server of a kind of `_KINDS`."""
    kind = _KINDS[name]
    [port] = free_ports(0)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{name}.log"
    options = [f"--port={port}", *_COMMON, *kind.settings, *settings]
    login = [f"--port={port}", "--host=127.0.0.1", "--protocol=tcp", f"--user={USER}", f"--password={PASSWORD}"]
    login.append("--default-character-set=utf8mb4")

    if use_containers():  # during its setup the server of an image refuses connections by TCP
        passwords = {f"{name.upper()}_ROOT_PASSWORD": PASSWORD, f"{name.upper()}_ROOT_HOST": "%"}
        with contained(kind.image, options, log, listens(port), name=name, environment=passwords) as inside:
            root = ["--user=root" if part.startswith("--user") else part for part in login]
            _connected(name, port, log, [*inside, name, "--no-defaults", *root]).run(_USERS)
            yield _connected(name, port, log, [*inside, name, "--no-defaults", *login])
        return
    packages = unpacked(kind.folder, kind.suite, kind.packages)
    root = packages.root
    users = folder / "users.sql"
    users.write_text(_USERS, encoding="utf-8")
    own = [f"--basedir={root}/usr", f"--plugin-dir={next(root.glob('usr/lib/**/plugin'), root)}"]
    own += [f"--lc-messages-dir={root}/usr/share/mysql", f"--character-sets-dir={root}/usr/share/mysql/charsets"]
    own += [f"--datadir={folder}/data", *(["--user=root"] if os.getuid() == 0 else [])]
    server = [*packages.program(kind.server), "--no-defaults", *own]
    if not (folder / "data").is_dir():
        kind.prepare(packages, folder, server)
    client = [*packages.program(kind.client), "--no-defaults", *login]
    # The path of a socket must be short, and a test's folder has a long one.
    with tempfile.TemporaryDirectory(prefix="db") as short:
        options += [f"--socket={short}/s", f"--pid-file={short}/pid", f"--init-file={users}"]
        with running([*server, *options], log, lambda: _answers(client), name=name, seconds=_SECONDS):
            yield _connected(name, port, log, client)


def _answers(client: Sequence[str]) -> bool:
    """Whether the server answers a query of its client."""
    try:
        done = subprocess.run([*client, "-e", "select 1"], capture_output=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _connected(name: str, port: int, log: Path, client: Sequence[str]) -> Database:
    """The running server, with the version that it reports."""
    draft = Database(name, "", port, log, client)
    return replace(draft, version=draft.run("select version()").strip())


def _prepare_mysql(packages: Unpacked, folder: Path, server: Sequence[str]) -> None:
    _set_up("mysql", [*server, "--initialize-insecure", *_MYSQL_TO_TEST], folder, "")


def _prepare_mariadb(packages: Unpacked, folder: Path, server: Sequence[str]) -> None:
    (folder / "data").mkdir()
    share = packages.root / "usr/share/mysql"
    names = ("system_tables", "performance_tables", "system_tables_data")
    files = [*(share / f"mysql_{name}.sql" for name in names), share / "fill_help_tables.sql"]
    script = "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())
    start = "create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\n"
    _set_up("mariadb", [*server, "--bootstrap", "--enforce-storage-engine="], folder, start + script)


def _set_up(name: str, command: Sequence[str], folder: Path, script: str) -> None:
    """Run the command that makes the folder of the data, with a script on its stdin."""
    log = folder / f"{name}-setup.log"
    with log.open("wb") as out:
        done = subprocess.run(command, input=script.encode(), stdout=out, stderr=out, check=False, timeout=_SECONDS)
    if done.returncode:
        raise Unavailable(f"{name} cannot make the folder of its data ({log}): {tail(log)}")


_KINDS = {
    "mysql": _Kind(
        "mysql:9.7",
        "mysql-9.7",
        "sid",
        ("mysql-server-core", "mysql-client-core"),
        "usr/sbin/mysqld",
        "usr/bin/mysql",
        _MYSQL_TO_TEST,
        _prepare_mysql,
    ),
    "mariadb": _Kind(
        "mariadb:10.11",
        "mariadb-10.11",
        "bookworm",
        ("mariadb-server-core", "mariadb-client-core", "mariadb-server"),
        "usr/sbin/mariadbd",
        "usr/bin/mariadb",
        _MARIADB_TO_TEST,
        _prepare_mariadb,
    ),
}
