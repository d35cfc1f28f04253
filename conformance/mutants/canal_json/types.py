"""Encoders that get the code or the type name of a column wrong.  [CJ-301 … CJ-378]"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.mutants.canal_json.edits import codes, encoder, in_families, names
from conformance.mutants.model import Mutant
from reference_impl.column_types import INTEGERS, ColumnType, Family

__all__ = ["MUTANTS"]

_BLOBS = (Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB)
_BYTES = (Family.BINARY, Family.VARBINARY)

# -- sqlType -----------------------------------------------------------------------------------------------------

# (requirement, families, what is written, in words)
_WRONG_CODES: tuple[tuple[str, tuple[Family, ...], int, str], ...] = (("CJ-313", (Family.TINYTEXT,), 12, "VARCHAR"),)


def _signed(*families: Family) -> Callable[[ColumnType], bool]:
    return lambda kind: kind.family in families and not kind.unsigned


def _wrong_code(requirement: str, families: tuple[Family, ...], code: int, word: str) -> Mutant:
    family = families[0]
    return encoder(
        f"code-{family}", requirement, f"sqlType of {family} is {word}", codes(_signed(*families), lambda *_: code)
    )


# Family, base code, wide code.
_WIDENED: tuple[tuple[str, str, Family, int, int], ...] = (
    ("CJ-330", "CJ-331", Family.TINYINT, -6, 5),
    ("CJ-332", "CJ-333", Family.SMALLINT, 5, 4),
    ("CJ-335", "CJ-336", Family.INT, 4, -5),
    ("CJ-337", "CJ-338", Family.BIGINT, -5, 3),
)


def _unsigned(*families: Family) -> Callable[[ColumnType], bool]:
    return lambda kind: kind.unsigned and kind.family in families


def _widened() -> Iterator[Mutant]:
    for below, above, family, base, wide in _WIDENED:
        yield encoder(
            f"code-wide-{family}",
            below,
            f"sqlType of {family} unsigned is the wider one whatever the value",
            codes(_unsigned(family), lambda right, text, kind, wide=wide: wide if text is not None else right),  # type: ignore[misc]
            "CJ-340",
            "CJ-031",
        )
        yield encoder(
            f"code-base-{family}",
            above,
            f"sqlType of {family} unsigned is that of the signed type whatever the value",
            codes(_unsigned(family), lambda right, text, kind, base=base: base),  # type: ignore[misc]
            "CJ-340",
            "CJ-031",
        )


def _codes() -> tuple[Mutant, ...]:
    return (
        *(_wrong_code(*row) for row in _WRONG_CODES),
        *_widened(),
    )


# -- mysqlType ---------------------------------------------------------------------------------------------------


def _full(options: Mapping[str, str]) -> bool:
    return options.get("content-compatible") == "true"


def _plain(applies: Callable[[ColumnType], bool]) -> Callable[[ColumnType, Mapping[str, str]], bool]:
    return lambda kind, options: not _full(options) and applies(kind)


def _is_blob_by_charset(kind: ColumnType) -> bool:
    return kind.family in (*_BYTES, *_BLOBS) and ("char" in kind.text or "text" in kind.text)


def _names() -> tuple[Mutant, ...]:
    return (
        encoder(
            "name-by-declaration",
            "CJ-353",
            "the charset binary does not change the word",
            names(_plain(_is_blob_by_charset), lambda text, kind: kind.text.partition("(")[0]),
        ),
        encoder(
            "name-as-declared",
            "CJ-355",
            "mysqlType has the declared parameters",
            names(
                _plain(lambda kind: not kind.zerofill and not _is_blob_by_charset(kind)),
                lambda text, kind: kind.text.lower(),
            ),
        ),
    )


def _replaced(old: str, new: str) -> Callable[[str, ColumnType], str]:
    return lambda text, kind: text.replace(old, new)


def _bare(text: str, kind: ColumnType) -> str:
    before, _, after = text.partition("(")
    return before + after.rpartition(")")[2]


def _without_width(kind: ColumnType) -> bool:
    return kind.family in INTEGERS and kind.length is None


# (requirement, name, description, types, what becomes of the full text)
_FULL: tuple[tuple[str, str, str, Callable[[ColumnType], bool], Callable[[str, ColumnType], str]], ...] = (
    (
        "CJ-361",
        "unsigned",
        "unsigned integers have the width of signed ones",
        lambda k: _without_width(k) and k.unsigned,
        lambda t, k: (
            t.replace("(10)", "(11)")
            .replace("(3)", "(4)")
            .replace("(5)", "(6)")
            .replace("(8)", "(9)")
            .replace("(20)", "(21)")
        ),
    ),
    (
        "CJ-362",
        "zerofill",
        "zerofill is lost",
        lambda k: k.family in INTEGERS and k.zerofill,
        _replaced(" zerofill", ""),
    ),
    (
        "CJ-363",
        "width",
        "a declared width is lost",
        lambda k: k.family in INTEGERS and not k.zerofill and k.length is not None and k.text != "tinyint(1)",
        _bare,
    ),
    ("CJ-364", "boolean", "BOOLEAN is bool", lambda k: k.text == "tinyint(1)", lambda t, k: "bool"),
    (
        "CJ-365",
        "floats",
        "floats have a length",
        lambda k: k.family in (Family.FLOAT, Family.DOUBLE) and k.scale is None and not k.zerofill,
        lambda t, k: t.replace("float", "float(12)").replace("double", "double(22)"),
    ),
    (
        "CJ-366",
        "float-scale",
        "FLOAT(m,d) loses its parameters",
        lambda k: k.family in (Family.FLOAT, Family.DOUBLE) and k.scale is not None,
        _bare,
    ),
    (
        "CJ-369",
        "decimal",
        "a blank follows the comma of DECIMAL",
        lambda k: k.family is Family.DECIMAL and not k.unsigned,
        _replaced(",", ", "),
    ),
    (
        "CJ-370",
        "decimal-unsigned",
        "unsigned is lost from DECIMAL",
        lambda k: k.family is Family.DECIMAL,
        _replaced(" unsigned", ""),
    ),
    ("CJ-371", "bit", "BIT has no width", in_families(Family.BIT), _bare),
    ("CJ-373", "binary", "BINARY and VARBINARY have no length", in_families(*_BYTES), _bare),
    ("CJ-376", "year", "YEAR is a bare word", in_families(Family.YEAR), _bare),
)


def _full_names() -> Iterator[Mutant]:
    for requirement, name, description, applies, change in _FULL:

        def fits(kind: ColumnType, options: Mapping[str, str], applies: Callable[[ColumnType], bool] = applies) -> bool:
            return _full(options) and applies(kind)

        yield encoder(f"full-{name}", requirement, f"in content-compatible mode {description}", names(fits, change))


MUTANTS: tuple[Mutant, ...] = (*_codes(), *_names(), *_full_names())
