"""The kill matrix as one page that needs nothing else: no network, and no script but for the filter.

`page.css` and `page.js` stand beside this file. Rows are told apart by words, never by colour alone; in a narrow window
each row is a card.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files

from reports.matrix.reading import (
    KILLED,
    NOT_RUN,
    Record,
    doubtful,
    fates_with_mutants,
    gate_text,
    levels,
    mutant_count,
    sum_of,
    to_do,
    troubled,
)

__all__ = ["html_text"]

_MANY = 4
_GOOD = frozenset({KILLED, "proved"})
_IDLE = frozenset({NOT_RUN, "no mutant", "not expressible"})
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_ABOUT = (
    "A mutant is the reference implementation with one deliberate fault. It is killed when the requirement that it "
    "names finds fault with it, and nothing else does that it did not declare. A mutant that survives shows a check "
    "that does not work."
)


def html_text(record: Record) -> str:
    """The whole page."""
    return "\n".join(_page(record)) + "\n"


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _page(record: Record) -> Iterator[str]:
    fates = {m["mutant"]: m for m in record["mutants"]}
    sections: Mapping[str, tuple[str, Iterable[str]]] = {
        "totals": ("Totals", _totals(record)),
        "attention": ("Not killed for their own reason", _attention(record)),
        "requirements": ("Requirements", _requirements(record, fates)),
        "history": ("Historical defects", _history(record, fates)),
        "mutants": ("Mutants", _mutants(record)),
    }
    made = {name: (title, list(lines)) for name, (title, lines) in sections.items()}
    shown = {name: section for name, section in made.items() if section[1]}
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield f"<title>Kill matrix: {escape(gate_text(record))}</title>"
    yield f"<style>\n{_asset('page.css')}</style></head>"
    yield '<body><a class="skip" href="#main">To the tables</a>'
    yield "<header>"
    yield f"<h1>Kill matrix: {escape(gate_text(record))}</h1>"
    yield f"<p>{mutant_count(record['planned'])}: {escape(sum_of(record['totals']))}.{_selected(record)}</p>"
    if record["message"]:
        yield f'<p role="alert"><strong>{escape(record["message"])}</strong></p>'
    yield f'<p class="soft">{_ABOUT}</p>'
    yield '<nav aria-label="Sections"><ul>'
    yield from (f'<li><a href="#{name}">{escape(title)}</a></li>' for name, (title, _) in shown.items())
    yield "</ul></nav></header>"
    yield '<main id="main">'
    yield '<form class="filter" role="search" hidden>'
    yield '<label for="words">Filter rows</label>'
    yield '<input type="search" id="words" placeholder="CJ-388 decode unsigned" autocomplete="off">'
    yield '<label><input type="checkbox"> only what is not killed or proved</label>'
    yield '<output for="words" aria-live="polite"></output></form>'
    for name, (title, lines) in shown.items():
        yield f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{escape(title)}</h2>'
        yield from lines
        yield "</section>"
    yield f"</main><footer>ticdc-conformance {escape(record['suite'])}</footer>"
    yield f"<script>\n{_asset('page.js')}</script></body></html>"


def _selected(record: Record) -> str:
    return f" Selected by <code>-k {escape(repr(record['selection']))}</code>." if record["selection"] else ""


# -- sections ------------------------------------------------------------------------------------------------------


def _totals(record: Record) -> Iterator[str]:
    yield '<dl class="totals">'
    yield from (f"<div><dt>{escape(name)}</dt><dd>{number:,}</dd></div>" for name, number in record["totals"].items())
    yield "</dl>"
    outcomes = [name for name, number in record["totals"].items() if number]
    yield '<div class="scroll" tabindex="0" role="region" aria-label="By protocol and role">'
    yield from _table(
        "by protocol and role",
        ("protocol", "role", "mutants", *outcomes),
        (_row("", [_head(escape(g["protocol"])), _cell(g["role"]), *_numbers(g, outcomes)]) for g in record["groups"]),
        numbers=2,
    )
    by_level = levels(record["requirements"])
    standings = [s for s in next(iter(by_level.values()), ()) if any(of[s] for of in by_level.values())]
    yield from _table(
        "requirements by level",
        ("level", "requirements", *standings),
        (
            _row("", [_head(level), *(_number(n) for n in (sum(of.values()), *(of[s] for s in standings)))])
            for level, of in by_level.items()
        ),
        numbers=1,
    )
    yield "</div>"


def _attention(record: Record) -> Iterator[str]:
    found, unproved = troubled(record), [r for r in doubtful(record) if not r["mutants"]]
    if not found and not unproved:
        return
    yield '<ul class="doing">'
    for m in found:
        undeclared = f" Undeclared: {escape(', '.join(m['undeclared']))}." if m["undeclared"] else ""
        yield f"<li>{_link('mutant', m['mutant'])} {_fate(m['outcome'])}: {escape(to_do(m))}.{undeclared}"
        yield (f"<br><code>{escape(m['again'])}</code>" if m["again"] else "") + "</li>"
    yield from (f"<li>{_link('requirement', r['id'])} {_fate(r['standing'])}: it needs one.</li>" for r in unproved)
    yield "</ul>"


def _requirements(record: Record, fates: Mapping[str, Record]) -> Iterator[str]:
    for protocol in dict.fromkeys(r["protocol"] for r in record["requirements"]):
        group = [r for r in record["requirements"] if r["protocol"] == protocol]
        yield f'<div class="group"><h3>{escape(protocol)}: requirements</h3>'
        yield from _table(
            f"{escape(protocol)}: {_counted(len(group))}, with the finding that killed each mutant",
            ("id", "level", "rule", "standing", "mutants"),
            (
                _row(
                    f"requirement-{r['id']}",
                    [
                        _head(escape(r["id"])),
                        _cell(f"{r['level']}, {r['role']}", "level"),
                        _cell(_prose(r["rule"]), made=True),
                        _cell(_fate(r["standing"]), "standing", made=True),
                        _cell(_killed(r, fates), made=True),
                    ],
                    trouble=r["standing"] != "proved",
                )
                for r in group
            ),
            "cards requirements",
        )
        yield "</div>"


def _killed(requirement: Record, fates: Mapping[str, Record]) -> str:
    items = [
        f"<li>{_link('mutant', name, short=True)} {_fate(fates[name]['outcome'])} {_finding(fates[name])}</li>"
        for name in requirement["mutants"]
    ]
    made = f"<ul>{''.join(items)}</ul>" if items else ""
    if len(items) <= _MANY:
        return made
    return f"<details><summary>{requirement['killed']} of {len(items)} killed</summary>{made}</details>"


def _history(record: Record, fates: Mapping[str, Record]) -> Iterator[str]:
    if not record["history"]:
        return
    out = record["history_totals"]["out of scope"]
    yield f"<p>{escape(sum_of(record['history_totals']))}." + (
        " Those out of the scope of a suite of messages are in the JSON report.</p>" if out else "</p>"
    )
    yield '<div class="group">'
    yield from _table(
        "defects that mutants stand for",
        ("id", "symptom", "references", "fate", "mutants"),
        (
            _row(
                f"history-{d['id']}",
                [
                    *_symptom(d),
                    _cell(_fate(d["fate"]), "fate", made=True),
                    _cell(_names(d["mutants"], fates), made=True),
                ],
                trouble=d["fate"] != KILLED,
            )
            for d in fates_with_mutants(record)
        ),
        "cards history",
    )
    yield "</div>"
    if rest := [d for d in record["history"] if d["fate"] == "not expressible"]:
        yield '<div class="group">'
        yield from _table(
            "defects that the harness protocol cannot express",
            ("id", "symptom", "references", "reason"),
            (
                _row(
                    f"history-{d['id']}", [*_symptom(d), _cell(_prose(d["reason"]), "reason", made=True)], trouble=True
                )
                for d in rest
            ),
            "cards inexpressible",
        )
        yield "</div>"


def _symptom(defect: Record) -> list[str]:
    fixed = f"mended in {defect['fixed']}" if defect["fixed"] else ""
    references = "; ".join(filter(None, (", ".join(defect["references"]), fixed)))
    return [_head(escape(defect["id"])), _cell(_prose(defect["symptom"]), made=True), _cell(references, "references")]


def _names(names: Sequence[str], fates: Mapping[str, Record]) -> str:
    items = (
        f"<li>{_link('mutant', name) if name in fates else escape(name)} "
        f"{_fate(fates[name]['outcome'] if name in fates else NOT_RUN)}</li>"
        for name in names
    )
    return f"<ul>{''.join(items)}</ul>"


def _mutants(record: Record) -> Iterator[str]:
    there = {f"requirement-{r['id']}" for r in record["requirements"]} | {
        f"history-{d['id']}" for d in record["history"]
    }
    for protocol in dict.fromkeys(m["protocol"] for m in record["mutants"]):
        group = [m for m in record["mutants"] if m["protocol"] == protocol]
        yield f'<div class="group"><h3>{escape(protocol)}: mutants</h3>'
        yield from _table(
            f"{escape(protocol)}: {mutant_count(len(group))}, each with an input on which it differs",
            ("mutant and fault", "dies for", "fate", "evidence"),
            (_mutant(m, there) for m in group),
            "cards mutants",
        )
        yield "</div>"


def _mutant(m: Record, there: Collection[str]) -> str:
    """A row; a requirement or defect is a link where the page has it."""
    name, style = escape(m["mutant"]), m["release"] or m["profile"]

    def links(kind: str, names: Iterable[str]) -> str:
        return ", ".join(_link(kind, n) if f"{kind}-{n}" in there else escape(n) for n in names)

    is_first = m["witness"] == m["killed_by"]
    evidence = [
        (
            "differs on, and killed by" if is_first else "killed by",
            f"<code>{escape(m['killed_by'])}</code>" if m["killed_by"] else "",
        ),
        ("finding", f"{_finding(m)} at <code>{escape(m['finding']['path'])}</code>" if m["finding"] else ""),
        ("differs on", f"<code>{escape(m['witness'])}</code>" if m["witness"] and not is_first else ""),
        ("also broke, as declared", links("requirement", m["also"])),
        ("undeclared", links("requirement", m["undeclared"])),
        ("stands for", links("history", m["history"])),
    ]
    items = "".join(f'<li><span class="soft">{label}</span> {text}</li>' for label, text in evidence if text)
    kills = f'<p class="soft">{m["kills"]} of {m["cases"]} cases</p>' if m["cases"] else ""
    return _row(
        f"mutant-{m['mutant']}",
        [
            _head(f'<code>{name}</code><p>{_prose(m["fault"])}</p><p class="soft">{m["role"]}, {style}</p>'),
            _cell(_link("requirement", m["requirement"]), "dies for", made=True),
            _cell(_fate(m["outcome"]) + kills, made=True),
            _cell(f"<ul>{items}</ul>" if items else "", made=True),
        ],
        trouble=m["outcome"] != KILLED,
    )


# -- parts ---------------------------------------------------------------------------------------------------------


def _table(
    caption: str, head: Sequence[str], rows: Iterable[str], name: str = "plain", numbers: int | None = None
) -> Iterator[str]:
    """A table whose roles are said: as cards it would lose them. From column `numbers` on there are numbers."""
    yield f'<table role="table" class="{name}"><caption>{caption}</caption><thead role="rowgroup"><tr role="row">'
    for i, title in enumerate(head):
        kind = ' class="number"' if numbers is not None and i >= numbers else ""
        yield f'<th role="columnheader" scope="col"{kind}>{escape(title)}</th>'
    yield '</tr></thead><tbody role="rowgroup">'
    yield from rows
    yield "</tbody></table>"


def _row(identity: str, cells: Iterable[str], *, trouble: bool = False) -> str:
    marks = f' id="{escape(identity)}" data-row="{"trouble" if trouble else "fine"}"' if identity else ""
    return f'<tr role="row"{marks}>{"".join(cells)}</tr>'


def _counted(number: int) -> str:
    return f"{number:,} requirement{'' if number == 1 else 's'}"


def _prose(text: str) -> str:
    """Text in which `code` stands between back quotes."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _head(html: str) -> str:
    return f'<th role="rowheader" scope="row">{html}</th>'


def _cell(text: str, label: str = "", *, made: bool = False) -> str:
    """A cell; `label` stands before it in a card. `made` is HTML already."""
    labelled = f' data-label="{label}"' if label else ""
    return f'<td role="cell"{labelled}>{text if made else escape(text)}</td>'


def _number(number: int) -> str:
    return f'<td role="cell" class="number">{number:,}</td>'


def _numbers(group: Record, outcomes: Sequence[str]) -> Iterator[str]:
    yield _number(group["planned"])
    yield from (_number(group["totals"][outcome]) for outcome in outcomes)


def _fate(word: str) -> str:
    kind = " good" if word in _GOOD else " idle" if word in _IDLE else ""
    return f'<span class="fate{kind}">{escape(word)}</span>'


def _finding(mutant: Record) -> str:
    return f"<code>{escape(mutant['finding']['fingerprint'])}</code>" if mutant["finding"] else ""


def _link(kind: str, name: str, *, short: bool = False) -> str:
    """A link to a row of the page. A mutant's name stays whole in the address."""
    text = name.partition("/")[2] if short else name
    return f'<a href="#{escape(f"{kind}-{name}")}">{escape(text)}</a>'
