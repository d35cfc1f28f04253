"""The names of every protocol package; its modules are imported when they are first used.

`encode` and `decode` are single calls without a lasting encoder or decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Protocol

from reference_impl.encoder_checks import checked
from reference_impl.model import Claim, Encoded, Event, Record, Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings

__all__ = ["Decode", "Encode", "decode_of", "encode_of", "names_of"]


class Encode(Protocol):
    """Encodes events into the records of one flush.

    `tables` is the state before the first event; statements among the events change it. `options` are the `Options` of
    the protocol, `defects` the names of recorded defects to reproduce. For input that violates the model it raises
    `Rejected` with the number of the event; otherwise it raises what the `encode` of the protocol's `Encoder` raises.
    """

    def __call__(
        self,
        events: Iterable[Event],
        tables: Iterable[Table] = (),
        options: Any = None,
        profile: Profile = NEWARCH,
        *,
        settings: Settings | None = None,
        defects: frozenset[str] = frozenset(),
    ) -> Encoded: ...


class Decode(Protocol):
    """Decodes records, in the order of their offsets, into events.

    `tables` supplies definitions that the messages lack, `claims` the files that claim checks refer to. Raises what the
    `decode` of the protocol's `Decoder` raises.
    """

    def __call__(
        self,
        records: Iterable[Record],
        tables: Iterable[Table] = (),
        claims: Iterable[Claim] = (),
        options: Any = None,
        *,
        settings: Settings | None = None,
    ) -> list[Event]: ...


def encode_of(package: str) -> Encode:
    """The `encode` of a protocol's package, which imports its encoder when it is first called."""

    def encode(
        events: Iterable[Event],
        tables: Iterable[Table] = (),
        options: Any = None,
        profile: Profile = NEWARCH,
        *,
        settings: Settings | None = None,
        defects: frozenset[str] = frozenset(),
    ) -> Encoded:
        known = tuple(tables)
        encoder = import_module(f"{package}.encoder").Encoder(options, profile, settings=settings, defects=defects)
        encoded: Encoded = encoder.encode(checked(events, known), known)
        return encoded

    encode.__doc__, encode.__module__ = Encode.__doc__, package
    return encode


def decode_of(package: str) -> Decode:
    """The `decode` of a protocol's package, which imports its decoder when it is first called."""

    def decode(
        records: Iterable[Record],
        tables: Iterable[Table] = (),
        claims: Iterable[Claim] = (),
        options: Any = None,
        *,
        settings: Settings | None = None,
    ) -> list[Event]:
        decoder = import_module(f"{package}.decoder").Decoder(options, settings=settings)
        events: list[Event] = decoder.decode(records, tables, claims)
        return events

    decode.__doc__, decode.__module__ = Decode.__doc__, package
    return decode


_HOMES = {"Decoder": "decoder", "Encoder": "encoder", "Options": "options"}


def names_of(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a protocol package, which imports its three classes from their modules."""

    def find(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{_HOMES[name]}"), name)

    return find
