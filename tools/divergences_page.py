"""`docs/divergences.md`: how TiCDC's dialects differ from the upstream dialects that they imitate."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.catalogue.divergences import Divergence, Met, Pair, load_divergences
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import load_register
from conformance.catalogue.remedies import NONE
from tools.page_text import TITLES, cell, code, link, page, table

__all__ = ["divergences_page"]

_INTRODUCTION = """\
Two protocols of TiCDC imitate the messages of another product: Canal-JSON the flat message of Alibaba Canal, Debezium
JSON that of Debezium's MySQL connector. This page has every known difference, the worst first.

* **Documented in**: the document of record that states the difference; empty where none does.
* **Applies to**: the column types, operations and options of either side that show it; empty where all do.
* **Removed by**: what removes it, and what that breaks; or what a reader can do where nothing does.
* **Compared**: how `ticdc-conformance compare` reports it. *named*: a difference of rows that it explains;
  *counted*: the same row, written in other words; *around*: members around every row; *statements*: a difference of DDL
  messages that it explains, or the same statement in other words; *messages*: there are messages that only one side
  has; *outside*: no comparison of messages meets it.
* **SQL**: the smallest case, in a table `t` with `id BIGINT PRIMARY KEY` and the columns shown.

Tests confirm each entry: they compare what the two references write for the SQL, and a digit or byte beyond the
divergence is unexplained. `ticdc-conformance explain` with an id, `divergence/` before it where a requirement has the
same id, shows that near miss, the records that show it, and its other names."""

_MET = {
    Met.TEXT: "counted",
    Met.CELL: "named",
    Met.ABSENT: "named",
    Met.STEPS: "named",
    Met.ENVELOPE: "around",
    Met.STATEMENT: "statements",
    Met.MESSAGE: "messages",
    Met.OUTSIDE: "outside",
}
_LONG = 160  # characters of SQL that a cell shows

_HEAD = ("id", "about", "upstream and TiCDC", "documented in", "applies to", "removed by", "compared", "SQL", "rules")


def divergences_page() -> str:
    """The page, from the catalogue alone."""
    return page("Divergences from upstream", _lines())


def _title(pair: Pair) -> str:
    return f"{TITLES[pair.ticdc]} and {TITLES[pair.upstream]}"


def _lines() -> Iterator[str]:
    yield from _INTRODUCTION.splitlines()
    yield ""
    pairs = list(load_divergences().values())
    yield from table(
        ("pair", *Harm, "documented", "in all"),
        (
            (
                f"[{_title(pair)}](#{_anchor(_title(pair))})",
                *(sum(one.harm is harm for one in pair.divergences) for harm in Harm),
                sum(one.documented for one in pair.divergences),
                len(pair.divergences),
            )
            for pair in pairs
        ),
    )
    for pair in pairs:
        yield f"## {_title(pair)}"
        yield ""
        for harm in Harm:
            entries = [one for one in pair.divergences if one.harm is harm]
            if entries:
                yield f"### {TITLES[pair.ticdc]}: {harm}"
                yield ""
                yield from table(_HEAD, map(_row, entries))


def _anchor(title: str) -> str:
    return "".join(c for c in title.lower() if c.isalnum() or c in " -").replace(" ", "-")


def _row(one: Divergence) -> tuple[str, ...]:
    note = f"<br>*{cell(one.note)}*" if one.note else ""
    return (
        f'<a id="{one.id.lower()}"></a>{one.id}',
        cell(one.title),
        f"**{one.upstream}**: {cell(one.upstream_does)}<br>**{one.ticdc}**: {cell(one.ticdc_does)}{note}",
        cell(one.place[1]) if one.place else "",
        "<br>".join(_limits(one)),
        "<br>".join(map(cell, _remedies(one))),
        _MET[one.met],
        "<br>".join(_sql(one)),
        ", ".join(_linked(one)),
    )


def _remedies(one: Divergence) -> Iterator[str]:
    yield from (remedy.text for remedy in one.remedies)
    if not one.remedies:
        yield NONE
    if one.reader:
        yield f"A reader can: {one.reader}"


def _limits(one: Divergence) -> Iterator[str]:
    for names in (one.types, one.events):
        if names:
            yield ", ".join(names)
    for dialect, named in one.when.items():
        yield from (f"{dialect}: {code(name + '=' + '|'.join(values))}" for name, values in named.items())


def _sql(one: Divergence) -> Iterator[str]:
    if one.reproducer is None:
        return
    for text in ("; ".join(filter(None, (one.reproducer.create, *one.reproducer.columns))), *one.reproducer.statements):
        if text:
            shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text.replace("`", ""))
            yield code(shown if len(shown) < _LONG else shown[:_LONG] + "…")


def _linked(one: Divergence) -> Iterator[str]:
    """A link to each requirement that it names, in TiCDC's register or in upstream's."""
    own = load_register(one.ticdc).requirements
    return (link(name, "" if name in own else one.upstream) for name in one.requirements)
