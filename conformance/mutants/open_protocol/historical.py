"""Historical defects of TiCDC's Open Protocol: panics over valid rows, and faults that no other mutant has.

`fixtures/history.toml` maps each mutant to its real defect.
"""

from __future__ import annotations

from conformance.mutants.input_edits import EventContext, breaks_down, compares_vectors, refuses_values
from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Pair, decoder, encoder, location, pairs_of, record_of, rows
from conformance.mutants.wrappers import Context, Json, edit_answer, edit_option, edit_records, read_rows
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.partitions import partition_of_table

__all__ = ["MUTANTS"]

# -- panics ------------------------------------------------------------------------------------------------------------


def _is_text_default(column: Column, value: object) -> bool:
    """Whether a value is that of a CHAR or VARCHAR and equals the default of its column."""
    return column.type.family in (Family.CHAR, Family.VARCHAR) and isinstance(value, str) and value == column.default


def _splits_without_old(event: Json, context: EventContext) -> bool:
    """Whether an event is an update of a primary key, which is split, without previous images."""
    if context.option("open-output-old-value") != "false" or event.get("op") != "update":
        return False
    key = context.table(event).primary_key
    return any((event["before"] or {}).get(name) != event["after"].get(name) for name in key)


# -- messages ----------------------------------------------------------------------------------------------------------


def _without_columns(key: Json, body: Json, context: Context) -> None:
    """Remove the columns of a delete if the same request inserts the row before; handle columns identify the row."""
    deleted = body.get("d", {})
    handle = [name for name, described in deleted.items() if described.get("h")]
    if handle and any(
        event.get("op") == "insert"
        and (event["schema"], event["table"]) == (key["scm"], key["tbl"])
        and int(event["commit_ts"]) < key["ts"]
        and all(event["after"].get(name) == str(deleted[name]["v"]) for name in handle)
        for event in context.request["events"]
    ):
        body["d"] = {}


_NEVER_CHANGED = (Family.BIT, Family.ENUM, Family.SET, Family.YEAR)


def _changes_vanish(key: Json, body: Json, context: Context) -> None:
    """Remove changed columns of some types from `p`, which has only changed columns."""
    if "u" in body and "p" in body and context.is_on("only-output-updated-columns"):
        for name in list(body["p"]):
            column = context.column(key["scm"], key["tbl"], name)
            if column and column.type.family in _NEVER_CHANGED and not body["p"][name].get("h"):
                del body["p"][name]


def _joined(sent: list[Json], context: Context) -> list[Json]:
    """Join consecutive messages of rows in a partition, up to the batch size."""
    size = int(context.options.get("max-batch-size", "16"))
    joined: list[Json] = []
    for record in sent:
        pairs = _rows_of(record)
        last_pairs = _rows_of(joined[-1]) if joined else []
        fit_together = bool(pairs and last_pairs) and len(last_pairs) + len(pairs) <= size
        if fit_together and joined[-1].get("partition") == record.get("partition"):
            joined[-1] = record_of([*last_pairs, *pairs], joined[-1])
        else:
            joined.append(record)
    return joined


def _rows_of(record: Json) -> list[Pair]:
    """The pairs of a message that has only rows; empty for other messages."""
    pairs = pairs_of(record)
    return pairs if all(b'"t":1' in key for key, _ in pairs) else []


def _folded_partitions(ok: Json, context: Context) -> None:
    """Give rows the partition that belongs to the names in lower case."""
    if context.partitions == 1:
        return
    for record in ok["records"]:
        pairs = pairs_of(record)
        key = exact_json.loads(pairs[0][0]) if pairs else {}
        if key.get("t") == 1:
            record["partition"] = partition_of_table(key["scm"].lower(), key["tbl"].lower(), context.partitions)


# -- decoders ----------------------------------------------------------------------------------------------------------


def _without_fraction(event: Json, context: Context) -> None:
    """Remove the fraction of TIME in NOT NULL columns."""
    for image in filter(None, (event["before"], event["after"])):
        for name, value in image.items():
            column = context.column(event["schema"], event["table"], name)
            if value and column and not column.nullable and column.type.family is Family.TIME:
                image[name] = value.partition(".")[0] + ("." + "0" * column.type.fsp if column.type.fsp else "")


MUTANTS: tuple[Mutant, ...] = (
    encoder("text-default-refused", "OP-001", "a CHAR or VARCHAR that equals the default of its column is refused")(
        refuses_values(_is_text_default)
    ),
    encoder(
        "vector-comparison-refused",
        "OP-001",
        "updates of tables with a vector are refused with only-output-updated-columns",
    )(breaks_down(compares_vectors)),
    encoder("split-without-old-values-refused", "OP-001", "split updates are refused with open-output-old-value=false")(
        breaks_down(_splits_without_old)
    ),
    encoder("reduced-rows-refused", "OP-001", "large-message-handle-option=handle-key-only is ignored")(
        edit_option("large-message-handle-option", lambda value: None if value == "handle-key-only" else value)
    ),
    encoder("event-without-columns", "OP-048", "the delete of a row that was just inserted has no columns")(
        rows(_without_columns)
    ),
    encoder(
        "changes-vanish", "OP-055", "with only-output-updated-columns changes of BIT, ENUM, SET and YEAR are not in `p`"
    )(rows(_changes_vanish)),
    encoder("batch-bytes-not-limited", "OP-150", "max-message-bytes limits single rows, but not messages of several")(
        edit_records(_joined)
    ),
    encoder("location-cleaned", "OP-171", "a double slash in the location is written as one")(
        location(lambda path: path.replace("//", "/"))
    ),
    encoder("partition-by-folded-names", "OP-212", "rows go to the partition of the names in lower case")(
        edit_answer("encode", _folded_partitions)
    ),
    decoder("time-of-keys-rounded", "OP-102", "TIME in NOT NULL columns loses its fraction")(
        read_rows(_without_fraction)
    ),
)
