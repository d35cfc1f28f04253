"""Parses the options of a protocol from the strings of a sink URI into a frozen dataclass.

A protocol declares its options as a dataclass whose fields are made by `flag`, `choice`, `number` and `text`; those of
TiCDC extend `SinkOptions`. `parse` reads the strings, and the `__post_init__` of the dataclass refuses invalid
combinations.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

from reference_impl.errors import Rejected, Unsupported

__all__ = ["SinkOptions", "choice", "flag", "names", "number", "parse", "text", "values_by_option"]

T = TypeVar("T")


_MOST_DIGITS = 19  # as a number of 64 bits

# Each reads the value of an option; `value` is the string in the sink URI.


def _boolean(name: str, value: str) -> bool:
    if value not in ("true", "false"):
        raise Rejected("semantics", f"option {name}={value!r}: neither true nor false")
    return value == "true"


def _positive(name: str, value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= _MOST_DIGITS and int(value) > 0):
        raise Rejected("semantics", f"option {name}={value!r}: not a number above 0")
    return int(value)


def _text(name: str, value: str) -> str:
    return value


def flag(name: str, *, default: bool = False) -> Any:
    """An option that is `true` or `false`."""
    return field(default=default, metadata={"name": name, "read": _boolean, "values": ("true", "false")})


def number(name: str, *, default: int) -> Any:
    """An option that is a number above 0."""
    return field(default=default, metadata={"name": name, "read": _positive, "values": ("digits",)})


def text(name: str, *, default: str = "") -> Any:
    """An option that is any text."""
    return field(default=default, metadata={"name": name, "read": _text, "values": ("text",)})


def choice(name: str, *values: str) -> Any:
    """An option that is one of `values`; the first is the default."""

    def read(option: str, value: str) -> str:
        if value not in values:
            raise Rejected("semantics", f"option {option}={value!r}: not one of {', '.join(values)}")
        return value

    return field(default=values[0], metadata={"name": name, "read": read, "values": values})


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkOptions:
    """The options that every protocol of TiCDC has."""

    max_message_bytes: int = number("max-message-bytes", default=10485760)
    output_raw_change_event: bool = flag("output-raw-change-event")
    large_message_handle_option: str = choice("large-message-handle-option", "none", "claim-check", "handle-key-only")
    large_message_handle_compression: str = choice("large-message-handle-compression", "none", "lz4", "snappy")
    claim_check_storage_uri: str = text("claim-check-storage-uri")
    claim_check_raw_value: bool = flag("claim-check-raw-value")

    def require_storage_uri(self) -> None:
        """Raise `Rejected` (class `semantics`) for claim checks without a place to store them."""
        if self.large_message_handle_option == "claim-check" and not self.claim_check_storage_uri:
            raise Rejected("semantics", "large-message-handle-option=claim-check needs claim-check-storage-uri")


def names(options_class: type[Any]) -> tuple[str, ...]:
    """The names of a dataclass's options, as in a sink URI."""
    return tuple(f.metadata["name"] for f in fields(options_class))


def values_by_option(options_class: type[Any]) -> dict[str, tuple[str, ...]]:
    """The values of each option by its name; `digits` and `text` stand for any number and any text."""
    return {f.metadata["name"]: f.metadata["values"] for f in fields(options_class)}


def parse(options_class: Callable[..., T], strings: Mapping[str, str]) -> T:
    """The options in `strings`, as the dataclass `options_class`.

    Raises `Unsupported` for an unknown option, `Rejected` of the class `semantics` for an invalid value or combination,
    and of the class `schema` for a value that is not a string.
    """
    known: dict[str, Field[Any]] = {f.metadata["name"]: f for f in fields(options_class)}  # type: ignore[arg-type]
    arguments: dict[str, Any] = {}
    for name, value in strings.items():
        if name not in known:
            near = difflib.get_close_matches(name, known)
            hint = f"; did you mean {near[0]!r}?" if near else f"; its options are {', '.join(known)}"
            raise Unsupported(f"unknown option {name!r}{hint}")
        if not isinstance(value, str):
            raise Rejected("schema", f"option {name}: the value is not a string")
        arguments[known[name].name] = known[name].metadata["read"](name, value)
    return options_class(**arguments)
