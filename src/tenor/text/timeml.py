"""TimeML both ways: the text of a document with its temporal expressions and events as character spans.

Offsets count the characters of the document's ``<TEXT>``, as they stand after XML was resolved. Elements
inside of others (a TIMEX3 in a TIMEX3) are kept as spans of their own.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from tenor.errors import TenorError
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems
from tenor.text.text_spans import TextSpan, tagged_of

_LARGEST = 1 << 26  # bytes of a document
_TYPE = {"TIMEX3": "type", "EVENT": "class"}


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """An element: its characters in the text, its name and attributes."""

    begin: int
    end: int
    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """The type of an expression, the class of an event, else the element's name."""
        return self.attributes.get(_TYPE.get(self.name, ""), "") or self.name


@dataclass(frozen=True, slots=True)
class TimemlDocument:
    """A text with what is marked in it; ``created`` is the value of the document creation time."""

    text: str
    spans: tuple[TimeSpan, ...]
    name: str = ""
    created: str = ""


def read_timeml(path: str | Path) -> TimemlDocument:
    """Read a TimeML document.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.tml"
    >>> _ = file.write_text('<TimeML><TEXT>On <TIMEX3 tid="t1" type="DATE">Friday</TIMEX3>.</TEXT></TimeML>')
    >>> document = read_timeml(file)
    >>> document.text, document.spans[0].begin, document.spans[0].type
    ('On Friday.', 3, 'DATE')
    """
    with open_bytes(path) as opened:
        content = opened.stream.read(_LARGEST)
        return parse_timeml(content, file=opened.name)


def parse_timeml(content: bytes, *, file: str) -> TimemlDocument:
    """Read the bytes of a TimeML document."""
    if b"<!ENTITY" in content:
        raise TenorError(f"{file} declares entities of its own, which a TimeML document does not need.")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        line = error.position[0]
        raise TenorError(
            f"{file}:{line}: it is not well-formed XML ({error.msg}); expected TimeML."
        ) from error
    except (LookupError, ValueError) as error:  # an encoding that is unknown, or that the parser lacks
        raise TenorError(f"{file}: its XML cannot be decoded ({error}); save it as UTF-8.") from error
    body = root.find("TEXT")
    if body is None:
        raise TenorError(f"{file} has no element TEXT; expected a TimeML document.")
    parts: list[str] = []
    spans: list[TimeSpan] = []
    try:
        _walk(body, parts, 0, spans)
    except RecursionError as error:
        raise TenorError(f"{file} nests its elements far deeper than TimeML does.") from error
    created = root.find(".//DCT/TIMEX3")
    value = "" if created is None else created.get("value", "")
    name = (root.findtext("DOCID") or "").strip()
    return TimemlDocument("".join(parts), tuple(sorted(spans, key=lambda s: (s.begin, -s.end))), name, value)


def _walk(element: ElementTree.Element, parts: list[str], at: int, spans: list[TimeSpan]) -> int:
    """Collect the text below an element and its spans; return the offset behind it."""
    if element.text:
        parts.append(element.text)
        at += len(element.text)
    for child in element:
        begin = at
        at = _walk(child, parts, at, spans)
        spans.append(TimeSpan(begin, at, child.tag, dict(child.attrib)))
        if child.tail:
            parts.append(child.tail)
            at += len(child.tail)
    return at


def write_timeml(document: TimemlDocument) -> str:
    """Write a document as TimeML; spans may lie inside of others, but not cross them.

    >>> write_timeml(TimemlDocument("On Friday", (TimeSpan(3, 9, "TIMEX3", {"tid": "t1"}),)))
    '<?xml version="1.0" ?>\\n<TimeML>\\n<TEXT>On <TIMEX3 tid="t1">Friday</TIMEX3></TEXT>\\n</TimeML>\\n'
    """
    name = f"<DOCID>{escape(document.name)}</DOCID>\n" if document.name else ""
    created = ""
    if document.created:
        value = quoteattr(document.created)
        created = (
            f'<DCT><TIMEX3 tid="t0" type="DATE" value={value} functionInDocument="CREATION_TIME">'
            f"{escape(document.created)}</TIMEX3></DCT>\n"
        )
    body = _marked(document.text, document.spans)
    return f'<?xml version="1.0" ?>\n<TimeML>\n{name}{created}<TEXT>{body}</TEXT>\n</TimeML>\n'


def _marked(text: str, spans: Sequence[TimeSpan]) -> str:
    parts: list[str] = []
    waiting: list[TimeSpan] = []
    at = 0

    def close(until: int) -> None:
        nonlocal at
        while waiting and waiting[-1].end <= until:
            last = waiting.pop()
            parts.append(f"{escape(text[at : last.end])}</{last.name}>")
            at = last.end

    for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
        close(span.begin)
        if not 0 <= span.begin <= span.end <= len(text) or (waiting and span.end > waiting[-1].end):
            raise TenorError(
                f"The span {span.name} [{span.begin}, {span.end}) crosses another or lies outside a text of "
                f"{len(text)} characters; TimeML can hold neither."
            )
        attributes = "".join(f" {key}={quoteattr(value)}" for key, value in span.attributes.items())
        parts.append(f"{escape(text[at : span.begin])}<{span.name}{attributes}>")
        at = span.begin
        waiting.append(span)
    close(len(text))
    return "".join(parts) + escape(text[at:])


def timeml_sentences(
    document: TimemlDocument, *, file: str, element: str = "TIMEX3", problems: Problems
) -> Iterator[TaggedSentence]:
    """Yield the paragraphs of a document as words with tags; those without any word are passed over."""
    spans = sorted(
        (span for span in document.spans if span.name == element and span.end > span.begin),
        key=lambda span: span.begin,
    )
    begins = [span.begin for span in spans]
    begin = 0
    for number, line in enumerate(document.text.split("\n"), start=1):
        end = begin + len(line)
        own = [
            TextSpan(span.begin - begin, min(span.end, end) - begin, span.type)
            for span in spans[bisect_left(begins, begin) : bisect_left(begins, end)]
        ]
        if (sentence := tagged_of(line, own, Origin(file, number), problems=problems)) is not None:
            yield sentence
        begin = end + 1
