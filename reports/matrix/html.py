"""The kill matrix as a page."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from html import escape

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
    take_out,
    to_do,
    troubled,
    unseen_text,
    with_unseen,
)
from reports.page import cell, head, number, page, row, table, totals

__all__ = ["html_text"]

_MANY = 4
_GOOD = frozenset({KILLED, "proved"})
_IDLE = frozenset({NOT_RUN, "no mutant", "not expressible"})
_ABOUT = (
    "A mutant is the reference implementation with one deliberate fault. It is killed when the requirement that it "
    "names finds fault with it, and nothing else does that it did not declare, in the cases put to it. A mutant that "
    "survives shows a check that does not work."
)


def html_text(record: Record) -> str:
    """The whole page."""
    return "\n".join(_page(record)) + "\n"


def _page(record: Record) -> Iterator[str]:
    fates = {m["mutant"]: m for m in record["mutants"]}
    sections: Mapping[str, tuple[str, Iterable[str]]] = {
        "totals": ("Totals", _totals(record)),
        "attention": ("To be mended", _attention(record)),
        "requirements": ("Requirements", _requirements(record, fates)),
        "history": ("Historical defects", _history(record, fates)),
        "mutants": ("Mutants", _mutants(record)),
    }
    return page(
        f"Kill matrix: {gate_text(record)}",
        _intro(record),
        sections,
        example="CJ-388 decode unsigned",
        only="only what is not killed or proved",
        footer=f"ticdc-conformance {record['suite']}",
    )


def _intro(record: Record) -> Iterator[str]:
    yield f"<p>{mutant_count(record['planned'])}: {escape(sum_of(record['totals']))}.{_selected(record)}</p>"
    if seen := unseen_text(record):
        yield f"<p>Declared findings: {escape(seen)}.</p>"
    if record["message"]:
        yield f'<p role="alert"><strong>{escape(record["message"])}</strong></p>'
    yield f'<p class="soft">{_ABOUT}</p>'


def _selected(record: Record) -> str:
    return f" Selected by <code>-k {escape(repr(record['selection']))}</code>." if record["selection"] else ""


# -- sections ------------------------------------------------------------------------------------------------------


def _totals(record: Record) -> Iterator[str]:
    yield from totals(record["totals"])
    outcomes = [name for name, number in record["totals"].items() if number]
    yield '<div class="scroll" tabindex="0" role="region" aria-label="By protocol and role">'
    yield from table(
        "by protocol and role",
        ("protocol", "role", "mutants", *outcomes),
        (row("", [head(escape(g["protocol"])), cell(g["role"]), *_numbers(g, outcomes)]) for g in record["groups"]),
        numbers=2,
    )
    by_level = levels(record["requirements"])
    standings = [s for s in next(iter(by_level.values()), ()) if any(of[s] for of in by_level.values())]
    yield from table(
        "requirements by level",
        ("level", "requirements", *standings),
        (
            row("", [head(level), *(number(n) for n in (sum(of.values()), *(of[s] for s in standings)))])
            for level, of in by_level.items()
        ),
        numbers=1,
    )
    yield "</div>"


def _attention(record: Record) -> Iterator[str]:
    found, unproved = troubled(record), [r for r in doubtful(record) if not r["mutants"]]
    idle = with_unseen(record)
    if not found and not unproved and not idle:
        return
    yield '<ul class="doing">'
    for m in found:
        undeclared = f" Undeclared: {escape(', '.join(m['undeclared']))}." if m["undeclared"] else ""
        yield f"<li>{_link('mutant', m['mutant'])} {_fate(m['outcome'])}: {escape(to_do(m))}.{undeclared}"
        yield (f"<br><code>{escape(m['again'])}</code>" if m["again"] else "") + "</li>"
    yield from (f"<li>{_link('mutant', m['mutant'])}: {escape(take_out(m))}.</li>" for m in idle)
    yield from (f"<li>{_link('requirement', r['id'])} {_fate(r['standing'])}: it needs one.</li>" for r in unproved)
    yield "</ul>"


def _requirements(record: Record, fates: Mapping[str, Record]) -> Iterator[str]:
    for protocol in dict.fromkeys(r["protocol"] for r in record["requirements"]):
        group = [r for r in record["requirements"] if r["protocol"] == protocol]
        yield f'<div class="group"><h3>{escape(protocol)}: requirements</h3>'
        yield from table(
            f"{escape(protocol)}: {_counted(len(group))}, with the finding that killed each mutant",
            ("id", "level", "rule", "standing", "mutants"),
            (
                row(
                    f"requirement-{r['id']}",
                    [
                        head(escape(r["id"])),
                        cell(f"{r['level']}, {r['role']}", "level"),
                        cell(_prose(r["rule"]), made=True),
                        cell(_fate(r["standing"]), "standing", made=True),
                        cell(_killed(r, fates), made=True),
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
    yield from table(
        "defects that mutants stand for",
        ("id", "symptom", "references", "fate", "mutants"),
        (
            row(
                f"history-{d['id']}",
                [
                    *_symptom(d),
                    cell(_fate(d["fate"]), "fate", made=True),
                    cell(_names(d["mutants"], fates), made=True),
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
        yield from table(
            "defects that the harness protocol cannot express",
            ("id", "symptom", "references", "reason"),
            (
                row(f"history-{d['id']}", [*_symptom(d), cell(_prose(d["reason"]), "reason", made=True)], trouble=True)
                for d in rest
            ),
            "cards inexpressible",
        )
        yield "</div>"


def _symptom(defect: Record) -> list[str]:
    fixed = f"mended in {defect['fixed']}" if defect["fixed"] else ""
    references = "; ".join(filter(None, (", ".join(defect["references"]), fixed)))
    return [head(escape(defect["id"])), cell(_prose(defect["symptom"]), made=True), cell(references, "references")]


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
        yield from table(
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
        ("declared, and never seen", links("requirement", m.get("unseen", ()))),
        ("undeclared", links("requirement", m["undeclared"])),
        ("stands for", links("history", m["history"])),
    ]
    items = "".join(f'<li><span class="soft">{label}</span> {text}</li>' for label, text in evidence if text)
    kills = f'<p class="soft">{m["kills"]} of {m["cases"]} cases</p>' if m["cases"] else ""
    return row(
        f"mutant-{m['mutant']}",
        [
            head(f'<code>{name}</code><p>{_prose(m["fault"])}</p><p class="soft">{m["role"]}, {style}</p>'),
            cell(_link("requirement", m["requirement"]), "dies for", made=True),
            cell(_fate(m["outcome"]) + kills, made=True),
            cell(f"<ul>{items}</ul>" if items else "", made=True),
        ],
        trouble=m["outcome"] != KILLED or bool(m.get("unseen")),
    )


# -- parts ---------------------------------------------------------------------------------------------------------


def _counted(number: int) -> str:
    return f"{number:,} requirement{'' if number == 1 else 's'}"


def _prose(text: str) -> str:
    """Text in which `code` stands between back quotes."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _numbers(group: Record, outcomes: Sequence[str]) -> Iterator[str]:
    yield number(group["planned"])
    yield from (number(group["totals"][outcome]) for outcome in outcomes)


def _fate(word: str) -> str:
    kind = " good" if word in _GOOD else " idle" if word in _IDLE else ""
    return f'<span class="fate{kind}">{escape(word)}</span>'


def _finding(mutant: Record) -> str:
    return f"<code>{escape(mutant['finding']['fingerprint'])}</code>" if mutant["finding"] else ""


def _link(kind: str, name: str, *, short: bool = False) -> str:
    """A link to a row of the page. A mutant's name stays whole in the address."""
    text = name.partition("/")[2] if short else name
    return f'<a href="#{escape(f"{kind}-{name}")}">{escape(text)}</a>'
