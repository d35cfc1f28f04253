"""The credentials of a client of a schema registry, and the certificates that it trusts.

The properties are those of Confluent's own clients, with or without `schema.registry.` before them. Their values,
among them passwords and tokens, are in no message and no `repr`.
"""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ANONYMOUS", "Access", "access_of", "in_words"]


@dataclass(frozen=True, slots=True)
class Access:
    """The credentials of a client, and the certificates that it trusts."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Headers of every request."""
    authority_file: str = ""
    """A file of certificates to trust in place of the system's."""
    authorities: str = field(default="", repr=False)
    """Such certificates as PEM text."""
    identity: str = ""
    """A PEM file of the client's own certificate and key, for a registry that asks for one (mTLS)."""
    identity_password: str = field(default="", repr=False)
    """The password of that key."""
    checks_name: bool = True
    """Whether the registry's certificate must name its host."""

    def context(self) -> ssl.SSLContext:
        """The context of a TLS connection. Raises `ValueError`, naming the property, for an unreadable file."""
        context = ssl.create_default_context()
        if self.authority_file or self.authorities:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            try:
                context.load_verify_locations(self.authority_file or None, cadata=self.authorities or None)
            except (OSError, ValueError) as e:
                raise ValueError(f"{_CA_FILE if self.authority_file else _CA_TEXT}: {in_words(e)}") from None
        context.check_hostname = self.checks_name
        if self.identity:
            try:
                context.load_cert_chain(self.identity, password=self.identity_password)
            except (OSError, ValueError) as e:
                raise ValueError(f"{_OWN_FILE}: a certificate and its key in PEM are needed: {in_words(e)}") from None
        return context


ANONYMOUS = Access()
"""No credentials, and the system's trust."""

_PREFIX = "schema.registry."
_CA_FILE, _CA_TEXT, _CA_TYPE = "ssl.truststore.location", "ssl.truststore.certificates", "ssl.truststore.type"
_OWN_FILE, _OWN_TYPE, _OWN_PASSWORD = "ssl.keystore.location", "ssl.keystore.type", "ssl.key.password"
_NAME_CHECK = "ssl.endpoint.identification.algorithm"
_LOGIN, _LOGIN_FROM = "basic.auth.user.info", "basic.auth.credentials.source"
_TOKEN, _TOKEN_FROM = "bearer.auth.token", "bearer.auth.credentials.source"
_HEADERS = {
    "bearer.auth.logical.cluster": "target-sr-cluster",
    "bearer.auth.identity.pool.id": "Confluent-Identity-Pool-Id",
}
# Property → the only values of it that the suite supports.
_ONLY: Mapping[str, tuple[str, ...]] = {
    _LOGIN_FROM: ("USER_INFO", "URL"),
    _TOKEN_FROM: ("STATIC_TOKEN",),
    _CA_TYPE: ("PEM",),
    _OWN_TYPE: ("PEM",),
}
_KNOWN = frozenset(
    {_CA_FILE, _CA_TEXT, _CA_TYPE, _OWN_FILE, _OWN_TYPE, _OWN_PASSWORD, _NAME_CHECK, _LOGIN, _LOGIN_FROM, _TOKEN}
    | {_TOKEN_FROM, *_HEADERS}
)
_UNUSED = frozenset({"url", "ssl.keystore.password", "ssl.truststore.password"})
_LOGIN_PREFIXES = ("basic.auth.", "bearer.auth.")


def access_of(properties: Mapping[str, str]) -> Access:
    """The access that properties describe. Raises `ValueError`, which begins with the property.

    In a file that is also Kafka's, a property with the prefix overrides the one without; without the prefix only
    logins, tokens and certificates count.
    """
    plain: dict[str, str] = {}
    prefixed: dict[str, str] = {}
    for name, value in properties.items():
        short = name.removeprefix(_PREFIX)
        is_prefixed = short != name
        if (is_prefixed or name.startswith(_LOGIN_PREFIXES)) and short not in _KNOWN | _UNUSED:
            raise ValueError(f"{name}: not known; there are {', '.join(sorted(_KNOWN))}")
        (prefixed if is_prefixed else plain)[short] = value
    given = plain | prefixed
    for name, values in _ONLY.items():
        if name in given and given[name].upper() not in values:
            raise ValueError(f"{name}: only {' and '.join(values)} can be used here")
    stores = ((_CA_FILE, _CA_TYPE, "a truststore"), (_OWN_FILE, _OWN_TYPE, "a keystore"))
    for location, store_type, store in stores:
        if location in given and store_type not in given:
            raise ValueError(f"{location}: {store} must be PEM: write it as PEM and set {store_type}=PEM")
    return Access(
        headers=_headers(given),
        authority_file=given.get(_CA_FILE, ""),
        authorities=given.get(_CA_TEXT, ""),
        identity=given.get(_OWN_FILE, ""),
        identity_password=given.get(_OWN_PASSWORD, ""),
        checks_name=given.get(_NAME_CHECK, "https") != "",
    )


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    if _LOGIN in given and _TOKEN in given:
        raise ValueError(f"{_TOKEN}: there is a login, too ({_LOGIN}); a request can carry only one of them")
    headers = {header: given[name] for name, header in _HEADERS.items() if name in given}
    if _LOGIN in given:
        if ":" not in given[_LOGIN]:
            raise ValueError(f"{_LOGIN}: it looks like user:password")
        headers["Authorization"] = "Basic " + base64.b64encode(given[_LOGIN].encode()).decode()
    if _TOKEN in given:
        headers["Authorization"] = f"Bearer {given[_TOKEN].strip()}"
    for name, value in headers.items():
        if not value.isprintable() or not value.isascii():
            raise ValueError(f"the value of the header {name} has characters that no header can have")
    return headers


def in_words(error: Exception) -> str:
    """The message of an error, without the number of the system's error and the line of OpenSSL's source."""
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).split(" (_ssl.c")[0]
