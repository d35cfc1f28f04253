"""Streams of changes drawn from a seed: what happened in a database, and how each dialect tells it.

`draw`, `values`, `rows` and `truth` are pure; `presets` reads the corpora; `messages` asks the reference encoders;
`parts` writes files. Nothing here knows how a comparison works.
"""
