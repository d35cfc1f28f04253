"""Where the sides meet: the changes of one key laid side by side, and what differs turned into differences."""
