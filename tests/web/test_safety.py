"""Only the page that the opening link opened is answered."""

import pytest
from starlette.testclient import TestClient

from ontomask.web.app import create_app, guard_app
from ontomask.web.safety import CONTENT_SECURITY_POLICY, LARGEST_REQUEST
from workbench import PORT, talking_to

ADDRESS = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def stranger(empty):
    """A client without the cookie."""
    guard = guard_app(create_app(empty), port=PORT)
    client = TestClient(guard, base_url=ADDRESS, follow_redirects=False)
    client.make_link = guard.make_link
    return client


def let_in(client):
    """The cookie that an opening link gives."""
    answer = client.get(client.make_link())
    assert answer.status_code == 200
    assert 'content="0; url=/"' in answer.text
    return answer.headers["set-cookie"]


def test_the_link_is_exchanged_for_a_cookie_that_scripts_cannot_read(stranger):
    cookie = let_in(stranger)
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert f"ontomask-{PORT}=" in cookie
    assert stranger.get("/api/session").status_code == 200
    assert stranger.get("/", follow_redirects=True).status_code == 200


def test_a_link_works_once(stranger):
    link = stranger.make_link()
    assert link.partition("token=")[2] not in stranger.get(link).headers["set-cookie"]
    stranger.cookies.clear()
    assert stranger.get(link).status_code == 403
    token = link.partition("token=")[2]
    bearer = {"authorization": f"Bearer {token}"}
    assert stranger.get("/api/session", headers=bearer).status_code == 403
    assert stranger.get(stranger.make_link()).status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/data", "/api/session", "/api/openapi.json", "/assets/shell.js", "/?token=wrong"]
)
def test_without_the_token_nobody_is_answered(stranger, path):
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "only be opened with its own link" in answer.json()["message"]


@pytest.mark.parametrize("cookie", ["ontomask-8765=wrong", "ontomask-8765=", 'x="', "\xff=1"])
def test_a_wrong_cookie_opens_nothing(stranger, cookie):
    headers = {"cookie": cookie.encode("latin-1")}
    assert stranger.get("/api/session", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_a_foreign_host_is_refused_even_with_the_token(empty, host):
    client = talking_to(empty)
    assert client.get("/api/session", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}"])
def test_the_names_of_this_machine_are_fine(empty, host):
    assert talking_to(empty).get("/api/session", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:8765"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_origin_is_refused_even_with_the_cookie(stranger, origin, method):
    let_in(stranger)
    answer = stranger.request(
        method, "/api/undo", headers={"origin": origin}, json={"revision": ""}
    )
    assert answer.status_code == 403


def test_our_own_origin_is_fine(stranger):
    let_in(stranger)
    assert stranger.get("/api/session", headers={"origin": ADDRESS}).status_code == 200


def test_what_another_site_embeds_is_refused_without_an_origin_too(stranger):
    let_in(stranger)
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert stranger.get("/api/session", headers=headers).status_code == 403


@pytest.mark.parametrize("path", ["/data", "/api/session", "/assets/shell.js", "/nothing"])
def test_every_answer_carries_the_policy(empty, path):
    headers = talking_to(empty).get(path).headers
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert "unsafe-inline" not in CONTENT_SECURITY_POLICY.replace(
        "style-src-attr 'unsafe-inline'", ""
    )
    assert headers["x-content-type-options"] == "nosniff"


def test_a_refusal_carries_it_as_well(stranger):
    assert (
        stranger.get("/api/session").headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    )


def test_a_request_over_the_limit_is_refused(empty):
    client = talking_to(empty)
    long = {"fields": {"data": "x" * LARGEST_REQUEST}, "revision": ""}
    assert client.put("/api/release", json=long).status_code == 413

    def pieces():  # nobody says how much it will be
        yield b'{"revision": "", "fields": {"data": "'
        for _ in range(LARGEST_REQUEST // 1000 + 1):
            yield b"x" * 1000
        yield b'"}}'

    answer = client.put(
        "/api/release", content=pieces(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 413


def test_an_upload_over_the_limit_is_refused_and_leaves_nothing(empty):
    empty.folder.largest = 1000
    client = talking_to(empty)
    before = sorted(it.name for it in empty.folder.path.iterdir())
    assert client.put("/api/files/a.csv", content=b"x" * 1001).status_code == 413
    assert client.put("/api/files/a.csv", content=iter([b"x" * 600] * 2)).status_code == 413
    assert sorted(it.name for it in empty.folder.path.iterdir()) == before


@pytest.mark.parametrize(
    "name", ["..%2Fa.csv", "%2e%2e%2fa.csv", "%2Fetc%2Fpasswd", "..%5Ca.csv", ".a.csv"]
)
def test_an_upload_stays_in_the_folder(empty, name):
    answer = talking_to(empty).put(f"/api/files/{name}", content=b"a\n1\n")
    assert answer.status_code in (404, 405, 422)
    assert not (empty.folder.path.parent / "a.csv").exists()
    assert not (empty.folder.path / ".a.csv").exists()


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../session.py",
        "/assets/%2e%2e/session.py",
        "/assets/..%2fsession.py",
        "/assets//etc/passwd",
    ],
)
def test_assets_stay_in_their_folder(empty, path):
    assert talking_to(empty).get(path).status_code == 404


@pytest.mark.parametrize("file", ["../x.csv", "/etc/passwd", ".ontomask/history/1.yaml", ""])
def test_a_table_outside_is_not_opened(empty, file):
    answer = talking_to(empty).post("/api/data", json={"file": file})
    assert answer.status_code == 422
    assert answer.json()["error"] == "OutsideError"
