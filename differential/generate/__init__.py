"""Generates streams from a seed: the history of a database, and its messages.

`draw`, `values`, `rows` and `truth` are pure; `presets` reads the corpora; `messages` calls the reference encoders;
`parts` writes files. This package does not depend on the comparison.
"""
