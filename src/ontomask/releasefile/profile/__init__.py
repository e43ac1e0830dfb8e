"""A first look at a table, and the release file that is proposed for it."""
