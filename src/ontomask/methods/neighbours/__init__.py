"""Near tuples: orders that keep similar tuples together, and searches for the nearest."""
