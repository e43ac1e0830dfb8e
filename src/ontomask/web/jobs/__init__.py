"""Long work of the workbench, each piece in a process of its own."""
