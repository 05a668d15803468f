"""`tenor index` and `tenor search` as a person calls them, with a tiny real model."""

import csv
import io
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tenor.cli.main import run

pytest.importorskip("lancedb")


def process(*arguments):
    command = [sys.executable, "-m", "tenor.cli.main", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def tenor(capsys, monkeypatch):
    """Run a command in this process, which spares importing everything again."""

    def run_here(*arguments, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = 0
        try:
            run([*map(str, arguments)])
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=printed.out, stderr=printed.err)

    return run_here


@pytest.fixture(scope="module")
def books(tmp_path_factory, tiny_folder):
    place = tmp_path_factory.mktemp("books")
    (place / "books.csv").write_text(
        "isbn,title,year,lang\n"
        "1,The old man and the sea of [red] stories,1952,en\n"
        "2,Der Mann ohne Eigenschaften im Land,1930,de\n"
        "3,A ship in the storm at night,1987,en\n"
        "3,A ship twice in the storm,1988,en\n"
    )
    done = process("index", place / "books.csv", "--out", place / "ix", "--model", tiny_folder,
                 "--column", "title", "--id-column", "isbn")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Added 3 texts; ")
    assert "books.csv:5: the id '3' came before" in done.stderr
    return place


def test_build_says_nothing_but_what_matters(books, tiny_folder):
    lines = books / "lines.txt"
    lines.write_text("one line of text\nand another one\n")
    done = process("index", lines, "--out", books / "quiet", "--model", tiny_folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


def test_search_prints_rank_score_text_and_columns(books):
    done = process("search", books / "ix", "ship in the storm", "--k", "2", "--where", "year > 1940")
    assert (done.returncode, done.stderr) == (0, "")
    first, details, second, _ = done.stdout.splitlines()
    assert first.startswith("  1. ")
    assert first.endswith("A ship in the storm at night")
    assert "id 3 · cosine " in details
    assert details.endswith("year 1987 · lang en")
    assert "[red]" in second


def test_search_as_json(books, tenor):
    done = tenor("search", books / "ix", "Mann", "--mode", "lexical", "--json")
    found = json.loads(done.stdout)
    assert [(hit["id"], hit["columns"]) for hit in found["hits"]] == [("2", {"year": 1930, "lang": "de"})]
    assert found["mode"] == "lexical"
    nothing = tenor("search", books / "ix", "zebra", "--mode", "lexical")
    assert nothing.stdout == "Nothing was found.\n"


def test_add_remove_and_describe(books, tenor, tiny_folder):
    place = books / "changing"
    assert (
        tenor(
            "index", "-", "--out", place, "--model", tiny_folder, stdin="first line\nsecond line\n"
        ).returncode
        == 0
    )
    added = tenor("index", "-", "--out", place, "--add", stdin="third line\n")
    assert added.stdout.startswith("Added 1 text; ")
    removed = tenor("index", "--out", place, "--remove", "1", "--remove", "77")
    assert removed.stdout.startswith("Removed 1 text; ")
    assert tenor("index", "--out", place, "--remove-where", "text like 'second%'").returncode == 0
    described = tenor("index", "--out", place)
    assert "1 text; model" in described.stdout
    assert "vector search exact" in described.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["search", "{ix}", "ship", "--where", "yeer > 3"], "no column 'yeer'. Did you mean 'year'?"),
        (["search", "{ix}", "ship", "--where", "year >"], "The filter has the end at character 7"),
        (["search", "{ix}", "ship", "--mode", "psychic"], "no search mode 'psychic'"),
        (["search", "{ix}", "ship", "--precision", "int8"], "made with precision"),
        (["search", "{ix}", "  "], "The query is empty"),
        (["search", "{place}", "ship"], "is not an index"),
        (["search", "{place}/nowhere", "ship"], "There is no index at"),
        (["index", "{place}/books.csv", "--out", "{ix}"], "is an index already"),
        (["index", "{place}/nothing.csv", "--out", "{place}/new"], "nothing.csv"),
        (["index", "{place}/books.csv", "--out", "{ix}", "--add", "--column", "title"], "leave --column"),
        (["index", "{place}/books.csv", "--out", "{ix}", "--remove", "1"], "not both"),
    ],
)
def test_mistakes_get_one_sentence_and_code_2(books, tenor, arguments, says):
    done = tenor(*(part.format(ix=books / "ix", place=books) for part in arguments))
    assert done.returncode == 2
    assert done.stderr.startswith("tenor: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_another_model_is_refused(books, tenor, make_tiny):
    other = make_tiny("other", seed=7)
    done = tenor("search", books / "ix", "ship", "--model", other)
    assert done.returncode == 2
    assert "their vectors cannot be compared" in done.stderr


def test_the_store_is_imported_by_these_commands_only():
    script = (
        "import sys, tenor.cli.main, tenor.cli.index, tenor.cli.search, tenor.use.search\n"
        "print([name for name in ('lancedb', 'torch', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n", done.stderr


@pytest.fixture(scope="module")
def minilm():
    import tenor as package

    try:
        return package.load("minilm")
    except package.TenorError as error:
        pytest.skip(f"minilm is not at hand: {error}")


def test_the_starter_finds_what_is_meant(tmp_path, minilm):
    from tenor.use.search.index import build_index
    from tenor.use.search.searching import search

    lines = tmp_path / "lines.txt"
    lines.write_text(
        "The cat sleeps on the roof.\nInterest rates rose again.\nBoil the eggs for six minutes.\n"
    )
    build_index(lines, tmp_path / "ix", model=minilm)
    for query, text in [
        ("a kitten is napping", "cat"),
        ("cost of borrowing money", "Interest"),
        ("cooking", "eggs"),
    ]:
        for mode in ("vector", "hybrid"):
            assert text in search(tmp_path / "ix", query, k=1, mode=mode, model=minilm)[0].text


def test_the_number_of_a_text_is_not_taken_for_a_column_called_id(tenor, tmp_path, tiny_folder):
    (tmp_path / "a.csv").write_text("id,text\n70,the cat sat on a mat\n80,a dog ran home\n")
    built = tenor("index", tmp_path / "a.csv", "--out", tmp_path / "my ix", "--model", tiny_folder)
    assert f"Next: tenor search '{tmp_path / 'my ix'}' " in built.stdout  # ready to be pasted
    found = tenor("search", tmp_path / "my ix", "cat", "--mode", "lexical").stdout
    assert "number 1 · bm25" in found
    assert "· id 70" in found


def test_a_file_of_queries_gets_a_row_for_every_hit(tenor, books, tmp_path):
    (tmp_path / "q.csv").write_text("id,Question,score\na,ship in the storm,9\nb,,8\nc,old man,7\n")
    done = tenor("search", books / "ix", "--queries", tmp_path / "q.csv", "--column", "question", "-k", "2",
                 "--out", tmp_path / "hits.csv")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, f"The hits of 2 queries are in {tmp_path / 'hits.csv'}.\n")
    assert "q.csv:3: the text is empty" in done.stderr
    with open(tmp_path / "hits.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["id"], row["rank"], row["score"]) for row in rows] == [
        ("a", "1", "9"), ("a", "2", "9"), ("c", "1", "7"), ("c", "2", "7"),
    ]  # fmt: skip
    single = json.loads(tenor("search", books / "ix", "old man", "-k", "2", "--json").stdout)["hits"]
    assert [(row["hit_id"], row["hit_text"], row["hit_year"]) for row in rows[2:]] == [
        (hit["id"], hit["text"], str(hit["columns"]["year"])) for hit in single
    ]
    assert float(rows[2]["tenor_score"]) == pytest.approx(single[0]["score"], abs=1e-5)


def test_queries_from_standard_input_to_standard_output_as_json(tenor, books):
    done = tenor("search", books / "ix", "--queries", "-", "--json", "--where", "year > 3000",
                 stdin="a ship\nred\n")  # fmt: skip
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"text": "a ship", "line": 1, "hits": []}, {"text": "red", "line": 2, "hits": []},
    ]  # fmt: skip
    table = tenor("search", books / "ix", "--queries", "-", "--out", "-", "-k", "1", stdin="a ship\n").stdout
    assert table.splitlines()[0].startswith("text,line,rank,hit_id,hit_text,score,cosine,bm25")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Give either a query or --queries"),
        (("red", "--queries", "q.csv"), "Give either a query or --queries"),
        (("red", "--out", "x.csv"), "give --queries"),
        (("--queries", "missing.csv"), "missing.csv does not exist"),
    ],
)
def test_queries_that_make_no_sense(tenor, books, arguments, said):
    done = tenor("search", books / "ix", *arguments)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_an_unknown_query_is_warned_of(tenor, books):
    assert "unknown to" in tenor("search", books / "ix", "🍕 🚀 😀").stderr


