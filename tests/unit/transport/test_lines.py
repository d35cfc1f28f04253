"""The reader: the same lines however the bytes are cut, nothing lost, and a limit."""

from __future__ import annotations

import os
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.transport.channel import Channel, EndOfStream, LineBuffer, LineTooLong, Silence, Tail


def lines_of(*chunks: bytes, limit: int = 10_000) -> tuple[list[bytes], bytes]:
    buffer = LineBuffer(limit)
    lines = []
    for chunk in chunks:
        buffer.feed(chunk)
        while (line := buffer.take()) is not None:
            lines.append(line)
    return lines, buffer.partial


@given(st.lists(st.binary(max_size=12).map(lambda data: data.replace(b"x", b"\n")), max_size=12))
def test_how_bytes_are_cut_makes_no_difference(chunks: list[bytes]) -> None:
    *lines, partial = b"".join(chunks).split(b"\n")
    assert lines_of(*chunks) == (lines, partial)


def test_what_waits_is_the_next_line_or_the_beginning_of_one() -> None:
    buffer = LineBuffer()
    assert buffer.waiting() is None
    buffer.feed(b"a\nb")
    assert buffer.waiting() == b"a"
    buffer.take()
    assert buffer.waiting() == b"b"


@pytest.mark.parametrize("chunks", [[b"12345\n"], [b"123", b"45\n"]])
def test_a_line_of_the_limit_is_allowed(chunks: list[bytes]) -> None:
    assert lines_of(*chunks, limit=5) == ([b"12345"], b"")


@pytest.mark.parametrize("chunks", [[b"123456\n"], [b"123", b"456\n"], [b"12345", b"6"]])
def test_a_line_beyond_the_limit_is_refused_as_soon_as_it_is_seen(chunks: list[bytes]) -> None:
    with pytest.raises(LineTooLong) as caught:
        lines_of(*chunks, limit=5)
    assert caught.value.head == b"123456"


def test_a_tail_keeps_the_end_and_says_that_something_is_missing() -> None:
    tail = Tail(size=4)
    tail.feed(b"abc")
    assert tail.text() == "abc"
    tail.feed(b"de")
    assert tail.text() == "…bcde"
    tail.clear()
    assert tail.text() == ""


class Pipes:
    """A channel and the far ends of its three pipes."""

    def __init__(self) -> None:
        read, self.write = os.pipe()
        self.read, write = os.pipe()
        error, self.error = os.pipe()
        self.channel = Channel(read, write, error)

    def __enter__(self) -> Pipes:
        return self

    def __exit__(self, *_: object) -> None:
        self.channel.close()
        for fd in (self.write, self.read, self.error):
            if fd >= 0:
                os.close(fd)


def soon() -> float:
    return monotonic() + 10


def test_a_channel_gives_lines_and_then_the_end_with_what_was_begun() -> None:
    with Pipes() as pipes:
        os.write(pipes.write, b"one\ntwo\nthr")
        os.close(pipes.write)
        pipes.write = -1
        assert [pipes.channel.receive(soon()), pipes.channel.receive(soon())] == [b"one", b"two"]
        with pytest.raises(EndOfStream) as caught:
            pipes.channel.receive(soon())
        assert caught.value.partial == b"thr"
        assert pipes.channel.lines_read == 2


def test_a_deadline_that_has_passed_is_silence_with_what_was_begun() -> None:
    with Pipes() as pipes:
        os.write(pipes.write, b"one\nhalf")
        pipes.channel.receive(soon())
        with pytest.raises(Silence) as caught:
            pipes.channel.receive(monotonic())
        assert caught.value.partial == b"half"


def test_a_line_that_came_in_time_is_given_after_the_deadline_too() -> None:
    with Pipes() as pipes:
        os.write(pipes.write, b"one\ntwo\n")
        pipes.channel.receive(soon())
        assert pipes.channel.receive(monotonic() - 1) == b"two"


def test_sending_to_one_that_does_not_read_is_silence() -> None:
    with Pipes() as pipes:
        with pytest.raises(Silence) as caught:
            pipes.channel.send(b"x" * 10_000_000, monotonic())
        assert caught.value.unread


def test_sending_to_one_that_has_gone_is_told_by_the_next_receive() -> None:
    with Pipes() as pipes:
        for fd in (pipes.read, pipes.write):
            os.close(fd)
        pipes.read = pipes.write = -1
        pipes.channel.send(b"request\n", soon())
        with pytest.raises(EndOfStream):
            pipes.channel.receive(soon())


def test_forgotten_stderr_is_not_shown_again() -> None:
    with Pipes() as pipes:
        os.write(pipes.error, b"the case before")
        pipes.channel.forget_stderr()
        os.write(pipes.error, b"this case")
        assert pipes.channel.stderr() == "this case"
