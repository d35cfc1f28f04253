"""Search: inputs nobody wrote down, put to an implementation, and made small where they show a fault."""
