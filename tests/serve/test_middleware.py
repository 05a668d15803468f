"""Who may use the server: hosts, origins, tokens; and what browsers are told in every answer."""

import socket

import pytest

from serve.live import running
from tenor.errors import TenorError
from tenor.serve.middleware import SECURITY_HEADERS, Access
from tenor.serve.pages import page_files
from tenor.serve.server import Settings, access_of, serve

BODY = {"texts": ["the cat"]}


@pytest.fixture(scope="module")
def guarded(tiny_folder):
    access = Access(token="s3cret", origins=("https://good.example",), hosts=("127.0.0.1", "my.name"))
    with running(tiny_folder, access=access) as server:
        yield server


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]:8000", "127.0.0.1:1"])
def test_hosts_of_this_machine_are_taken(live, host):
    assert live.get("/api/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1", "", "[::2]"]
)
def test_other_hosts_are_refused(live, host):
    for path in ("/", "/api/health", "/metrics", "/openapi.json"):
        response = live.get(path, headers={"Host": host})
        assert response.status_code == 421
        assert "--allow-host" in response.json()["error"]["message"]


def test_a_request_without_host_is_refused(live):
    with socket.create_connection(("127.0.0.1", live.port), timeout=60) as wire:
        wire.sendall(b"GET /api/health HTTP/1.0\r\n\r\n")
        assert wire.recv(100).startswith(b"HTTP/1.1 421")


def test_allowed_hosts_and_addresses():
    access = access_of(Settings(host="0.0.0.0", allow_hosts=("box.local",)))
    assert access.any_address
    assert "box.local" in access.hosts
    assert not access_of(Settings()).any_address
    assert not access_of(Settings(host="::1")).any_address


def test_pages_of_other_sites_are_refused(live):
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1"):
        response = live.post("/api/embed", BODY, headers={"Origin": origin})
        assert response.status_code == 403
        assert "access-control-allow-origin" not in response.headers
    assert live.post("/api/embed", BODY, headers={"Origin": live.url}).status_code == 200


def test_preflight_is_refused_by_default_and_answered_for_an_allowed_site(live, guarded):
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    with live.client() as client:
        response = client.options("/api/embed", headers={"Origin": "https://good.example", **asks})
        assert response.status_code == 403
    with guarded.client() as client:
        response = client.options("/api/embed", headers={"Origin": "https://good.example", **asks})
        assert response.status_code == 204
        assert response.headers["access-control-allow-origin"] == "https://good.example"
        assert "authorization" in response.headers["access-control-allow-headers"]
        assert (
            client.options("/api/embed", headers={"Origin": "https://bad.example", **asks}).status_code == 403
        )
        headers = {"Origin": "https://good.example", "Authorization": "Bearer s3cret"}
        response = client.post("/api/embed", json=BODY, headers=headers)
        assert response.headers["access-control-allow-origin"] == "https://good.example"


@pytest.mark.parametrize(
    "given", [None, "Bearer wrong", "Bearer", "Bearer s3cret2", "Basic s3cret", "s3cret"]
)
def test_a_missing_or_wrong_token_is_refused(guarded, given):
    headers = {} if given is None else {"Authorization": given}
    for response in (
        guarded.post("/api/embed", BODY, headers=headers),
        guarded.get("/api/models", headers=headers),
        guarded.get("/v1/models", headers=headers),
        guarded.get("/metrics", headers=headers),
        guarded.get("/api//models", headers=headers),
    ):
        assert response.status_code == 401
        assert response.headers["www-authenticate"] == "Bearer"


def test_the_right_token_is_taken_and_the_page_needs_none(guarded):
    headers = {"Authorization": "Bearer s3cret"}
    assert guarded.post("/api/embed", BODY, headers=headers).status_code == 200
    assert guarded.post("/api/embed", BODY, headers={"authorization": "bearer  s3cret"}).status_code == 200
    assert guarded.get("/api/health").status_code == 200
    assert guarded.get("/").status_code == 200
    assert guarded.get("/openapi.json").json()["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


@pytest.mark.parametrize("path", ["/", "/api/health", "/nothing", "/openapi.json", "/metrics"])
def test_every_answer_carries_the_security_headers(live, path):
    response = live.get(path)
    for name, value in SECURITY_HEADERS.items():
        assert response.headers[name] == value
    policy = response.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert policy.startswith("default-src 'none'")
    assert response.headers["cache-control"] in ("no-store", "no-cache")
    assert "server" not in response.headers


def test_refusals_of_the_guards_carry_them_too(live):
    response = live.get("/", headers={"Host": "evil.example"})
    assert response.headers["x-content-type-options"] == "nosniff"


def test_the_page_is_served_with_types_and_etags(live):
    files = page_files()
    assert "index.html" in files
    for name, file in files.items():
        response = live.get(f"/{name}")
        assert response.status_code == 200
        assert response.content == file.content
        assert response.headers["content-type"] == file.media_type
        again = live.get(f"/{name}", headers={"If-None-Match": response.headers["etag"]})
        assert again.status_code == 304
        assert not again.content
    assert live.get("/").content == files["index.html"].content


@pytest.mark.parametrize(
    "path",
    [
        b"/../shapes.py",
        b"/page/index.html",
        b"/..%2fshapes.py",
        b"/%2e%2e/shapes.py",
        b"/./../../etc/passwd",
        b"//etc/passwd",
        b"/index.html/../shapes.py",
        b"/etc/passwd",
        b"/shapes.py",
    ],
)
def test_no_path_leads_out_of_the_page(live, path):
    with socket.create_connection(("127.0.0.1", live.port), timeout=60) as wire:
        wire.sendall(b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := wire.recv(65_536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"dataclass" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(port=70_000), "--port is 70000"),
        (Settings(token=""), "token is empty"),
        (Settings(token="ä b"), "no header can carry"),
        (Settings(allow_origins=("example.org",)), "--allow-origin"),
        (Settings(allow_origins=("https://example.org/",)), "--allow-origin"),
        (Settings(host="no such host"), "no address of this machine"),
        (Settings(port=0, model="no-such-model"), "no-such-model"),
    ],
    ids=lambda value: "" if isinstance(value, Settings) else value.split()[0],
)
def test_bad_settings_are_told_in_a_sentence(settings, said):
    with pytest.raises(TenorError, match=said):
        serve(settings, ready=lambda url: None, note=lambda text: None)


def test_a_port_in_use_is_told_before_the_model_is_loaded(live):
    with pytest.raises(TenorError, match=rf"Port {live.port} of 127.0.0.1 is in use.*--port"):
        serve(Settings(port=live.port, model="no-such-model"), ready=lambda url: None, note=lambda text: None)
