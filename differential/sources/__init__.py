"""Where the messages of a side come from: what a person writes for it, captures, topics, registries."""
