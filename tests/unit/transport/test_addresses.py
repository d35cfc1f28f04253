"""Addresses: what each writes, and what is said of one that is none."""

from __future__ import annotations

import pytest

from conformance.errors import UsageError
from conformance.transport.addresses import (
    Address,
    CommandAddress,
    DockerAddress,
    ExecAddress,
    PythonAddress,
    RecordedAddress,
    TcpAddress,
    parse_address,
)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("cmd:./harness --flag", CommandAddress(("./harness", "--flag"))),
        ("cmd:'a b' \"c d\" $HOME | wc", CommandAddress(("a b", "c d", "$HOME", "|", "wc"))),
        ("exec:./one-shot", ExecAddress(("./one-shot",))),
        ("docker:registry.test:5000/a/b:1", DockerAddress((), "registry.test:5000/a/b:1")),
        ("docker:--network=host -v=/x:/y image -v", DockerAddress(("--network=host", "-v=/x:/y"), "image", ("-v",))),
        ("py:package.module:attribute", PythonAddress("package.module", "attribute")),
        ("py:module:Class.make", PythonAddress("module", "Class.make")),
        ("tcp:127.0.0.1:7000", TcpAddress("127.0.0.1", 7000)),
        ("tcp:[::1]:7000", TcpAddress("::1", 7000)),
        ("recorded:some/folder:x", RecordedAddress("some/folder:x")),
    ],
)
def test_an_address_is_parsed(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cmd:", "the command is empty"),
        ("cmd:''", "the command is empty"),
        ("exec:./x 'y", "the command cannot be split into arguments (no closing quotation)"),
        ("py:module", "there is no ':' between the module and the attribute"),
        ("py:my-module:make", "'my-module' is no dotted Python name"),
        ("py:module:", "'' is no dotted Python name"),
        ("tcp:7000", "there is no host and port"),
        ("tcp:host:port", "'port' is no port"),
        ("tcp:host:65536", "'65536' is no port"),
        ("tcp:host:0", "'0' is no port"),
        (f"tcp:host:{'1' * 5000}", "1' is no port"),
        ("recorded:", "there is no folder"),
        ("docker:", "there is no image"),
        ("docker:--network=host", "there is no image behind the options"),
        ("dcoker:image", "An address is one of cmd:"),
        ("CMD:./x", "did you mean 'cmd:'?"),
        ("./my-harness", "did you mean 'cmd:./my-harness'?"),
        ("./my-harness --port=:80", "did you mean 'cmd:./my-harness --port=:80'?"),
        ("http://host", "An address is one of cmd:./harness --flag, docker:IMAGE, py:package.module:attribute, tcp:"),
        ("", "'' is no address of an implementation: An address is one of cmd:"),
    ],
)
def test_what_is_no_address_is_told_with_what_would_be_one(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert message in str(caught.value)
    assert repr(text) in str(caught.value)


def test_every_kind_of_address_that_an_error_offers_can_be_parsed() -> None:
    with pytest.raises(UsageError) as caught:
        parse_address("ftp:x")
    offered = str(caught.value).partition("An address is one of ")[2].split(", ")
    assert len(offered) == 6
    for example in offered:
        parse_address(example)
