"""A real server in a thread of the test, and what the tests look up in its OpenAPI document."""

import contextlib
import threading
from dataclasses import dataclass

import httpx
import jsonschema_rs

import tenor
from tenor.serve.app import make_app
from tenor.serve.limits import Limits
from tenor.serve.middleware import Access
from tenor.serve.server import address, listen, make_server
from tenor.serve.service import Content, Service

_PATIENCE = 60  # seconds; only ever used up when something is broken
# There is no TLS here, and reading all certificates for every request would take most of the tests' time.
_PLAIN = {"timeout": _PATIENCE, "verify": False}


@dataclass
class Live:
    service: Service
    url: str
    port: int
    server: object
    thread: threading.Thread  # that of the event loop

    def client(self, **settings):
        return httpx.Client(base_url=self.url, **_PLAIN, **settings)

    def post(self, path, body, **settings):
        return httpx.post(self.url + path, json=body, **_PLAIN, **settings)

    def get(self, path, **settings):
        return httpx.get(self.url + path, **_PLAIN, **settings)


@contextlib.contextmanager
def running(folder, *, limits=None, access=None, change=None, **content):
    """Serve a model folder; ``change`` may alter the service before it starts."""
    limits = limits or Limits()
    service = Service(Content(tenor.load(folder, precision="fp32"), **content), limits)
    if change is not None:
        change(service)
    listener = listen("127.0.0.1", 0)
    up = threading.Event()
    server = make_server(make_app(service, access or Access()), limits, up.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    assert up.wait(_PATIENCE)
    try:
        yield Live(service, address(listener), listener.getsockname()[1], server, thread)
    finally:
        server.should_exit = True
        thread.join(_PATIENCE)
        assert not thread.is_alive()


def checked(live, path, response, method="post"):
    """Return the JSON of a response after holding it against the server's own document."""
    document = live.get("/openapi.json").json()
    described = document["paths"][path][method]["responses"]
    assert str(response.status_code) in described, f"{path} does not speak of {response.status_code}"
    schema = described[str(response.status_code)]["content"]["application/json"]["schema"]
    whole = {**schema, "components": document["components"]}
    jsonschema_rs.Draft202012Validator(whole).validate(response.json())
    return response.json()
