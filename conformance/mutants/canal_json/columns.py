"""Encoders that get the columns of a row wrong: which there are, how they are called, in what.  [CJ-030 … CJ-037]"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.mutants.canal_json.edits import Tree, encoder, row_column, rows
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.canal_json.types import sql_type
from reference_impl.column_types import INTEGERS

__all__ = ["MUTANTS"]

_ROW_MEMBERS = ("sqlType", "mysqlType", "data", "old")


def _parts(tree: Tree, *members: str) -> Iterator[Tree]:
    """The objects of those members whose members are columns."""
    for member in members or _ROW_MEMBERS:
        part = tree[member]
        yield from part if isinstance(part, list) else [part] if part is not None else []


def _last_that(keeps: Callable[[str, Tree], bool], *members: str) -> Callable[[Tree, Context], None]:
    """The last column that may go is taken out of these members."""

    def edit(tree: Tree, context: Context) -> None:
        for last in [name for name in tree["mysqlType"] or () if keeps(name, tree)][-1:]:
            for part in _parts(tree, *members):
                part.pop(last, None)

    return edit


def _virtual_too(tree: Tree, context: Context) -> None:
    given = [t for t in context.request["tables"] if (t["schema"], t["name"]) == (tree["database"], tree["table"])]
    for column in (c for t in given for c in t["columns"] if c.get("generated") == "virtual"):
        for member, value in (("sqlType", 12), ("mysqlType", "varchar"), ("data", "x")):
            for part in _parts(tree, member):
                part[column["name"]] = value


def _has_value(name: str, tree: Tree) -> bool:
    return tree["data"][0][name] is not None


def _old_codes(tree: Tree, context: Context) -> None:
    for name, old in tree["old"][0].items():
        column = row_column(tree, context, name)
        if column is not None and column.type.family in INTEGERS:
            tree["sqlType"][name] = sql_type(column.type, old)


def _lower_case(tree: Tree, context: Context) -> None:
    for member in ("sqlType", "mysqlType"):
        if tree[member]:
            tree[member] = {name.lower(): value for name, value in tree[member].items()}
    tree["data"] = [{name.lower(): value for name, value in image.items()} for image in tree["data"]]
    if tree["old"]:
        tree["old"] = [{name.lower(): value for name, value in image.items()} for image in tree["old"]]


def _data_lower_case(tree: Tree, context: Context) -> None:
    tree["data"] = [{name.lower(): value for name, value in image.items()} for image in tree["data"]]


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "virtual-columns", "CJ-030", "virtual generated columns are written", rows(_virtual_too, "INSERT", "UPDATE")
    ),
    encoder(
        "column-lost",
        "CJ-030a",
        "the last column is missing",
        rows(_last_that(_has_value)),
        *("CJ-104", "CJ-112", "CJ-131", "CJ-134"),
        "CJ-501",
        "CJ-504",
        "CJ-507",
        "CJ-034a",
    ),
    encoder("codes-of-old", "CJ-031", "sqlType describes the old row", rows(_old_codes, "UPDATE"), "CJ-341"),
    encoder("columns-lower-case", "CJ-037", "columns in lower case", rows(_lower_case)),
    encoder("data-lower-case", "CJ-037", "columns of data in lower case", rows(_data_lower_case)),
)
