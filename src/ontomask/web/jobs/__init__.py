"""Background tasks of the workbench, each in its own process."""
