"""Compare several methods on the same tuples: one point for each method."""
