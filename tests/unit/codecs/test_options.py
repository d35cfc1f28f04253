"""Options of a sink URI, read from strings into a dataclass."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import pytest

from reference_impl import options
from reference_impl.errors import Rejected, Unsupported


@dataclass(frozen=True)
class Options:
    on: bool = options.flag("is-on", default=True)
    off: bool = options.flag("is-off")
    size: int = options.number("size", default=16)
    name: str = options.text("name", default="x")
    empty: str = options.text("empty")
    mode: str = options.choice("mode", "first", "second", "third")


DEFAULTS = {"on": True, "off": False, "size": 16, "name": "x", "empty": "", "mode": "first"}


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({}, {}),
        ({"is-on": "false", "is-off": "true"}, {"on": False, "off": True}), ({"is-on": "true", "is-off": "false"}, {}),
        ({"size": "1"}, {"size": 1}), ({"size": "2"}, {"size": 2}), ({"size": "007"}, {"size": 7}),
        ({"name": ""}, {"name": ""}), ({"name": " True "}, {"name": " True "}), ({"empty": "y"}, {"empty": "y"}),
        ({"mode": "first"}, {}), ({"mode": "third"}, {"mode": "third"}),
    ],
)  # fmt: skip
def test_an_option_has_the_value_of_its_string_or_its_default(given: dict[str, str], changed: dict[str, Any]) -> None:
    found = options.parse(Options, given)
    assert {name: getattr(found, name) for name in DEFAULTS} == DEFAULTS | changed
    assert {type(getattr(found, name)) for name in ("on", "off")} == {bool}


@pytest.mark.parametrize(
    ("given", "reason", "words"),
    [
        ({"is-on": "yes"}, "semantics", "option is-on='yes': neither true nor false"),
        ({"is-on": "True"}, "semantics", "option is-on='True'"),
        ({"is-off": ""}, "semantics", "option is-off=''"),
        ({"size": "0"}, "semantics", "option size='0': not a number above 0"),
        ({"size": "9" * 5000}, "semantics", "not a number above 0"),
        ({"size": "-1"}, "semantics", "option size='-1'"),
        ({"size": "+1"}, "semantics", r"option size='\+1'"),
        ({"size": "1.5"}, "semantics", "option size='1.5'"),
        ({"size": ""}, "semantics", "option size=''"),
        ({"size": "²"}, "semantics", "option size='²'"),
        ({"size": "١"}, "semantics", "option size='١'"),
        ({"mode": "fourth"}, "semantics", "option mode='fourth': not one of first, second, third"),
        ({"mode": "First"}, "semantics", "option mode='First'"),
        ({"size": 1}, "schema", "option size: the value is not a string"),
        ({"name": None}, "schema", "option name: the value is not a string"),
        ({"is-on": True}, "schema", "option is-on: the value is not a string"),
    ],
)
def test_a_string_of_no_value_is_refused_by_the_name_of_its_option(
    given: dict[str, Any], reason: str, words: str
) -> None:
    with pytest.raises(Rejected, match=words) as refused:
        options.parse(Options, given)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("is-offf", "unknown option 'is-offf'; did you mean 'is-off'[?]$"),
        ("nam", "unknown option 'nam'; did you mean 'name'[?]$"),
        ("xyzzy", "unknown option 'xyzzy'; its options are is-on, is-off, size, name, empty, mode$"),
        ("off", "unknown option 'off'"),
    ],
)
def test_an_unknown_option_is_unsupported_and_the_nearest_is_named_or_every_one(name: str, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        options.parse(Options, {name: "true"})


def test_options_are_named_and_say_which_strings_they_take() -> None:
    assert options.names(Options) == ("is-on", "is-off", "size", "name", "empty", "mode")
    flag = ("true", "false")
    assert [field.metadata["values"] for field in fields(Options)] == [
        *(flag, flag, ("digits",), ("text",), ("text",)),
        ("first", "second", "third"),
    ]