def test_an_index_of_another_encoding_is_searched_by_its_letters(tenor, tmp_path, tiny_folder):
    (tmp_path / "a.csv").write_bytes("text,place\nthe cat,Łódź\n".encode("cp1250"))
    place = tmp_path / "ix"
    done = tenor("index", tmp_path / "a.csv", "--out", place, "--model", tiny_folder, "--encoding", "cp1250")
    assert done.returncode == 0
    found = json.loads(tenor("search", place, "cat", "--where", "place = 'Łódź'", "--json").stdout)
    assert [hit["columns"]["place"] for hit in found["hits"]] == ["Łódź"]


def test_columns_of_hits_called_as_ours_are_kept(tenor, tmp_path, tiny_folder):
    (tmp_path / "a.csv").write_text("id,text,title\nx,other words,the cat\n")
    tenor("index", tmp_path / "a.csv", "--out", tmp_path / "ix", "--column", "title", "--model", tiny_folder)
    found = tenor("search", tmp_path / "ix", "--queries", "-", "--out", "-", stdin="cat\n").stdout
    (row,) = csv.DictReader(found.splitlines())
    assert (row["hit_number"], row["hit_id"], row["hit_text"]) == ("1", "x", "the cat")
    assert row["tenor_hit_text"] == "other words"
