"""Tables out of a person's SQL: statements written by hand, migrations, and whole dumps of a server.

`script` cuts a text into statements, `encoding` makes a text of a file, `files` opens it, `reading` goes through the
statements; `create`, `alter`, `keys` and `defaults` read what one of them says to a `draft` of a table. What cannot be
read is a sentence with the number and the line of its statement: the other tables are read all the same.
"""

from conformance.ddl.files import read_sql, tables_of_file
from conformance.ddl.reading import NotRead, Script, read_script, tables_of_sql

__all__ = ["NotRead", "Script", "read_script", "read_sql", "tables_of_file", "tables_of_sql"]
