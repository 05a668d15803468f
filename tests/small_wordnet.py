"""A WordNet of a few words, written in its own format, for tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path

SYNSETS: Mapping[str, Sequence[Sequence[str]]] = {
    "noun": [
        ["goose"],
        ["car", "auto"],
        ["ax", "axe"],
        ["axis"],
        ["boxful"],
        ["woman", "adult_female"],
        ["gas"],
    ],
    "verb": [["buy", "purchase"], ["buy", "believe"], ["hurry", "rush"], ["ax", "axe"]],
    "adj": [["large", "big"], ["good"], ["well"], ["afraid(p)", "scared"]],
    "adv": [["quickly", "fast"]],
}
EXCEPTIONS: Mapping[str, Sequence[str]] = {
    "noun": ["geese goose", "axes ax axis"],
    "verb": ["bought buy"],
    "adj": ["better good well"],
    "adv": [],
}
_LETTERS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_LICENCE = "  1 These words are made up for tests.\n"


def write_wordnet(folder: Path) -> Path:
    """Write the database files and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, synsets in SYNSETS.items():
        letter, data, places = _LETTERS[part], _LICENCE, {}
        for words in synsets:
            offset = len(data.encode())
            told = " ".join(f"{word} 0" for word in words)
            data += f"{offset:08d} 03 {letter} {len(words):02x} {told} 001 @ 00000000 n 0000 | a gloss\n"
            for word in words:
                places.setdefault(word.partition("(")[0], []).append(offset)
        (folder / f"data.{part}").write_text(data)
        index = _LICENCE
        for word, offsets in sorted(places.items()):
            told = " ".join(f"{offset:08d}" for offset in offsets)
            index += f"{word} {letter} {len(offsets)} 1 @ {len(offsets)} 0 {told}  \n"
        (folder / f"index.{part}").write_text(index)
        (folder / f"{part}.exc").write_text("".join(f"{line}\n" for line in EXCEPTIONS[part]))
    return folder
