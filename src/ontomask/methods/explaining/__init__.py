"""What a method needs to explain one tuple, and what it returns."""
