"""TempEval-3: documents of TimeML in archives."""

import tarfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.errors import TenorError
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
