"""Encoders that get the code or the type name of a column wrong.  [CJ-301 … CJ-378]"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from conformance.mutants.canal_json.edits import codes, encoder, in_families, names
from conformance.mutants.model import Mutant
from reference_impl.column_types import INTEGERS, ColumnType, Family

__all__ = ["MUTANTS"]

_TEXTS = (Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT)
_BLOBS = (Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB)
_BYTES = (Family.BINARY, Family.VARBINARY)
_CLOCKS = (Family.TIME, Family.DATETIME, Family.TIMESTAMP)

# -- sqlType -----------------------------------------------------------------------------------------------------

# (requirement, families, what is written, in words)
_WRONG_CODES: tuple[tuple[str, tuple[Family, ...], int, str], ...] = (
    ("CJ-301", (Family.TINYINT,), 4, "INTEGER"),
    ("CJ-302", (Family.SMALLINT,), 4, "INTEGER"),
    ("CJ-303", (Family.MEDIUMINT,), 5, "SMALLINT"),
    ("CJ-304", (Family.INT,), -5, "BIGINT"),
    ("CJ-305", (Family.BIGINT,), 4, "INTEGER"),
    ("CJ-306", (Family.FLOAT,), 6, "FLOAT"),
    ("CJ-307", (Family.DOUBLE,), 6, "FLOAT"),
    ("CJ-308", (Family.DECIMAL,), 2, "NUMERIC"),
    ("CJ-309", (Family.BIT,), -3, "VARBINARY"),
    ("CJ-310", (Family.CHAR,), 12, "VARCHAR"),
    ("CJ-311", (Family.VARCHAR,), 1, "CHAR"),
    ("CJ-312", (Family.BINARY,), -2, "BINARY"),
    ("CJ-312", (Family.VARBINARY,), -3, "VARBINARY"),
    ("CJ-313", (Family.TINYTEXT,), 12, "VARCHAR"),
    ("CJ-313", (Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT), -1, "LONGVARCHAR"),
    ("CJ-314", _BLOBS, -4, "LONGVARBINARY"),
    ("CJ-315", (Family.DATE,), 93, "TIMESTAMP"),
    ("CJ-316", (Family.DATETIME,), 91, "DATE"),
    ("CJ-316", (Family.TIMESTAMP,), 2014, "TIMESTAMP_WITH_TIMEZONE"),
    ("CJ-317", (Family.TIME,), 12, "VARCHAR"),
    ("CJ-318", (Family.YEAR,), 91, "DATE"),
    ("CJ-319", (Family.ENUM,), 12, "VARCHAR"),
    ("CJ-320", (Family.SET,), 12, "VARCHAR"),
    ("CJ-321", (Family.JSON,), 2005, "CLOB"),
    ("CJ-322", (Family.VECTOR,), 2003, "ARRAY"),
)


def _signed(*families: Family) -> Callable[[ColumnType], bool]:
    return lambda kind: kind.family in families and not kind.unsigned


def _wrong_code(requirement: str, families: tuple[Family, ...], code: int, word: str) -> Mutant:
    family = families[0]
    return encoder(
        f"code-{family}", requirement, f"sqlType of {family} is {word}", codes(_signed(*families), lambda *_: code)
    )


def _limit(kind: ColumnType) -> int:
    return (1 << (kind.bits - 1)) - 1


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


def _at_limit(shift: int) -> Callable[[int, str | None, ColumnType], int]:
    """The code changes `shift` too late."""
    widths = {family: (base, wide) for _, _, family, base, wide in _WIDENED}

    def code(right: int, text: str | None, kind: ColumnType) -> int:
        if text is None or kind.family not in widths:
            return right
        return widths[kind.family][int(text) > _limit(kind) + shift]

    return code


_WIDE_OF_NULL = {family: wide for _, _, family, _, wide in _WIDENED}

_ANY_UNSIGNED = _unsigned(*INTEGERS)


def _codes() -> tuple[Mutant, ...]:
    return (
        *(_wrong_code(*row) for row in _WRONG_CODES),
        *_widened(),
        encoder(
            "code-mediumint-unsigned",
            "CJ-334",
            "sqlType of mediumint unsigned widens as the others do",
            codes(
                _unsigned(Family.MEDIUMINT),
                lambda right, text, kind: -5 if text and int(text) > _limit(kind) else right,
            ),
        ),
        encoder(
            "code-unsigned-decimal",
            "CJ-339",
            "sqlType of unsigned decimals and floats is another one",
            codes(_unsigned(Family.DECIMAL, Family.FLOAT, Family.DOUBLE), lambda right, text, kind: 2),
        ),
        encoder(
            "code-one-early",
            "CJ-340",
            "the wider code begins at the signed maximum",
            codes(_ANY_UNSIGNED, _at_limit(-1)),
            "CJ-031",
        ),
        encoder(
            "code-one-late",
            "CJ-340",
            "the wider code begins one too late",
            codes(_ANY_UNSIGNED, _at_limit(1)),
            "CJ-031",
        ),
        encoder(
            "code-of-null",
            "CJ-341",
            "sqlType of an unsigned NULL is the wider one",
            codes(
                _ANY_UNSIGNED,
                lambda right, text, kind: _WIDE_OF_NULL.get(kind.family, right) if text is None else right,
            ),
        ),
    )


# -- mysqlType ---------------------------------------------------------------------------------------------------


def _full(options: Mapping[str, str]) -> bool:
    return options.get("content-compatible") == "true"


def _plain(applies: Callable[[ColumnType], bool]) -> Callable[[ColumnType, Mapping[str, str]], bool]:
    return lambda kind, options: not _full(options) and applies(kind)


def _any(kind: ColumnType) -> bool:
    return True


def _is_blob_by_charset(kind: ColumnType) -> bool:
    return kind.family in (*_BYTES, *_BLOBS) and ("char" in kind.text or "text" in kind.text)


def _names() -> tuple[Mutant, ...]:
    return (
        encoder(
            "unsigned-lost",
            "CJ-350",
            "mysqlType lacks the word unsigned",
            names(_plain(lambda kind: not kind.zerofill), lambda text, kind: text.removesuffix(" unsigned")),
        ),
        encoder(
            "unsigned-before",
            "CJ-350",
            "the word unsigned is in upper case",
            names(
                _plain(lambda kind: kind.unsigned and not kind.zerofill),
                lambda text, kind: text.replace("unsigned", "UNSIGNED"),
            ),
        ),
        encoder(
            "name-upper-case",
            "CJ-351",
            "mysqlType in upper case",
            names(_plain(lambda kind: not kind.unsigned), lambda text, kind: text.upper()),
            "CJ-353",
        ),
        encoder(
            "name-integer",
            "CJ-351",
            "mysqlType of INT is integer",
            names(_plain(_signed(Family.INT)), lambda text, kind: "integer"),
        ),
        encoder(
            "name-by-declaration",
            "CJ-353",
            "the charset binary does not change the word",
            names(_plain(_is_blob_by_charset), lambda text, kind: kind.text.partition("(")[0]),
        ),
        encoder(
            "zerofill-lost",
            "CJ-354",
            "mysqlType lacks the word zerofill",
            names(_plain(lambda kind: kind.zerofill), lambda text, kind: text.removesuffix(" zerofill")),
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
    ("CJ-360", "signed", "integers are bare words", lambda k: _without_width(k) and not k.unsigned, _bare),
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
    (
        "CJ-372",
        "char",
        "CHAR and VARCHAR have a length in bytes",
        in_families(Family.CHAR, Family.VARCHAR),
        lambda t, k: f"{k.family}({4 * (k.length or 0)})",
    ),
    ("CJ-373", "binary", "BINARY and VARBINARY have no length", in_families(*_BYTES), _bare),
    ("CJ-374", "text", "TEXT and BLOB types have a length", in_families(*_TEXTS, *_BLOBS), lambda t, k: f"{t}(65535)"),
    ("CJ-375", "clock", "fractional digits are lost", in_families(*_CLOCKS), _bare),
    (
        "CJ-375",
        "clock-zero",
        "no fractional digits are (0)",
        lambda k: k.family in _CLOCKS and not k.fsp,
        lambda t, k: f"{t}(0)",
    ),
    ("CJ-376", "year", "YEAR is a bare word", in_families(Family.YEAR), _bare),
    (
        "CJ-377",
        "members",
        "a blank follows the commas between members",
        in_families(Family.ENUM, Family.SET),
        _replaced("','", "', '"),
    ),
    (
        "CJ-377",
        "members-quote",
        "a quote in a member is escaped by a backslash",
        in_families(Family.ENUM, Family.SET),
        lambda t, k: t.replace("it''s", "it\\'s"),
    ),
    ("CJ-378", "vector", "the dimension of VECTOR is lost", in_families(Family.VECTOR), _bare),
)


def _full_names() -> Iterator[Mutant]:
    for requirement, name, description, applies, change in _FULL:

        def fits(kind: ColumnType, options: Mapping[str, str], applies: Callable[[ColumnType], bool] = applies) -> bool:
            return _full(options) and applies(kind)

        yield encoder(f"full-{name}", requirement, f"in content-compatible mode {description}", names(fits, change))


MUTANTS: tuple[Mutant, ...] = (*_codes(), *_names(), *_full_names())
