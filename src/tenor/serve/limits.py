"""What one request may ask for, how much may wait, and how long anything may take."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one server; times are in seconds.

    >>> Limits(characters=1_000).body_bytes
    71536
    """

    texts: int = 2_048
    characters: int = 500_000
    tokens: int = 100_000
    dedupe_texts: int = 2_000
    tag_words: int = 20_000
    numbers: int = 4_000_000  # in one response: texts times dimensions, or times labels
    waiting_texts: int = 8_192  # in the encoder's queue, of each route
    waiting_requests: int = 1_024  # in the encoder's queue, of each route
    handlers: int = 4  # requests that are worked on beside that queue: comparisons, searches, …
    lookups: int = 8  # threads for what needs no encoder: words, lexical search
    waiting_work: int = 256  # requests of one route that are worked on or wait for a thread
    connections: int = 4_096
    header_seconds: float = 10.0
    body_seconds: float = 20.0
    work_seconds: float = 120.0
    idle_seconds: float = 15.0  # between two requests of one connection
    closing_seconds: float = 130.0  # for what was accepted before the end

    @property
    def body_bytes(self) -> int:
        """The longest body: JSON may write a character in six bytes, or twelve beyond the basic plane."""
        return 12 * self.characters // 2 + 65_536
