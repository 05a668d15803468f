"""Errors of the HTTP API: the status, and a sentence that says what to do."""

from collections.abc import Mapping, Sequence

from tenor.serve.limits import Limits

# The error types of OpenAI's API, which its clients turn into exceptions of their own.
_TYPES = {401: "authentication_error", 429: "rate_limit_error", 500: "server_error", 503: "server_error"}


_LONGEST = 1_000  # characters of a message: what a client sent is not sent back to it whole


class HTTPError(Exception):
    """A request that is not served, with the status and headers of the response."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message = status, _shortened(message)
        self.headers = dict(headers or {})

    def to_json(self) -> dict[str, object]:
        """Return the body of the response, in the form that OpenAI's clients expect."""
        kind = _TYPES.get(self.status, "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": None, "code": None}}


def _shortened(message: str) -> str:
    """Leave out the middle of a long message: its beginning says what is wrong, its end what to do."""
    if len(message) <= _LONGEST:
        return message
    return f"{message[: _LONGEST // 2]} […] {message[-_LONGEST // 3 :]}"


def queue_full(seconds: float) -> HTTPError:
    """Return the error of a full queue (429), with the time after which to try again."""
    after = max(1, min(60, round(seconds + 0.5)))
    message = f"The server has as much work waiting as it takes; try again in {after} s."
    return HTTPError(429, message, headers={"Retry-After": str(after)})


def timed_out(seconds: float) -> HTTPError:
    """Return the error of work that took too long (503)."""
    message = f"The work was not done within {seconds:g} s and was given up; send less text, or try later."
    return HTTPError(503, message, headers={"Retry-After": "5"})


def shutting_down() -> HTTPError:
    """Return the error of a server that is shutting down (503)."""
    return HTTPError(503, "The server is closing; it takes nothing new.", headers={"Retry-After": "5"})


def client_disconnected() -> HTTPError:
    """Return the error of a client that has disconnected (499); it is only ever seen in /metrics."""
    return HTTPError(499, "The client has disconnected.")


def too_many_tokens(count: int, limits: Limits) -> HTTPError:
    """Return the error of a request with too many tokens (413)."""
    return HTTPError(
        413, f"The texts have {count:,} tokens or more; at most {limits.tokens:,} are taken in one request."
    )


def too_many_items(name: str, count: int, most: int) -> HTTPError:
    """Return the error of a list with too many items (413)."""
    things = "texts" if name == "input" else name
    return HTTPError(413, f"There are {count:,} {things}; at most {most:,} are taken in one request.")


def check_numbers(texts: int, each: int, limits: Limits) -> None:
    """Raise an error (413) where the response would hold too many numbers."""
    if texts * each > limits.numbers:
        most = max(1, limits.numbers // each)
        raise HTTPError(
            413,
            f"{texts:,} texts with {each:,} numbers each are too many for one response; "
            f"send at most {most:,} texts in one request.",
        )


def check_texts(texts: Sequence[str], limits: Limits, *, most: int | None = None, prompt: str = "") -> None:
    """Raise an error (413) for more texts or characters than one request may hold.

    What is counted is what would be encoded: the prompt stands before every text. It is not put there to be
    counted, as that may be thousands of times the size of the request.
    """
    most = limits.texts if most is None else most
    if len(texts) > most:
        raise HTTPError(413, f"There are {len(texts):,} texts; at most {most:,} are taken in one request.")
    characters = sum(map(len, texts)) + len(prompt) * len(texts)
    if characters > limits.characters:
        taken = f"at most {limits.characters:,} are taken in one request."
        with_prompt = " with their prompt" if prompt else ""
        raise HTTPError(413, f"The texts{with_prompt} have {characters:,} characters; {taken}")
