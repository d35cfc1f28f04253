"""Encoders and decoders with wrong columns, types, values or `old`."""

from __future__ import annotations

from conformance.mutants.canal_json.edits import codes, decoder, encoder, rows, set_member, values
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import IMAGES_EXCHANGED, Applies, Context, Json, ignores, read_rows, read_values
from reference_impl.column_types import INTEGERS, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

# -- columns and types -------------------------------------------------------------------------------------------------


def _last_lost(message: Json, context: Context) -> None:
    """Remove the last column with a value from all members."""
    present = [name for name in message["mysqlType"] or () if message["data"][0][name] is not None]
    if not present:
        return
    for columns in (message["sqlType"], message["mysqlType"], *(message["data"] or ()), *(message["old"] or ())):
        if columns is not None:
            columns.pop(present[-1], None)


def _unsigned(*families: Family) -> Applies:
    return lambda column: column.type.unsigned and column.type.family in families


def _wide_code(requirement: str, family: Family, wide: int) -> Mutant:
    return encoder(
        f"code-wide-{family}", requirement, f"sqlType of {family} unsigned is the wider one for every value"
    )(codes(_unsigned(family), lambda right, text: right if text is None else wide))


# -- values ------------------------------------------------------------------------------------------------------------


def _signed(text: str, column: Column) -> str:
    """The number that a signed type of the same width reads from the same bits."""
    number = int(text)
    return str(number - (1 << column.type.bits)) if number >> (column.type.bits - 1) else text


def _last_value_lost(event: Json, context: Context) -> None:
    names = [name for name, value in (event.get("after") or {}).items() if value is not None]
    if names:
        del event["after"][names[-1]]


# -- old ---------------------------------------------------------------------------------------------------------------


def _whole_old(message: Json, context: Context) -> None:
    """Complete the reduced `old` of content-compatible mode."""
    if context.is_on("content-compatible") and not context.is_on("only-output-updated-columns"):
        message["old"] = [{**message["data"][0], **message["old"][0]}]


def _last_of_old_lost(message: Json, context: Context) -> None:
    if len(message["old"][0]) > 1:
        message["old"][0].popitem()


MUTANTS: tuple[Mutant, ...] = (
    encoder("column-lost", "CJ-030a", "the last column is missing")(rows(_last_lost)),
    _wide_code("CJ-330", Family.TINYINT, 5),
    _wide_code("CJ-332", Family.SMALLINT, 4),
    _wide_code("CJ-335", Family.INT, -5),
    _wide_code("CJ-337", Family.BIGINT, 3),
    encoder("unsigned-wraps", "CJ-381", "unsigned integers are written as signed")(
        values(_unsigned(*INTEGERS), _signed)
    ),
    encoder("old-null", "CJ-501", "old of updates is null")(rows(set_member("old", None), "UPDATE")),
    encoder("old-one-less", "CJ-501", "old lacks the last column")(rows(_last_of_old_lost, "UPDATE")),
    encoder("old-of-delete-null", "CJ-502b", "old of deletes is null before v5.4.0", release="v5.3.0")(
        rows(set_member("old", None), "DELETE")
    ),
    encoder("updated-columns-ignored", "CJ-102", "only-output-updated-columns is ignored")(
        ignores("only-output-updated-columns")
    ),
    encoder("compatible-old-whole", "CJ-103", "content-compatible leaves old whole")(rows(_whole_old, "UPDATE")),
    decoder("read-images-exchanged", "CJ-034b", "before and after of updates are exchanged")(IMAGES_EXCHANGED),
    decoder("read-column-lost", "CJ-030a", "the last column is not answered")(read_rows(_last_value_lost)),
    decoder("read-boolean-bool", "CJ-382", "BOOLEAN is read as true or false")(
        read_values(lambda column: column.type.text == "tinyint(1)", lambda text, column: text != "0")
    ),
)
