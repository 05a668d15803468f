"""TimeML, CCGbank and character spans: what is read, what is written again, and what is reported."""

import gzip
import json
import random
import time

import pytest

from tenor.errors import TenorError
from tenor.tasks.table import KINDS
from tenor.text.ccg import read_ccg
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.text.tagged import looks_like_words, looks_tagged, read_tagged
from tenor.text.text_spans import TextSpan, split_at_spans, tagged_of
from tenor.text.timeml import TimemlDocument, TimeSpan, read_timeml, timeml_sentences, write_timeml

TIMEML = """<?xml version="1.0" ?>
<TimeML>
<DOCID>AP_1</DOCID>
<DCT><TIMEX3 tid="t0" type="DATE" value="2013-03-22">March 22, 2013</TIMEX3></DCT>
<TEXT>
Flu &amp; pox <EVENT class="STATE" eid="e1">began</EVENT> <TIMEX3 tid="t1" type="DATE">a year ago</TIMEX3>.

It was pre-<TIMEX3 tid="t2" type="DATE">2009</TIMEX3>-<TIMEX3 tid="t3" type="DATE">2010</TIMEX3>.
</TEXT>
</TimeML>
"""
AUTO = r"""ID=wsj_0001.1 PARSER=GOLD NUMPARSE=1
(<T S[dcl] 0 2> (<T NP 0 1> (<L N NNP NNP Ada N>) ) (<L S[dcl]\NP VBD VBD slept S[dcl]\NP>) )
ID=wsj_0001.2 PARSER=GOLD NUMPARSE=1
(<L N -LRB- -LRB- -LRB- N>)
"""


def read(path, **settings):
    problems = Problems()
    return [(s.words, s.tags) for s in read_tagged(path, problems=problems, **settings)], problems


def test_timeml_has_offsets_and_goes_both_ways(tmp_path):
    file = tmp_path / "a.tml"
    file.write_text(TIMEML, encoding="utf-8")
    document = read_timeml(file)
    assert (document.name, document.created) == ("AP_1", "2013-03-22")
    assert [document.text[s.begin : s.end] for s in document.spans] == ["began", "a year ago", "2009", "2010"]
    again = tmp_path / "b.tml"
    again.write_text(write_timeml(document), encoding="utf-8")
    assert read_timeml(again) == document


def test_timeml_nested_elements_and_odd_characters_go_both_ways(tmp_path):
    inner, outer = TimeSpan(4, 8, "TIMEX3", {"tid": 'a"<b'}), TimeSpan(0, 8, "TIMEX3", {"tid": "t1"})
    document = TimemlDocument("<a> 2009 & 漢 ", (outer, inner))
    file = tmp_path / "a.tml"
    file.write_text(write_timeml(document), encoding="utf-8")
    assert read_timeml(file) == document
    for wrong in (TimeSpan(6, 99, "TIMEX3"), TimeSpan(6, 10, "TIMEX3")):
        with pytest.raises(TenorError, match="crosses another or lies outside"):
            write_timeml(TimemlDocument(document.text, (outer, wrong)))


def test_timeml_is_recognised_and_read_as_words_with_tags(tmp_path):
    file = tmp_path / "a.xml"
    file.write_text(TIMEML, encoding="utf-8")
    assert KINDS["tag"].guess(file, None).train == file
    found, problems = read(file)
    assert found[0] == (
        ("Flu", "&", "pox", "began", "a", "year", "ago", "."),
        ("O", "O", "O", "O", "B-DATE", "I-DATE", "I-DATE", "O"),
    )
    assert found[1][0][-4:] == ("2009", "-", "2010", ".")
    assert found[1][1][-4:] == ("B-DATE", "O", "B-DATE", "O"), "spans cut words where they begin and end"
    assert problems.count == 0
    assert read(file, tag="EVENT")[0][0][1][3] == "B-STATE"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<TimeML><TEXT>a", r"a\.tml:1: it is not well-formed XML"),
        ("<TimeML><TXT>a</TXT></TimeML>", "no element TEXT"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><TimeML><TEXT>&a;</TEXT></TimeML>', "declares entities"),
    ],
)
def test_broken_timeml_is_refused(tmp_path, content, message):
    file = tmp_path / "a.tml"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(TenorError, match=message):
        read(file)


def test_ccg_derivations_and_pipes(tmp_path):
    auto, pipes = tmp_path / "a.auto.gz", tmp_path / "b.stagged"
    auto.write_bytes(gzip.compress(AUTO.encode()))
    pipes.write_text("Ada|NNP|N slept|VBD|S[dcl]\\NP\na|b|c|NN|N\n", encoding="utf-8")
    assert looks_tagged(auto)
    assert looks_tagged(pipes)
    assert read(auto)[0] == [(("Ada", "slept"), ("N", "S[dcl]\\NP")), (("(",), ("N",))]
    assert read(pipes)[0] == [(("Ada", "slept"), ("N", "S[dcl]\\NP")), (("a|b|c",), ("N",))]


