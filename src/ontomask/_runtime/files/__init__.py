"""Files that are whole or absent, folders for unfinished ones, and files that change."""
