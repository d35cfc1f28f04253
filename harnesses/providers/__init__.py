"""The services of live tests, each a context manager: Kafka, a schema registry, MySQL, MariaDB.

A service is a container if a docker daemon answers and testcontainers is installed. Otherwise it is a process of this
machine, from released artefacts on the mirrors of Maven and Debian. `TICDC_CONFORMANCE_SERVICES` can be set to
`containers` or `processes`. All services listen only on 127.0.0.1, and end with this process.
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
