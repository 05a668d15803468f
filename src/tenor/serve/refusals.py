"""Requests that are answered with an error: the status, and a sentence that says what to do."""

from collections.abc import Mapping

from tenor.serve.limits import Limits

# The error types of OpenAI's API, which its clients turn into exceptions of their own.
_TYPES = {401: "authentication_error", 429: "rate_limit_error", 500: "server_error", 503: "server_error"}


class Refusal(Exception):
    """A request that cannot be served, with the status and headers of the answer."""

    def __init__(self, status: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message = status, message
        self.headers = dict(headers or {})

    def to_json(self) -> dict[str, object]:
        """Return the body of the answer, in the form that OpenAI's clients expect."""
        kind = _TYPES.get(self.status, "invalid_request_error")
        return {"error": {"message": self.message, "type": kind, "param": None, "code": None}}


def queue_full(seconds: float) -> Refusal:
    """Say that too much is waiting already, and when it is worth coming again."""
    after = max(1, min(60, round(seconds + 0.5)))
    message = f"The server has as much work waiting as it takes; try again in {after} s."
    return Refusal(429, message, headers={"Retry-After": str(after)})


def too_slow(seconds: float) -> Refusal:
    """Say that the work was given up."""
    message = f"The work was not done within {seconds:g} s and was given up; send less text, or try later."
    return Refusal(503, message, headers={"Retry-After": "5"})


def closing() -> Refusal:
    """Say that the server ends."""
    return Refusal(503, "The server is closing; it takes nothing new.", headers={"Retry-After": "5"})


def gone() -> Refusal:
    """Note that nobody waits for the answer any more; it is only ever seen in /metrics."""
    return Refusal(499, "The client has gone.")


def too_many_tokens(count: int, limits: Limits) -> Refusal:
    """Say how many tokens a request may have."""
    return Refusal(
        413, f"The texts have {count:,} tokens or more; at most {limits.tokens:,} are taken in one request."
    )


def check_texts(texts: list[str], limits: Limits, *, most: int | None = None) -> None:
    """Refuse more texts or characters than one request may hold."""
    most = limits.texts if most is None else most
    if len(texts) > most:
        raise Refusal(413, f"There are {len(texts):,} texts; at most {most:,} are taken in one request.")
    characters = sum(map(len, texts))
    if characters > limits.characters:
        taken = f"at most {limits.characters:,} are taken in one request."
        raise Refusal(413, f"The texts have {characters:,} characters; {taken}")
