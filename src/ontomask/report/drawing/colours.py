"""Colours for light pages and dark ones, that colour-blind people can tell apart."""

from __future__ import annotations

from markupsafe import Markup

__all__ = ["LINE_COLOURS", "PAGE_COLOURS", "CONTRAST_TURN", "colours_as_css"]

#: How far up a heat map ``on-high`` begins to be easier to read than ``on-low``.
CONTRAST_TURN = 0.65

#: Lines and bars, after Okabe and Ito.
LINE_COLOURS = {
    "light": ("#0072b2", "#d55e00", "#008a63", "#a3548a", "#a37200", "#2c8fc4", "#444444"),
    "dark": ("#56b4e9", "#ff8a3d", "#2fc99a", "#e29bc6", "#e6b422", "#9ad1f5", "#cccccc"),
}

#: What the page is made of. ``before`` and ``after`` are the two sides of everything compared;
#: ``low`` to ``high`` is the scale of a heat map, ``on-low`` and ``on-high`` what is written there:
#: both scales pass from one to the other at ``TURN``, where either can just be read.
PAGE_COLOURS = {
    "light": {
        "page": "#ffffff",
        "panel": "#f5f6f8",
        "ink": "#1a1d21",
        "soft": "#565d66",
        "rule": "#d8dce1",
        "accent": "#0b5cad",
        "good": "#00704f",
        "bad": "#b3420a",
        "before": "#7b8794",
        "after": "#0072b2",
        "low": "#eef3f8",
        "high": "#053765",
        "on-low": "#000000",
        "on-high": "#ffffff",
    },
    "dark": {
        "page": "#15181c",
        "panel": "#1e2228",
        "ink": "#e7e9ec",
        "soft": "#a5adb7",
        "rule": "#363c45",
        "accent": "#7cbcf5",
        "good": "#3fcf9f",
        "bad": "#ff9a5c",
        "before": "#8b96a3",
        "after": "#56b4e9",
        "low": "#20262e",
        "high": "#62a7dc",
        "on-low": "#ffffff",
        "on-high": "#000000",
    },
}


def colours_as_css(theme: str) -> Markup:
    """The colours of a theme as CSS variables: ``--ink``, ``--line-0`` and so on."""
    lines = {f"line-{place}": colour for place, colour in enumerate(LINE_COLOURS[theme])}
    return Markup(
        "".join(f"--{name}:{colour};" for name, colour in {**PAGE_COLOURS[theme], **lines}.items())
    )