def test_broken_ccg_lines_are_reported_with_their_places(tmp_path):
    file = tmp_path / "a.auto"
    file.write_text(AUTO + "ID=3\n(<T S 0 2> (<L N NN NN cat N>)\n", encoding="utf-8")
    problems = Problems()
    assert len(list(read_ccg(file, problems=problems))) == 2
    assert "a.auto:6: it is neither" in problems.summary()
    file.write_text("just words\n", encoding="utf-8")
    with pytest.raises(TenorError, match="no sentences of CCGbank"):
        list(read_ccg(file, problems=Problems()))


def test_texts_that_are_no_ccg_are_not_taken_for_it(tmp_path):
    for content in (
        "1|good|a/b\n2|bad|c\n",
        "a|b\nc|d\n",
        "some words | and | pipes\n",
        "",
        "ID=5\nplain text\n",
    ):
        file = tmp_path / "x.txt"
        file.write_text(content, encoding="utf-8")
        assert not looks_tagged(file)


@pytest.mark.parametrize(
    "spans",
    [
        [{"begin": 4, "end": 7, "type": "PER"}],
        [{"start": 4, "end": 7, "label": "PER"}],
        [{"start_offset": 4, "end_offset": 7, "label": "PER", "id": 3}],
        [[4, 7, "PER"]],
    ],
)
def test_json_lines_with_character_spans(tmp_path, spans):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"id": 1, "text": "See Ada.", "entities": spans}) + "\n", encoding="utf-8")
    found, problems = read(file)
    assert found == [(("See", "Ada", "."), ("O", "B-PER", "O"))]
    assert problems.count == 0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": "See Ada.", "spans": [[4, 70, "PER"]]}, "does not lie in a text of 8 characters"),
        ({"text": "See Ada.", "spans": [[4, 7, "PER"], [5, 8, "LOC"]]}, "overlaps PER"),
        ({"text": "See Ada.", "spans": [[3, 4, "PER"]]}, "holds no word"),
        ({"text": "See Ada.", "spans": [["a", 7, "PER"]]}, "are not spans such as"),
        ({"text": "See Ada.", "spans": [{"begin": 4}]}, "are not spans such as"),
        ({"text": " ", "spans": []}, "no words"),
    ],
)
def test_spans_that_cannot_be_used_are_reported(tmp_path, row, message):
    file = tmp_path / "a.jsonl"
    good = json.dumps({"text": "Ada", "spans": [[0, 3, "PER"]]})
    file.write_text(f"{good}\n{json.dumps(row)}\n", encoding="utf-8")
    found, problems = read(file)
    assert found[0] == (("Ada",), ("B-PER",))
    assert "a.jsonl:2" in problems.summary()
    assert message in problems.summary()


@pytest.mark.parametrize(
    ("row", "tagged"),
    [
        ({"text": "See Ada.", "spans": [[4, 7, "PER"]]}, True),
        ({"tokens": ["Ada", "ran"], "ner_tags": ["B-PER", "O"]}, True),
        ({"text": "a film", "labels": ["sport", "news"]}, False),
        ({"text": "a film", "label": "good"}, False),
        ({"tokens": ["Ada", "ran"], "labels": ["sport"]}, False),
    ],
)
def test_json_lines_are_taken_for_tags_only_where_they_hold_them(tmp_path, row, tagged):
    file = tmp_path / "a.jsonl"
    file.write_text(f"{json.dumps(row)}\n" * 3, encoding="utf-8")
    assert looks_tagged(file) == tagged
    assert not looks_like_words(file), "of a text with spans, `tenor tag` reads the text"


@pytest.mark.parametrize("between", ["\n", " "], ids=["a line each", "one line"])
def test_a_document_of_very_many_spans_takes_time_by_its_length(tmp_path, between):
    """Every span was looked at for every line, and every edge of spans for every word."""
    count = 20_000
    marked = between.join(
        f'on <TIMEX3 tid="t{number}" type="DATE">day{number}</TIMEX3>' for number in range(count)
    )
    (tmp_path / "a.tml").write_text(f"<TimeML><TEXT>{marked}</TEXT></TimeML>", encoding="utf-8")
    began = time.process_time()
    document = read_timeml(tmp_path / "a.tml")
    sentences = list(timeml_sentences(document, file="a.tml", problems=Problems(strict=True)))
    assert time.process_time() - began < 8
    assert sum(sentence.tags.count("B-DATE") for sentence in sentences) == count
    words = [word for sentence in sentences for word in sentence.words]
    assert words == [word for number in range(count) for word in ("on", f"day{number}")]


def test_words_inside_of_spans_as_a_plain_search_finds_them():
    draw = random.Random(0)
    for _ in range(300):
        text = "".join(draw.choice("ab ,.-") for _ in range(draw.randint(0, 40)))
        ends = sorted(draw.sample(range(len(text) + 1), min(len(text) + 1, 6)))
        spans = [TextSpan(begin, end, "X") for begin, end in zip(ends[::2], ends[1::2], strict=False)]
        words = split_at_spans(text, spans)
        edges = {edge for span in spans for edge in (span.begin, span.end)}
        assert not any(begin < edge < end for begin, end in words.spans.tolist() for edge in edges)
        tagged = tagged_of(text, spans, Origin("a", 1), problems=Problems())
        if tagged is not None:
            inside = [any(s.begin <= b and e <= s.end for s in spans) for b, e in words.spans.tolist()]
            assert [tag != "O" for tag in tagged.tags] == inside
