"""DDL statements of the sides compared."""
