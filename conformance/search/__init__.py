"""Search: random inputs for an implementation, shrunk where they show a fault."""
