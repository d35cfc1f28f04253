"""The options of every protocol: names, values and defaults.

[CJ-101 … CJ-109, DBZ-011 … DBZ-016, CF-004, CF-005, OP-042]
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from reference_impl import options as option_strings
from reference_impl.errors import Rejected, Unsupported
from reference_impl.protocols import CODECS

SWITCH = ("false", "true")

# Name, values that a sink URI may give, the first of them the default.
LARGE = {
    "large-message-handle-option": ("none", "claim-check", "handle-key-only"),
    "large-message-handle-compression": ("none", "lz4", "snappy"),
    "claim-check-raw-value": SWITCH,
}
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "canal-json": {
        "enable-tidb-extension": SWITCH,
        "content-compatible": SWITCH,
        "only-output-updated-columns": SWITCH,
        "delete-only-output-handle-key-columns": SWITCH,
        "output-raw-change-event": SWITCH,
        **LARGE,
    },
    "debezium": {
        "enable-tidb-extension": SWITCH,
        "output-raw-change-event": SWITCH,
        "debezium-disable-schema": SWITCH,
        "debezium-output-old-value": ("true", "false"),
        "debezium-include-start-ts": SWITCH,
        **LARGE,
    },
    "open-protocol": {
        "only-output-updated-columns": SWITCH,
        "delete-only-output-handle-key-columns": SWITCH,
        "open-output-old-value": ("true", "false"),
        "output-raw-change-event": SWITCH,
        **LARGE,
        "claim-check-raw-value": ("false",),
    },
    "avro": {
        "enable-tidb-extension": SWITCH,
        "avro-decimal-handling-mode": ("precise", "string"),
        "avro-bigint-unsigned-handling-mode": ("long", "string"),
        "avro-enable-watermark": SWITCH,
        "avro-include-before-value": SWITCH,
        "output-raw-change-event": SWITCH,
        **LARGE,
    },
}
WITH_LARGE_MESSAGES = ("canal-json", "open-protocol")


def open_options(protocol: str) -> dict[str, Any]:
    """Options that take any number or text, and their defaults."""
    more = {"max-batch-size": 16} if protocol == "open-protocol" else {}
    return {"max-message-bytes": 10 * 2**20, "claim-check-storage-uri": "", **more}


def read(protocol: str, **given: str) -> Any:
    return option_strings.parse(CODECS[protocol].options, given)


def value_of(text: str) -> str | bool:
    return text == "true" if text in SWITCH else text


@pytest.mark.parametrize("protocol", OPTIONS)
def test_a_protocol_has_these_options_and_no_others(protocol: str) -> None:
    assert {*option_strings.names(CODECS[protocol].options)} == {*OPTIONS[protocol], *open_options(protocol)}
    members = {f.metadata["name"]: f.name for f in fields(CODECS[protocol].options)}
    assert members == {name: name.replace("-", "_") for name in members}


@pytest.mark.parametrize("protocol", OPTIONS)
def test_an_option_that_is_not_given_has_its_default(protocol: str) -> None:
    defaults = {name: value_of(values[0]) for name, values in OPTIONS[protocol].items()}
    defaults |= open_options(protocol)
    found = read(protocol)
    assert {name: getattr(found, name.replace("-", "_")) for name in defaults} == defaults


@pytest.mark.parametrize(
    ("protocol", "name", "text"),
    [
        (protocol, name, text)
        for protocol, options in OPTIONS.items()
        for name, values in options.items()
        for text in values
        if protocol in WITH_LARGE_MESSAGES or name != "large-message-handle-option" or text == "none"
    ],
)
def test_an_option_takes_each_of_its_values(protocol: str, name: str, text: str) -> None:
    needed = {"claim-check-storage-uri": "file:///x"} if name in LARGE else {}
    if name in LARGE and protocol == "canal-json":
        needed["enable-tidb-extension"] = "true"
    found = read(protocol, **needed, **{name: text})
    assert getattr(found, name.replace("-", "_")) == value_of(text)


@pytest.mark.parametrize("protocol", OPTIONS)
def test_an_open_option_takes_what_is_given(protocol: str) -> None:
    for name, default in open_options(protocol).items():
        text = "1" if isinstance(default, int) else "s3://x"
        assert getattr(read(protocol, **{name: text}), name.replace("-", "_")) == (1 if text == "1" else text)


@pytest.mark.parametrize(
    ("content_compatible", "updated_only", "changed_only"),
    [("false", "false", False), ("false", "true", True), ("true", "false", True), ("true", "true", True)],
)
def test_old_holds_changed_columns_alone_by_either_of_two_options(
    content_compatible: str, updated_only: str, changed_only: bool
) -> None:
    given = {"content-compatible": content_compatible, "only-output-updated-columns": updated_only}
    assert read("canal-json", **given).changed_only is changed_only


CLAIM_CHECK = {"large-message-handle-option": "claim-check", "claim-check-storage-uri": "file:///x"}
REFUSED = {
    "": [
        {"max-message-bytes": "0"},
        {"max-message-bytes": "-1"},
        {"max-message-bytes": "1e3"},
        {"max-message-bytes": "many"},
        {"large-message-handle-option": "other"},
        {"large-message-handle-option": "claim-check"},
        {"large-message-handle-compression": "gzip"},
    ],
    "canal-json": [
        {"enable-tidb-extension": "yes"},
        {"large-message-handle-option": "handle-key-only"},
        CLAIM_CHECK,
        {"large-message-handle-option": "claim-check", "enable-tidb-extension": "true"},
        {"large-message-handle-option": "gzip", "enable-tidb-extension": "true"},
    ],
    "open-protocol": [
        *({"max-batch-size": "0"}, {"max-batch-size": "-1"}, {"only-output-updated-columns": "yes"}),
        {"claim-check-raw-value": "true"},
    ],
    "debezium": [CLAIM_CHECK, {"large-message-handle-option": "handle-key-only"}],
    "avro": [
        *({"avro-decimal-handling-mode": "invalid"}, {"avro-decimal-handling-mode": "String"}),
        *({"avro-bigint-unsigned-handling-mode": "invalid"}, {"enable-tidb-extension": "a"}),
        *({"avro-enable-watermark": "yes"}, {"large-message-handle-option": "handle-key-only"}, CLAIM_CHECK),
    ],
}


@pytest.mark.parametrize(
    ("protocol", "given"),
    [(protocol, given) for protocol in CODECS for given in (*REFUSED[""], *REFUSED[protocol])],
    ids=str,
)
def test_an_option_that_ticdc_refuses_is_a_fault_of_semantics(protocol: str, given: dict[str, str]) -> None:
    with pytest.raises(Rejected) as caught:
        option_strings.parse(CODECS[protocol].options, given)
    assert caught.value.reason == "semantics"


@pytest.mark.parametrize(
    ("protocol", "given", "near"),
    [
        ("canal-json", "max-message-byte", "did you mean 'max-message-bytes'"),
        ("open-protocol", "content-compatible", "unknown option"),
        ("debezium", "content-compatible", "unknown option"),
        ("avro", "avro-decimal-mode", "did you mean 'avro-decimal-handling-mode'"),
    ],
)
def test_an_option_that_a_protocol_lacks_is_unsupported(protocol: str, given: str, near: str) -> None:
    with pytest.raises(Unsupported, match=near):
        option_strings.parse(CODECS[protocol].options, {given: "true"})
