"""Word vectors that are in use, so that a tokenizer, an engine and an encoder share one reading of a file."""

from pathlib import Path
from weakref import WeakValueDictionary

from tenor.words import WordVectors

_OPENED: "WeakValueDictionary[tuple[str, int, int], WordVectors]" = WeakValueDictionary()


def opened(source: Path) -> WordVectors:
    """Read word vectors, unless somebody holds those of the same, unchanged file."""
    try:
        status = source.stat()
        key = (str(source.resolve()), status.st_mtime_ns, status.st_size)
    except OSError:  # the name of an asset, or nothing at all
        key = (str(source), 0, 0)
    vectors = _OPENED.get(key)
    if vectors is None:
        vectors = _OPENED[key] = WordVectors.load(source)
    return vectors
