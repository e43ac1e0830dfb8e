"""The experiments, one module per paper or part of it."""
