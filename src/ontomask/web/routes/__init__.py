"""What the page asks for, one file for each screen."""
