"""Streams that go on compared piece by piece, and what is kept between the pieces."""
