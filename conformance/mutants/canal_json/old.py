"""Encoders with a wrong `old`."""

from __future__ import annotations

from conformance.mutants.canal_json.edits import Tree, encoder, is_on, rows, set_member
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, with_options

__all__ = ["MUTANTS"]


def _whole_old(tree: Tree, context: Context) -> None:
    """Complete the reduced `old` of content-compatible mode."""
    if is_on(context, "content-compatible") and not is_on(context, "only-output-updated-columns"):
        old = tree["old"][0]
        tree["old"] = [{name: old.get(name, value) for name, value in tree["data"][0].items()}]


def _one_member_less(tree: Tree, context: Context) -> None:
    names = list(tree["old"][0])
    if len(names) > 1:
        del tree["old"][0][names[-1]]


MUTANTS: tuple[Mutant, ...] = (
    encoder("old-null", "CJ-501", "old of updates is null", rows(set_member("old", None), "UPDATE")),
    encoder(
        "old-one-less",
        "CJ-501",
        "old lacks the last column",
        rows(_one_member_less, "UPDATE"),
    ),
    Mutant(
        "canal-json/old-of-delete-null",
        "CJ-502b",
        "encode",
        "old of deletes is null before v5.4.0",
        rows(set_member("old", None), "DELETE"),
        release="v5.3.0",
    ),
    encoder(
        "updated-columns-ignored",
        "CJ-102",
        "only-output-updated-columns is ignored",
        with_options(only_output_updated_columns=None),
    ),
    encoder(
        "compatible-old-whole",
        "CJ-103",
        "content-compatible leaves old whole",
        rows(_whole_old, "UPDATE"),
    ),
)
