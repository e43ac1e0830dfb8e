"""Files as text: packed or not, delimited or XML; shared by the readers."""
