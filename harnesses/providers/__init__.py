"""The services that live tests need, each a context manager: Kafka, a schema registry, MySQL, MariaDB.

There are two ways to each. Where a docker daemon answers and testcontainers is installed, a container; else a process
of this machine, from released artefacts that Maven and Debian's mirrors serve. `TICDC_CONFORMANCE_SERVICES` says
`containers` or `processes` to have one of them. All listen on 127.0.0.1 alone, and end with our process.
"""

from harnesses.providers.brokers import Broker, connector, kafka
from harnesses.providers.databases import Database, mariadb, mysql
from harnesses.providers.registries import Registry, registry
from harnesses.providers.service import ServiceError, Unavailable

__all__ = [
    "Broker",
    "Database",
    "Registry",
    "ServiceError",
    "Unavailable",
    "connector",
    "kafka",
    "mariadb",
    "mysql",
    "registry",
]
