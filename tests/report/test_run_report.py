"""The report of a run: what it shows, that no text of the user acts in it, that it stays small and whole."""

import json
import re
from html.parser import HTMLParser

import pytest

from run_folders import write_run
from tenor.errors import TenorError
from tenor.report.plots import line_plot
from tenor.report.predicted import TaskPredictions, read_predictions
from tenor.report.run_log import read_log
from tenor.report.run_report import _without_folders, write_report

_VOID = {"meta", "br", "img", "hr", "line", "rect", "circle", "path", "polyline", "text"}


class _Page(HTMLParser):
    """Collects what a browser would find: elements, attributes, and whether all are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.attributes, self.texts = [], set(), [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def _written(folder, **settings):
    text = write_report(write_run(folder, **settings)).read_text(encoding="utf-8")
    page = _Page(text)
    assert page.open == []
    return text, page


def test_the_report_shows_curves_matrices_scatter_examples_and_settings(tmp_path):
    text, page = _written(tmp_path / "run")
    shown = " ".join(page.texts)
    assert text.count("<svg") == 1 + 2 + 2 + 1 + 1  # our mark, losses, scores, matrix, scatter
    assert "fitted: y = 0." in shown
    assert "Wrong, the most confident first" in shown
    assert "Furthest from gold" in shown
    for expected in (
        "mood-train.tsv",
        "A fast one",
        "0.660 to 0.760",
        "1,234 tokens/s",
        "encoder_lr = 1e-05",
    ):
        assert expected in shown
    assert "of training; the model is that of step 96" in shown


def test_the_report_asks_nothing_of_the_network_and_runs_nothing(tmp_path):
    text, page = _written(tmp_path / "run")
    assert not page.elements & {"script", "link", "iframe", "img", "object", "embed", "form", "base", "audio"}
    assert not {name for name, _ in page.attributes} & {"src", "href", "srcset", "action", "data"}
    assert "url(" not in text
    assert "@import" not in text
    addresses = set(re.findall(r"https?://[^\"'<\s]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a name, never asked for
    assert "default-src 'none'" in text


_HOSTILE = [
    "<script>alert(1)</script> {}",
    "<img src=x onerror=alert(1)> {}",
    '"><svg onload=alert(1)> {}',
    "</q></div></body><h1>{}",
    "<!-- {} -->",
    "&lt;b&gt; {} &amp;amp;",
    "\u202egnirts desrever {} \x00\x07\x1b[31m",
    "{} ]]> </style><style>*{{display:none}}</style>",
]


@pytest.mark.parametrize("hostile", _HOSTILE, ids=range(len(_HOSTILE)))
def test_texts_of_the_user_stay_texts(tmp_path, hostile):
    folder = write_run(tmp_path / "run", rows=20, text=hostile)
    # Labels, names of tasks and settings may be as bad as texts.
    lines = (folder / "predictions.jsonl").read_text().replace('"neutral"', json.dumps(hostile))
    (folder / "predictions.jsonl").write_text(lines.replace('"mood"', json.dumps("mood" + hostile)))
    metrics = json.loads((folder / "metrics.json").read_text())
    metrics |= {"encoder": hostile, "stop": hostile, "versions": {hostile: hostile}}
    metrics["tasks"]["mood" + hostile] = {"metric": hostile, "scores": {hostile: 0.5}}
    (folder / "metrics.json").write_text(json.dumps(metrics))
    plain = _Page(write_report(write_run(tmp_path / "plain", rows=20)).read_text())
    page = _Page(write_report(folder).read_text(encoding="utf-8"))
    assert page.open == []
    assert page.elements <= plain.elements | {"section"}
    assert {name for name, _ in page.attributes} <= {name for name, _ in plain.attributes}
    shown = " ".join(page.texts)
    assert hostile.format("").strip("\u202e").split()[0] in shown
    assert not re.search(r"[\x00-\x08\x1b\u202e]", shown)


def test_the_size_is_bounded_whatever_the_dev_set(tmp_path):
    small = len(write_report(write_run(tmp_path / "a", rows=1600, steps=300)).read_bytes())
    large = len(write_report(write_run(tmp_path / "b", rows=4000, steps=1500)).read_bytes())
    assert large < 1.2 * small
    long = write_report(write_run(tmp_path / "c", rows=200, text="word " * 5000 + "{}")).read_bytes()
    assert len(long) < 400_000


def test_a_label_per_row_does_not_make_a_matrix_of_thousands(tmp_path):
    folder = write_run(tmp_path / "run", rows=5)
    line = {"task": "many", "kind": "classify", "texts": ["a"]}
    rows = [json.dumps(line | {"gold": f"g{n}", "predicted": f"g{n % 7}"}) for n in range(2000)]
    (folder / "predictions.jsonl").write_text("\n".join(rows))
    text = write_report(folder).read_text()
    assert len(text) < 600_000
    assert "rows with rarer labels are not shown" in text


def test_the_same_files_give_the_same_report(tmp_path):
    folder = write_run(tmp_path / "run", rows=2000)
    first = write_report(folder).read_bytes()
    assert write_report(folder).read_bytes() == first


def test_a_run_that_was_killed_is_shown_as_far_as_it_came(tmp_path):
    folder = write_run(tmp_path / "run")
    (folder / "metrics.json").unlink()
    (folder / "predictions.jsonl").unlink()
    with (folder / "log.jsonl").open("a") as log:
        log.write('{"step": 97, "losses": {"mo')
    text = write_report(folder).read_text()
    assert "not finished yet" in text
    assert "96 steps" in text


@pytest.mark.parametrize("missing", ["run.toml", "log.jsonl", "metrics.json", "predictions.jsonl"])
def test_each_file_may_be_missing(tmp_path, missing):
    folder = write_run(tmp_path / "run", rows=20)
    (folder / missing).unlink()
    assert _Page(write_report(folder).read_text()).open == []


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("run.toml", "encoder = ", "not valid TOML"),
        ("metrics.json", "{", "not valid JSON"),
    ],
)
def test_damaged_files_are_told(tmp_path, name, content, told):
    folder = write_run(tmp_path / "run", rows=5)
    (folder / name).write_text(content)
    with pytest.raises(TenorError, match=told):
        write_report(folder)


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(TenorError, match="holds no run"):
        write_report(tmp_path)
    with pytest.raises(TenorError, match="is no folder"):
        write_report(tmp_path / "nowhere")


def test_odd_lines_do_no_harm(tmp_path):
    folder = write_run(tmp_path / "run", rows=5)
    odd = [
        "[]", "3", "null", '{"task": "x"}', '{"task": "x", "gold": 1, "predicted": NaN}', "{" * 5000,
        '{"task": "x", "texts": 5, "gold": 1, "predicted": 2}', '{"step": "a", "losses": {}}',
        '{"step": 5, "losses": {"mood": "high", "b": NaN}}', '{"step": 6, "evaluation": {"mood": 3}}',
    ]  # fmt: skip
    for name in ("predictions.jsonl", "log.jsonl"):
        with (folder / name).open("a") as file:
            file.write("\n".join(odd) + "\n")
    (folder / "metrics.json").write_text('{"tasks": 3, "data": [], "machine": "x"}')
    assert _Page(write_report(folder).read_text()).open == []


# --- what is kept of predictions and logs ----------------------------------------------------------------


def _task(kind, lines):
    task = TaskPredictions("t", kind)
    for number, line in enumerate(lines):
        task.add({"texts": [f"text {number}"], "origin": f"f:{number}", **line})
    task.settle()
    return task


def test_the_most_confident_errors_come_first():
    lines = [
        {"gold": "a", "predicted": "b", "probabilities": {"a": 1 - share, "b": share}}
        for share in (0.6, 0.9, 0.7, 0.99, 0.55)
    ]
    right = [{"gold": "a", "predicted": "a", "probabilities": {"a": 0.999, "b": 0.001}}] * 3
    task = _task("classify", [*lines, *right])
    assert [row.texts[0] for row in task.wrong] == ["text 3", "text 1", "text 2", "text 0", "text 4"]
    assert (task.rows, task.right, len(task.good)) == (8, 3, 3)
    assert task.confusion == {("a", "b"): 5, ("a", "a"): 3}
    assert task.wrong[0].told == "gold a, predicted b, 99% sure"


def test_scores_are_ordered_by_their_distance():
    lines = [{"gold": 2.0, "predicted": 2.0 + off} for off in (0.01, -3.0, 0.5, 0.04)]
    task = _task("similarity", lines)
    assert [row.texts[0] for row in task.wrong] == ["text 1", "text 2"]
    assert [row.texts[0] for row in task.good] == ["text 0", "text 3"]
    assert task.graded


def test_numbers_as_labels_are_labels_and_sorted_as_numbers():
    lines = [{"gold": g, "predicted": g, "probabilities": [0.5, 0.5]} for g in (10, 2, 0)]
    task = _task("classify", lines)
    assert not task.graded
    assert task.labels == ["0", "2", "10"]


def test_several_labels_and_what_a_line_says_itself():
    several = _task(
        "classify", [{"gold": ["x", "y"], "predicted": ["y", "x"]}, {"gold": ["x"], "predicted": []}]
    )
    assert (several.right, several.wrong[0].predicted) == (1, "none")
    ranks = [
        {"gold": "rank 1", "predicted": f"rank {rank}", "right": rank == 1, "error": rank - 1.0,
         "shown": f"partner found at rank {rank}"}
        for rank in (7, 1, 40)
    ]  # fmt: skip
    own = _task("a kind of one's own", ranks)
    assert (own.right, [row.wrongness for row in own.wrong]) == (1, [39.0, 6.0])
    assert own.wrong[0].told == "partner found at rank 40"
    assert not own.graded
    several = [("PER", "PER"), ("PER", "O"), ("O", "O")]
    tagged = _task("tag", [{"gold": ["B-PER"], "predicted": ["O"], "confusion": several}])
    assert tagged.confusion == dict.fromkeys(several, 1)


def test_predictions_of_a_missing_file_are_none(tmp_path):
    assert read_predictions(tmp_path / "none.jsonl") == {}


def test_a_step_that_was_logged_twice_counts_once(tmp_path):
    lines = [{"step": s, "losses": {"a": v}, "tokens": 10} for s, v in ((1, 3.0), (2, 2.0), (2, 1.0))]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
    log = read_log(tmp_path / "log.jsonl")
    assert (log.train["a"], log.tokens) == (([1.0, 2.0], [3.0, 1.0]), 20)


def test_long_curves_are_averaged(tmp_path):
    lines = [{"step": step, "losses": {"a": float(step)}} for step in range(1, 2401)]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, lines)))
    xs, ys = read_log(tmp_path / "log.jsonl").train["a"]
    assert (len(xs), xs[0], ys[-1]) == (80, 15.5, 2385.5)


def test_the_report_has_landmarks_and_tables_that_keys_can_scroll(tmp_path):
    text, page = _written(tmp_path / "run")
    assert {"header", "main", "footer"} <= page.elements
    boxes = re.findall(r'<div class="scroll"([^>]*)>', text)
    assert boxes
    assert all('tabindex="0" role="region" aria-label=' in box for box in boxes)
    assert text.count("<th>") == text.count("<th class") == 0  # every head of a column says that it is one


def test_scores_stand_beside_the_most_frequent_label_and_the_beginning(tmp_path):
    folder = write_run(tmp_path / "run")
    lines = [
        {"task": "mood", "kind": "classify", "origin": f"dev.tsv:{row}", "texts": ["a"], "gold": gold,
         "predicted": "good", "probabilities": {"good": 0.9, "bad": 0.1}}
        for row, gold in enumerate(["good"] * 3 + ["bad"])
    ]  # fmt: skip
    (folder / "predictions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    text = write_report(folder).read_text(encoding="utf-8")
    assert ">majority</th>" in text
    assert ">0.750</td>" in text
    assert re.search(r"at step \d+", text)


def test_no_absolute_path_is_in_the_report(tmp_path):
    folder = write_run(tmp_path / "run")
    settings = (folder / "run.toml").read_text()
    (folder / "run.toml").write_text('data_folder = "/home/ann/secret/data/train.tsv"\n' + settings)
    with (folder / "predictions.jsonl").open("a") as file:
        line = {"task": "mood", "kind": "classify", "origin": "/home/ann/secret/dev.tsv:3", "texts": ["a"],
                "gold": "x", "predicted": "y", "probabilities": {"y": 0.99999}}  # fmt: skip
        file.write(json.dumps(line) + "\n")
    text = write_report(folder).read_text(encoding="utf-8")
    assert "…/train.tsv" in text
    assert "…/dev.tsv:3" in text
    assert "/home/ann" not in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("C:\\Users\\ann\\data.csv", "…/data.csv"),
        ("see https://example.org/a/b", "see https://example.org/a/b"),
        ("data/train.tsv and 1/2", "data/train.tsv and 1/2"),
        ("'/a/b/c' /x", "'…/c' /x"),
    ],
)
def test_only_absolute_paths_lose_their_folders(text, shown):
    assert _without_folders(text) == shown


def test_curves_begin_at_zero_so_that_small_differences_look_small(tmp_path):
    flat = line_plot({"f1": ([1, 2], [0.90, 0.91])}, x_label="step", y_label="f1", include=[0.0, 1.0])
    points = re.search(r'points="([^"]+)"', flat)[1].split()
    first, last = (float(point.split(",")[1]) for point in points)
    assert abs(first - last) < 10  # of some 260
    text, _ = _written(tmp_path / "run")
    assert text.count(">0<") + text.count(">0.0<") >= 4


@pytest.mark.slow
def test_the_report_has_no_findings_in_light_and_dark(tmp_path):
    from serve.browser import browsing, programs

    programs()
    folder = write_run(tmp_path / "run")
    write_report(folder)
    with browsing((folder / "report.html").as_uri(), tmp_path) as page:
        for width, dark in ((1280, False), (390, True)):
            page.resize(width)
            page.recolour(dark=dark, still=True)
            page.open()
            page.shot(f"report-{width}-{'dark' if dark else 'light'}")
            assert page.axe() == []
            assert page.run("return document.documentElement.scrollWidth") <= width


def test_the_scores_of_the_most_frequent_label_are_those_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    gold = ["a"] * 5 + ["b"] * 3 + ["c"]
    task = TaskPredictions("mood", "classify")
    for label in gold:
        task.add({"texts": ["t"], "gold": label, "predicted": "b", "probabilities": {"a": 0.1, "b": 0.9}})
    always = ["a"] * len(gold)
    assert task.constant_scores() == pytest.approx(
        {
            "accuracy": metrics.accuracy_score(gold, always),
            "f1_macro": metrics.f1_score(gold, always, average="macro", zero_division=0),
            "f1_micro": metrics.f1_score(gold, always, average="micro"),
            "matthews": metrics.matthews_corrcoef(gold, always),
        }
    )


def test_one_epoch_is_one_epoch(tmp_path):
    folder = write_run(tmp_path / "run")
    lines = [json.loads(line) | {"epoch": 0} for line in (folder / "log.jsonl").read_text().splitlines()]
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert ", 1 epoch, " in write_report(folder).read_text(encoding="utf-8")
