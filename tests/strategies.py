"""The strategies of the search, for tests."""

from conformance.search.streams import changes, commit_times, flags, rows, streams, tables
from conformance.search.values import column_types, raw_texts, values_of

__all__ = ["changes", "column_types", "commit_times", "flags", "raw_texts", "rows", "streams", "tables", "values_of"]
