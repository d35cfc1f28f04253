"""Reads tables from users' SQL: statements written by hand, migrations, and whole dumps of a server.

`script` cuts a text into statements, `encoding` decodes a file, `files` opens it, `reading` goes through the
statements; `create`, `alter`, `keys` and `defaults` apply a statement to a `draft` of a table. An unreadable statement
becomes a sentence with its number and line: the other tables are still read.
"""

from conformance.ddl.files import read_sql, tables_of_file
from conformance.ddl.reading import NotRead, Script, read_script, tables_of_sql

__all__ = ["NotRead", "Script", "read_script", "read_sql", "tables_of_file", "tables_of_sql"]
