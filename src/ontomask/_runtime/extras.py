"""How to install the optional parts of the package."""

from __future__ import annotations

from ontomask._version import __version__

__all__ = ["extra_hint"]


def extra_hint(extra: str) -> str:
    """Say how to install an extra, from a checkout and from a wheel.

    >>> extra_hint("web")
    "install the extra 'web': pip install '.[web]' in a checkout, or ..."
    """
    wheel = f"ontomask-{__version__}-py3-none-any.whl"
    return (
        f"install the extra {extra!r}: pip install '.[{extra}]' in a checkout, or "
        f"pip install '{wheel}[{extra}]' with the wheel"
    )
