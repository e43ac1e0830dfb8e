"""Who may talk to the workbench: the page that its own link opened, on this machine, alone.

- Host: only the names of this machine. A page elsewhere may have a name that leads here (DNS
  rebinding), and then asks with that name.
- Origin: only our own. Other pages in the same browser may send requests, too.
- A token in the opening link, exchanged at once for a cookie that scripts cannot read and that the
  browser sends along with requests of our own pages only.
- A policy that lets the page load nothing but our own files, and run no script that stands in it.
- Limits on what is sent.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["LARGEST_REQUEST", "POLICY", "Guard"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

#: Bytes in a request that is no upload.
LARGEST_REQUEST = 4_000_000

#: Requests to these are uploads.
UPLOADS = "/api/files/"

FORBIDDEN = (
    "This is a workbench that only its own opening link can open: the line that `ontomask "
    "workbench` printed."
)


class Guard:
    """Lets through what comes from our own page, and says no to everything else."""

    def __init__(self, app: ASGIApp, *, token: str, port: int, largest: int) -> None:
        self.app, self.largest = app, largest
        self._token, self._secret = token, secrets.token_urlsafe(32)
        # Cookies know no ports: two workbenches must not take each other's.
        self._cookie = f"ontomask-{port}"
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # we have no web sockets
            return
        headers = Headers(scope=scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await _say(send, *refused)
            return
        if self._opens(scope):
            await self._let_in(send)
            return
        largest = self.largest if scope["path"].startswith(UPLOADS) else LARGEST_REQUEST
        if _length(headers) > largest:
            await _say(send, 413, "more is sent than is taken")
            return
        await self.app(scope, _limited(receive, largest), _with_headers(send))

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "The workbench answers to the names of this machine alone."
        if headers.get("origin", "null" if _is_foreign(headers) else None) not in (
            *self._origins,
            None,
        ):
            return 403, "Another page has sent this."
        if self._opens(scope) or self._knows(headers):
            return None
        return 403, FORBIDDEN

    def _opens(self, scope: Scope) -> bool:
        """Whether this is the opening link."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return secrets.compare_digest(given.encode(), self._token.encode())

    def _knows(self, headers: Headers) -> bool:
        """Whether the one who asks has the cookie, or, being no browser, the token."""
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if given and secrets.compare_digest(given.encode(), self._token.encode()):
            return True
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return found is not None and secrets.compare_digest(
            found.value.encode(), self._secret.encode()
        )

    async def _let_in(self, send: Send) -> None:
        """A cookie for the token, and an address without it."""
        cookie = f"{self._cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(send, 303, b"", [(b"location", b"/"), (b"set-cookie", cookie.encode())])


def _is_foreign(headers: Headers) -> bool:
    """Whether the browser says that another site has asked for this, other than by a link."""
    site = headers.get("sec-fetch-site", "none")
    return site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate"


def _length(headers: Headers) -> int:
    given = headers.get("content-length", "0")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else 0


def _limited(receive: Receive, largest: int) -> Receive:
    """What is received, up to a limit; not everybody says how much it will be."""
    got = 0

    async def limited() -> Message:
        nonlocal got
        message = await receive()
        got += len(message.get("body", b""))
        if got > largest:
            raise HTTPException(413, "more is sent than is taken")
        return message

    return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


_SAFE = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


async def _say(send: Send, status: int, words: str) -> None:
    body: dict[str, Any] = {"error": "Forbidden", "message": words, "hint": ""}
    await _answer(send, status, json.dumps(body).encode(), [(b"content-type", b"application/json")])


async def _answer(
    send: Send, status: int, body: bytes, headers: Iterable[tuple[bytes, bytes]]
) -> None:
    safe = [(name.encode(), value.encode()) for name, value in _SAFE.items()]
    await send({"type": "http.response.start", "status": status, "headers": [*safe, *headers]})
    await send({"type": "http.response.body", "body": body})
