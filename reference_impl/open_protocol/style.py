"""The styles of Open Protocol: a row for each profile, and named defects as changes of a row.

The profile `doc` follows the document where it decides a point: without old values a delete holds only the handle key,
and a generated column has the flags of its indexes (example 46). The document is silent on the order of columns, the
optional members of the key, escapes of control characters, exponents and an empty `p`; there `doc` writes as `newarch`.
`newarch` and `doc` write the names of a schema and a table even if they are empty, as the document allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reference_impl.exact_json import CONTROL_ESCAPES, HTML_ESCAPES, INVALID_UTF8_ESCAPES, string_writer
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile

__all__ = ["DEFECTS", "STYLES", "Style", "style_of"]


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a producer."""

    key_before_t: tuple[str, ...]  # the optional members of a row's key before its member `t`  [OP-022, OP-023]
    key_after_t: tuple[str, ...]  # and those after it
    ohk_of_claim: tuple[str, ...]  # a member `ohk` for each value, in the key of a row in claim check  [OP-032]
    empty_names: bool  # `"tbl":""` instead of no member  [OP-024]
    sorted_columns: bool  # by the bytes of their names instead of table order  [OP-045]
    empty_p: bool  # `"p":{}` instead of no member  [OP-057]
    short_exponent: bool  # `1e-7` instead of `1e-07`  [OP-079]
    string: Callable[[str], str]  # writes a text as a JSON string  [OP-070 … OP-078]
    virtual_handle_key: bool  # a unique key with a virtual column may be the handle  [OP-250]
    index_flags_of_generated: bool  # a generated column has the flags of its indexes  [OP-252]
    vectors_as_texts: bool = False  # whether a VECTOR has changed is seen by its text, where -0 is not 0  [OP-055]
    delete_follows_old_value: bool = False  # without old values a delete holds the handle key alone  [DV-OP-27]
    nameless_null: bool = False  # defect: in `p`, a column that becomes NULL lacks its name  [OP-058]
    refuses_reduced_update: bool = False  # defect: without old values no update is reduced to its handle key  [OP-160]


_ESCAPES = CONTROL_ESCAPES | INVALID_UTF8_ESCAPES  # [OP-077]

_NEWARCH = Style(
    key_before_t=(),
    key_after_t=("ohk", "ccl", "ptn"),
    ohk_of_claim=("true",),
    empty_names=True,
    sorted_columns=False,
    empty_p=True,
    short_exponent=False,
    string=string_writer(_ESCAPES),
    virtual_handle_key=True,
    index_flags_of_generated=False,
)

STYLES: Mapping[str, Style] = {
    NEWARCH.name: _NEWARCH,
    CLASSIC.name: Style(
        key_before_t=("rid", "ptn"),
        key_after_t=("ohk", "ccl"),
        ohk_of_claim=(),
        empty_names=False,
        sorted_columns=True,
        empty_p=False,
        short_exponent=True,
        string=string_writer(_ESCAPES | HTML_ESCAPES | {8: "\\b", 12: "\\f"}),
        virtual_handle_key=False,
        index_flags_of_generated=True,
        vectors_as_texts=True,
    ),
    DOC.name: replace(_NEWARCH, delete_follows_old_value=True, index_flags_of_generated=True),
}

DEFECTS: Mapping[str, Mapping[str, Any]] = {
    "open-protocol/doubled-ohk": {"ohk_of_claim": ("true", "false")},
    "open-protocol/nameless-null-in-p": {"nameless_null": True},
    "open-protocol/raw-invalid-utf8": {"string": string_writer(CONTROL_ESCAPES)},
    "open-protocol/reduced-update-refused": {"refuses_reduced_update": True},
}


def style_of(profile: Profile, defects: Iterable[str] = ()) -> Style:
    """The style of a profile with the `defects` of this protocol. Defects of other protocols are ignored."""
    changes: dict[str, Any] = {}
    for defect in sorted(defects):
        changes |= DEFECTS.get(defect, {})
    return replace(STYLES[profile.name], **changes)
