"""Parses the addresses of implementations that `--iut` takes; starts nothing."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from conformance.errors import UsageError

__all__ = [
    "Address",
    "CommandAddress",
    "DockerAddress",
    "ExecAddress",
    "PythonAddress",
    "RecordedAddress",
    "TcpAddress",
    "parse_address",
]


@dataclass(frozen=True, slots=True)
class CommandAddress:
    """`cmd:./harness --flag`: a child on stdio."""

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExecAddress:
    """`exec:./one-shot`: a process per case."""

    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DockerAddress:
    """`docker:[--option=value …] IMAGE [argument …]`: a container on stdio, without a network by default.

    Words before the image begin with `-` and go to `docker run`; `--network=host` gives it the host's network.
    """

    options: tuple[str, ...]
    image: str
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PythonAddress:
    """`py:package.module:attribute`: `attribute()` returns the callable that answers; hosted in a child process."""

    module: str
    attribute: str


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """`tcp:127.0.0.1:7000`: a program that already runs."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class RecordedAddress:
    """`recorded:DIR`: no program, a folder of recorded vectors."""

    folder: str


Address: TypeAlias = CommandAddress | DockerAddress | ExecAddress | PythonAddress | TcpAddress | RecordedAddress

_EXAMPLES: Mapping[str, str] = {
    "cmd": "cmd:./harness --flag",
    "docker": "docker:IMAGE",
    "py": "py:package.module:attribute",
    "tcp": "tcp:127.0.0.1:7000",
    "exec": "exec:./one-shot",
    "recorded": "recorded:DIR",
}


def parse_address(text: str) -> Address:
    """The address in `text`. Raises `UsageError` with what was wrong and what would be right."""
    scheme, colon, rest = text.partition(":")
    parse = _PARSERS.get(scheme) if colon else None
    if parse is None:
        raise UsageError(_unknown(text, scheme))
    return parse(text, rest)


def _unknown(text: str, scheme: str) -> str:
    near = difflib.get_close_matches(scheme.lower(), _EXAMPLES, n=1)
    is_path_like = any(mark in scheme for mark in "/.\\ ") or ":" not in text
    if near:
        hint = f"did you mean '{near[0]}:'?  "
    elif is_path_like and text.strip():
        hint = f"did you mean 'cmd:{text}'?  "
    else:
        hint = ""
    forms = ", ".join(_EXAMPLES.values())
    return f"{text!r} is no address of an implementation: {hint}An address is one of {forms}"


def _malformed(text: str, reason: str) -> UsageError:
    example = _EXAMPLES[text.partition(":")[0]]
    return UsageError(f"{text!r} is no address of an implementation: {reason}; an example: {example}")


def _argv(text: str, rest: str) -> tuple[str, ...]:
    try:
        argv = tuple(shlex.split(rest))
    except ValueError as e:
        raise _malformed(text, f"the command cannot be split into arguments ({str(e).lower()})") from None
    if not argv or not argv[0]:
        raise _malformed(text, "the command is empty")
    return argv


def _docker(text: str, rest: str) -> Address:
    if not rest.strip():
        raise _malformed(text, "there is no image")
    words = _argv(text, rest)
    image = next((n for n, word in enumerate(words) if not word.startswith("-")), None)
    if image is None:
        raise _malformed(text, "there is no image behind the options; an option is one word, as in --network=host")
    return DockerAddress(words[:image], words[image], words[image + 1 :])


def _python(text: str, rest: str) -> Address:
    module, colon, attribute = rest.partition(":")
    if not colon:
        raise _malformed(text, "there is no ':' between the module and the attribute")
    for name in (module, attribute):
        if not all(part.isidentifier() for part in name.split(".")):
            raise _malformed(text, f"{name!r} is no dotted Python name")
    return PythonAddress(module, attribute)


def _tcp(text: str, rest: str) -> Address:
    host, colon, port = rest.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host:
        raise _malformed(text, "there is no host and port")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 1 << 16):
        raise _malformed(text, f"{port!r} is no port")
    return TcpAddress(host, int(port))


def _recorded(text: str, rest: str) -> Address:
    if not rest:
        raise _malformed(text, "there is no folder")
    return RecordedAddress(rest)


_PARSERS: Mapping[str, Callable[[str, str], Address]] = {
    "cmd": lambda text, rest: CommandAddress(_argv(text, rest)),
    "docker": _docker,
    "py": _python,
    "tcp": _tcp,
    "exec": lambda text, rest: ExecAddress(_argv(text, rest)),
    "recorded": _recorded,
}
