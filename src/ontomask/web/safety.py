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

__all__ = ["LARGEST_REQUEST", "CONTENT_SECURITY_POLICY", "Guard"]

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

#: Bytes in a request that is no upload.
LARGEST_REQUEST = 4_000_000

#: Requests to these are uploads.
UPLOAD_PATH = "/api/files/"

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
        self._cookie_name = f"ontomask-{port}"
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}
        self._origins = {f"http://{host}" for host in self._hosts}

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
        if self._is_opening_link(scope):
            await self._send_cookie(send)
            return
        largest = self.largest if scope["path"].startswith(UPLOAD_PATH) else LARGEST_REQUEST
        if _content_length(headers) > largest:
            await _send_error(send, 413, "more is sent than is taken")
            return
        await self.app(scope, _limit_body(receive, largest), _add_safe_headers(send))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "The workbench answers to the names of this machine alone."
        if headers.get("origin", "null" if _is_foreign(headers) else None) not in (
            *self._origins,
            None,
        ):
            return 403, "Another page has sent this."
        if self._is_opening_link(scope) or self._is_authorised(headers):
            return None
        return 403, FORBIDDEN

    def _is_opening_link(self, scope: Scope) -> bool:
        """Whether this is the opening link."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return secrets.compare_digest(token.encode(), self._token.encode())

    def _is_authorised(self, headers: Headers) -> bool:
        """Whether the one who asks has the cookie, or, being no browser, the token."""
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if token and secrets.compare_digest(token.encode(), self._token.encode()):
            return True
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie_name)
        except CookieError:
            return False
        return cookie is not None and secrets.compare_digest(
            cookie.value.encode(), self._secret.encode()
        )

    async def _send_cookie(self, send: Send) -> None:
        """Exchange the token for a cookie, and redirect to the address without it."""
        cookie = f"{self._cookie_name}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
        await _send_response(
            send, 303, b"", [(b"location", b"/"), (b"set-cookie", cookie.encode())]
        )


def _is_foreign(headers: Headers) -> bool:
    """Whether the browser says that another site has asked for this, other than by a link."""
    site = headers.get("sec-fetch-site", "none")
    return site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate"


def _content_length(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0


def _limit_body(receive: Receive, largest: int) -> Receive:
    """Receive up to a limit: not every request says how long it is."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > largest:
            raise HTTPException(413, "more is sent than is taken")
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
