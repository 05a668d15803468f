"""Bytes to numbered lines of text: encodings, byte order marks, undecodable bytes, NULs, very long lines.

A line ends at a line feed, as in an editor, so that the numbers shown to a person can be gone to; a file
without any line feed but with carriage returns is taken to end its lines with those. The carriage return of
a CR LF end is left on the line, since only the reader of a format knows whether it belongs to a cell.
"""

import codecs
import io
import re
from collections.abc import Iterator

from tenor.errors import TenorError
from tenor.text.examples import Origin
from tenor.text.opening import Opened
from tenor.text.problems import Problems

LONGEST = 1 << 24  # bytes of a line; beyond 16 MiB a file does not consist of lines
UNREADABLE = "\ufffd"
# What a file is read as that is not UTF-8 and says nothing of its encoding. Python calls an encoding that was
# asked for "cp1252", so that this spelling also tells that it is a guess.
GUESSED = "windows-1252"
_NOT_READABLE = re.compile("[\0\ud800-\udfff]")

# UTF-32 before UTF-16, whose little-endian mark begins alike.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NOT_TEXT = (
    (b"PK\x03\x04", "a zip archive; extract it first"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file; save it as .xlsx or CSV first"),
    (b"BZh", "a bzip2 file; decompress it first"),
    (b"\xfd7zXZ\x00", "an xz file; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd file; decompress it first"),
    (b"\x1f\x8b", "gzip inside gzip; decompress it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; extract it first"),
    (b"%PDF-", "a PDF; save its text first"),
    (b"\x89PNG", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"\x93NUMPY", "a NumPy array, not text"),
    (b"SQLite format 3\x00", "an SQLite database; export the table as CSV first"),
)
_CONTROL = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1b")
_HIGH = bytes(range(128, 256))
_UTF8_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{1,2}|[\xf0-\xf4][\x80-\xbf]{1,3}"
)
_MOST_HIGH = 0.3  # of the letters: in Western languages fewer than 0.15 have accents


def choose_encoding(opened: Opened, encoding: str | None = None) -> str:
    """Return the encoding to read with: the one asked for, else by byte order mark, else by content.

    Refuses what is not text at all, since reading it would only give a flood of broken rows.
    """
    if encoding is not None:
        return _known_encoding(encoding)
    head = opened.head
    for mark, name in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return name
    tar = "a tar archive; extract it first" if head[257:262] == b"ustar" else None
    open_document = head[30:80].startswith(b"mimetypeapplication/vnd.oasis.opendocument")
    office = "an OpenDocument file; save it as .xlsx or CSV first" if open_document else None
    for what in (tar, office, *(what for magic, what in _NOT_TEXT if head.startswith(magic))):
        if what is not None:
            raise TenorError(f"{opened.name} is {what}.")
    return _by_content(opened)


def _known_encoding(encoding: str) -> str:
    try:
        "".encode(encoding)  # also refuses codecs such as "hex", which do not give text
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError, ValueError) as error:
        raise TenorError(
            f"There is no text encoding {encoding!r}; try utf-8, utf-16, latin-1 or cp1252."
        ) from error


def _by_content(opened: Opened) -> str:
    sample = opened.head[: 1 << 16]
    nulls = (sample[0::2].count(0), sample[1::2].count(0))
    half = len(sample) / 2
    if len(sample) >= 4 and max(nulls) > 0.4 * half and min(nulls) < 0.1 * half:
        return "utf-16-be" if nulls[0] > nulls[1] else "utf-16-le"
    # A few bad bytes are a flaw of the text; when they are many the file is something else.
    if len(sample) - len(sample.translate(None, _CONTROL)) > max(20, 0.1 * len(sample)):
        raise TenorError(
            f"{opened.name} is not text: it holds many control bytes. Give a text or Parquet file."
        )
    return _utf8_or_guess(opened)


def _utf8_or_guess(opened: Opened) -> str:
    """Tell UTF-8, perhaps with flaws, from an encoding of one byte a character; refuse what is neither.

    Letters of UTF-8 are sequences of bytes that other text hardly has by chance, so whichever is the more
    common decides: such sequences, also where their end was lost, or single bytes beyond ASCII.
    """
    head = opened.head if opened.whole else opened.head[:-3]  # it may end in the middle of a letter
    sequences = len(_UTF8_SEQUENCE.findall(head))
    alone = _UTF8_SEQUENCE.sub(b"", head)
    wrong = len(alone) - len(alone.translate(None, _HIGH))
    if wrong <= sequences:
        return "utf-8"
    high = len(head) - len(head.translate(None, _HIGH))
    letters = high + len(re.findall(rb"[A-Za-z]", head))
    if high > _MOST_HIGH * letters:
        raise TenorError(
            f"{opened.name} is not UTF-8 text, and its encoding cannot be guessed. Save it as UTF-8, or name "
            "its encoding with --encoding: cp1251 (Cyrillic), gb18030 (Chinese), shift_jis (Japanese), …"
        )
    return GUESSED


