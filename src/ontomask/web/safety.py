"""Access to the workbench: only pages opened with its own link on this machine are answered.

- Host: only the names of this machine. With DNS rebinding, the name of another site can point to
  this machine; such requests carry that name and are refused.
- Origin: only the workbench itself. Other pages in the same browser can send requests, too.
- Token: the opening link contains a token, which works once. It is exchanged for a cookie that
  scripts cannot read and that the browser only sends with requests from pages of the workbench.
- Content security policy: a page loads only files of the workbench and runs no inline script.
- Size limits on requests.
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

__all__ = ["LARGEST_REQUEST", "CONTENT_SECURITY_POLICY", "Guard"]

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

#: Largest request in bytes, other than uploads.
LARGEST_REQUEST = 4_000_000

#: Requests to these are uploads.
UPLOAD_PATH = "/api/files/"

FORBIDDEN = (
    "The workbench can only be opened with its own link, which works once. `ontomask workbench` "
    "prints a new link when it starts."
)

#: Opens the first page from a page of the workbench. A redirect would not carry the new cookie if
#: a file has opened the link.
ENTRANCE = b'<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>ontomask</title>'


class Guard:
    """Passes on requests from pages of the workbench, and refuses all others."""

    def __init__(self, app: ASGIApp, *, port: int, largest: int) -> None:
        self.app, self.largest = app, largest
        self._secret = secrets.token_urlsafe(32)
        self._tokens: set[str] = set()
        # Cookies know no ports: two workbenches must not take each other's.
        self._cookie_name = f"ontomask-{port}"
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._address = f"http://127.0.0.1:{port}/"

    @property
    def cookie(self) -> str:
        """The cookie of those who may come in."""
        return f"{self._cookie_name}={self._secret}"

    def make_link(self) -> str:
        """A link that opens the workbench once."""
        token = secrets.token_urlsafe(24)
        self._tokens.add(token)
        return f"{self._address}?token={token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # we have no web sockets
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _send_error(send, *refusal)
            return
        if self._opens(scope):
            await self._send_cookie(send, scope)
            return
        largest = self.largest if scope["path"].startswith(UPLOAD_PATH) else LARGEST_REQUEST
        if _content_length(headers) > largest:
            await _send_error(send, 413, "The request is too large.")
            return
        await self.app(scope, _limit_body(receive, largest), _add_safe_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "The workbench only answers requests to 127.0.0.1 and localhost."
        if headers.get("origin", "null" if _is_foreign(headers) else None) not in (
            *self._origins,
            None,
        ):
            return 403, "The request comes from another web page."
        if self._opens(scope) or self._is_authorised(headers):
            return None
        return 403, FORBIDDEN

    def _opens(self, scope: Scope) -> bool:
        """Whether this is an opening link that has not been used yet."""
        return (
            scope["path"] == "/"
            and scope["method"] == "GET"
            and any(_equal(_read_token(scope), token) for token in self._tokens)
        )

    def _is_authorised(self, headers: Headers) -> bool:
        """Whether the request carries the cookie."""
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie_name)
        except CookieError:
            return False
        return cookie is not None and _equal(cookie.value, self._secret)

    async def _send_cookie(self, send: Send, scope: Scope) -> None:
        """Exchange the token for a cookie, and go on to the address without it."""
        self._tokens.discard(_read_token(scope))
        cookie = f"{self.cookie}; Path=/; HttpOnly; SameSite=Strict"
        await _send_response(
            send,
            200,
            ENTRANCE,
            [(b"content-type", b"text/html; charset=utf-8"), (b"set-cookie", cookie.encode())],
        )


def _read_token(scope: Scope) -> str:
    return parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]


def _equal(given: str, secret: str) -> bool:
    return secrets.compare_digest(given.encode(), secret.encode())


def _is_foreign(headers: Headers) -> bool:
    """Whether the browser says that another site has asked for this, other than by a link."""
    site = headers.get("sec-fetch-site", "none")
    return site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate"


def _content_length(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0


def _limit_body(receive: Receive, largest: int) -> Receive:
    """Receive up to a limit: not every request states its length."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > largest:
            raise HTTPException(413, "The request is too large.")
        return message

    return receive_limited


def _add_safe_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SAFE_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


_SAFE_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


async def _send_error(send: Send, status: int, message: str) -> None:
    body: dict[str, Any] = {"error": "Forbidden", "message": message, "hint": ""}
    await _send_response(
        send, status, json.dumps(body).encode(), [(b"content-type", b"application/json")]
    )


async def _send_response(
    send: Send, status: int, body: bytes, headers: Iterable[tuple[bytes, bytes]]
) -> None:
    safe = [(name.encode(), value.encode()) for name, value in _SAFE_HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": [*safe, *headers]})
    await send({"type": "http.response.body", "body": body})
