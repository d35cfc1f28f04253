"""What the pages of reports have in common: one file that needs nothing else, no network, no script but for the filter.

Being replaced by `reports.frame`, whose stylesheet and script it uses. Rows are told apart by words, never by colour
alone; in a narrow window each row of a table of cards is a card.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files

__all__ = ["cell", "head", "number", "page", "row", "scrolled", "table", "totals"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def _asset(name: str) -> str:
    return files("reports.frame").joinpath("assets", name).read_text(encoding="utf-8")


def page(
    title: str,
    intro: Iterable[str],
    sections: Mapping[str, tuple[str, Iterable[str]]],
    *,
    example: str,
    only: str,
    footer: str,
    style: str = "",
) -> Iterator[str]:
    """The lines of a page. `intro` and `sections` (id → title, lines) are HTML; a section without lines is left out.

    `example` stands in the empty filter, `only` beside its box, which leaves the rows that are trouble.
    """
    made = {name: (of, list(lines)) for name, (of, lines) in sections.items()}
    shown = {name: section for name, section in made.items() if section[1]}
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f"<title>{escape(title)}</title>"
    yield f"<style>\n{_asset('page.css')}{style}</style></head>"
    yield '<body><a class="skip" href="#main">To the tables</a>'
    yield "<header>"
    yield f"<h1>{escape(title)}</h1>"
    yield from intro
    yield '<nav aria-label="Sections"><ul>'
    yield from (f'<li><a href="#{name}">{escape(of)}</a></li>' for name, (of, _) in shown.items())
    yield "</ul></nav></header>"
    yield '<main id="main">'
    yield '<form class="filter" role="search" hidden>'
    yield '<label for="words">Filter rows</label>'
    yield f'<input type="search" id="words" placeholder="{escape(example)}" autocomplete="off">'
    yield f'<label><input type="checkbox"> {escape(only)}</label>'
    yield '<output for="words" aria-live="polite"></output></form>'
    for name, (of, lines) in shown.items():
        yield f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(of)}</h2>'
        yield from lines
        yield "</section>"
    yield f"</main><footer>{escape(footer)}</footer>"
    yield f"<script>\n{_asset('page.js')}</script></body></html>"


def totals(named: Mapping[str, int]) -> Iterator[str]:
    """Numbers with their names."""
    yield '<dl class="totals">'
    yield from (f"<div><dt>{escape(name)}</dt><dd>{count:,}</dd></div>" for name, count in named.items())
    yield "</dl>"


def table(
    caption: str, heads: Sequence[str], rows: Iterable[str], name: str = "plain", numbers: int | None = None
) -> Iterator[str]:
    """A table whose roles are said: as cards it would lose them. From column `numbers` on there are numbers."""
    yield f'<table role="table" class="{name}"><caption>{caption}</caption><thead role="rowgroup"><tr role="row">'
    for i, title in enumerate(heads):
        kind = ' class="number"' if numbers is not None and i >= numbers else ""
        yield f'<th role="columnheader" scope="col"{kind}>{escape(title)}</th>'
    yield '</tr></thead><tbody role="rowgroup">'
    yield from rows
    yield "</tbody></table>"


def scrolled(label: str, lines: Iterable[str]) -> Iterator[str]:
    """A frame, with its name, in which a narrow window scrolls what is too wide for it."""
    yield f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">'
    yield from lines
    yield "</div>"


def row(identity: str, cells: Iterable[str], *, trouble: bool = False) -> str:
    """A row; with an identity it can be linked to, and the filter sees it."""
    marks = f' id="{escape(identity)}" data-row="{"trouble" if trouble else "fine"}"' if identity else ""
    return f'<tr role="row"{marks}>{"".join(cells)}</tr>'


def head(html: str) -> str:
    """The cell that names a row."""
    return f'<th role="rowheader" scope="row">{html}</th>'


def cell(text: str, label: str = "", *, made: bool = False) -> str:
    """A cell; `label` stands before it in a card. `made` is HTML already."""
    labelled = f' data-label="{label}"' if label else ""
    return f'<td role="cell"{labelled}>{text if made else escape(text)}</td>'


def number(value: int) -> str:
    """A cell with a number."""
    return f'<td role="cell" class="number">{value:,}</td>'
