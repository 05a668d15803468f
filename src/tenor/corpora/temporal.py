"""Temporal expressions: TempEval-3 as TimeML in archives, the Estonian TimeML corpus as tables of its own."""

import tarfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, tab_rows
from tenor.entities import Entity
from tenor.errors import TenorError
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.tag_schemes import tags_of
from tenor.text.timeml import TimemlDocument, parse_timeml


def read_documents(folder: Path, file: str, below: str = "") -> Iterator[TimemlDocument]:
    """Yield the documents of an archive, those whose path holds ``below``, in the order of their names."""
    path = folder / file
    try:
        with tarfile.open(path) as archive:
            members = [member for member in archive.getmembers() if member.name.endswith(".tml")]
            for member in sorted(members, key=lambda member: member.name):
                if below not in member.name or Path(member.name).name.startswith("."):
                    continue
                content = archive.extractfile(member)
                assert content is not None
                yield parse_timeml(content.read(), file=f"{path}:{member.name}")
    except (tarfile.TarError, OSError, EOFError) as error:
        raise TenorError(f"{path} is no archive that can be read ({error}); get it again.") from error


def _split(file: str, below: str = "") -> Split:
    return Split(files=(file,), read=partial(read_documents, file=file, below=below))


TEMPEVAL3 = Corpus(
    name="tempeval3",
    about="TempEval-3, English news with temporal expressions, events and their relations, as TimeML",
    licence="TimeBank and AQUAINT come from the LDC; not to be redistributed",
    obtain="Get TBAQ-cleaned.tar.gz and te3-platinum.tar.gz of https://github.com/jspotter/TempEval-3.",
    splits={
        "timebank": _split("TBAQ-cleaned.tar.gz", "TimeBank"),
        "aquaint": _split("TBAQ-cleaned.tar.gz", "AQUAINT"),
        "test": _split("te3-platinum.tar.gz"),
    },
)

_BASE, _TIMEXES = "base-segmentation-morph-syntax.gz", "timex-annotation.gz"
_TOKEN = ("file", "sentence", "word", "token")
_MARK = ("file", "sentence", "word", "expression", "annotation", "number of the expression")
Place = tuple[str, str]
"""A file and a sentence of it, by number."""


def read_estonian(folder: Path) -> Iterator[TaggedSentence]:
    """Yield sentences with their temporal expressions; those that only date a document are passed over.

    Where a word holds two expressions ("1656-1661"), it belongs to the first.
    """
    timexes = _expressions(folder / _TIMEXES)
    for place, (origin, words) in _sentences(folder / _BASE).items():
        taken, entities = 0, []
        for kind, begin, end, dates in sorted(timexes.pop(place, []), key=lambda each: each[1]):
            if end > len(words):
                raise broken_row(origin, f"an expression up to word {end} of {len(words)}", "words of it")
            if dates and end - begin == len(words):
                break
            if end > max(begin, taken):
                entities.append(Entity(kind, max(begin, taken), end))
                taken = end
        else:
            yield TaggedSentence(tuple(words), origin, tuple(tags_of(entities, len(words), "bio")))
    for file, sentence in timexes:
        raise TenorError(f"{folder / _TIMEXES}: there is no sentence {sentence} of {file}; get it again.")


def _sentences(path: Path) -> dict[Place, tuple[Origin, list[str]]]:
    """Return the words of every sentence, in their order."""
    sentences: dict[Place, tuple[Origin, list[str]]] = {}
    for origin, cells in _rows(path, _TOKEN):
        _, words = sentences.setdefault((cells[0], cells[1]), (origin, []))
        if cells[2] != str(len(words)):
            raise broken_row(origin, f"word {cells[2]!r}", f"word {len(words)}")
        words.append(cells[3])
    return sentences


def _expressions(path: Path) -> dict[Place, list[tuple[str, int, int, bool]]]:
    """Return the expressions of every sentence: type, first word, end, whether one dates its document."""
    found: dict[tuple[str, str], tuple[Place, str, list[int], bool]] = {}
    for origin, cells in _rows(path, _MARK):
        attributes = cells[4].split()
        if not cells[2].isdigit() or attributes[:1] != ["TIMEX"]:
            raise broken_row(origin, repr(cells[4][:40]), "the number of a word and a TIMEX")
        key, place = (cells[0], cells[5]), (cells[0], cells[1])
        if key not in found:  # only the first word of an expression has its type
            dates = 'functionInDocument="CREATION_TIME"' in attributes
            found[key] = (place, attributes[1] if len(attributes) > 1 else "", [], dates)
        found[key][2].append(int(cells[2]))
        if found[key][0] != place or found[key][1] not in ("DATE", "TIME", "DURATION", "SET"):
            raise broken_row(origin, repr(cells[4][:40]), "words of one sentence and one of the four types")
    spans: dict[Place, list[tuple[str, int, int, bool]]] = {}
    for place, kind, words, dates in found.values():
        spans.setdefault(place, []).append((kind, min(words), max(words) + 1, dates))
    return spans


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[Origin, list[str]]]:
    for origin, cells in tab_rows(path, columns[:1]):
        if cells[0].startswith("#") or not any(cells):
            continue
        if len(cells) < len(columns):
            raise broken_row(origin, f"{len(cells)} cells", f"{len(columns)} ({', '.join(columns)})")
        yield origin, cells


ESTONIAN_TIMEML = Corpus(
    name="timeml-estonian",
    about="Estonian TimeML corpus, 80 newspaper articles with 628 temporal expressions",
    licence="not stated",
    obtain="Get the folder corpus of https://github.com/soras/EstTimeMLCorpus and pack its files with gzip.",
    splits={"all": Split(files=(_BASE, _TIMEXES), read=read_estonian)},
)
