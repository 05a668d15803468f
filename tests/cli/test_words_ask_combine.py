"""`tenor words ask` and `tenor words combine`, as a person calls them."""

import json
from pathlib import Path

import numpy as np
import pytest

from tenor.cli.main import run
from tenor.words.vectors import WordVectors


def _tenor(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        run(list(arguments))
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.fixture
def metals(tmp_path: Path) -> str:
    """A few words with three features: noble, metal, person."""
    rows = {"noble": [3, 1, 1], "metal": [0, 4, 0], "gold": [3, 4, 0], "king": [3, 0, 4], "lead": [0, 4, 0.5]}
    path = tmp_path / "metals.safetensors"
    WordVectors(list(rows), list(rows.values())).save(path)
    return str(path)


def _sources(folder: Path) -> list[str]:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(200, 8))
    names = [f"w{number}" for number in range(200)]
    paths = []
    for number in range(3):
        rows = hidden @ np.linalg.qr(rng.normal(size=(8, 8)))[0] + 0.1 * rng.normal(size=hidden.shape)
        paths.append(str(folder / f"source{number}.safetensors"))
        WordVectors(names[number:], rows[number:]).save(paths[-1])
    return paths


def test_ask(metals: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _tenor(capsys, "words", "ask", metals, "noble & metal", "-k", "2", "--compare")
    assert code == 0
    assert out.splitlines()[0].split() == [out.split()[0], "gold", "gold"]
    assert "5 words" in err


def test_ask_as_json(metals: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _tenor(capsys, "words", "ask", metals, "king - metal", "--json", "--axis", "row")
    found = json.loads(out)
    assert found["reading"] == "(king - metal)"
    assert found["answers"][0]["word"] == "noble"
    distances = [answer["distance"] for answer in found["answers"]]
    assert distances == sorted(distances)


def test_ask_compares_only_what_can_be(metals: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _tenor(capsys, "words", "ask", metals, "noble | metal", "--compare")
    assert (code, "no union" in err, "gold" in out) == (0, True, True)


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("noble &", "missing at the end"),
        ("nobel & metal", "Did you mean 'noble'"),
        ("gold - gold", "is empty"),
    ],
    ids=["unfinished", "unknown", "empty"],
)
def test_ask_tells_what_is_wrong(
    metals: str, capsys: pytest.CaptureFixture[str], question: str, message: str
) -> None:
    code, out, err = _tenor(capsys, "words", "ask", metals, question)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("count", "method", "width"), [(2, "geo-avg", 8), (3, "geo-conc", 24), (2, "avg", 8)]
)
def test_combine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], count: int, method: str, width: int
) -> None:
    sources, target = _sources(tmp_path)[:count], tmp_path / "made.safetensors"
    code, _, err = _tenor(capsys, "words", "combine", *sources, "--method", method, "--out", str(target))
    assert code == 0
    made = WordVectors.load(target)
    assert (len(made), made.vector_size) == (201 - count, width)
    assert np.isfinite(made.vectors).all()
    assert f"{201 - count} common words" in err
    assert ("C = " in err) == method.startswith("geo")


def test_combine_tells_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources, target = _sources(tmp_path), str(tmp_path / "made.safetensors")
    other = str(tmp_path / "other.safetensors")
    WordVectors(["nothing", "shared"], np.eye(2)).save(other)
    for arguments, message in (
        ([sources[0]], "two sources or more"),
        ([sources[0], other], "No word is in all"),
        ([*sources[:2], "--c", "-3"], "C must be a number above 0"),
        ([sources[0], str(tmp_path / "absent.vec")], "absent.vec"),
    ):
        code, _, err = _tenor(capsys, "words", "combine", *arguments, "--out", target)
        assert code == 2
        assert message in err
        assert not Path(target).exists()


def test_a_complement_changes_the_answers_and_prenorm_is_offered(
    metals: str, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = {}
    for query, *more in (
        ["gold"],
        ["gold & ~metal"],
        ["gold & ~metal", "--complement", "paper"],
        ["gold", "--prenorm"],
    ):
        code, out, _ = _tenor(capsys, "words", "ask", metals, query, "--json", *more)
        assert code == 0
        answers[query, *more] = json.loads(out)["answers"]
    assert answers["gold & ~metal",][0]["word"] in (
        "noble",
        "king",
    )  # metal is excluded as a word of the query
    assert len({json.dumps(one) for one in answers.values()}) == 4


def test_combining_two_languages_gets_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = np.random.default_rng(0).normal(size=(60, 5))
    shared = [f"name{number}" for number in range(20)]
    for language in ("en", "de"):
        words = [f"{language}{number}" for number in range(40)] + shared
        WordVectors(words, rows).save(tmp_path / f"{language}.vec")
    sources = [str(tmp_path / f"{language}.vec") for language in ("en", "de")]
    code, _, err = _tenor(capsys, "words", "combine", *sources, "--out", str(tmp_path / "both.vec"))
    assert (code, "Only 33% of the frequent words" in err, "tenor words align" in " ".join(err.split())) == (
        0,
        True,
        True,
    )
    _, _, err = _tenor(
        capsys, "words", "combine", sources[0], sources[0], "--out", str(tmp_path / "same.vec")
    )
    assert "different languages" not in err
