"""Drawings that stand inside a page, as SVG: colours are those of the page, light or dark."""
