"""Names of types that the sides tell compared."""
