"""Tagged sentences from CoNLL columns and JSON lines: every layout, and damage by file and line."""

import gzip
import json
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.text import Problems
from tenor.text.conll import read_conll
from tenor.text.conll_sniff import looks_like_conll
from tenor.text.example_statistics import ExampleStatistics
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.tagged import read_tagged

CONLL_2003 = "-DOCSTART- -X- O O\n\nEU NNP I-NP B-ORG\nrejects VBZ I-VP O\n\nPeter NNP I-NP B-PER\n"
CONLLU = """# sent_id = 1
# text = Vámonos al mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\t_\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_
2.1\tir\tir\tVERB\t_\t_\t_\t_\t1:x\t_
3\tmar\tmar\tNOUN\t_\t_\t1\tobl\t_\tSpaceAfter=No

# sent_id = 2
1\tSí\tsí\tINTJ\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def make(tmp_path):
    def write(content: str | bytes, name: str = "a.conll") -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def sentences_of(path, read=read_conll, **asked):
    """Words and tags of each sentence with its line, and what was wrong as (line, words)."""
    problems = Problems()
    found = [(s.origin.line, s.words, s.tags) for s in read(path, problems=problems, **asked)]
    return found, [(problem.origin.line, problem.what) for problem in problems.first]


# --- layouts --------------------------------------------------------------------------------------------

ADA = [(1, ("Ada", "slept"), ("B-PER", "O")), (4, ("Rome",), ("B-LOC",))]


@pytest.mark.parametrize(
    "content",
    [
        "Ada B-PER\nslept O\n\nRome B-LOC\n",
        "Ada B-PER\nslept O\n\nRome B-LOC",  # no line end
        "Ada\tB-PER\nslept\tO\n\nRome\tB-LOC\n\n\n",
        "\ufeffAda B-PER\r\nslept O\r\n\r\nRome B-LOC\r\n",
        "Ada   B-PER \nslept \t O\n \t \nRome  B-LOC\n",
        "Ada NNP B-PER\nslept VBD O\n\nRome NNP B-LOC\n",
        "Ada B-PER\rslept O\r\rRome B-LOC\r",
    ],
)
def test_layouts_are_found_by_content(make, content):
    assert sentences_of(make(content)) == (ADA, [])
    assert sentences_of(make(gzip.compress(content.encode()), "a.gz")) == (ADA, [])
    assert sentences_of(make(content), read_tagged) == (ADA, [])


def test_other_encodings(make):
    path = make("Zoë B-PER\nschlief O\n".encode("utf-16"))
    assert sentences_of(path)[0] == [(1, ("Zoë", "schlief"), ("B-PER", "O"))]
    path = make("Zoë B-PER\n".encode("latin-1"))
    assert sentences_of(path, encoding="latin-1")[0] == [(1, ("Zoë",), ("B-PER",))]


def test_documents_are_separated_and_any_column_can_be_asked_for(make):
    path = make(CONLL_2003)
    assert sentences_of(path)[0] == [(3, ("EU", "rejects"), ("B-ORG", "O")), (6, ("Peter",), ("B-PER",))]
    assert sentences_of(path, tag=1)[0][1] == (6, ("Peter",), ("NNP",))
    assert sentences_of(path, tag="-2")[0][1] == (6, ("Peter",), ("I-NP",))
    assert sentences_of(make("O the\nB-X cat\n"), word=1, tag=0)[0] == [(1, ("the", "cat"), ("O", "B-X"))]


def test_words_of_tab_separated_files_may_hold_spaces(make):
    path = make("New York\tB-LOC\nis\u00a0big\tO\n")
    assert sentences_of(path) == ([(1, ("New York", "is\u00a0big"), ("B-LOC", "O"))], [])
    assert sentences_of(make("10\u00a0km O\n"))[0] == [(1, ("10\u00a0km",), ("O",))]
    path = make("New York|B-LOC\nis|O\n")
    assert sentences_of(path, separator="|")[0] == [(1, ("New York", "is"), ("B-LOC", "O"))]


def test_one_column_is_words_without_tags(make):
    assert sentences_of(make("Ada\nslept\n\nRome\n"))[0] == [
        (1, ("Ada", "slept"), None),
        (4, ("Rome",), None),
    ]
    with pytest.raises(TenorError, match=r"no column '1'. The columns are: 0\."):
        sentences_of(make("Ada\nslept\n"), tag=1)


def test_conllu_by_its_names(make):
    path = make(CONLLU)
    found, wrong = sentences_of(path, word="FORM", tag="UPOS")
    assert found == [(4, ("Vamos", "nos", "mar"), ("VERB", "PRON", "NOUN")), (10, ("Sí",), ("INTJ",))]
    assert wrong == []
    assert sentences_of(path, word=1, tag=3)[0] == found
    assert sentences_of(path)[0] == found, "FORM and UPOS are the default"
    with pytest.raises(TenorError, match=r"column 0 numbers the words.*FORM and UPOS"):
        sentences_of(path, word=0)


def test_conllu_plus_names_its_columns(make):
    path = make("# global.columns = ID FORM NE\n# text = a\n1\tAda\tB-PER\n2\tslept\tO\n")
    assert sentences_of(path, word="FORM", tag="NE")[0] == [(3, ("Ada", "slept"), ("B-PER", "O"))]
    with pytest.raises(TenorError, match=r"no column 'FROM'.*Did you mean 'FORM'"):
        sentences_of(path, word="FROM")


@pytest.mark.parametrize("tab", [" ", "\t"])
def test_a_number_sign_is_a_word_where_it_has_a_tag(make, tab):
    lines = ["# a comment of many words", "# id = 3", "#x B", "# SYM", "1 NUM", "#", "", "# SYM", "2 NUM"]
    path = make("\n".join(line if "m" in line or "id" in line else line.replace(" ", tab) for line in lines))
    found, wrong = sentences_of(path)
    assert found == [(8, ("#", "2"), ("SYM", "NUM"))]
    assert wrong == [(6, "the line has 1 column where the others have 2; its sentence is left out")]


def test_words_that_look_like_metadata_or_like_tags_are_words(make):
    assert sentences_of(make("#a = b\tX\nc\tY\n"))[0] == [(1, ("#a = b", "c"), ("X", "Y"))]
    assert sentences_of(make("I PRON\n\nS-Bahn NOUN\n"))[0][1] == (3, ("S-Bahn",), ("NOUN",))


def test_comments_of_ontonotes(make):
    path = make("#begin document (a); part 000\na 0 1 DT\nb 0 2 NN\n\n#end document\n")
    assert sentences_of(path) == ([(2, ("a", "b"), ("DT", "NN"))], [])


# --- damage ---------------------------------------------------------------------------------------------


def test_ragged_sentences_are_left_out_and_counted(make):
    path = make("a X\nb\nc\n\nd X\n\ne X Y\nf X\n\ng X\n")
    found, wrong = sentences_of(path)
    assert [line for line, *_ in found] == [5, 10]
    assert wrong == [
        (2, "the line has 1 column where the others have 2; its sentence is left out"),
        (7, "the line has 3 columns where the others have 2; its sentence is left out"),
    ]
    with pytest.raises(TenorError, match=r"a\.conll:2: .*strict"):
        list(read_conll(path, problems=Problems(strict=True)))


def test_empty_cells_are_reported(make):
    found, wrong = sentences_of(make("a\tX\n\tX\n\nb\t\n\nc\tX\n"))
    assert [words for _, words, _ in found] == [("c",)]
    assert [line for line, _ in wrong] == [2, 4]
    assert "the word (column 0) is empty" in wrong[0][1]
    assert "the tag (column 1) is empty" in wrong[1][1]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "is empty"),
        ("\n\n", "no sentences that could be read"),
        ("-DOCSTART- -X- O O\n\n", "no sentences that could be read"),
        ("# id = 3\n# text = some words\n", "comments alone"),
        (b"%PDF-1.7", "a PDF"),
    ],
)
def test_files_without_sentences_are_refused(make, content, told):
    for read in (read_conll, read_tagged):
        with pytest.raises(TenorError, match=told):
            sentences_of(make(content), read)


def test_bad_requests_are_refused(make):
    path = make("B-X cat\nO the\n")
    with pytest.raises(TenorError, match=r"column 0 holds tags such as .* swapped"):
        sentences_of(path, word=0, tag=1)
    with pytest.raises(TenorError, match="both column 1"):
        sentences_of(path, word=1, tag=-1)
    with pytest.raises(TenorError, match="no column '-3'"):
        sentences_of(path, word=-3)
    with pytest.raises(TenorError, match="one character"):
        sentences_of(path, separator="ab")
    with pytest.raises(TenorError, match="does not exist"):
        sentences_of(path.with_name("none"))


def test_a_file_without_blank_lines_is_refused_before_it_fills_memory(make):
    with pytest.raises(TenorError, match="100,000 lines without a blank line"):
        sentences_of(make("a X\n" * 100_002))


def test_reading_takes_constant_memory(make):
    path = make("Ada B-PER\nslept O\n\n" * 60_000)
    tracemalloc.start()
    count = sum(1 for _ in read_conll(path, problems=Problems()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60_000
    assert peak < 6_000_000


# --- JSON lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["tokens", "words"])
@pytest.mark.parametrize("tags", ["tags", "ner_tags", "labels"])
def test_json_lines_by_their_usual_names(make, words, tags):
    rows = [{"id": 1, words: ["New York", "is"], tags: ["B-LOC", "O"]}, {words: ["Rome"], tags: ["B-LOC"]}]
    path = make("\n".join(map(json.dumps, rows)), "a.txt")
    found, wrong = sentences_of(path, read_tagged)
    assert found == [(1, ("New York", "is"), ("B-LOC", "O")), (2, ("Rome",), ("B-LOC",))]
    assert wrong == []


def test_fields_of_json_lines_can_be_named_or_have_no_tags(make):
    path = make('{"w": ["a"], "upos": ["X"]}\n')
    assert sentences_of(path, read_tagged, word="w", tag="upos")[0] == [(1, ("a",), ("X",))]
    assert sentences_of(path, read_tagged, word="w")[0] == [(1, ("a",), None)]
    with pytest.raises(TenorError, match=r"no field 'tokens' or 'words'.*there are: w, upos"):
        sentences_of(path, read_tagged)


def test_bad_lines_of_json_are_reported(make):
    rows = [
        '{"tokens": ["a", "b"], "tags": ["X"]}',
        '{"tokens": "a b", "tags": ["X"]}',
        '{"tokens": ["a"]}',
        '{"tokens": ["a", 3], "tags": ["X", "Y"]}',
        '{"tokens": [], "tags": []}',
        '{"tokens": [" "], "tags": ["X"]}',
        "{",
        '{"tokens": ["a\\u0000"], "tags": [" X "]}',
    ]
    path, problems = make("\n".join(rows), "a.jsonl"), Problems()
    found = list(read_tagged(path, problems=problems))
    assert found == [TaggedSentence(("a\ufffd",), Origin(str(path), 8), ("X",))]
    assert problems.count == 8
    assert {problem.origin.line: problem.what for problem in problems.first} == {
        7: "not valid JSON (expecting property name enclosed in double quotes, column 2); line left out",
        1: "2 words but 1 tags; line left out",
        2: "the words (tokens) are not a list of texts; line left out",
        3: "the tags (tags) are not a list of texts; line left out",
        4: "the words (tokens) are not a list of texts; line left out",
    }


def test_tags_of_json_that_are_numbers_are_refused_with_advice(make):
    path = make('{"tokens": ["a", "b"], "ner_tags": [3, 0]}\n')
    with pytest.raises(TenorError, match=r"a\.conll:1: the tags \(ner_tags\) are numbers \(3, 0\).*names"):
        sentences_of(path, read_tagged)


def test_a_brace_may_be_the_first_word_of_conll(make):
    assert sentences_of(make("{ PUNCT\na DET\n"), read_tagged)[0] == [(1, ("{", "a"), ("PUNCT", "DET"))]


# --- guessing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        CONLL_2003,
        CONLLU,
        "Ada B-PER\nslept O\n",
        "a\tDET\ncat\tNOUN\n\nit\tPRON\nsat\tVERB\n",
        "B-X\tcat\nO\tthe\n\nO\tsat\n",
        "# a comment of some words\nAda B-PER\nslept O\n\nRome B-LOC\n",
        "good pos\nfilm none\nis none\nthis none\n\nbad neg\nfilm none\nit none\nis none\n" * 3,
    ],
)
def test_conll_is_recognised(make, content):
    assert looks_like_conll(make(content))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\n",
        "one\ntwo\n\nthree\n",
        "A plain text.\nIt has several lines.\n\nAnd a second paragraph.\n",
        "two words\neach line\n\nas in\nsome poems\n",
        "text\tlabel\nA fine film of old.\tgood\nA dull film, really.\tbad\n" * 5,
        "A fine film of old.\tgood\n\nA dull film of old, really.\tbad\n\n" * 9,
        "cat,4\ndog,5\n\n",
        "cat 4.5\ndog 3.5\n\ncow 4\nhen 4.5\n" * 9,
        '{"tokens": ["a"], "tags": ["B-X"]}\n',
        "B-X O\nO O\nO B-X\n",
        b"\x89PNG\x00",
        b"\x00\x01\x02" * 100,
    ],
)
def test_other_files_are_not_taken_for_conll(make, content):
    assert not looks_like_conll(make(content))
    assert not looks_like_conll("-")


# --- counting -------------------------------------------------------------------------------------------


def test_statistics_count_tags_words_and_duplicates(make):
    statistics = ExampleStatistics()
    for sentence in read_conll(
        make("Ada B-PER\nslept O\n\nada B-PER\nslept O\n\nb O\n"), problems=Problems()
    ):
        statistics.add(sentence)
    assert (statistics.count, statistics.repeated()) == (3, 1)
    assert statistics.labels == {"B-PER": 2, "O": 3}
    assert statistics.words().max == 2
    assert statistics.scores() is None


# --- laws -----------------------------------------------------------------------------------------------

relaxed = settings(max_examples=80, deadline=None)
# Neither control characters, which a file of text may hold few of, nor the byte order mark.
letters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff")
words = st.text(letters, min_size=1, max_size=8).filter(lambda w: w.strip() == w and "-DOCSTART-" not in w)
plain_words = words.filter(lambda w: " " not in w)
tags = st.sampled_from(["O", "B-PER", "I-PER", "NOUN"])


@pytest.fixture(scope="module")
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def lists_of(word):
    return st.lists(st.lists(st.tuples(word, tags), min_size=1, max_size=6), min_size=1, max_size=6)


def check_round_trip(path, sentences, between, end):
    blocks = [[between.join(pair) for pair in sentence] for sentence in sentences]
    path.write_bytes((end + end).join(end.join(block) for block in blocks).encode())
    problems = Problems()
    found = [list(zip(s.words, s.tags, strict=True)) for s in read_conll(path, problems=problems)]
    assert (found, problems.count) == (sentences, 0)


@relaxed
@given(sentences=lists_of(words), end=st.sampled_from(["\n", "\r\n"]))
def test_tab_separated_words_come_back(folder, sentences, end):
    check_round_trip(folder / "t.conll", sentences, "\t", end)


@relaxed
@given(sentences=lists_of(plain_words), end=st.sampled_from(["\n", "\r\n"]))
def test_words_separated_by_spaces_come_back(folder, sentences, end):
    check_round_trip(folder / "s.conll", sentences, " ", end)


@relaxed
@given(sentences=lists_of(words))
def test_json_comes_back(folder, sentences):
    rows = [{"tokens": [w for w, _ in pairs], "tags": [t for _, t in pairs]} for pairs in sentences]
    (folder / "t.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    problems = Problems()
    found = read_tagged(folder / "t.jsonl.gz", problems=problems)
    assert [list(zip(s.words, s.tags, strict=True)) for s in found] == sentences
    assert problems.count == 0


PIECES = [
    b"\n", b"\t", b" ", b"\r", b"#", b"# a", b"# global.columns = ID FORM", b"-DOCSTART-", b"B-X", b"O", b"1",
    b"1-2", b"{", b'{"tokens": ["a"]}', b'{"tokens": [1], "tags": {}}', b"\0", b"\xff", b"word",
]  # fmt: skip
hostile = st.one_of(
    st.binary(max_size=300),
    st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join),
    st.binary(max_size=60).map(lambda rest: b"\x1f\x8b\x08\x00" + rest),
    st.binary(max_size=60).map(lambda rest: b"\xff\xfe" + rest),
)


@settings(max_examples=300, deadline=None)
@given(
    content=hostile,
    name=st.sampled_from(["t.conll", "t.jsonl", "t"]),
    word=st.sampled_from([0, 1, -1, "FORM"]),
)
def test_no_bytes_break_the_readers(folder, content, name, word):
    path = folder / name
    path.write_bytes(content)
    for read in (read_conll, read_tagged):
        problems = Problems()
        try:
            for sentence in read(path, word=word, problems=problems):
                assert sentence.origin.line >= 1
                assert all(sentence.words)
                assert sentence.tags is None or len(sentence.tags) == len(sentence.words)
        except TenorError:
            pass  # one clear sentence is the right answer; any other exception fails the test
        assert len(problems.first) == min(5, problems.count)
    try:
        looks_like_conll(path)
    except TenorError as error:
        if "gzip" not in str(error):
            raise


@pytest.mark.parametrize(
    "content",
    [
        "B-PER Ada\nO slept\n\nB-LOC Rome\nO burned\n",
        "1 Ada B-PER NNP\n2 slept O VBD\n\n1 Rome B-LOC NNP\n2 burned O VBD\n",
        "0 B-PER Ada\n1 O slept\n\n0 B-LOC Rome\n1 O burned\n",
        "Ada\tB-PER\nslept O\n\nRome\tB-LOC\nburned  O\n",
        "Ada B-PER\nslept\tO\n\nRome B-LOC\nburned O\n",
    ],
)
def test_columns_in_any_order_and_mixed_blanks(make, content):
    found, wrong = sentences_of(make(content))
    assert [each[1:] for each in found] == [
        (("Ada", "slept"), ("B-PER", "O")),
        (("Rome", "burned"), ("B-LOC", "O")),
    ]
    assert wrong == []


def test_sentences_may_have_other_columns_behind_those_that_are_named(make):
    path = make("Ada B-PER x\nslept O x\n\nRome B-LOC\nburned O\n\nBo B-PER x\nran O\n")
    found, wrong = sentences_of(path, word=0, tag=1)
    assert [words for _, words, _ in found] == [("Ada", "slept"), ("Rome", "burned")]
    assert len(wrong) == 1, "a line that differs from those of its own sentence is still an error"
    assert len(sentences_of(path, word=0, tag=-2)[0]) == 1, (
        "counted from the end, columns are not the same ones"
    )


def test_words_that_are_hashes_are_no_comments(make):
    assert sentences_of(make("# O\n# B-X\n"))[0][0][1] == ("#", "#")
