"""The styles of Avro by profile, release and named defect: one table, a row a style.

The profile `doc` follows the document where it decides a point: members of a schema in the order shown there, extension
fields without defaults, FLOAT as double, the valid index of a table as its key, and null for every delete. The document
is silent on nullability, defaults, the width of BIT, virtual columns and VECTOR; there `doc` writes as the new
architecture does. The document demands a fully qualified record name, which is invalid beside a namespace; in every
profile the namespace qualifies the name.  [DD-AV-06, DV-AV-02]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from reference_impl.profiles import CLASSIC, DOC, LATEST, NEWARCH, Profile, Release

__all__ = ["DEFECTS", "STYLES", "Style", "style_of"]


@dataclass(frozen=True, slots=True)
class Style:
    """A producer's choices where the protocol leaves them open."""

    # Members of a record's schema, `fields` last.  [AV-025]
    record_members: tuple[str, ...] = ("type", "name", "namespace")
    # `connect.parameters` stands before `type`.  [AV-027]
    parameters_first: bool = False
    # Extension fields have defaults.  [AV-116 … AV-118]
    extension_defaults: bool = True
    # The Avro type of FLOAT.  [AV-082]
    float_type: str = "float"
    # A BIT(n) value has the bytes for n bits; otherwise the fewest bytes for its value.  [AV-105]
    fixed_bits: bool = True
    # True: the key is the handle key. False: the primary key, or none.  [AV-112]
    handle_key: bool = False
    # A unique key with a virtual generated column can be the handle key.  [OP-250]
    virtual_handle_key: bool = True
    # Nullable virtual generated columns are sent as null; NOT NULL ones have no value to send.  [AV-110]
    virtual_columns: bool = True
    # `avro-include-before-value` has an effect.  [AV-120]
    before_value: bool = True
    # With control messages, the value of a delete is its commit time stamp instead of null.  [AV-131]
    delete_marker: bool = True
    # Defect: a table with a NOT NULL virtual generated column cannot be written.
    refuses_virtual: bool = False


STYLES: Mapping[str, Style] = {
    NEWARCH.name: Style(),
    CLASSIC.name: Style(
        fixed_bits=False,
        handle_key=True,
        virtual_handle_key=False,
        virtual_columns=False,
        before_value=False,
        delete_marker=False,
    ),
    DOC.name: Style(
        record_members=("name", "namespace", "type"),
        parameters_first=True,
        extension_defaults=False,
        float_type="double",
        handle_key=True,
        before_value=False,
        delete_marker=False,
    ),
}

# Changes for profiles of a release before the named one; all rows that apply are combined.
_BEFORE_RELEASE: tuple[tuple[Release, Mapping[str, Any]], ...] = (
    (LATEST, {"before_value": False}),  # in no release yet  [AV-120]
    ((8, 5, 7), {"delete_marker": False}),  # [AV-131]
    ((7, 0, 0), {"float_type": "double"}),  # [AV-082]
)

DEFECTS: Mapping[str, Mapping[str, Any]] = {"avro/virtual-not-null-refused": {"refuses_virtual": True}}


def style_of(profile: Profile, defects: Iterable[str] = ()) -> Style:
    """The style of a profile and its release with the `defects` of this protocol.

    Defects of other protocols are ignored.
    """
    style = STYLES[profile.name]
    for release, changes in _BEFORE_RELEASE:
        if profile.release < release:
            style = replace(style, **changes)
    for defect in sorted(defects):
        style = replace(style, **DEFECTS.get(defect, {}))
    return style
