"""What is said of a masked table: its guarantee, cautions, and the requirements it meets."""
