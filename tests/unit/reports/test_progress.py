"""Progress: a bar says rate and time left, and where none can be drawn a line is written now and then."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import Progress

from conformance.cli.progress import ProgressDisplay
from reports.progress import bar_columns, rate_text


@pytest.mark.parametrize(
    ("speed", "text"), [(None, ""), (0.0, ""), (0.52, "0.5/s"), (9.96, "10.0/s"), (1234.4, "1,234/s")]
)
def test_a_rate_is_said_as_people_say_it(speed: float | None, text: str) -> None:
    assert rate_text(speed) == text


def test_a_bar_says_count_rate_and_time_left() -> None:
    clock = iter(range(10_000))  # a second a look
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    bar = Progress(*bar_columns(), console=console, get_time=lambda: float(next(clock)), auto_refresh=False)
    task = bar.add_task("judging", total=100)
    for _ in range(10):
        bar.advance(task)
    with console.capture() as shown:
        console.print(bar.get_renderable())
    text = shown.get()
    assert "10/100" in text
    assert "/s" in text
    assert "left" in text


def test_without_a_terminal_each_million_of_unknown_many_is_a_line() -> None:
    lines: list[str] = []
    display = ProgressDisplay(None, None, lines.append)
    for _ in range(30):
        display.advance(100_000)
    assert lines == ["1,000,000", "2,000,000", "3,000,000"]


def test_without_a_terminal_each_tenth_of_known_many_is_a_line() -> None:
    lines: list[str] = []
    seconds = iter(range(100))  # a second a look
    display = ProgressDisplay(None, None, lines.append, now=lambda: float(next(seconds)))
    for done in range(51):
        display.set_done(done, 50)
    assert lines[0] == "5 of 50, 5.0/s, 0:00:09 left"
    assert lines[-1] == "50 of 50, 5.0/s"
    assert len(lines) == 10


def test_many_that_are_expected_are_told_with_rate_and_time_left_as_they_come() -> None:
    lines: list[str] = []
    seconds = iter(range(100))
    display = ProgressDisplay(None, None, lines.append, now=lambda: float(next(seconds)))
    display.expect(4_000)
    for _ in range(4):
        display.advance(1_000)
    assert lines == [
        "1,000 of 4,000, 1,000/s, 0:00:03 left",
        "2,000 of 4,000, 1,000/s, 0:00:02 left",
        "3,000 of 4,000, 1,000/s, 0:00:01 left",
        "4,000 of 4,000, 1,000/s",
    ]
