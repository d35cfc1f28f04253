"""Shortens long texts: the middle goes, with a count; both ends and the relevant place stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

__all__ = ["ends_of_stderr", "middle_out", "row_text", "window", "without_middle"]


def middle_out(text: str, width: int) -> str:
    """The text, or its two ends around the number of missing characters."""
    return window(text, None, width)


def window(text: str, at: int | None, width: int) -> str:
    """The text in about `width` characters: both ends, and the surroundings of the place `at`; gaps are counted."""
    if len(text) <= width:
        return text
    room = max(12, width - len(_gap(len(text))))
    # An end that has the place gets most of the room.
    if at is None:
        head = room // 2
    elif at < room // 2:
        head = room * 3 // 4
    elif at >= len(text) - room // 2:
        head = room // 4
    else:
        part = max(8, (room - len(_gap(len(text)))) // 4)
        return _joined(text, [(0, part), (at - part, at + part), (len(text) - part, len(text))])
    return _joined(text, [(0, head), (len(text) - (room - head), len(text))])


def _gap(left_out: int) -> str:
    return f" … {left_out:,} characters … "


def _joined(text: str, pieces: Iterable[tuple[int, int]]) -> str:
    """The pieces from start to stop, in order, with the gaps between them counted."""
    shown, end = "", 0
    for start, stop in pieces:
        start = max(start, end)
        stop = max(start, min(stop, len(text)))
        gap = _gap(start - end) if start > end else ""
        shown += gap + text[start:stop]
        end = stop
    return shown


_FIRST_LINES = 3


def without_middle(lines: Sequence[str], most: int, gap: Callable[[int], str]) -> list[str]:
    """The lines; of more than `most` the first three and the last ones, around a line for the number left out.

    The last lines of an input are its rows, which are the most informative.
    """
    if len(lines) <= most:
        return list(lines)
    return [*lines[:_FIRST_LINES], gap(len(lines) - most), *lines[_FIRST_LINES - most :]]


def ends_of_stderr(text: str, most: int) -> list[str]:
    """The lines that an implementation wrote to stderr; of more than `most` half from each end, around a count.

    Python names an error below its stack; Go, Java, Node.js and Rust name it above. Empty lines are left out.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) <= most:
        return lines
    return [*lines[: most // 2], f"… {len(lines) - most:,} more lines …", *lines[most // 2 - most :]]


def row_text(members: Iterable[tuple[str, str]], shown: str, width: int) -> str:
    """`{id: "1", … 12 columns …, c: "2"}`: a row in about `width` characters; the column `shown` is always whole.

    If there is room for all columns, all appear; else the first ones.
    """
    parts = [(name, f"{name}: {value}") for name, value in members]
    whole = "{" + ", ".join(text for _, text in parts) + "}"
    if len(whole) <= width:
        return whole
    room = width - sum(len(text) for name, text in parts if name == shown)
    kept: list[str] = []
    left_out = 0
    for name, text in parts:
        room -= len(text) + 2
        if name != shown and (room < 0 or (left_out and room < width // 4)):
            left_out += 1
            continue
        if left_out:
            kept.append(_columns(left_out))
            left_out = 0
        kept.append(text)
    if left_out:
        kept.append(_columns(left_out))
    return "{" + ", ".join(kept) + "}"


def _columns(number: int) -> str:
    return f"… {number} column{'' if number == 1 else 's'} …"