def read_lines(opened: Opened, *, encoding: str, problems: Problems) -> Iterator[tuple[int, str]]:
    """Yield each line with its number from 1, without its line feed.

    What cannot be decoded, and NUL, becomes U+FFFD and is reported.
    """
    if encoding == GUESSED:
        note_guess(opened.name, problems)
    old_mac = b"\n" not in opened.head and b"\r" in opened.head.rstrip(b"\r\n")
    plain = encoding in ("utf-8", "utf-8-sig") and not old_mac
    decoded = _utf8_lines(opened, problems) if plain else _other_lines(opened, encoding, old_mac, problems)
    for number, text in enumerate(decoded, start=1):
        if "\0" in text:
            problems.add(
                Origin(opened.name, number), f"{_some(text.count(chr(0)), 'NUL character')} in the line"
            )
            text = text.replace("\0", UNREADABLE)
        yield number, text


def _utf8_lines(opened: Opened, problems: Problems) -> Iterator[str]:
    number = 0
    # Whether it is known to be UTF-8, by letters beyond ASCII; None once it is known to be something else.
    any_utf8: bool | None = not opened.head.isascii()
    while raw := opened.stream.readline(LONGEST + 1):
        number += 1
        _refuse_endless(raw, opened.name, number)
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        raw = raw.removesuffix(b"\n")
        try:
            text = raw.decode("utf-8")
            if any_utf8 is False:
                any_utf8 = not raw.isascii()
            yield text
        except UnicodeDecodeError as error:
            if not any_utf8:  # nothing but ASCII came before: the file is in one encoding, not UTF-8
                if any_utf8 is False:
                    note_guess(f"{opened.name} from line {number:,} on", problems)
                any_utf8 = None
                yield raw.decode(GUESSED, errors="replace")
                continue
            text = raw.decode("utf-8", errors="replace")
            problems.add(
                Origin(opened.name, number), f"bytes that are not UTF-8 (0x{raw[error.start]:02x} first)"
            )
            yield text


def _other_lines(opened: Opened, encoding: str, old_mac: bool, problems: Problems) -> Iterator[str]:
    end = "\r" if old_mac else "\n"
    number = 0
    # A literal U+FFFD in such a file is reported too: the text was damaged before it came here.
    with io.TextIOWrapper(opened.stream, encoding=encoding, errors="replace", newline=end) as stream:
        try:
            while text := stream.readline(LONGEST + 1):
                number += 1
                _refuse_endless(text, opened.name, number)
                text = text.removesuffix(end)
                if UNREADABLE in text:
                    problems.add(Origin(opened.name, number), f"bytes that are not {encoding}")
                # Some decoders let halves of surrogate pairs through, which no other tool would accept.
                yield text.encode("utf-8", errors="replace").decode() if _has_surrogates(text) else text
        except UnicodeError as error:
            raise TenorError(f"{opened.name}:{number + 1}: the text cannot be read as {encoding}.") from error


def note_guess(what: str, problems: Problems) -> None:
    """Say that a file was read in an encoding that is only a guess."""
    problems.note(
        f"{what} is not UTF-8; it was read as Windows-1252 (Western European), which is a guess. If letters "
        "look wrong, name its encoding with --encoding (in run files, file_encoding)."
    )


def _has_surrogates(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def readable(text: str) -> str:
    """Replace NUL and halves of surrogate pairs, which JSON can spell and nothing else can take."""
    if text.isprintable():
        return text
    return _NOT_READABLE.sub(UNREADABLE, text)


def _refuse_endless(line: bytes | str, name: str, number: int) -> None:
    if len(line) > LONGEST:
        raise TenorError(
            f"{name}:{number}: the line is longer than {LONGEST >> 20} MiB. "
            "Lines or rows of text were expected; break the text up first."
        )


def _some(count: int, thing: str) -> str:
    return f"one {thing}" if count == 1 else f"{count} {thing}s"
