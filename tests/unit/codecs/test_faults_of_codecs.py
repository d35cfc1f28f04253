"""Refusals: their classes in order, and the one that a message with several faults is refused for."""

from __future__ import annotations

import pytest

from reference_impl.errors import Rejected, RejectionClass, TooLarge, Undescribed, Unsupported
from reference_impl.faults import Faults

ORDER = ["framing", "syntax", "schema", "type", "range", "semantics"]  # as the harness protocol lists them


def test_the_classes_of_rejection_have_the_order_and_the_names_of_the_harness_protocol() -> None:
    assert [reason.value for reason in RejectionClass] == ORDER
    assert [reason.name.lower() for reason in RejectionClass] == ORDER


@pytest.mark.parametrize("reason", [*ORDER, *RejectionClass])
def test_a_refusal_has_a_class_and_a_text(reason: str) -> None:
    refused = Rejected(reason, "why")
    assert (refused.reason, refused.message, str(refused), type(refused.reason)) == (
        reason,
        "why",
        "why",
        RejectionClass,
    )


def test_a_refusal_has_no_other_class() -> None:
    with pytest.raises(ValueError, match="mistake"):
        Rejected("mistake", "why")


def test_what_is_undescribed_is_refused_and_what_is_too_large_is_not_supported() -> None:
    assert issubclass(Undescribed, Rejected)
    assert issubclass(TooLarge, Unsupported)
    assert not issubclass(Unsupported, Rejected)


# The faults, in the order in which they are found; the last class that is asked for; the fault reported.
SETTLED: list[tuple[list[str], str, str | None]] = [
    ([], "semantics", None),
    (["range 1"], "semantics", "range 1"),
    (["range 1", "range 2"], "semantics", "range 1"),
    (["range 1", "type 1", "semantics 1"], "semantics", "type 1"),
    ([f"{reason} 1" for reason in reversed(ORDER)], "semantics", "framing 1"),
    (["semantics 1"], "range", None),
    (["semantics 1"], "semantics", "semantics 1"),
    (["range 1", "semantics 1"], "range", "range 1"),
    (["range 1"], "type", None),
    (["type 1", "syntax 1"], "schema", "syntax 1"),
    (["undescribed 1"], "semantics", "undescribed 1"),
    (["undescribed 1", "undescribed 2"], "semantics", "undescribed 1"),
    (["undescribed 1"], "range", None),
    (["undescribed 1", "semantics 1"], "semantics", "semantics 1"),
    (["undescribed 1", "semantics 1"], "range", None),
]


@pytest.mark.parametrize(("found", "last", "reported"), SETTLED)
def test_the_first_fault_of_the_first_class_is_reported(found: list[str], last: str, reported: str | None) -> None:
    faults = Faults()
    for fault in found:
        reason = fault.split()[0]
        if reason == "undescribed":
            faults.add_undescribed(fault)
        else:
            faults.add(reason, fault)
    assert faults.is_empty is (not found)
    if reported is None:
        faults.raise_first(last)
        return
    with pytest.raises(Rejected) as refused:
        faults.raise_first(last)
    reason = reported.split()[0]
    assert refused.value.message == reported
    assert refused.value.reason == ("type" if reason == "undescribed" else reason)
    assert isinstance(refused.value, Undescribed) is (reason == "undescribed")


def test_all_classes_are_asked_for_unless_the_last_is_given() -> None:
    faults = Faults()
    faults.add("semantics", "why")
    with pytest.raises(Rejected, match="why"):
        faults.raise_first()


def test_what_holds_is_no_fault() -> None:
    faults = Faults()
    assert faults.expect(True, "range", "why")
    assert faults.is_empty
    assert not faults.expect(False, "range", "why")
    assert not faults.is_empty
    with pytest.raises(Rejected, match="why") as refused:
        faults.raise_first()
    assert refused.value.reason == "range"
