"""Several methods on the same tuples: one point each, worked out side by side, and shown."""
