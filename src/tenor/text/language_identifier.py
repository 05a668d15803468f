"""The language of a text by a trained classifier (py3langid, the extra ``languages``), where it is installed.

Its model is 4 MB of byte n-grams for 97 languages, read without pickle; loading it takes about a second.
"""

from functools import lru_cache
from typing import Any

ENGLISH = "en"


def identify_language(text: str) -> tuple[str, float] | None:
    """Return the most probable language as its ISO 639-1 code with its probability; None if not installed."""
    identifier = _identifier()
    if identifier is None:
        return None
    language, probability = identifier.classify(text)
    return str(language), float(probability)


@lru_cache(maxsize=1)
def _identifier() -> Any:
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        return None
    try:
        return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except OSError:  # it unpacks its model into a temporary file: without room for it our rules do
        return None
